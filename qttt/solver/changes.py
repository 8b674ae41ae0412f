"""The moves on blocks: what each takes off the board, what it puts there, and which squares it fills."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from qttt.levels import Level
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
    for square in empty:
        yield None, (_lone(square, player),), (square,)
    if level.superposition:
        for pair in combinations(empty, 2):
            yield None, (_superposed(pair, player),), pair
    if not level.entangling:
        return
    for number in blocks:
        block = BLOCKS[number]
        if block.symbol == 1 - player and (block.kind == LONE or "h" in block.kind):
            for square in empty:
                for put in _attacked(number, square, level.cancelling):
                    yield number, put, (square,)


@cache
def _lone(square: int, player: int) -> int:
    return number_of(Block(LONE, (square,), player))


@cache
def _superposed(squares: tuple[int, ...], player: int) -> int:
    return number_of(Block("hh", squares, player))


@cache
def _attacked(number: int, target: int, cancelling: bool) -> tuple[tuple[int, ...], ...]:
    """The blocks that each attack on a block leaves, spreading into a square."""
    block = BLOCKS[number]
    if block.kind == LONE:
        pair = sorted((block.squares[0], target))
        results: list[tuple[Block, ...]] = [(Block(PAIR, tuple(pair), NOBODY),)]
        if cancelling:
            # The invaded square is empty for certain; the attacker has a piece in a rotated state.
            fresh = Block(ROTATED, (target,), 1 - block.symbol)
            results.append((Block(CANCELLED, block.squares, NOBODY), fresh))
        return tuple(tuple(map(number_of, put)) for put in results)
    parts = halves(block)
    found = []
    for index, (letter, squares) in enumerate(parts):
        if letter == "h":
            for attack in "ec" if cancelling else "e":
                hit = (attack, (squares[0], target))
                found.append((number_of(split([hit, parts[1 - index]], block.symbol)),))
    return tuple(found)
