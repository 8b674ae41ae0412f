"""Search with a limit, for any rules: how good each choice is, looking as far ahead as a budget allows.

The rest of the observation phase is searched by alpha-beta with iterative deepening; where the horizon comes
before the board is full, the position is estimated (``evaluation``). A full board is weighed exactly over
everything its observation may give; boards with which the game goes on are solved if they are nearly full
(below Level 5) and estimated otherwise. Everything is a function of the position and the budget, so that the
same question has the same answer whatever was asked before, as long as the clock does not cut it short.
With the option ``measure-turn`` measuring a square is a choice like any other, and what it gives is chance.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import prod

from qttt.game.moves import Move
from qttt.game.outcomes import Measurement
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players.choices import Choice, Look, choices
from qttt.players.evaluation import estimate
from qttt.solver.blocks import LONE, Block, canonical, code_of, empty_squares, number_of
from qttt.solver.boards import BOARDS, WORTH, Pair, board_blocks, verdicts
from qttt.solver.expectation import Expectation, shown
from qttt.solver.measuring.positions import measured, moment_key
from qttt.solver.measuring.tables import LEAST_EMPTY, SOLVED_LEVEL, board_pairs, opening_value
from qttt.solver.places import Place, moved
from qttt.solver.probe import Value, ranked
from qttt.solver.tables import table_path

#: Two values closer than this are equal: sums of doubles differ in their last digits.
MARGIN = 1e-11
#: No phase has more turns: each square is filled, may be measured and freed once, and is filled again.
MOST_TURNS = 3 * len(SQUARES)
#: After an observation below Level 5, boards with at most so many empty squares are solved.
SOLVED_EMPTY = 3
_CLOCK_EVERY = 64
_ENDLESS = 1 << 60


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may look.

    Attributes:
        positions: how many positions it may weigh; a full board counts more the more terms its odds have.
        seconds: how long it may take by the clock; None: as long as it needs.
    """

    positions: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a search found.

    Attributes:
        values: the value of each choice, in canonical order.
        depth: how many moves it looked ahead.
        complete: it saw every way to fill the board; only boards with which play goes on were estimated.
        positions: how many positions it weighed, counted as in ``Budget``.
        position: the value of the state itself: that of the best choice, or of the observation that is due.
    """

    values: dict[Choice, Value]
    depth: int
    complete: bool
    positions: int
    position: Value


class MoveNow(KeyboardInterrupt):
    """Raised in the middle of a search, it ends that, which gives what it has found until then.

    A search that has not looked one move ahead yet passes it on.
    """


class _StoppedError(Exception):
    """The budget is spent."""


def look_ahead(
    state: State, budget: Budget, *, best_only: bool = False, most_depth: int = MOST_TURNS
) -> Estimates:
    """Search for the value of every choice in a state.

    Args:
        state: a state in which a player is to choose.
        budget: when to stop; one move is always looked ahead.
        best_only: values of inferior choices need only be upper bounds (for the player who chooses), which is
            faster.
        most_depth: how many moves to look ahead at the most.
    """
    search = _Lookahead(state, budget)
    if state.phase is Phase.MODE:
        return _modes(state, search)
    if state.phase is not Phase.MOVE:
        return _chance(state, search)
    branches = [_Branch(choice, search, state) for choice in choices(state)]
    values: dict[Choice, Pair] = {}
    measuring = state.rules.options.measure_turn
    depth, most = 0, MOST_TURNS if measuring else len(state.position.empty_squares)
    order = branches
    complete = False
    while not complete and depth < min(most, most_depth):
        found = _deepened(order, search, depth + 1, best_only)
        if found is None:
            break
        depth += 1
        complete = not search.cut if measuring else depth == most
        values = {branch.choice: found[branch.choice] for branch in branches}
        order = sorted(order, key=lambda branch: -values[branch.choice][0])
    estimates = {choice: Value.of(pair, state.turn) for choice, pair in values.items()}
    best = ranked(estimates, state.turn)[0][1]
    return Estimates(estimates, depth, complete, search.spent, best)


def _deepened(
    order: "list[_Branch]", search: "_Lookahead", depth: int, best_only: bool
) -> dict[Choice, Pair] | None:
    """The value of each choice to the player who chooses, at one depth; None if the budget did not do."""
    search.limited = depth > 1
    search.table.clear()
    search.cut = False
    found: dict[Choice, Pair] = {}
    seen: dict[bytes, Pair] = {}
    best = -2.0
    try:
        for branch in order:
            pair = seen.get(branch.key) if branch.key else None
            if pair is None:
                # A hair below the best, so that equal values are seen to be equal.
                floor = best - 1e-6 if best_only else -2.0
                pair = branch.value(depth, floor)
                if branch.key:
                    seen[branch.key] = pair
            found[branch.choice] = pair
            best = max(best, pair[0])
    except _StoppedError:
        return None
    except MoveNow:
        if depth == 1:
            raise
        return None
    return found


class _Branch:
    """One choice at the root: the positions it may lead to, with their probabilities."""

    def __init__(self, choice: Choice, search: "_Lookahead", state: State) -> None:
        self.choice = choice
        self.search = search
        events: list[tuple[Move | Measurement, float]]
        if isinstance(choice, Look):
            odds = state.measurement_odds(choice.square)
            events = [(Measurement(choice.square, cell), chance) for cell, chance in odds.items()]
        else:
            assert isinstance(choice, Move)
            events = [(choice, 1.0)]
        self.places = [(Place.of(state.child(event)), chance) for event, chance in events]
        only = self.places[0][0]
        # Choices that lead to the same position but for symmetry are searched once.
        self.key = search.key(only) if len(self.places) == 1 else b""

    def value(self, depth: int, floor: float) -> Pair:
        """The value to the player who chooses; exact if it is more than the floor."""
        if len(self.places) == 1:
            worth, tie = self.search.value(self.places[0][0], depth - 1, -2.0, -floor)
            return -worth, tie
        worth = tie = 0.0
        for place, chance in self.places:
            part = self.search.value(place, depth - 1, -2.0, 2.0)
            worth -= chance * part[0]
            tie += chance * part[1]
        return worth, tie


def _modes(state: State, search: "_Lookahead") -> Estimates:
    assert state.positions is not None
    place = Place.of(state)
    pairs = search.expectation.modes(place.standing, place.turn, state.positions.mask)
    values: dict[Choice, Value] = {
        mode: Value.of(pair, state.turn)
        for mode, pair in zip(Mode, pairs, strict=True)
        if mode in state.modes
    }
    return Estimates(values, 0, True, search.spent, ranked(values, state.initiator)[0][1])


def _chance(state: State, search: "_Lookahead") -> Estimates:
    """A full board, or a game that is over: nothing to choose."""
    if state.phase is Phase.OVER:
        return Estimates({}, 0, True, 0, Value.of(WORTH[state.result], Symbol.X))
    search.limited = False
    place = Place.of(state)
    value = Value.of(search.observed(place.standing, place.turn), state.turn)
    return Estimates({}, 0, True, search.spent, value)


class _Lookahead:
    """One search: its rules, its budget, and what it has found at the present depth."""

    def __init__(self, state: State, budget: Budget) -> None:
        self.rules = state.rules
        self.level = state.rules.level
        self.budget = budget
        self.spent = 0
        self.limited = True
        self.cut = False
        self.measuring = state.rules.options.measure_turn
        # Positions with many empty squares are in a table then.
        self.solved = self.level.number == SOLVED_LEVEL and exact_boards(state.rules)
        self.table: dict[bytes, tuple[int, int, Pair]] = {}
        self.order: dict[bytes, float] = {}
        self.full: dict[bytes, Pair] = {}
        limit = state.rules.options.max_observations
        self.last_phase = limit is not None and state.observations + 1 >= limit
        self.known = board_values(state.rules)
        self.started = time.monotonic()
        self.expectation = Expectation(self.boards, choice=self.level.rotated_mode, margin=MARGIN)
        self._next_look = _CLOCK_EVERY

    def boards(self, number: int) -> Pair:
        """The value of an observed board to the player to move."""
        verdict = verdicts(self.rules)[number]
        if verdict is not None:
            return verdict
        return (0.0, 1.0) if self.last_phase else self.known(number)

    def key(self, place: Place) -> bytes:
        """What positions share that are equal but for symmetry and colours."""
        code = code_of(place.blocks, place.turn)
        if self.measuring:
            return moment_key(code, place.marks)
        key = canonical(code)
        return key + bytes((*place.switches, place.rotated)) if self.level.rotated_view else key

    def spend(self, count: int) -> None:
        """Count positions, and stop when the budget is spent."""
        self.spent += count
        if not self.limited:
            return
        if self.spent > self.budget.positions:
            raise _StoppedError
        if self.budget.seconds is not None and self.spent >= self._next_look:
            self._next_look = self.spent + _CLOCK_EVERY
            if time.monotonic() - self.started > self.budget.seconds:
                raise _StoppedError

    def observed(self, standing: tuple[int, ...], turn: int) -> Pair:
        """The value of a full board to the player who moves next if play goes on."""
        key = canonical(code_of(standing, turn))
        pair = self.full.get(key)
        if pair is None:
            modes = list(Mode) if self.level.rotated_mode else [Mode.STANDARD]
            terms = len(modes) * prod(len(shown(number, turn, modes[-1])) for number in standing)
            self.spend(1 + terms // 8)
            pair = self.full[key] = self.expectation.value(standing, turn)
        return pair

    def value(self, place: Place, depth: int, alpha: float, beta: float) -> Pair:
        """The value of a position to the player to move, looking some moves ahead.

        Exact (for this depth) between alpha and beta, a bound outside.
        """
        if not place.empty:
            return self.observed(place.standing, place.turn)
        if self.solved and len(place.empty) >= LEAST_EMPTY:
            stored = opening_value(self.rules, place.blocks, place.turn, place.marks)
            if stored is not None:
                return stored
        if depth <= 0:
            self.spend(1)
            self.cut = True
            return estimate(place.standing, place.empty, place.turn, self.level)
        key = self.key(place)
        known = self.table.get(key)
        if known is not None and known[0] == depth:
            bound, pair = known[1], known[2]
            if bound == 0 or (bound > 0 and pair[0] >= beta) or (bound < 0 and pair[0] <= alpha):
                return pair
        best: Pair = (-2.0, 0.0)
        floor = alpha
        for child in self.children(place):
            worth, tie = self.value(child, depth - 1, -beta, -floor)
            if -worth > best[0]:
                best = -worth, tie
                floor = max(floor, -worth)
                if floor >= beta:
                    break
        if self.measuring and floor < beta:
            best = self._measured(place, depth, best, beta)
        bound = 1 if best[0] >= beta else -1 if best[0] <= alpha else 0
        self.table[key] = depth, bound, best
        self.order[key] = best[0]
        return best

    def _measured(self, place: Place, depth: int, best: Pair, beta: float) -> Pair:
        """The best of a value and of those of measuring squares; a bound outside the window."""
        for results in measured(place.blocks, place.marks, self.level):
            worth = tie = 0.0
            rest = 1.0
            for chance, blocks, marks in results:
                rest -= chance
                child = Place(blocks, 1 - place.turn, empty_squares(blocks), place.switches, False, marks)
                # No result is worth more than a win or less than a loss: what this one must be to matter.
                least = (best[0] - worth - rest) / chance
                most = (beta - worth + rest) / chance
                if least >= 1.0:
                    worth = -2.0
                    break
                if most <= -1.0:
                    worth -= chance + rest
                    break
                part = self.value(child, depth - 1, max(-2.0, -most), min(2.0, -least))
                worth -= chance * part[0]
                tie += chance * part[1]
                if -part[0] <= least or -part[0] >= most:
                    worth += rest if -part[0] <= least else -rest
                    break
            if worth > best[0]:
                best = worth, tie
                if worth >= beta:
                    break
        return best

    def children(self, place: Place) -> list[Place]:
        """Every position that a move may lead to, once each, the best by what is known so far first."""
        found: dict[bytes, tuple[float, Place]] = {}
        for child in moved(place, self.rules):
            if child.empty:
                key = self.key(child)
                rank = self.order.get(key)
            else:
                key = canonical(code_of(child.standing, child.turn))
                pair = self.full.get(key)
                rank = None if pair is None else pair[0]
            if key not in found:
                found[key] = (0.0 if rank is None else rank, child)
        return [child for _, child in sorted(found.values(), key=lambda entry: entry[0])]


# Observed boards.


def exact_boards(rules: Rules) -> bool:
    """Whether the boards with which play goes on have exact values here: with ``measure-turn``."""
    return rules.options.measure_turn and table_path(rules).is_file()


def expectation_now(rules: Rules, *, choice: bool) -> Expectation:
    """What observations are worth by the results of their boards, those that decide nothing being level.

    Args:
        rules: level and options.
        choice: the initiator chooses the mode after seeing the positions; otherwise it is standard.
    """
    results = verdicts(rules)
    return Expectation(lambda number: results[number] or (0.0, 0.0), choice=choice, margin=MARGIN)


@cache
def board_values(rules: Rules) -> Callable[[int], Pair]:
    """A function that gives the value of boards with which play goes on, each worked out once.

    Args:
        rules: level and options.

    Returns:
        From a board number the value to the player to move.
    """
    exact = board_pairs(rules) if exact_boards(rules) else (None,) * BOARDS

    @cache
    def board_value(number: int) -> Pair:
        if (known := exact[number]) is not None:
            return known
        blocks = board_blocks(number, rules.level)
        empty = empty_squares(blocks)
        if not empty:
            # Observed again in rotated mode (option no-ties): every piece is 50/50, alike for both players.
            return 0.0, 0.0
        place = Place(blocks, 0, empty, (0, 0), False, 0)
        start = State(rules)
        if not rules.level.observed_in_play and len(empty) <= SOLVED_EMPTY:
            search = _Lookahead(start, Budget(_ENDLESS))
            search.limited = False
            depth = MOST_TURNS if rules.options.measure_turn else len(empty)
            return search.value(place, depth, -2.0, 2.0)
        return _finished(place, rules)

    return board_value


def _finished(place: Place, rules: Rules) -> Pair:
    """A board estimated, or filled at once where that is better for the player to move."""
    best = estimate(place.blocks, place.empty, place.turn, rules.level)
    if len(place.empty) > 2:
        return best
    kinds = "hh" if len(place.empty) == 2 else LONE
    full = (*place.blocks, number_of(Block(kinds, place.empty, 0)))
    worth, tie = expectation_now(rules, choice=False).value(full, 1)
    return max(best, (-worth, tie))
