"""A game looked back on: what each choice gave away, and what chance gave.

A game is a path of choices (a move, a square to measure, a mode) and chances (positions, symbols, what a
square held). With v for P(X wins) − P(O wins) under best play by both, a choice loses the best v minus its
own, seen by the player who chose, and the luck of a chance is v after it minus v before it, seen by X. So

    start − what X lost + what O lost + all luck = the value of the result.

Where the solver has no table the values are those of a search, and searches of neighbouring moments do not
quite agree. There a chance is worth what its outcomes are worth on average, a choice loses what one search
says, and before it stands what stands after it with that loss put back: the sum above holds there too.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, assert_never

from qttt.game.game import Game, check_game
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement, Observation, Positions, filled_squares
from qttt.game.result import Result
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Symbol
from qttt.players.choices import Choice, Look, decider, unlimited
from qttt.players.lookahead import Budget, Estimates, exact_boards, look_ahead
from qttt.solver import probe
from qttt.solver.boards import WORTH
from qttt.solver.probe import Value

#: The marks of a choice, best first, each with the greatest loss that it may have. A win is worth 1 and a
#: defeat −1, so the greatest loss of all is 2.
MARKS: tuple[tuple[str, float], ...] = (
    ("best", 1e-9),
    ("good", 0.03),
    ("inaccuracy", 0.1),
    ("mistake", 0.3),
    ("blunder", 2.0),
)
#: A choice that loses this much is half as accurate as one that loses nothing.
HALVING = 0.1
#: What a search for one choice may weigh, where no table holds.
BUDGET = Budget(10_000)
#: What ``Entry.best`` says where the game ended off the board and that gave something away.
PLAY_ON = "play on"


@dataclass(frozen=True, slots=True)
class Entry:
    """One choice or one chance of a game.

    Attributes:
        n: the number of its event, from 1; an observation in two steps and a measured square have several.
        token: the event in notation; for an end off the board ``draw``, ``resign`` or ``timeout``.
        kind: ``choice`` or ``chance``.
        step: a choice of ``move``, ``measure`` or ``mode``, or an end off the board as ``token`` says it; a
            chance of ``board``, ``positions``, ``symbols`` or ``square``.
        player: who chose; None for a chance.
        before: P(X wins) − P(O wins) with best play by both, before it.
        after: the same after it.
        choice: what was chosen, as ``best`` names it; None for a chance.
        best: a choice that loses nothing, the one made if that does; None for a chance.
        best_value: what that is worth, to X as all values; None for a chance.
        loss: what the choice gave away, to the player who made it, 0 or more; None for a chance.
        mark: the name of the loss, a key of ``MARKS``; None for a chance.
        chance: how probable the outcome was; None for a choice.
        luck: after − before; None for a choice.
    """

    n: int
    token: str
    kind: str
    step: str
    player: Symbol | None
    before: float
    after: float
    choice: str | None = None
    best: str | None = None
    best_value: float | None = None
    loss: float | None = None
    mark: str | None = None
    chance: float | None = None
    luck: float | None = None

    @property
    def words(self) -> str:
        """What was chosen or came, shortly."""
        match self.step:
            case "mode":
                return f"{self.choice} mode"
            case "measure":
                return str(self.choice)
            case "positions":
                return "positions"
            case _:
                return self.token


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """How a player played, and how lucky they were.

    Attributes:
        accuracy: the mean of `accuracy` over their choices, 0 to 1; None without a choice.
        lost: the sum of the losses.
        luck: the sum of all luck, as this player sees it.
    """

    accuracy: float | None
    lost: float
    luck: float


@dataclass(frozen=True, slots=True)
class Review:
    """A game looked back on.

    Attributes:
        level: the level played.
        start: the value before the first event.
        result: how the game ended; None while it goes on.
        end: the value of the result, or of the present moment.
        doubt: why not every value is proved, in a clause: at least one comes from a search, or the values are
            those of a game without this one's limit on observations; empty where they are exact.
        entries: every choice and every chance, in order.
        players: X's side, and O's.
    """

    level: int
    start: float
    result: Result | None
    end: float
    entries: tuple[Entry, ...]
    players: Mapping[Symbol, PlayerReview]
    doubt: str = ""

    @property
    def exact(self) -> bool:
        """Whether every value is proved."""
        return not self.doubt


def mark_of(loss: float) -> str:
    """The mark of a choice that gave so much away."""
    return next((mark for mark, most in MARKS if loss <= most), MARKS[-1][0])


def scale_words() -> str:
    """What the marks and the accuracy mean, in two sentences."""
    (best, _), *middle, (worst, _) = MARKS
    marks = "".join(f"up to {most:g} {mark}, " for mark, most in middle)
    return (
        f"A choice that loses nothing is marked {best}, one that loses {marks}more {worst}. A player's "
        f"accuracy is the mean over their choices of 2^(-loss/{HALVING:g}): 100 % for nothing lost, 50 % for "
        f"{HALVING:g}."
    )


def accuracy(loss: float) -> float:
    """How accurate a choice was that gave so much away: 1 for nothing, halved with every ``HALVING``."""
    return float(2 ** (-loss / HALVING))


def review(
    game: Game, progress: Callable[[], None] | None = None, budget: Budget = BUDGET, since: int = 0
) -> Review:
    """Look back on a game.

    Args:
        game: a game at any moment.
        progress: called once an event.
        budget: how far to search for each choice where the solver has no table.
        since: the events before this one are left out, from 0.

    Raises:
        UsageError: what is no game.
        TableError: the solver's table cannot be used.
    """
    check_game(game)
    judge = _Judge(game, budget)
    steps: list[Entry] = []
    for n, (state, event) in enumerate(zip(game.states, game.events, strict=False), 1):
        if n <= since:
            continue
        steps += [replace(step, n=n, token=str(event)) for step in judge.steps(state, event)]
        if progress:
            progress()
    present = judge.value(game.state)
    end = WORTH[game.result][0] if game.over else present
    entries = _settled(steps, present)
    if game.settlement:
        entries.append(_off_the_board(game, present))
    return Review(
        level=game.rules.level.number,
        start=entries[0].before if entries else present,
        result=game.result if game.over else None,
        end=end,
        entries=tuple(entries),
        players={player: _side(entries, player) for player in Symbol},
        doubt=judge.doubt,
    )


def _settled(steps: list[Entry], end: float) -> list[Entry]:
    """The steps with the value before and after each, from the last one back."""
    entries = []
    after = end
    for step in reversed(steps):
        if step.player is None:
            entry = replace(step, after=after, luck=after - step.before)
        else:
            sign, loss = step.player.sign, step.loss or 0.0
            # No value is beyond a win; where a search says so it is wrong by so much.
            before = max(-1.0, min(1.0, after + sign * loss)) if loss else after
            loss = (before - after) * sign if loss else 0.0
            entry = replace(
                step, before=before, after=after, best_value=before, loss=loss, mark=mark_of(loss)
            )
        entries.append(entry)
        after = entry.before
    return entries[::-1]


def _off_the_board(game: Game, value: float) -> Entry:
    """The end of a game by agreement, by resigning or on time, as a choice of the player who lost by it.

    A draw is the choice of the player who was ahead.
    """
    if game.loss:
        player, step = game.loss.player, "timeout" if game.loss.on_time else "resign"
    else:
        player, step = game.turn if not value else Symbol.X if value > 0 else Symbol.O, "draw"
    after = WORTH[game.result][0]
    loss = max(0.0, (value - after) * player.sign)
    mark = mark_of(loss)
    best = step if mark == MARKS[0][0] else PLAY_ON
    return Entry(len(game.events), step, "choice", step, player, value, after, step, best, value, loss, mark)


def _side(entries: list[Entry], player: Symbol) -> PlayerReview:
    losses = [entry.loss or 0.0 for entry in entries if entry.player is player]
    luck = fsum(entry.luck or 0.0 for entry in entries) * player.sign + 0.0
    mean = fsum(map(accuracy, losses)) / len(losses) if losses else None
    return PlayerReview(mean, fsum(losses), luck)


class _Judge:
    """Where values come from: the solver's table, or else a search.

    Attributes:
        doubt: why not every value asked for so far is proved; empty if all are.
    """

    def __init__(self, game: Game, budget: Budget) -> None:
        self._rules = unlimited(game.rules)
        self._prober = probe.prober_for(self._rules) if probe.is_solved(self._rules) else None
        self._budget = budget
        limited = self._prober is not None and self._rules != game.rules
        # A limit too far away to matter still is one.
        limit = game.rules.options.max_observations
        self.doubt = f"exact if play were not to end after {limit} observations" if limited else ""

    def value(self, state: State) -> float:
        """P(X wins) − P(O wins)."""
        if state.phase is Phase.OVER:
            return WORTH[state.result][0]
        if self._prober:
            return self._prober.value(self._endless(state)).value
        return self._searched(state).position.value

    def steps(self, state: State, event: Event) -> Iterator[Entry]:
        """The choices and chances of an event: a choice with its loss, a chance with the value before it."""
        match event:
            case Move():
                yield self._choice("move", state, event)
            case Measurement():
                yield self._choice("measure", state, Look(event.square))
                odds = state.measurement_odds(event.square)
                worth = fsum(
                    chance * self.value(state.child(Measurement(event.square, cell)))
                    for cell, chance in odds.items()
                )
                yield _chance("square", worth, odds[event.cell])
            case Positions():
                yield _chance("positions", self.value(state), state.odds().positions()[event.filled])
            case Observation() if len(state.modes) == 1:
                yield _chance("board", self.value(state), state.odds(event.mode).probability(event.board))
            case Observation():
                if state.positions is None:
                    positions = Positions(filled_squares(event.board))
                    yield from self.steps(state, positions)
                    state = state.child(positions)
                yield self._choice("mode", state, event.mode)
                worth = self._values(state)[event.mode].value
                yield _chance("symbols", worth, state.odds(event.mode).probability(event.board))
            case _:
                assert_never(event)

    def _choice(self, step: str, state: State, choice: Choice) -> Entry:
        player = decider(state)
        values = self._values(state)
        best = probe.best_choice(values, player)
        worth = values[choice]
        if self._prober and isinstance(choice, Move):
            # Of moves that are not best the table's values are bounds only.
            worth = self._prober.value(self._endless(state.child(choice)))
        loss = values[best].for_player(player) - worth.for_player(player)
        if loss <= MARKS[0][1]:
            best, loss = choice, 0.0
        return _entry("choice", step, player=player, choice=str(choice), best=str(best), loss=loss)

    def _values(self, state: State) -> Mapping[Choice, Value]:
        if self._prober is None:
            return self._searched(state).values
        endless = self._endless(state)
        if state.phase is Phase.MODE:
            return {mode: value for mode, value in self._prober.mode_values(endless).items()}
        return {move: value for move, value in self._prober.best_values(endless).items()}

    def _endless(self, state: State) -> State:
        return replace(state, rules=self._rules)

    def _searched(self, state: State) -> Estimates:
        found = look_ahead(state, self._budget)
        if not (found.complete and exact_boards(state.rules)):
            self.doubt = "some are estimates of a search"
        return found


def _entry(kind: str, step: str, **fields: Any) -> Entry:
    """An entry whose place in the game is not settled yet."""
    unsettled: dict[str, Any] = {"n": 0, "token": "", "player": None, "before": 0.0, "after": 0.0}
    return Entry(kind=kind, step=step, **(unsettled | fields))


def _chance(step: str, before: float, chance: float) -> Entry:
    return _entry("chance", step, before=before, chance=chance)
