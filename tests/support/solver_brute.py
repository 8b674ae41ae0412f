"""A second method for the solver's values: the game's own states, without symmetry, blocks or tables.

Every line of play goes through ``State.child`` and every observation through ``State.odds``.
"""

from collections.abc import Callable, Iterable
from random import Random

from qttt.game.outcomes import Observation, Positions
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Symbol

MARGIN = 1e-11
#: P(X wins) − P(O wins), and P(tie).
Pair = tuple[float, float]
_RESULTS: dict[Result, Pair] = {Result.X: (1.0, 0.0), Result.O: (-1.0, 0.0), Result.TIE: (0.0, 1.0)}


def better(first: Pair, second: Pair, player: Symbol) -> Pair:
    """The pair that a player prefers."""
    gain = (first[0] - second[0]) * player.sign
    if abs(gain) <= MARGIN:
        return first if first[1] <= second[1] else second
    return first if gain > 0 else second


class Brute:
    """Values by brute force.

    Args:
        after: the value of a moment after an observation, or None to play on from there.
    """

    def __init__(self, after: Callable[[State], Pair | None] | None = None) -> None:
        self.after = after
        self.known: dict[State, Pair] = {}

    def value(self, state: State, *, observed: bool = False) -> Pair:
        if state.phase is Phase.OVER:
            return _RESULTS[state.result]
        if self.after and observed and (known := self.after(state)):
            return known
        pair = self.known.get(state)
        if pair is None:
            pair = self.known[state] = self._value(state)
        return pair

    def _value(self, state: State) -> Pair:
        if state.phase is Phase.MOVE:
            return self._best([self.value(state.child(move)) for move in state.legal_moves()], state.turn)
        if state.phase is Phase.OBSERVATION and len(state.modes) > 1:
            return _mean(
                (probability, self.value(state.child(Positions(filled))))
                for filled, probability in state.odds().positions().items()
            )
        modes = [
            _mean(
                (probability, self.value(state.child(Observation(board, mode)), observed=True))
                for board, probability in state.odds(mode).outcomes().items()
            )
            for mode in state.modes
        ]
        return self._best(modes, state.initiator)

    @staticmethod
    def _best(pairs: list[Pair], player: Symbol) -> Pair:
        best = pairs[0]
        for pair in pairs[1:]:
            best = better(pair, best, player)
        return best


def _mean(pairs: Iterable[tuple[float, Pair]]) -> Pair:
    value = tie = 0.0
    for probability, pair in pairs:
        value += probability * pair[0]
        tie += probability * pair[1]
    return value, tie


def random_state(rules: Rules, empty: int, rng: Random, phases: int = 1) -> State:
    """A random moment with at most so many empty squares, after random moves and observations.

    Args:
        rules: level and options.
        empty: the most empty squares it may have.
        rng: the dice.
        phases: at most so many observation phases are begun before it.
    """
    while True:
        state = State(rules)
        target, bound = rng.randint(0, phases - 1), rng.randint(0, empty)
        while state.phase is not Phase.OVER:
            if state.observations == target and len(state.position.empty_squares) <= bound:
                return state
            state = random_child(state, rng)


def random_child(state: State, rng: Random) -> State:
    """A random move, or a random observation."""
    if state.phase is Phase.MOVE:
        return state.child(rng.choice(state.legal_moves()))
    if state.phase is Phase.OBSERVATION and len(state.modes) > 1:
        places = state.odds().positions()
        return state.child(Positions(rng.choices(list(places), list(places.values()))[0]))
    mode = rng.choice(state.modes)
    boards = state.odds(mode).outcomes()
    return state.child(Observation(rng.choices(list(boards), list(boards.values()))[0], mode))
