"""Who fills the board: a player's power over that, by counting empty squares alone.

A move fills one empty square or two: a classical or an attacking move one, a superposition two. In every
position there is a move of each size as long as the empty squares suffice, whatever the dice: a classical
move always can be made, and so can a superposition. (Under `quantum-only` an attack must do for the classical
move; ``play_out`` shows that there is one wherever the count asks for it.) So the number of empty squares
decides who can make whom fill the last one.
"""

from collections.abc import Iterator
from functools import cache

from qttt.game.moves import Move
from qttt.game.state import Phase, State
from qttt.game.symbols import Symbol

SIZES = (1, 2)


@cache
def can_force(empty: int, *, moving: bool, filling: bool) -> bool:
    """Whether a player can decide who fills the board, whatever the opponent does.

    Args:
        empty: how many squares are empty, at least one.
        moving: the player is to move; else the opponent is.
        filling: the player wants to fill the board; else to make the opponent do it.
    """
    replies = (
        moving == filling if left == 0 else can_force(left, moving=not moving, filling=filling)
        for left in (empty - size for size in SIZES)
        if left >= 0
    )
    return any(replies) if moving else all(replies)


def forcing_size(empty: int, *, filling: bool) -> int | None:
    """How many squares the player to move has to fill so that the decision stays theirs; None if it is not.

    Args:
        empty: how many squares are empty, at least one.
        filling: the player wants to fill the board; else to make the opponent do it.
    """
    for size in SIZES:
        left = empty - size
        if (left == 0 and filling) or (left > 0 and can_force(left, moving=False, filling=filling)):
            return size
    return None


def size_of(state: State, move: Move) -> int:
    """How many empty squares a move fills."""
    return sum(state.position.is_empty(square) for square in move.squares)


def play_out(state: State, player: Symbol, *, filling: bool) -> Iterator[tuple[int, State]]:
    """Play the count on real boards: one answer of the player's to every move of the opponent's.

    Args:
        state: a moment before a move, in which the player can force what they want.
        player: who plays by the count.
        filling: the player wants to fill the board; else to make the opponent do it.

    Yields:
        Every way in which the board comes to be full, as the number of squares that were empty at the
        player's last turn and the full board's state.

    Raises:
        ValueError: the count asks for a move that is not legal.
    """
    waiting = [(0, state)]
    while waiting:
        faced, present = waiting.pop()
        if present.phase is not Phase.MOVE:
            yield faced, present
            continue
        moves = present.legal_moves()
        if present.turn is player:
            faced = len(present.position.empty_squares)
            size = forcing_size(faced, filling=filling)
            moves = [move for move in moves if size_of(present, move) == size][:1]
            if not moves:
                raise ValueError(f"no legal move fills {size} of {faced} squares: {present}")
        waiting += [(faced, present.child(move)) for move in moves]
