"""The tables for the option ``measure-turn``: where they are, and what they hold.

A level's table holds every board with which play goes on after an observation; that of Level 1 holds the
first moves too, one of each kind, and the game itself.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from qttt.levels import LEVELS
from qttt.rules import Rules
from qttt.solver.blocks import canonical, code_of
from qttt.solver.boards import BOARDS, Pair, board_blocks, board_text, classes
from qttt.solver.tables import FOLDER, Table, read_table, shipped_table
from qttt.squares import EMPTY
from qttt.verdict import Result, decide

OPTION = "measure-turn"
#: The level that is solved from its first move.
SOLVED_LEVEL = 1
#: The most squares that an observation leaves empty at Levels 1 and 2: nine hold at most four split pieces.
MOST_EMPTY = 4
_WORTH: dict[Result, Pair] = {Result.X: (1.0, 0.0), Result.O: (-1.0, 0.0), Result.TIE: (0.0, 1.0)}


@cache
def results(level: int) -> tuple[Pair | None, ...]:
    """For each board number the result to the player to move; None where the game goes on."""
    rules = Rules.of(level, OPTION)
    found: list[Pair | None] = [None] * BOARDS
    for images in classes():
        for number in images:
            found[number] = _WORTH.get(decide(board_text(images[0]), rules))
    return tuple(found)


def going_on(level: int) -> list[tuple[int, ...]]:
    """The boards with which play goes on and that an observation can leave, sorted by symmetry."""
    return [
        images
        for images in classes()
        if board_text(images[0]).count(EMPTY) <= MOST_EMPTY and results(level)[images[0]] is None
    ]


def key_of(blocks: tuple[int, ...], turn: int) -> bytes:
    """The key of a position without marks."""
    return canonical(code_of(blocks, turn))


def measuring_table_path(level: int) -> Path:
    """Where a level's table for the option is shipped."""
    return FOLDER / f"level{level}-{OPTION}.table"


@cache
def measuring_table(level: int) -> Table:
    """A level's table for the option, read once.

    Raises:
        TableError: it cannot be used.
    """
    return read_table(measuring_table_path(level))


@cache
def board_pairs(level: int) -> tuple[Pair | None, ...]:
    """The exact value of each board by number, to the player to move, from the shipped table.

    Boards that end the game have their result. None: no observation leaves so few pieces.

    Raises:
        TableError: the table cannot be used.
    """
    pairs = list(results(level))
    table = measuring_table(level)
    for images in going_on(level):
        pair = table.get(key_of(board_blocks(images[0], LEVELS[level]), 0))
        for number in images:
            pairs[number] = pair
    return tuple(pairs)


def opening_value(blocks: tuple[int, ...], turn: int, level: int) -> Pair | None:
    """The value of the empty board or of a first move, from the shipped table; None where it holds none."""
    return measuring_table(level).get(key_of(blocks, turn))


class BoardCount(NamedTuple):
    """How many boards of one size there are after an observation, up to symmetry.

    Attributes:
        empty: how many of their squares are empty.
        boards: how many the table holds.
        without: how many of these can come up without the option too, and do not end the game then.
        changed: how many of those the option gives another value.
    """

    empty: int
    boards: int
    without: int
    changed: int


def board_counts(level: int, table: Table) -> list[BoardCount]:
    """What the option does to the boards after an observation, by the number of empty squares.

    Args:
        level: 1 or 2.
        table: its table for the option.

    Raises:
        TableError: the level's table without the option cannot be used.
    """
    plain = shipped_table(level)
    counts = {empty: [0, 0, 0] for empty in range(1, MOST_EMPTY + 1)}
    for images in going_on(level):
        key = key_of(board_blocks(images[0], LEVELS[level]), 0)
        before, now = plain.get(key), table.get(key)
        row = counts[board_text(images[0]).count(EMPTY)]
        row[0] += 1
        if before is not None and now is not None:
            row[1] += 1
            row[2] += before[0] != now[0]
    return [BoardCount(empty, *row) for empty, row in counts.items()]
