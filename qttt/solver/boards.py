"""Observed boards: numbers for them, their results, and their values averaged over unknown symbols.

Boards are numbered in base three, square 1 the lowest digit, as the player to move sees them: 0 empty, 1
their own symbol, 2 the opponent's.
"""

from functools import cache
from typing import TYPE_CHECKING

from qttt.game.result import Result, decide
from qttt.game.rules import Level, Rules
from qttt.game.squares import EMPTY, SQUARES
from qttt.solver.blocks import BLOCKS, LONE, OBSERVED, SYMMETRIES, Block, number_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: With best play: value of a position to the player to move (wins minus losses), probability of a tie.
Pair = tuple[float, float]
BOARDS = 3**9
#: What the end of a game is worth to X.
WORTH: dict[Result, Pair] = {Result.X: (1.0, 0.0), Result.O: (-1.0, 0.0), Result.TIE: (0.0, 1.0)}


def board_text(number: int) -> str:
    """The board as nine characters, the player to move as X."""
    return "".join(".XO"[number // 3**index % 3] for index in range(9))


def board_number(blocks: tuple[int, ...], turn: int, level: Level) -> int | None:
    """The board with which play goes on as these blocks; None if they are not all what is observed.

    Args:
        blocks: a position.
        turn: the player to move, 0 for X and 1 for O.
        level: the level.
    """
    number, kind = 0, observed_kind(level)
    for block in map(BLOCKS.__getitem__, blocks):
        if block.kind != kind:
            return None
        number += (1 if block.symbol == turn else 2) * 3 ** (block.squares[0] - 1)
    return number


def observed_kind(level: Level) -> str:
    """The kind of block that an observed symbol is."""
    return LONE if level.observed_in_play else OBSERVED


def board_blocks(number: int, level: Level) -> tuple[int, ...]:
    """The blocks with which play goes on after an observation, the player to move as X."""
    kind = observed_kind(level)
    return tuple(
        number_of(Block(kind, (square,), ".XO".index(cell) - 1))
        for square, cell in zip(SQUARES, board_text(number), strict=True)
        if cell != EMPTY
    )


@cache
def classes() -> tuple[tuple[int, ...], ...]:
    """The boards sorted by symmetry: each class once, its smallest number first."""
    found, seen = [], bytearray(BOARDS)
    powers = [[3 ** (square - 1) for square in image[1:]] for image in SYMMETRIES]
    for number in range(BOARDS):
        if not seen[number]:
            digits = [number // 3**index % 3 for index in range(9)]
            images = {sum(d * p for d, p in zip(digits, power, strict=True)) for power in powers}
            for image in images:
                seen[image] = 1
            found.append(tuple(sorted(images)))
    return tuple(found)


@cache
def verdicts(rules: Rules) -> tuple[Pair | None, ...]:
    """For each board number the result to the player to move; None where the game goes on."""
    results: list[Pair | None] = [None] * BOARDS
    for images in classes():
        result = verdict(images[0], rules)
        for number in images:
            results[number] = result
    return tuple(results)


def verdict(number: int, rules: Rules) -> Pair | None:
    """The result of one board to the player to move; None where the game goes on.

    With ``no-ties`` a full board with equal lines is observed again until somebody leads. Rotated, each
    square then shows either symbol with equal odds, so both players are as likely to.
    """
    text = board_text(number)
    result = decide(text, rules)
    if result is Result.CONTINUE and EMPTY not in text:
        return 0.0, 0.0
    return WORTH.get(result)


def averaged(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Values of boards some of whose symbols are either X or O with equal odds.

    Args:
        values: one row for each board number, any number of columns.

    Returns:
        One row for each number in base four, square 1 the lowest digit, where 3 stands for such a symbol.
    """
    import numpy as np

    table = values.reshape((3,) * 9 + (values.shape[1],))
    for axis in range(9):
        known = table.take([1], axis), table.take([2], axis)
        table = np.concatenate([table, (known[0] + known[1]) / 2], axis)
    return np.ascontiguousarray(table.reshape(4**9, values.shape[1]))
