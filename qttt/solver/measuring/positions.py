"""Positions with ``measure-turn`` as the solver sees them: blocks, whose turn it is, and marks.

A mark is on a square that was measured since the last observation and found empty; what has been put there
since cannot be measured again. A square that shows an observed symbol needs none.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from qttt.game.adjustment import collapses
from qttt.game.moves import Kind
from qttt.game.rules import Level, Rules
from qttt.game.squares import EMPTY_BOARD, SQUARES
from qttt.game.state import State
from qttt.solver.blocks import (
    BLOCKS,
    KEY_BYTES,
    LONE,
    OBSERVED,
    SYMMETRIES,
    blocks_of,
    canonical,
    dice_of,
    empty_squares,
)
from qttt.solver.moves import allowed_changes

#: What a choice may lead to: positions with their chances.
Lottery = tuple[tuple[float, "Moment"], ...]
#: What measuring a square may leave: probability, blocks and marks.
Results = tuple[tuple[float, tuple[int, ...], int], ...]


class Moment(NamedTuple):
    """A position.

    Attributes:
        blocks: its blocks, in ascending order of their numbers.
        turn: whose turn it is, 0 for X and 1 for O; on a full board, who moves next if play goes on.
        marks: the marked squares, square 1 the lowest bit.
    """

    blocks: tuple[int, ...]
    turn: int
    marks: int


def moment_key(code: int, marks: int) -> bytes:
    """What positions share that are equal but for symmetry and colours.

    Args:
        code: the blocks' code (``solver.blocks``) as the player to move sees them.
        marks: the marked squares, square 1 the lowest bit.
    """
    if not marks:
        return canonical(code) + b"\0\0"
    text = code.to_bytes(8 * KEY_BYTES, "little")
    return min(
        text[start : start + KEY_BYTES] + images[marks]
        for start, images in zip(range(0, len(text), KEY_BYTES), _mark_images(), strict=True)
    )


@cache
def _mark_images() -> tuple[tuple[bytes, ...], ...]:
    """For each symmetry the image of every set of marks."""
    return tuple(
        tuple(
            sum(1 << (image[square] - 1) for square in SQUARES if marks >> (square - 1) & 1).to_bytes(2)
            for marks in range(1 << len(SQUARES))
        )
        for image in SYMMETRIES
    )


def marks_of(state: State) -> int:
    """The marked squares of a state, square 1 the lowest bit."""
    position = state.position
    return sum(1 << (square - 1) for square in state.measured if not position.is_observed(square))


def options(moment: Moment, rules: Rules) -> Iterator[Lottery]:
    """Everything the player to move may do, and what it may lead to: moves, then squares to measure.

    Args:
        moment: a position with an empty square.
        rules: Level 1 or 2 and its options.
    """
    blocks, turn, marks = moment
    for taken, put, _ in allowed_changes(blocks, empty_squares(blocks), turn, rules, False):
        left = tuple(number for number in blocks if number != taken)
        yield ((1.0, Moment(tuple(sorted(left + put)), 1 - turn, marks)),)
    for lottery in measured(blocks, marks, rules.level):
        yield tuple((chance, Moment(tuple(sorted(put)), 1 - turn, left)) for chance, put, left in lottery)


def measured(blocks: tuple[int, ...], marks: int, level: Level) -> Iterator[Results]:
    """Every square that may be measured, with its results: probability, blocks and marks afterwards.

    Args:
        blocks: a position.
        marks: its marked squares.
        level: 1 or 2. At Level 1 a certain piece cannot be attacked, and measuring it changes nothing but the
            turn: it makes no difference which one it is, and the first stands for all of them.
    """
    passed = False
    # By squares: the numbers of blocks depend on what was asked before, and the first must not.
    for number in sorted(blocks, key=lambda number: BLOCKS[number].squares):
        kind = BLOCKS[number].kind
        if kind == OBSERVED:
            continue
        left = tuple(other for other in blocks if other != number)
        for square in BLOCKS[number].squares:
            bit = 1 << (square - 1)
            if marks & bit or (passed and kind == LONE):
                continue
            passed = passed or (kind == LONE and not level.allows(Kind.ENTANGLING))
            # A mark stays only where no symbol was found.
            yield tuple(
                (chance, left + put, (marks | bit) & ~found)
                for chance, put, found in collapsed(number, square)
            )


@cache
def collapsed(number: int, square: int) -> tuple[tuple[float, tuple[int, ...], int], ...]:
    """What measuring one square makes of a block.

    Args:
        number: the block.
        square: one of its squares.

    Returns:
        For each result its probability, the blocks that are left, and the squares that show a symbol.
    """
    results = []
    position = dice_of(BLOCKS[number])
    for end in collapses(position.dice, square):
        observed = EMPTY_BOARD[: square - 1] + end.cell + EMPTY_BOARD[square:]
        left = blocks_of(replace(position, dice=end.dice, observed=observed))
        found = sum(1 << (other - 1) for other in SQUARES if observed[other - 1] != EMPTY_BOARD[0])
        results.append((float(end.chance), left, found))
    return tuple(results)
