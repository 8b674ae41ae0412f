"""The Level-2 text on superpositions as openers: its reply, and the best one."""

from dataclasses import dataclass

from examples.best_play.openings import Opening, openings
from qttt.game import Game
from qttt.game.moves import Kind, Move
from qttt.solver.probe import Value, prober_for, ranked

LEVEL = 2
MIDDLE = 5


@dataclass(frozen=True, slots=True)
class Answered:
    """A superposition as X's first move, and O's replies to it.

    Attributes:
        opening: the first move.
        best: O's best reply.
        worth: what the game is then worth.
        alike: how many replies are as good, the best itself included.
        text: the best reply of the text's kind: half-entangling, and into or out of the middle.
        text_worth: what the game is worth after it.
        middle: the chances that the middle is found to hold X and O after it.
    """

    opening: Opening
    best: Move
    worth: Value
    alike: int
    text: Move
    text_worth: Value
    middle: tuple[float, float]


def answered() -> list[Answered]:
    """Every kind of superposition as a first move, the best first."""
    found = [_answered(opening) for opening in openings() if opening.superposition]
    return sorted(found, key=lambda one: -one.worth.value)


def _answered(opening: Opening) -> Answered:
    game = Game(LEVEL)
    game.play(opening.token)
    state = game.state
    order = ranked(prober_for(state.rules).move_values(state), state.turn)
    best, worth = order[0]
    text, text_worth = next(
        (move, value) for move, value in order if move.kind is Kind.ENTANGLING and MIDDLE in move.squares
    )
    odds = state.child(text).odds().square(MIDDLE)
    alike = sum(value.value == worth.value for _, value in order)
    return Answered(opening, best, worth, alike, text, text_worth, (odds["X"], odds["O"]))
