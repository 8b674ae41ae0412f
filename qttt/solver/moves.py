"""The moves on blocks: what each takes off the board, what it puts there, and which squares it fills.

What a move makes of a block is not written here: it is read off the dice, once for each shape of a block.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from qttt.game.moves import Kind, Move
from qttt.game.position import START
from qttt.game.rules import Level, Rules
from qttt.game.squares import SQUARES
from qttt.solver.blocks import (
    BLOCKS,
    LONE,
    PLAYERS,
    Block,
    blocks_of,
    dice_of,
    halves,
    image_of,
    number_of,
    turned,
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
        value = 4 if block.kind == LONE else 2 if "h" in block.kind else None
        if block.symbol == 1 - player and value:
            for square in empty:
                for kind in attacks:
                    if value not in kind.attacks:
                        continue
                    for put in _puts(kind, (square,), player, number):
                        yield number, put, (square,)


@cache
def _puts(
    kind: Kind, filled: tuple[int, ...], player: int, number: int | None
) -> tuple[tuple[int, ...], ...]:
    """The blocks that a kind of move puts down, in each way that there is: an attack may take either half."""
    if number is None:
        ways, image = _ways(kind, player, None), (0, *filled)
    else:
        block = BLOCKS[number]
        shape = block._replace(squares=SQUARES[: len(block.squares)])
        ways, image = _ways(kind, player, shape), (0, *block.squares, *filled)
    return tuple(tuple(number_of(image_of(block, image)) for block in way) for way in ways)


@cache
def _ways(kind: Kind, player: int, block: Block | None) -> tuple[tuple[Block, ...], ...]:
    """What a kind of move makes of a block on the first squares, read off the dice; it fills the next."""
    position, covered = START, 0
    invaded: list[tuple[int, ...]] = [()]
    if block is not None:
        position, covered = dice_of(block), len(block.squares)
        parts = [("h", block.squares)] if block.kind == LONE else halves(block)
        invaded = [squares for letter, squares in parts if letter == "h"]
    filled = SQUARES[covered : covered + kind.fills]
    children = (position.after(Move(kind, square + filled), PLAYERS[player]) for square in invaded)
    return tuple(tuple(BLOCKS[number] for number in blocks_of(child)) for child in children)


def allowed_changes(
    blocks: tuple[int, ...], empty: tuple[int, ...], turn: int, rules: Rules, may_switch: bool
) -> list[Change]:
    """Every move in the current view that the options allow.

    Args:
        blocks: the position.
        empty: its empty squares, at least one.
        turn: who moves, 0 for X and 1 for O.
        rules: level and options.
        may_switch: the player could switch the view before the move, or has just done so.
    """
    found = _unforced(blocks, empty, turn, rules)
    if not rules.options.quantum_only:
        return found
    quantum = [change for change in found if _is_quantum(change)]
    if quantum:
        return quantum
    there = _unforced(tuple(map(turned, blocks)), empty, turn, rules) if may_switch else []
    return [] if any(map(_is_quantum, there)) else found


def _is_quantum(change: Change) -> bool:
    return change[0] is not None or len(change[2]) == 2


def _unforced(blocks: tuple[int, ...], empty: tuple[int, ...], turn: int, rules: Rules) -> list[Change]:
    found = list(changes(blocks, empty, turn, rules.level))
    if rules.options.no_double_entanglement:
        found = [
            change
            for change in found
            if change[0] is None or BLOCKS[change[1][0]].kind != "ee" or "e" not in BLOCKS[change[0]].kind
        ]
    return found
