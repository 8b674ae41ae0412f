"""What the observation of a board is worth, for any valuation of the boards that it may give.

Boards are numbered as in ``qttt.solver.boards``: in base three, as the player who moves next sees them. The
board need not be full.
"""

from collections.abc import Callable
from functools import cache
from itertools import product

from qttt.roots import root_distribution
from qttt.solver.blocks import BLOCKS, CANCELLED, OBSERVED, root_of
from qttt.solver.boards import Pair
from qttt.squares import EMPTY
from qttt.symbols import Mode

#: What one block may show: (part of the board number, probability).
Shown = tuple[tuple[int, float], ...]
Valuation = Callable[[int], Pair]


@cache
def shown(number: int, turn: int, mode: Mode) -> Shown:
    """What a block may show if observed.

    Args:
        number: a block in the standard view.
        turn: the player who sees the board, 0 for X and 1 for O.
        mode: standard or rotated.
    """
    return tuple((part, weight) for _, part, weight in _patterns(number, turn, mode))


@cache
def placements(number: int, turn: int) -> tuple[tuple[int, tuple[Shown, Shown]], ...]:
    """What a block may show in each mode, sorted by the squares that it fills.

    Returns:
        Pairs of a mask of filled squares (square 1 the lowest bit) and what is shown in the standard and the
        rotated mode; probabilities are not yet divided by that of the mask.
    """
    found: dict[int, tuple[list[tuple[int, float]], list[tuple[int, float]]]] = {}
    for index, mode in enumerate(Mode):
        for mask, part, weight in _patterns(number, turn, mode):
            found.setdefault(mask, ([], []))[index].append((part, weight))
    return tuple((mask, (tuple(first), tuple(second))) for mask, (first, second) in found.items())


def _patterns(number: int, turn: int, mode: Mode) -> list[tuple[int, int, float]]:
    """Each thing a block may show: (mask of filled squares, part of the board number, probability)."""
    block = BLOCKS[number]
    if block.kind == CANCELLED:
        return [(0, 0, 1.0)]
    if block.kind == OBSERVED:
        square = block.squares[0] - 1
        return [(1 << square, (1 if block.symbol == turn else 2) * 3**square, 1.0)]
    root = root_of(block)
    found = []
    for pattern, probability in root_distribution(root, mode).items():
        mask = part = 0
        for square, cell in zip(root.squares, pattern, strict=True):
            if cell != EMPTY:
                mask |= 1 << (square - 1)
                part += (1 if int(cell == "O") == turn else 2) * 3 ** (square - 1)
        found.append((mask, part, float(probability)))
    return found


def observed_value(blocks: tuple[int, ...], turn: int, boards: Valuation, margin: float | None) -> Pair:
    """The value of a board that is observed now, to the player who moves next.

    Args:
        blocks: the blocks of the board in the standard view.
        turn: that player, 0 for X and 1 for O; the other one initiated the observation.
        boards: the value of each board number.
        margin: None where there is one mode only. Else the initiator chooses it, once the positions are
            known, and values that differ by no more than this count as equal.
    """
    if margin is None:
        return _expected([shown(number, turn, Mode.STANDARD) for number in blocks], boards)
    value = tie = 0.0
    for choice in product(*(placements(number, turn) for number in blocks)):
        standard, rotated = (_expected([modes[index] for _, modes in choice], boards) for index in (0, 1))
        best = _lesser(standard, rotated, margin)
        value += best[0]
        tie += best[1]
    return value, tie


def mode_values(blocks: tuple[int, ...], turn: int, filled: str, boards: Valuation) -> tuple[Pair, Pair]:
    """The value of observing in each mode, standard and rotated, once the positions are known.

    Args:
        blocks: the blocks of a full board in the standard view.
        turn: who moves next if play goes on.
        filled: the observed positions, nine of ``#`` and ``.``; they must be possible.
        boards: the value of each board number.

    Returns:
        Values to the player who moves next.
    """
    mask = sum(1 << index for index, mark in enumerate(filled) if mark != EMPTY)
    parts: tuple[list[Shown], list[Shown]] = ([], [])
    for number in blocks:
        covered = sum(1 << (square - 1) for square in BLOCKS[number].squares)
        modes = dict(placements(number, turn))[mask & covered]
        scale = sum(weight for _, weight in modes[0])
        for patterns, part in zip(modes, parts, strict=True):
            part.append(tuple((place, weight / scale) for place, weight in patterns))
    return _expected(parts[0], boards), _expected(parts[1], boards)


def _expected(parts: list[Shown], boards: Valuation) -> Pair:
    """The expected value of independent blocks; their weights need not sum to 1."""
    base, spread = 0, [(0, 1.0)]
    for patterns in parts:
        if len(patterns) == 1 and patterns[0][1] == 1.0:
            base += patterns[0][0]
        else:
            spread = [(number + part, weight * p) for number, weight in spread for part, p in patterns]
    value = tie = 0.0
    for number, weight in spread:
        pair = boards(base + number)
        value += weight * pair[0]
        tie += weight * pair[1]
    return value, tie


def _lesser(first: Pair, second: Pair, margin: float) -> Pair:
    """What the opponent prefers: the smaller value, and of equal ones the one with fewer ties."""
    if abs(first[0] - second[0]) <= margin:
        return min(first, second, key=lambda pair: pair[1])
    return min(first, second)
