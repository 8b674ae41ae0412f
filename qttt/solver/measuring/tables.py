"""The tables for the option ``measure-turn``: where they are, and what they hold.

A level's table holds every board with which play goes on after an observation; that of Level 1 holds every
position with ``LEAST_EMPTY`` empty squares or more too.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from qttt.game.rules import Rules
from qttt.game.squares import EMPTY
from qttt.solver.blocks import BLOCKS, LONE, OBSERVED, Block, canonical, code_of, number_of
from qttt.solver.boards import Pair, board_blocks, board_text, classes, verdicts
from qttt.solver.measuring.positions import moment_key
from qttt.solver.tables import ValueTable, table_for

#: The level that is solved from its first move.
SOLVED_LEVEL = 1
#: Its positions with at least so many empty squares are all in the table.
LEAST_EMPTY = 5
#: The most squares that an observation leaves empty at Levels 1 and 2: nine hold at most four split pieces.
MOST_EMPTY = 4


def going_on(rules: Rules) -> list[tuple[int, ...]]:
    """The boards with which play goes on and that an observation can leave, sorted by symmetry."""
    results = verdicts(rules)
    return [
        images
        for images in classes()
        if board_text(images[0]).count(EMPTY) <= MOST_EMPTY and results[images[0]] is None
    ]


def key_of(blocks: tuple[int, ...], turn: int, marks: int = 0) -> bytes:
    """The key of a position: the same for positions that are worth the same by symmetry, at Level 1.

    Args:
        blocks: its blocks.
        turn: whose turn it is, 0 for X and 1 for O.
        marks: its marked squares. A certain piece without a mark may be measured, which at Level 1 changes
            nothing but the turn: these are counted, and beyond that they are as good as observed.
    """
    certain = passes = 0
    settled = []
    for number in blocks:
        block = BLOCKS[number]
        if block.kind in (LONE, OBSERVED):
            bit = 1 << (block.squares[0] - 1)
            certain |= bit
            passes += block.kind == LONE and not marks & bit
            number = number_of(Block(OBSERVED, block.squares, block.symbol))
        settled.append(number)
    return moment_key(code_of(tuple(settled), turn), marks & ~certain) + bytes([passes])


@cache
def board_pairs(rules: Rules) -> tuple[Pair | None, ...]:
    """The exact value of each board by number, to the player to move, from the table.

    Boards that end the game have their result. None: no observation leaves so few pieces.

    Raises:
        TableError: the table cannot be used.
    """
    pairs = list(verdicts(rules))
    table = table_for(rules)
    for images in going_on(rules):
        pair = table.get(key_of(board_blocks(images[0], rules.level), 0))
        for number in images:
            pairs[number] = pair
    return tuple(pairs)


def opening_value(rules: Rules, blocks: tuple[int, ...], turn: int, marks: int = 0) -> Pair | None:
    """The value of a position of Level 1 to the player to move, from the table.

    Args:
        rules: the level and its options.
        blocks: its blocks.
        turn: whose turn it is, 0 for X and 1 for O.
        marks: its marked squares.

    Returns:
        Value and tie probability; None where the table does not hold it: fewer than ``LEAST_EMPTY`` squares
        are empty and it is no observed board, or play cannot come to it.

    Raises:
        TableError: the table cannot be used.
    """
    return table_for(rules).get(key_of(blocks, turn, marks))


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


def board_counts(rules: Rules, table: ValueTable) -> list[BoardCount]:
    """What the option does to the boards after an observation, by the number of empty squares.

    Args:
        rules: Level 1 or 2 and its options.
        table: their table.

    Raises:
        TableError: the table of the same rules without ``measure-turn`` cannot be used.
    """
    plain = table_for(replace(rules, options=replace(rules.options, measure_turn=False)))
    counts = {empty: [0, 0, 0] for empty in range(1, MOST_EMPTY + 1)}
    for images in going_on(rules):
        blocks = board_blocks(images[0], rules.level)
        before, now = plain.get(canonical(code_of(blocks, 0))), table.get(key_of(blocks, 0))
        row = counts[board_text(images[0]).count(EMPTY)]
        row[0] += 1
        if before is not None and now is not None:
            row[1] += 1
            row[2] += before[0] != now[0]
    return [BoardCount(empty, *row) for empty, row in counts.items()]
