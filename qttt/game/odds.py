"""The exact distribution of an observation, from the dice alone.

The roots of a position are independent, so the distribution of the board is the product of theirs. It is kept
as that product: sampling, marginals and support need no list of all boards.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import fsum

from qttt.chance import Uniform as Uniform
from qttt.errors import UsageError
from qttt.game.outcomes import check_nine
from qttt.game.position import Position
from qttt.game.roots import Root, read_roots, root_distribution
from qttt.game.squares import EMPTY, EMPTY_BOARD, checked
from qttt.game.symbols import Mode


@dataclass(frozen=True, slots=True)
class RootOdds:
    """The distribution of one independent part of the board.

    Attributes:
        squares: the squares it covers.
        patterns: what those squares may hold, one character a square, with the probability; these sum to 1.
    """

    squares: tuple[int, ...]
    patterns: tuple[tuple[str, float], ...]

    def draw(self, rng: Uniform) -> str:
        """Draw one pattern by inverse distribution from one uniform number."""
        level = rng.random()
        for pattern, probability in self.patterns:
            level -= probability
            if level < 0:
                return pattern
        return self.patterns[-1][0]

    def cells(self) -> list[dict[str, float]]:
        """For each of its squares the probabilities of ``X``, ``O`` and ``.``."""
        rows = [{"X": 0.0, "O": 0.0, EMPTY: 0.0} for _ in self.squares]
        for pattern, probability in self.patterns:
            for row, cell in zip(rows, pattern, strict=True):
                row[cell] += probability
        return rows


@dataclass(frozen=True, slots=True)
class Odds:
    """A distribution over boards, as a product of independent components.

    Attributes:
        components: the independent parts; squares that none covers are as in ``fixed``.
        fixed: nine characters, the symbols observed before, empty elsewhere.
    """

    components: tuple[RootOdds, ...]
    fixed: str = EMPTY_BOARD

    def outcomes(self) -> dict[str, float]:
        """Every possible board with its probability, in the order of the boards."""
        base = int.from_bytes(self.fixed.encode())
        boards = [(base, 1.0)]
        for component in self.components:
            choices = [
                (
                    sum(
                        _DELTA[cell] << _SHIFT[square]
                        for square, cell in zip(component.squares, pattern, strict=True)
                    ),
                    p,
                )
                for pattern, p in component.patterns
            ]
            boards = [(board + delta, weight * p) for board, weight in boards for delta, p in choices]
        return {board.to_bytes(9).decode(): weight for board, weight in sorted(boards)}

    def probability(self, board: str) -> float:
        """The probability of one board; 0 if it is impossible.

        Raises:
            UsageError: it is not nine of ``X``, ``O`` and ``.``.
        """
        check_nine(board, "XO.", "a board")
        result = 1.0
        covered: set[int] = set()
        for component in self.components:
            pattern = "".join(board[square - 1] for square in component.squares)
            result *= dict(component.patterns).get(pattern, 0.0)
            covered.update(component.squares)
        rest = all(board[i] == self.fixed[i] for i in range(9) if i + 1 not in covered)
        return result if rest else 0.0

    def positions(self) -> dict[str, float]:
        """The distribution of which squares are filled (``#``) and empty (``.``)."""
        reduced = Odds(
            tuple(RootOdds(c.squares, _filled(c.patterns)) for c in self.components),
            "".join("X" if cell != EMPTY else EMPTY for cell in self.fixed),
        )
        return {board.replace("X", "#"): p for board, p in reduced.outcomes().items()}

    def square(self, square: int) -> dict[str, float]:
        """For one square, 1 to 9, the probabilities of ``X``, ``O`` and ``.``.

        Raises:
            UsageError: there is no such square.
        """
        checked(square)
        for component in self.components:
            if square in component.squares:
                return component.cells()[component.squares.index(square)]
        return _certain(self.fixed[square - 1])

    def squares(self) -> tuple[dict[str, float], ...]:
        """For each of the nine squares the probabilities of ``X``, ``O`` and ``.``."""
        table = [_certain(cell) for cell in self.fixed]
        for component in self.components:
            for square, row in zip(component.squares, component.cells(), strict=True):
                table[square - 1] = row
        return tuple(table)

    def draw(self, rng: Uniform) -> str:
        """Draw one board; one uniform number a component, so the same generator gives the same board."""
        cells = list(self.fixed)
        for component in self.components:
            for square, cell in zip(component.squares, component.draw(rng), strict=True):
                cells[square - 1] = cell
        return "".join(cells)

    def given(self, positions: str) -> "Odds":
        """The distribution once it is known which squares are filled.

        Args:
            positions: nine of ``#`` and ``.``.

        Raises:
            UsageError: if these positions are impossible.
        """
        check_nine(positions, "#.", "filled squares")
        components = []
        for component in self.components:
            wanted = tuple(positions[square - 1] == EMPTY for square in component.squares)
            kept = [(p, w) for p, w in component.patterns if tuple(cell == EMPTY for cell in p) == wanted]
            total = sum(weight for _, weight in kept)
            if not kept:
                raise UsageError(f"the positions {positions} are impossible here")
            components.append(RootOdds(component.squares, tuple((p, w / total) for p, w in kept)))
        conditioned = Odds(tuple(components), self.fixed)
        if any(
            (mark == EMPTY) != (row[EMPTY] > 0.5)
            for mark, row in zip(positions, conditioned.squares(), strict=True)
        ):
            raise UsageError(f"the positions {positions} are impossible here")
        return conditioned


_DELTA = {cell: ord(cell) - ord(EMPTY) for cell in "XO."}
_SHIFT = {square: 8 * (9 - square) for square in range(1, 10)}


def _filled(patterns: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
    merged: dict[str, float] = {}
    for pattern, probability in patterns:
        key = pattern.replace("O", "X")
        merged[key] = merged.get(key, 0.0) + probability
    return tuple(merged.items())


def observation_odds(position: Position, mode: Mode = Mode.STANDARD) -> Odds:
    """The exact odds of the board if it were observed now.

    The view goes back to standard first. Probabilities are computed in exact arithmetic and rounded once, so
    that a dyadic one is the float that it should be.

    Raises:
        UsageError: a mode that does not exist.
    """
    mode = Mode.named(mode)
    standing = position.standard()
    return Odds(tuple(_root_odds(root, mode) for root in read_roots(standing)), standing.observed)


@cache
def _root_odds(root: Root, mode: Mode) -> RootOdds:
    return RootOdds(
        root.squares, tuple((pattern, float(p)) for pattern, p in root_distribution(root, mode).items())
    )


def _certain(cell: str) -> dict[str, float]:
    return {"X": 0.0, "O": 0.0, EMPTY: 0.0} | {cell: 1.0}


def distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Total variation distance of two distributions: half the sum of the absolute differences, 0 to 1."""
    boards = set(first) | set(second)
    # Rounded once, at the end: the order of a set of strings differs from one process to the next.
    return fsum(abs(first.get(board, 0.0) - second.get(board, 0.0)) for board in boards) / 2
