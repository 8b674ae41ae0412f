"""X's win at Level 1: the line of play on the page, and X's answer to everything else."""

from collections.abc import Iterator
from dataclasses import dataclass

from examples.best_play.counting import forcing_size, size_of
from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Observation
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Symbol
from qttt.solver.probe import Prober, prober_for

RULES = Rules.of(1)
OPENING = "1+5"
LINE = "1+5 2 3+4 6 7+8 9"


@dataclass(frozen=True, slots=True)
class Ending:
    """A board that the observation after ``LINE`` may give.

    Attributes:
        board: the board.
        chance: its probability.
        answer: the move with which X then wins for certain; None if X has won already.
    """

    board: str
    chance: float
    answer: Move | None


def endings() -> list[Ending]:
    """What the board of ``LINE`` may be observed as, and what X does next."""
    state = after(LINE)
    found = []
    for board, chance in state.odds().outcomes().items():
        child = state.child(Observation(board))
        found.append(Ending(board, chance, None if child.phase is Phase.OVER else winning_move(child)))
    return found


def after(tokens: str) -> State:
    """The state after some moves at Level 1."""
    game = Game(rules=RULES)
    game.play(tokens)
    return game.state


def winning_move(state: State) -> Move | None:
    """X's move that still wins for certain: the first in canonical order; None if there is none.

    Before the first observation the move also keeps to the count that makes O fill the board.
    """
    empty = len(state.position.empty_squares)
    size = None if state.observations else forcing_size(empty, filling=False)
    for move, value in prober_for(state.rules).move_values(state).items():
        if value.exact == 1 and size in (None, size_of(state, move)):
            return move
    return None


@dataclass(frozen=True, slots=True)
class Proof:
    """What was met in playing X's moves against all of O's.

    Attributes:
        moments: before a move of either player, symmetric ones counted once.
        boards: the observed boards among them, with which play went on.
        games: ends that were met; all of them won by X.
    """

    moments: int
    boards: int
    games: int


def proof() -> Proof:
    """Play ``winning_move`` against every move of O's and every observation, by the rules alone.

    Raises:
        ValueError: something is not won by X, or X has no winning move.
    """
    prober = prober_for(RULES)
    seen: set[bytes] = set()
    boards: set[bytes] = set()
    ends = 0
    waiting = [after(OPENING)]
    while waiting:
        state = waiting.pop()
        if state.phase is Phase.OVER:
            if state.result is not Result.X:
                raise ValueError(f"{state} is not won by X")
            ends += 1
        elif state.phase is Phase.OBSERVATION:
            waiting += [state.child(Observation(board)) for board in state.odds().outcomes()]
        elif _is_new(state, prober, seen):
            if state.observations and not any(state.position.dice):
                boards.add(prober.symmetry_class(state))
            waiting += _next(state)
    return Proof(len(seen), len(boards), ends)


def _is_new(state: State, prober: Prober, seen: set[bytes]) -> bool:
    key = prober.symmetry_class(state)
    if key in seen:
        return False
    seen.add(key)
    return True


def _next(state: State) -> Iterator[State]:
    if state.turn is Symbol.O:
        yield from (state.child(move) for move in state.legal_moves())
        return
    move = winning_move(state)
    if move is None:
        raise ValueError(f"X has no winning move in {state}")
    yield state.child(move)
