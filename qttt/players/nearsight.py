"""What the odds would be if the board were observed right after a choice: as far as ``greedy`` sees."""

from qttt.moves import Move
from qttt.outcomes import Measurement
from qttt.players.choices import Choice, Look, choices
from qttt.players.expectation import mode_values, observed_value
from qttt.players.lookahead import MARGIN, verdicts
from qttt.solver.blocks import blocks_of
from qttt.solver.boards import Pair
from qttt.solver.probe import Value
from qttt.state import State
from qttt.symbols import Mode, Symbol

_UNDECIDED = (0.0, 0.0)


def odds_now(state: State) -> dict[Choice, Value]:
    """For each choice the odds of an observation that follows at once, full board or not.

    The player who chooses is taken to choose the mode of that observation too. A game that would go on counts
    as level, and not as a tie.

    Args:
        state: a state in which a player is to choose.
    """
    return {choice: _after(state, choice) for choice in choices(state)}


def _after(state: State, choice: Choice) -> Value:
    if isinstance(choice, Mode):
        assert state.positions is not None
        pairs = mode_values(_blocks(state), _turn(state), state.positions.filled, _verdicts(state))
        return _value(pairs[list(Mode).index(choice)], state.turn)
    if isinstance(choice, Move):
        return _observed(state.child(choice))
    assert isinstance(choice, Look)
    parts = [
        (chance, _observed(state.child(Measurement(choice.square, cell))))
        for cell, chance in state.measurement_odds(choice.square).items()
    ]
    return Value(sum(p * part.value for p, part in parts), sum(p * part.tie for p, part in parts))


def _observed(state: State) -> Value:
    margin = MARGIN if state.rules.level.rotated_mode else None
    pair = observed_value(_blocks(state), _turn(state), _verdicts(state), margin)
    return _value(pair, state.turn)


class _Verdicts:
    """The results of boards by number, those that decide nothing being level."""

    def __init__(self, state: State) -> None:
        self.table = verdicts(state.rules)

    def __call__(self, number: int) -> Pair:
        return self.table[number] or _UNDECIDED


def _verdicts(state: State) -> _Verdicts:
    return _Verdicts(state)


def _blocks(state: State) -> tuple[int, ...]:
    return blocks_of(state.position.standard())


def _turn(state: State) -> int:
    return int(state.turn is Symbol.O)


def _value(pair: Pair, mover: Symbol) -> Value:
    return Value(pair[0] * mover.sign + 0.0, pair[1])
