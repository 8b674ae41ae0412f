"""What to do in a position: every choice with its value, from the solver or else from a search."""

from collections.abc import Mapping
from dataclasses import dataclass

from qttt.game.game import Game
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.players.choices import Choice, choices, decider, unlimited
from qttt.players.explanations import Judge, why
from qttt.players.lookahead import Budget, exact_boards, look_ahead
from qttt.players.strategies import solved_values, without_limit
from qttt.solver import probe
from qttt.solver.boards import WORTH
from qttt.solver.probe import Value

SOLVER = "solver"
SEARCH = "search"
#: What a search for advice may weigh.
BUDGET = Budget(30_000)
_REPLY_BUDGET = Budget(10_000)
#: Some tenths of a second.
_STANDING_BUDGET = Budget(2_000)


@dataclass(frozen=True, slots=True)
class Advice:
    """The analysis of a moment of a game.

    Attributes:
        turn: who has to choose; None once the game has ended.
        value: what the position is worth.
        method: ``solver`` or ``search``.
        exact: the values are proved: by the solver, or by a search that saw everything up to boards whose
            values are proved.
        depth: how many moves the search looked ahead; None for the solver.
        positions: how many positions the search weighed; None for the solver.
        choices: every choice with its value, best first; equal values by fewer ties, then canonical order.
        why: a sentence or two on the best choice; empty where there is nothing to choose.
    """

    turn: Symbol | None
    value: Value
    method: str
    exact: bool
    depth: int | None
    positions: int | None
    choices: tuple[tuple[Choice, Value], ...]
    why: str

    @property
    def how(self) -> str:
        """The method in words."""
        if self.method == SOLVER:
            return "exact"
        if self.exact and not self.depth:
            return "exact: this observation, and every board that it may leave"
        if self.exact and not self.positions:
            return "exact: every choice leads to solved positions"
        if self.exact:
            return f"exact: a search up to solved positions, {self.positions:,} positions"
        if not self.depth:
            return "estimated: this observation exactly, what comes after it by a rule of thumb"
        return f"estimated: a search {self.depth} deep, {self.positions:,} positions"


def advise(game: Game, budget: Budget = BUDGET) -> Advice:
    """Analyse a game at its present moment.

    Args:
        game: a game at any moment; with the positions observed, the choices are the modes.
        budget: how far to search where the solver has no table.

    Raises:
        TableError: the solver's table cannot be used.
    """
    state = game.state
    if game.over:
        return Advice(None, Value.of(WORTH[game.result], Symbol.X), SOLVER, True, None, None, (), "")
    if probe.is_solved(game.rules):
        values: Mapping[Choice, Value] = solved_values(state) if choices(state) else {}
        method, exact, depth, positions = SOLVER, True, None, None
        value = probe.prober_for(game.rules).value(state)
    else:
        found = look_ahead(state, budget)
        values, method, depth, positions = found.values, SEARCH, found.depth, found.positions
        value = found.position
        exact = found.complete and exact_boards(game.rules)
    order = probe.ranked(values, decider(state))
    reason = why(state, order[0][0], _judge(method, state, values)) if order else ""
    return Advice(decider(state), value, method, exact, depth, positions, tuple(order), reason)


def standing(state: State) -> tuple[Value, bool]:
    """How the players stand with best play by both, quickly.

    Args:
        state: any state of a game that goes on.

    Returns:
        What the position is worth, and whether that is proved; otherwise it is a small search's estimate.
    """
    if probe.is_solved(unlimited(state.rules)):
        endless = without_limit(state)
        return probe.prober_for(endless.rules).value(endless), True
    return look_ahead(state, _STANDING_BUDGET, best_only=True).position, False


def _judge(method: str, present: State, values: Mapping[Choice, Value]) -> Judge:
    def judge(state: State) -> Mapping[Choice, Value]:
        if state == present:
            return values
        if method == SEARCH:
            return look_ahead(state, _REPLY_BUDGET).values
        # Of replies only the best is told.
        return {move: value for move, value in probe.prober_for(state.rules).best_values(state).items()}

    return judge
