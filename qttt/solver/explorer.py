"""What the choices of an opening are worth, equal ones under the symmetries of the board taken together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.moves import Move
from qttt.game.state import Phase, State
from qttt.solver.probe import Prober, Value, best_choices, prober_for, ranked


@dataclass(frozen=True, slots=True)
class Opening:
    """A choice of an opening, with those that the symmetries of the board make the same.

    Attributes:
        move: the first of them in canonical order.
        moves: all of them.
        value: what the position after it is worth.
        best: nothing is worth more to the player to move, or as much with fewer ties.
        visits: the probability that a game comes to this choice when both play best and share equal choices
            evenly, along the line that was asked about.
    """

    move: Move
    moves: tuple[Move, ...]
    value: Value
    best: bool
    visits: float


@dataclass(frozen=True, slots=True)
class Openings:
    """The choices after a line of play.

    Attributes:
        value: what the position is worth.
        choices: its choices, the best first.
    """

    value: Value
    choices: Sequence[Opening]


def explore(line: Iterable[Move], game: Game) -> Openings:
    """Follow a line of play from the start of a game, and value every choice after it.

    Args:
        line: the moves before the choices.
        game: a game that has not begun; its rules and who starts.

    Raises:
        UnsolvedError: there is no table for the rules.
        UsageError: the line ends the first phase: an observation comes before any choice.
        IllegalMoveError: a move of the line is not allowed.
    """
    prober, state, visits = prober_for(game.rules), game.state, 1.0
    for move in line:
        after = state.child(move)
        if visits:
            # Without a best choice before it no line comes to a position, whatever follows.
            visits = next(choice.visits for choice in _choices(prober, state, visits) if move in choice.moves)
        state = after
    if state.phase is not Phase.MOVE:
        raise UsageError("the board is full: an opening ends where it is observed")
    choices = _choices(prober, state, visits)
    return Openings(choices[0].value, choices)


def _choices(prober: Prober, state: State, visits: float) -> list[Opening]:
    classes: dict[bytes, list[Move]] = {}
    for move in state.legal_moves():
        child = state.child(move)
        classes.setdefault(prober.symmetry_class(child), []).append(move)
    values = {moves[0]: prober.value(state.child(moves[0])) for moves in classes.values()}
    order = ranked(values, state.turn)
    equal = set(best_choices(values, state.turn))
    alike = {moves[0]: tuple(moves) for moves in classes.values()}
    several = sum(len(alike[move]) for move in equal)
    return [
        Opening(
            move, alike[move], value, move in equal, visits * len(alike[move]) / several * (move in equal)
        )
        for move, value in order
    ]
