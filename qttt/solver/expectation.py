"""What the observation of a board is worth, for any valuation of the boards that it may give.

The board need not be full. Most of the randomness is looked up instead of summed: numbers of boards are in
base four, and digit 3 stands for a symbol that is either with equal odds.
"""

from collections.abc import Callable
from functools import cache

from qttt.game.roots import root_distribution
from qttt.game.squares import EMPTY
from qttt.game.symbols import Mode
from qttt.solver.blocks import BLOCKS, CANCELLED, OBSERVED, Block, root_of
from qttt.solver.boards import Pair

#: The third digit of a board number: the symbol is either with equal odds.
EITHER = 3
#: What one block may show when observed: (part of the board number, probability).
Shown = tuple[tuple[int, float], ...]
#: What several blocks may show together.
Spread = list[tuple[int, float]]
#: Which squares a block fills (square 1 the lowest bit), and what it may then show in each mode.
Placement = tuple[int, tuple[Shown, Shown]]


def merged(shown: dict[tuple[int, ...], float]) -> dict[tuple[int, ...], float]:
    """Join equally likely patterns that differ in one cell to one that shows either symbol there.

    Args:
        shown: probabilities of patterns, a digit for each cell.
    """
    for cell in range(len(next(iter(shown)))):
        joined: dict[tuple[int, ...], float] = {}
        for digits, weight in shown.items():
            mixed = digits[cell] in (1, 2)
            other = (*digits[:cell], 3 - digits[cell], *digits[cell + 1 :])
            if mixed and other in shown and abs(shown[other] - weight) < 1e-15:
                joined[*digits[:cell], EITHER, *digits[cell + 1 :]] = 2 * weight
            else:
                joined[digits] = weight
        shown = joined
    return shown


def patterns(block: Block, turn: int, mode: Mode) -> dict[tuple[int, ...], float]:
    """The probability of each pattern of a block: digits in the order of its squares."""
    if block.kind == OBSERVED:
        return {(1 if block.symbol == turn else 2,): 1.0}
    root = root_of(block)
    places = [root.squares.index(square) for square in block.squares]
    shown = {}
    for pattern, probability in root_distribution(root, mode).items():
        cells = [0 if cell == EMPTY else 1 if "XO".index(cell) == turn else 2 for cell in pattern]
        shown[tuple(cells[place] for place in places)] = float(probability)
    return shown


@cache
def shown(number: int, turn: int, mode: Mode) -> Shown:
    """What a block may show if observed, in base three.

    Args:
        number: a block in the standard view.
        turn: the player who sees the board, 0 for X and 1 for O.
        mode: standard or rotated.
    """
    block = BLOCKS[number]
    if block.kind == CANCELLED:
        return ((0, 1.0),)
    return tuple(
        (sum(d * 3 ** (square - 1) for d, square in zip(digits, block.squares, strict=True)), weight)
        for digits, weight in patterns(block, turn, mode).items()
    )


@cache
def placements(number: int, turn: int) -> tuple[Placement, ...]:
    """What a block may show in both modes, sorted by the squares that it fills, in base four.

    Args:
        number: a block in the standard view.
        turn: the player who sees the board, 0 for X and 1 for O.
    """
    block = BLOCKS[number]
    if block.kind == CANCELLED:
        return ((0, (((0, 1.0),), ((0, 1.0),))),)
    found: dict[int, tuple[list[tuple[int, float]], list[tuple[int, float]]]] = {}
    for index, mode in enumerate(Mode):
        for digits, weight in merged(patterns(block, turn, mode)).items():
            cells = list(zip(digits, block.squares, strict=True))
            mask = sum(1 << (square - 1) for digit, square in cells if digit)
            part = sum(digit << 2 * (square - 1) for digit, square in cells)
            found.setdefault(mask, ([], []))[index].append((part, weight))
    return tuple((mask, (tuple(first), tuple(second))) for mask, (first, second) in found.items())


class Averages(dict[int, complex]):
    """Value and tie probability of boards by their number in base four, each worked out when first needed.

    The two are one complex number: half the work of two sums. ``boards.averaged`` does all boards at once.
    """

    def __init__(self, boards: Callable[[int], Pair]) -> None:
        """Take the value and tie probability of each board by its number in base three."""
        super().__init__()
        self._boards = boards

    def __missing__(self, number: int) -> complex:
        board = 0
        for index in reversed(range(9)):
            digit = number >> 2 * index & 3
            if digit == EITHER:
                found = (self[number - (2 << 2 * index)] + self[number - (1 << 2 * index)]) / 2
                break
            board = 3 * board + digit
        else:
            found = complex(*self._boards(board))
        self[number] = found
        return found


class Expectation:
    """Values of boards that are observed now, from those of the boards that they may give."""

    def __init__(self, boards: Callable[[int], Pair], *, choice: bool, margin: float) -> None:
        """Say what boards are worth.

        Args:
            boards: value and tie probability, to the player who moves next, of each board by its number.
            choice: the initiator chooses the mode after seeing the positions; otherwise it is standard.
            margin: values that differ by no more count as equal.
        """
        self._table = Averages(boards)
        self._choice = choice
        self._margin = margin

    def value(self, blocks: tuple[int, ...], turn: int) -> Pair:
        """The value of a board to the player who moves next if the game goes on.

        Args:
            blocks: the blocks of the board in the standard view.
            turn: that player, 0 for X and 1 for O; the other one initiated the observation.
        """
        standard = rotated = 0
        uncertain = []
        for number in blocks:
            options = placements(number, turn)
            _, (first, second) = options[0]
            if len(options) == 1 and len(first) == 1 and len(second) == 1:
                standard += first[0][0]
                rotated += second[0][0]
            else:
                uncertain.append(options)
        if not uncertain:
            best = self._table[standard]
            if self._choice:
                best = self._lesser(best, self._table[rotated])
            return best.real, best.imag
        # For each choice of filled squares, what the board may then be in each mode; the block with most
        # choices comes last and is summed at once.
        uncertain.sort(key=len)
        final = uncertain.pop()
        cases = [([(standard, 1.0)], [(rotated, 1.0)])]
        for options in uncertain:
            cases = [
                (_joined(one, first), _joined(two, second))
                for one, two in cases
                for _, (first, second) in options
            ]
        table, total = self._table, 0j
        for one, two in cases:
            for _, (first, second) in final:
                best = sum([w * p * table[board + part] for board, w in one for part, p in first])
                if self._choice:
                    other = sum([w * p * table[board + part] for board, w in two for part, p in second])
                    best = self._lesser(best, other)
                total += best
        return total.real, total.imag

    def modes(self, blocks: tuple[int, ...], turn: int, filled: int) -> tuple[Pair, Pair]:
        """The value of observing in each mode, standard and rotated, once the positions are known.

        Args:
            blocks: the blocks of a full board in the standard view.
            turn: who moves next if play goes on.
            filled: the filled squares, square 1 the lowest bit; they must be possible.

        Returns:
            Values to the player who moves next.
        """
        boards: tuple[Spread, Spread] = ([(0, 1.0)], [(0, 1.0)])
        for number in blocks:
            covered = sum(1 << (square - 1) for square in BLOCKS[number].squares)
            first, second = dict(placements(number, turn))[filled & covered]
            boards = _joined(boards[0], first), _joined(boards[1], second)
        likely = sum(weight for _, weight in boards[0])
        one, two = (sum(weight * self._table[board] for board, weight in part) / likely for part in boards)
        return (one.real, one.imag), (two.real, two.imag)

    def _lesser(self, first: complex, second: complex) -> complex:
        """What the opponent prefers: the smaller value, and of equal ones the one with fewer ties."""
        if abs(first.real - second.real) <= self._margin:
            return complex(min(first.real, second.real), min(first.imag, second.imag))
        return first if first.real < second.real else second


def _joined(boards: Spread, shown: Shown) -> Spread:
    if len(shown) == 1:
        part, p = shown[0]
        return [(board + part, weight * p) for board, weight in boards]
    return [(board + part, weight * p) for board, weight in boards for part, p in shown]
