"""Why a board cannot be: error detection by what the roots of a position allow.

A device that errs gives boards that no observation could give: a superposition found in both of its squares,
or in neither. Each root says which fillings of its squares and which symbols in them are possible; a board
that one of them rules out is impossible, and the way in which it is ruled out is its kind of fault.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import cache

from qttt.game.position import Position
from qttt.game.roots import Root, read_roots, root_distribution
from qttt.game.squares import EMPTY
from qttt.game.symbols import Mode


class Fault(StrEnum):
    """What is wrong with an impossible board, in the order in which faults are looked for."""

    OUTSIDE = "a piece where there can be none"
    CHANGED = "an observed symbol changed"
    MISSING = "a piece missing"
    DOUBLED = "a piece doubled"
    MISPLACED = "pieces that cannot be there together"
    ALIKE = "an entangled pair alike"
    TURNED = "a symbol that cannot be there"


def find_fault(board: str, position: Position, mode: Mode) -> Fault | None:
    """Why a position cannot give this board; None if it can.

    Where several roots are at fault, or one in several ways, the first in the order of ``Fault`` is named.

    Args:
        board: nine of ``X``, ``O`` and ``.``.
        position: a position in the standard view.
        mode: mode of observation.

    Raises:
        UsageError: a mode that does not exist.
    """
    return _find(board, read_roots(position), position.observed, Mode.named(mode))


def impossible_boards(boards: Iterable[str], position: Position, mode: Mode) -> dict[str, Fault]:
    """The boards among these that a position cannot give, each with the kind of its fault.

    Raises:
        UsageError: a mode that does not exist.
    """
    mode = Mode.named(mode)
    roots = read_roots(position)
    found = ((board, _find(board, roots, position.observed, mode)) for board in boards)
    return {board: fault for board, fault in found if fault is not None}


def _find(board: str, roots: tuple[Root, ...], observed: str, mode: Mode) -> Fault | None:
    faults: set[Fault | None] = set()
    covered: set[int] = set()
    for root in roots:
        covered.update(root.squares)
        faults.add(_fault_of(root.shape(), "".join(board[square - 1] for square in root.squares), mode))
    for square, (cell, known) in enumerate(zip(board, observed, strict=True), 1):
        if square not in covered and cell != known:
            faults.add(Fault.OUTSIDE if known == EMPTY else Fault.CHANGED)
    return next((fault for fault in Fault if fault in faults), None)


@cache
def _fault_of(shape: Root, pattern: str, mode: Mode) -> Fault | None:
    possible = root_distribution(shape, mode)
    if pattern in possible:
        return None
    fillings = {_filling(other) for other in possible}
    if _filling(pattern) not in fillings:
        pieces = {len(filling) for filling in fillings}
        if len(_filling(pattern)) < min(pieces):
            return Fault.MISSING
        return Fault.DOUBLED if len(_filling(pattern)) > max(pieces) else Fault.MISPLACED
    # The right squares with the wrong symbols: a pair that has to be opposite, or a symbol that is certain.
    alike = any(pattern[one] == pattern[two] for one, two in _opposites(shape, _filling(pattern), mode))
    return Fault.ALIKE if alike else Fault.TURNED


def _filling(pattern: str) -> tuple[int, ...]:
    return tuple(place for place, cell in enumerate(pattern) if cell != EMPTY)


def _opposites(shape: Root, filling: tuple[int, ...], mode: Mode) -> list[tuple[int, int]]:
    """The places of a filling whose symbols always differ and are both in doubt."""
    there = [pattern for pattern in root_distribution(shape, mode) if _filling(pattern) == filling]
    pairs = [(one, two) for one in filling for two in filling if one < two]
    return [
        (one, two)
        for one, two in pairs
        if len({pattern[one] for pattern in there}) == 2
        and all(pattern[one] != pattern[two] for pattern in there)
    ]
