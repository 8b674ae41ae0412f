"""Positions as searches walk through them, and the moves from one to the next, view switches included."""

from collections.abc import Iterator
from dataclasses import dataclass

from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.game.symbols import View
from qttt.solver.blocks import BLOCKS, PLAYERS, blocks_of, turned
from qttt.solver.measuring.positions import marks_of
from qttt.solver.moves import Change, changes


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
        for taken, put, filled in _allowed(blocks, place.empty, place.turn, rules, left > 0):
            after = tuple(number for number in blocks if number != taken) + put
            empty = tuple(square for square in place.empty if square not in filled)
            made = own + before
            yield Place(after, 1 - place.turn, empty, (other, made), rotated, place.marks)
            # A switch after the last move has no effect on the observation.
            if left > before and empty:
                there = tuple(map(turned, after))
                yield Place(there, 1 - place.turn, empty, (other, made + 1), not rotated, place.marks)


def _allowed(
    blocks: tuple[int, ...], empty: tuple[int, ...], turn: int, rules: Rules, may_switch: bool
) -> list[Change]:
    """The changes that moves make; ``may_switch``: the player can switch the view before a move."""
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
