"""The value of every board with which play goes on after an observation, with ``measure-turn``.

From Level 1 on a full board leaves at most four squares empty, and the observed symbols are closed: until the
next observation only what happens in those few squares matters. So the positions on one to four free squares
are found once, and each is given its values on all boards of that size together.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from qttt.game.rules import Rules
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.symbols import Mode
from qttt.solver.blocks import OBSERVED, Block, empty_squares, number_of
from qttt.solver.boards import BOARDS, Pair, board_text, classes, verdicts
from qttt.solver.expectation import shown
from qttt.solver.measuring.positions import Lottery, Moment, options
from qttt.solver.measuring.tables import MOST_EMPTY

#: So many boards are valued at a time.
_BATCH = 128
#: Values are multiples of 1/_STEPS, so that a tie's probability fits below them: one number orders both.
_STEPS = 1 << 22
_TIE = 2.0**-24
Values = NDArray[np.float64]


class Phase:
    """The positions that a few free squares may be in until the next observation.

    The free squares are called 1, 2 … here; all others are observed. Who begins is 0.

    Attributes:
        size: how many squares are free.
        order: every position with what each choice may lead to (nothing for a full one), those that others
            lead to first; the last is the one with nothing on the free squares.
    """

    def __init__(self, rules: Rules, size: int) -> None:
        """Find all positions.

        Args:
            rules: Level 1 or 2 and its options.
            size: the number of free squares, 1 to 9.
        """
        self.size = size
        # The other squares are taken; by whom makes no difference.
        taken = tuple(number_of(Block(OBSERVED, (square,), 0)) for square in SQUARES[size:])
        self._taken = frozenset(taken)
        self.order: dict[Moment, tuple[Lottery, ...]] = {}
        start = Moment(tuple(sorted(taken)), 0, 0)
        waiting: list[tuple[Moment, tuple[Lottery, ...] | None]] = [(start, None)]
        while waiting:
            moment, found = waiting.pop()
            if moment in self.order:
                continue
            if found is None:
                found = tuple(options(moment, rules)) if empty_squares(moment.blocks) else ()
                waiting.append((moment, found))
                waiting.extend((child, None) for lottery in found for _, child in lottery)
            else:
                self.order[moment] = found

    def ends(self, moment: Moment) -> list[tuple[int, float]]:
        """What a full position may show: boards of the free squares as player 0 sees them, and chances."""
        spread = [(0, 1.0)]
        for number in moment.blocks:
            if number not in self._taken:
                spread = [
                    (board + part, p * q)
                    for board, p in spread
                    for part, q in shown(number, 0, Mode.STANDARD)
                ]
        return spread


class BoardValues:
    """Values of all boards with which play goes on after an observation.

    Attributes:
        rules: the level and its options.
        values: for each board number, as in ``solver.boards``, value and tie probability to the player to
            move; NaN where no observation leaves so few pieces.
        positions: how many positions on free squares there are, by the number of squares.
    """

    def __init__(self, rules: Rules, progress: Callable[[str], None] | None = None) -> None:
        """Find them all.

        Args:
            rules: Level 1 or 2 and its options.
            progress: told in a few words how far it is.
        """
        self.rules = rules
        self.values: Values = np.full((BOARDS, 2), np.nan)
        self.positions: dict[int, int] = {}
        going_on: dict[int, list[tuple[int, ...]]] = {}
        for images in classes():
            result = verdicts(rules)[images[0]]
            if result is not None:
                self.values[list(images)] = result
            else:
                going_on.setdefault(board_text(images[0]).count(EMPTY), []).append(images)
        for size in range(1, MOST_EMPTY + 1):
            phase = Phase(rules, size)
            self.positions[size] = len(phase.order)
            same = going_on[size]
            for start in range(0, len(same), _BATCH):
                if progress:
                    progress(f"{size} free squares: {start} of {len(same)} boards")
                batch = same[start : start + _BATCH]
                found = self._valued(phase, [images[0] for images in batch])
                for images, pair in zip(batch, found, strict=True):
                    self.values[list(images)] = pair

    def board_value(self, number: int) -> Pair:
        """The value of a board by its number, as ``solver.expectation`` wants it."""
        return float(self.values[number, 0]), float(self.values[number, 1])

    def _valued(self, phase: Phase, boards: list[int]) -> Values:
        """Value and tie probability of boards with as many empty squares as a phase has free ones."""
        results = self._results(phase, boards)
        # To the player who moved before: what they want most is the greatest of these numbers.
        worth: dict[Moment, Values] = {}
        best = np.zeros(len(boards))
        for moment, lotteries in phase.order.items():
            mover = moment.turn
            if lotteries:
                best = np.full(len(boards), -2.0)
                for lottery in lotteries:
                    np.maximum(best, sum(chance * worth[child] for chance, child in lottery), out=best)
                value, tie = _split(best)
                if mover:
                    value = -value
            else:
                value, tie = np.zeros(len(boards)), np.zeros(len(boards))
                for pattern, chance in phase.ends(moment):
                    value += chance * results[mover, pattern, :, 0]
                    tie += chance * results[mover, pattern, :, 1]
            worth[moment] = (value if mover else -value) - _TIE * tie
        value, tie = _split(best)
        return np.stack([value, tie], axis=1)

    def _results(self, phase: Phase, boards: list[int]) -> Values:
        """The value to player 0 of each board that may come out, by who moves next and the free squares."""
        found = np.full((2, 3**phase.size, len(boards), 2), np.nan)
        for place, number in enumerate(boards):
            free = [index for index in range(9) if number // 3**index % 3 == 0]
            for digits in product(range(3), repeat=phase.size):
                if not any(digits):
                    continue
                shown = sum(digit * 3**index for index, digit in enumerate(digits))
                board = number + sum(digit * 3**index for digit, index in zip(digits, free, strict=True))
                found[0, shown, place] = self.values[board]
                found[1, shown, place] = self.values[_exchanged(board)] * (-1, 1)
        return found


def _split(best: Values) -> tuple[Values, Values]:
    """Value and tie probability from one number, value − 2⁻²⁴·tie."""
    value = np.ceil(best * _STEPS) / _STEPS
    return value, (value - best) / _TIE


def _exchanged(board: int) -> int:
    """A board's number as the other player sees it."""
    return sum((3 - digit) % 3 * 3**index for index in range(9) if (digit := board // 3**index % 3))
