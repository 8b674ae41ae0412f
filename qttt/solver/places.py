"""Positions as searches walk through them, and the moves from one to the next, view switches included."""

from collections.abc import Iterator
from dataclasses import dataclass

from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.game.symbols import View
from qttt.solver.blocks import PLAYERS, blocks_of, turned
from qttt.solver.measuring.positions import marks_of
from qttt.solver.moves import allowed_changes


@dataclass(slots=True)
class Place:
    """A position in the search.

    Attributes:
        blocks: its blocks, in the view it stands in.
        turn: whose turn it is, 0 for X and 1 for O.
        empty: its empty squares.
        switches: view switches made by the player to move, and by the other one.
        rotated: the view it stands in is the rotated one.
        marks: squares that may not be measured any more, square 1 the lowest bit (option ``measure-turn``).
    """

    blocks: tuple[int, ...]
    turn: int
    empty: tuple[int, ...]
    switches: tuple[int, int]
    rotated: bool
    marks: int

    @classmethod
    def of(cls, state: State) -> "Place":
        """Read it off a state."""
        turn = PLAYERS.index(state.turn)
        x, o = state.switched
        return cls(
            blocks_of(state.position),
            turn,
            state.position.empty_squares,
            (o, x) if turn else (x, o),
            state.position.view is View.ROTATED,
            marks_of(state),
        )

    @property
    def standing(self) -> tuple[int, ...]:
        """The blocks in the standard view."""
        return tuple(map(turned, self.blocks)) if self.rotated else self.blocks


def moved(place: Place, rules: Rules) -> Iterator[Place]:
    """The positions after every move, view switches included.

    Args:
        place: a position with an empty square.
        rules: level and options; all view switches are those of the table (option ``view=physical``).
    """
    own, other = place.switches
    left = rules.view_switches - own
    for before in (False, True) if left > 0 else (False,):
        blocks = tuple(map(turned, place.blocks)) if before else place.blocks
        rotated = place.rotated != before
        for taken, put, filled in allowed_changes(blocks, place.empty, place.turn, rules, left > 0):
            after = tuple(number for number in blocks if number != taken) + put
            empty = tuple(square for square in place.empty if square not in filled)
            made = own + before
            yield Place(after, 1 - place.turn, empty, (other, made), rotated, place.marks)
            # A switch after the last move has no effect on the observation.
            if left > before and empty:
                there = tuple(map(turned, after))
                yield Place(there, 1 - place.turn, empty, (other, made + 1), not rotated, place.marks)
