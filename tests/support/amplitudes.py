"""Joint amplitudes of a board, as plain dictionaries of configurations.

This is the physics half of the test oracle. It knows no dice, no rules and no circuits: a *configuration* is
a board of nine characters (`X`, `O`, `.`), a *factor* is a real state vector over the configurations of a few
squares, and a joint state is a product of factors over disjoint squares. Moves are linear maps on
configurations.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

EMPTY_BOARD = "." * 9
SQUARES = range(1, 10)
ROOT_HALF = math.sqrt(0.5)
NEGLIGIBLE = 1e-12
"""Amplitudes below this are rounding, e.g. what two Hadamards in a row leave behind."""

ConfigurationMap = Callable[[str], Iterable[tuple[str, float]]]


class NotIsometricError(AssertionError):
    """A map that should have kept the norm did not: it was used outside its domain."""


def put(configuration: str, square: int, symbol: str) -> str:
    """The configuration with `symbol` (`.` to empty it) in a square, counted from 1."""
    return configuration[: square - 1] + symbol + configuration[square:]


def overlay(first: str, second: str) -> str:
    """Two configurations on disjoint squares as one; `.` sorts below both symbols."""
    return "".join(map(max, first, second))


def normalised(amplitudes: dict[str, float]) -> dict[str, float]:
    norm = math.sqrt(sum(amplitude * amplitude for amplitude in amplitudes.values()))
    return {
        configuration: amplitude / norm
        for configuration, amplitude in amplitudes.items()
        if abs(amplitude) > NEGLIGIBLE * norm
    }


@dataclass(frozen=True, slots=True)
class Factor:
    """A normalised state vector of some squares; configurations are `.` on all others."""

    squares: frozenset[int]
    amplitudes: dict[str, float]

    def symbols(self, square: int) -> set[str]:
        """What the square can be found to hold, `.` included."""
        return {configuration[square - 1] for configuration in self.amplitudes}

    def _part(self, configuration: str, squares: frozenset[int]) -> str:
        pairs = zip(SQUARES, configuration, strict=True)
        return "".join(symbol if square in squares else "." for square, symbol in pairs)

    def split_off(self, squares: frozenset[int]) -> tuple["Factor", "Factor"] | None:
        """This factor as a product of one over `squares` and one over the rest, if it is such a product."""
        rest = self.squares - squares
        pivot = max(self.amplitudes, key=lambda configuration: abs(self.amplitudes[configuration]))
        left = {self._part(configuration, squares) for configuration in self.amplitudes}
        right = {self._part(configuration, rest) for configuration in self.amplitudes}
        left_pivot, right_pivot = self._part(pivot, squares), self._part(pivot, rest)
        row = {x: self.amplitudes.get(overlay(x, right_pivot), 0.0) for x in left}
        column = {y: self.amplitudes.get(overlay(left_pivot, y), 0.0) for y in right}
        for x, at_x in row.items():
            for y, at_y in column.items():
                product = at_x * at_y / self.amplitudes[pivot]
                if abs(self.amplitudes.get(overlay(x, y), 0.0) - product) > 1e-9:
                    return None
        return Factor(squares, normalised(row)), Factor(rest, normalised(column))

    def finest(self) -> Iterator["Factor"]:
        """The factors of the finest product this factor can be written as."""
        ordered = sorted(self.squares)
        for size in range(1, len(ordered) // 2 + 1):
            for squares in combinations(ordered, size):
                parts = self.split_off(frozenset(squares))
                if parts is not None:
                    yield from parts[0].finest()
                    yield from parts[1].finest()
                    return
        yield self


@dataclass(frozen=True, slots=True)
class JointState:
    """A product of factors; squares in no factor are empty."""

    factors: tuple[Factor, ...] = ()

    def merged(self, squares: Iterable[int] = SQUARES) -> tuple[Factor, tuple[Factor, ...]]:
        """One factor that covers `squares` and everything correlated with them, and the untouched factors."""
        wanted = frozenset(squares)
        covered = wanted
        amplitudes = {EMPTY_BOARD: 1.0}
        untouched = []
        for factor in self.factors:
            if factor.squares.isdisjoint(wanted):
                untouched.append(factor)
                continue
            covered |= factor.squares
            amplitudes = {
                overlay(left, right): a * b
                for left, a in amplitudes.items()
                for right, b in factor.amplitudes.items()
            }
        return Factor(covered, amplitudes), tuple(untouched)

    def apply(
        self, squares: Iterable[int], rule: ConfigurationMap, *, isometric: bool = True
    ) -> "JointState":
        """Apply a linear map given by its values on configurations.

        Args:
            squares: The squares the map looks at or changes.
            rule: Sends a configuration to (configuration, amplitude) pairs.
            isometric: Whether the map must keep the norm; otherwise the result is renormalised.

        Raises:
            NotIsometricError: `isometric` and the norm changed.
        """
        factor, untouched = self.merged(squares)
        changed: dict[str, float] = {}
        for configuration, amplitude in factor.amplitudes.items():
            for image, weight in rule(configuration):
                changed[image] = changed.get(image, 0.0) + weight * amplitude
        norm = sum(amplitude * amplitude for amplitude in changed.values())
        if isometric and abs(norm - 1) > 1e-9:
            raise NotIsometricError(f"norm {norm} after a map on squares {sorted(squares)}")
        return JointState((*untouched, Factor(factor.squares, normalised(changed))))

    def hadamard(self, squares: Iterable[int]) -> "JointState":
        """A Hadamard on the symbol of whatever each square holds: X to X + O, O to X - O, empty stays."""

        def turn(square: int) -> ConfigurationMap:
            def rule(configuration: str) -> Iterator[tuple[str, float]]:
                symbol = configuration[square - 1]
                if symbol == ".":
                    yield configuration, 1.0
                else:
                    yield put(configuration, square, "X"), ROOT_HALF
                    yield put(configuration, square, "O"), -ROOT_HALF if symbol == "O" else ROOT_HALF

            return rule

        state = self
        for square in squares:
            state = state.apply([square], turn(square))
        return state

    def given(self, square: int, symbol: str) -> tuple["JointState", Factor | None]:
        """The state once `square` was found to hold `symbol`, that square itself emptied.

        Returns:
            The other factors, and the factor the square was in, collapsed; None for the latter where the
            outcome is impossible.
        """
        factor, untouched = self.merged([square])
        kept = {
            put(configuration, square, "."): amplitude
            for configuration, amplitude in factor.amplitudes.items()
            if configuration[square - 1] == symbol
        }
        if not kept:
            return self, None
        return JointState(untouched), Factor(factor.squares - {square}, normalised(kept))

    def distribution(self, fixed: str = EMPTY_BOARD) -> dict[str, float]:
        """The probability of each board, with the symbols of `fixed` on squares outside the state."""
        boards = {fixed: 1.0}
        for factor in self.factors:
            chances = [(configuration, a * a) for configuration, a in factor.amplitudes.items()]
            boards = {
                overlay(board, configuration): probability * chance
                for board, probability in boards.items()
                for configuration, chance in chances
            }
        return boards
