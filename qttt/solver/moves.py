"""The moves on blocks: what each takes off the board, what it puts there, and which squares it fills."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import assert_never

from qttt.game.moves import Kind
from qttt.game.rules import Level
from qttt.solver.blocks import (
    BLOCKS,
    CANCELLED,
    LONE,
    NOBODY,
    PAIR,
    ROTATED,
    Block,
    halves,
    number_of,
    split,
)

#: The block that a move takes off the board (None: none), the blocks it puts there, the squares it fills.
Change = tuple[int | None, tuple[int, ...], tuple[int, ...]]


def changes(blocks: tuple[int, ...], empty: tuple[int, ...], player: int, level: Level) -> Iterator[Change]:
    """Every move in the current view.

    Args:
        blocks: the position.
        empty: its empty squares, at least one.
        player: who moves, 0 for X and 1 for O.
        level: which moves there are.
    """
    kinds = [kind for kind in Kind if level.allows(kind)]
    for kind in kinds:
        if not kind.attacks:
            for filled in combinations(empty, kind.fills):
                for put in _puts(kind, filled, player, None):
                    yield None, put, filled
    attacks = [kind for kind in kinds if kind.attacks]
    for number in blocks:
        block = BLOCKS[number]
        if block.symbol == 1 - player and (block.kind == LONE or "h" in block.kind):
            for square in empty:
                for kind in attacks:
                    for put in _puts(kind, (square,), player, number):
                        yield number, put, (square,)


@cache
def _puts(
    kind: Kind, filled: tuple[int, ...], player: int, number: int | None
) -> tuple[tuple[int, ...], ...]:
    """The blocks that a kind of move puts down, in each way that there is: an attack may take either half."""
    match kind:
        case Kind.CLASSICAL:
            return ((number_of(Block(LONE, filled, player)),),)
        case Kind.SUPERPOSITION:
            return ((number_of(Block("hh", filled, player)),),)
        case Kind.ENTANGLING | Kind.CANCELLING:
            assert number is not None
        case _:
            assert_never(kind)
    block, (target,) = BLOCKS[number], filled
    letter = "e" if kind is Kind.ENTANGLING else "c"
    if block.kind == LONE:
        if kind is Kind.ENTANGLING:
            pair = sorted((block.squares[0], target))
            return ((number_of(Block(PAIR, tuple(pair), NOBODY)),),)
        # The invaded square is empty for certain; the attacker has a piece in a rotated state.
        fresh = Block(ROTATED, (target,), player)
        return ((number_of(Block(CANCELLED, block.squares, NOBODY)), number_of(fresh)),)
    parts = halves(block)
    return tuple(
        (number_of(split([(letter, (squares[0], target)), parts[1 - index]], block.symbol)),)
        for index, (half, squares) in enumerate(parts)
        if half == "h"
    )
