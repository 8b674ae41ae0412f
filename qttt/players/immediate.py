"""What the odds would be if the board were observed right after a choice: as far as ``greedy`` sees."""

from functools import lru_cache

from qttt.game.moves import Move
from qttt.game.outcomes import Measurement
from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.game.symbols import Mode
from qttt.players.choices import Choice, Look, choices
from qttt.players.lookahead import expectation_now
from qttt.solver.expectation import Expectation
from qttt.solver.places import Place
from qttt.solver.probe import Value


def odds_now(state: State) -> dict[Choice, Value]:
    """For each choice the odds of an observation that follows at once, full board or not.

    The player who chooses is taken to choose the mode of that observation too. A game that would go on counts
    as level, and not as a tie.
    """
    return {choice: _after(state, choice) for choice in choices(state)}


def _after(state: State, choice: Choice) -> Value:
    if isinstance(choice, Mode):
        assert state.positions is not None
        place = Place.of(state)
        pairs = _expectation(state.rules).modes(place.standing, place.turn, state.positions.mask)
        return Value.of(pairs[list(Mode).index(choice)], state.turn)
    if isinstance(choice, Move):
        return _observed(state.child(choice))
    assert isinstance(choice, Look)
    parts = [
        (chance, _observed(state.child(Measurement(choice.square, cell))))
        for cell, chance in state.measurement_odds(choice.square).items()
    ]
    return Value(sum(p * part.value for p, part in parts), sum(p * part.tie for p, part in parts))


def _observed(state: State) -> Value:
    place = Place.of(state)
    return Value.of(_expectation(state.rules).value(place.standing, place.turn), state.turn)


@lru_cache(maxsize=8)
def _expectation(rules: Rules) -> Expectation:
    return expectation_now(rules, choice=rules.level.rotated_mode)
