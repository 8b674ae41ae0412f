"""What a full board is worth: the exact odds of its observation, put together from its blocks.

Boards are numbered in base three, square 1 the lowest digit, as the player to move sees them: 0 empty,
1 their own symbol, 2 the opponent's. A number and a ``Pair`` say all that is known of an observed board.
"""

from collections.abc import Callable
from functools import cache
from itertools import product

from qttt.levels import Level
from qttt.roots import root_distribution
from qttt.rules import Rules
from qttt.solver.blocks import BLOCKS, CANCELLED, LONE, OBSERVED, Block, number_of, root_of
from qttt.squares import EMPTY, SQUARES
from qttt.symbols import Mode, Symbol
from qttt.verdict import Result, decide

#: With best play: value of a position to the player to move (wins minus losses), probability of a tie.
Pair = tuple[float, float]
BOARDS = 3**9
#: What one block may show when observed: (part of the board number, probability).
_Shown = tuple[tuple[int, float], ...]


def board_text(number: int) -> str:
    """The board as nine characters, the player to move as X."""
    return "".join(".XO"[number // 3**index % 3] for index in range(9))


def board_number(board: str, turn: Symbol) -> int:
    """The number of a board of nine characters as the player to move sees it."""
    own = {turn.value: 1, turn.opponent.value: 2, EMPTY: 0}
    return sum(own[cell] * 3**index for index, cell in enumerate(board))


def board_blocks(number: int, level: Level) -> tuple[int, ...]:
    """The blocks with which play goes on after an observation, the player to move as X."""
    kind = LONE if level.observed_in_play else OBSERVED
    return tuple(
        number_of(Block(kind, (square,), ".XO".index(cell) - 1))
        for square, cell in zip(SQUARES, board_text(number), strict=True)
        if cell != EMPTY
    )


@cache
def verdicts(level: int) -> tuple[Pair | None, ...]:
    """For each board number the result to the player to move; None where the game goes on."""
    rules = Rules.of(level)
    worth: dict[Result, Pair | None] = {
        Result.X: (1.0, 0.0),
        Result.O: (-1.0, 0.0),
        Result.TIE: (0.0, 1.0),
        Result.CONTINUE: None,
    }
    return tuple(worth[decide(board_text(number), rules)] for number in range(BOARDS))


def _weights(block: Block, turn: int, mode: Mode) -> list[tuple[int, int, float]]:
    """Each thing a block may show: (mask of filled squares, part of the board number, probability)."""
    if block.kind == CANCELLED:
        return [(0, 0, 1.0)]
    if block.kind == OBSERVED:
        square = block.squares[0] - 1
        return [(1 << square, (1 if block.symbol == turn else 2) * 3**square, 1.0)]
    root = root_of(block)
    shown = []
    for pattern, probability in root_distribution(root, mode).items():
        mask = part = 0
        for square, cell in zip(root.squares, pattern, strict=True):
            if cell != EMPTY:
                mask |= 1 << (square - 1)
                part += (1 if int(cell == "O") == turn else 2) * 3 ** (square - 1)
        shown.append((mask, part, float(probability)))
    return shown


@cache
def outcomes(number: int, turn: int, mode: Mode) -> _Shown:
    """What a block may show if observed, as parts of the board number, each with its probability.

    Args:
        number: a block in the standard view.
        turn: the player who sees the board, 0 for X and 1 for O.
        mode: standard or rotated.
    """
    return tuple((part, weight) for _, part, weight in _weights(BLOCKS[number], turn, mode))


@cache
def placements(number: int, turn: int) -> tuple[tuple[int, tuple[_Shown, _Shown]], ...]:
    """The same, sorted by which squares the block fills: for each such set what it shows in each mode."""
    found: dict[int, tuple[list[tuple[int, float]], list[tuple[int, float]]]] = {}
    for index, mode in enumerate(Mode):
        for mask, part, weight in _weights(BLOCKS[number], turn, mode):
            found.setdefault(mask, ([], []))[index].append((part, weight))
    return tuple((mask, (tuple(first), tuple(second))) for mask, (first, second) in found.items())


def expectation(parts: list[_Shown], boards: Callable[[int], Pair]) -> Pair:
    """The expected value and tie probability of independent blocks.

    Args:
        parts: for each block what it may show; the weights of a block need not sum to 1.
        boards: the value of each board number.

    Returns:
        The sum over all boards, weighted.
    """
    base, spread = 0, [(0, 1.0)]
    for shown in parts:
        if len(shown) == 1 and shown[0][1] == 1.0:
            base += shown[0][0]
        else:
            spread = [(number + part, weight * p) for number, weight in spread for part, p in shown]
    value = tie = 0.0
    for number, weight in spread:
        pair = boards(base + number)
        value += weight * pair[0]
        tie += weight * pair[1]
    return value, tie


def observed_value(
    blocks: tuple[int, ...], turn: int, boards: Callable[[int], Pair], margin: float | None
) -> Pair:
    """The value of a full board to the player who moves next if the game goes on.

    Args:
        blocks: the blocks of the board in the standard view.
        turn: that player; the other one initiated the observation.
        boards: the value of each board number.
        margin: None where there is one mode only. Else the initiator chooses it, once the positions are
            known, and values that differ by no more than this count as equal.
    """
    if margin is None:
        return expectation([outcomes(number, turn, Mode.STANDARD) for number in blocks], boards)
    value = tie = 0.0
    for choice in product(*(placements(number, turn) for number in blocks)):
        standard, rotated = (expectation([modes[index] for _, modes in choice], boards) for index in (0, 1))
        best = lesser(standard, rotated, margin)
        value += best[0]
        tie += best[1]
    return value, tie


def mode_values(
    blocks: tuple[int, ...], turn: int, filled: int, boards: Callable[[int], Pair]
) -> tuple[Pair, Pair]:
    """The value of observing in each mode, standard and rotated, once the positions are known.

    Args:
        blocks: the blocks of a full board in the standard view.
        turn: who moves next if play goes on.
        filled: the filled squares, square 1 the lowest bit; they must be possible.
        boards: the value of each board number.

    Returns:
        Values to the player who moves next.
    """
    parts: tuple[list[_Shown], list[_Shown]] = ([], [])
    for number in blocks:
        covered = sum(1 << (square - 1) for square in BLOCKS[number].squares)
        modes = dict(placements(number, turn))[filled & covered]
        scale = sum(weight for _, weight in modes[0])
        for shown, part in zip(modes, parts, strict=True):
            part.append(tuple((place, weight / scale) for place, weight in shown))
    return expectation(parts[0], boards), expectation(parts[1], boards)


def lesser(first: Pair, second: Pair, margin: float) -> Pair:
    """What the opponent prefers: the smaller value, and of equal ones the one with fewer ties."""
    if abs(first[0] - second[0]) <= margin:
        return min(first, second, key=lambda pair: pair[1])
    return min(first, second)
