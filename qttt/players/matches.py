"""Tournaments: many games between two computer players, on any executor, the same on every machine.

Every game is a function of the match and its number alone: it has random numbers of its own, and searches
count positions instead of reading the clock. So a seed gives the same games whoever plays them, in whatever
order.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Observation
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Phase
from qttt.game.symbols import Mode, Symbol
from qttt.observation.observers import Observer, get_observer, measure_square, observe_positions
from qttt.players import Look, Player, get_player
from qttt.players.choices import limited
from qttt.records.record import Record
from qttt.stats import mean_interval, wilson

if TYPE_CHECKING:
    import numpy as np

#: How many batches may wait for an executor at once, and how many games a batch may have.
_WAITING = 64
_MOST_IN_BATCH = 10


@dataclass(frozen=True, slots=True)
class Match:
    """Who plays whom, and by which rules.

    Attributes:
        x: the name of the player of X.
        o: the name of the player of O.
        rules: level and options; where play could go on for ever they get a limit.
        seed: what every random number follows from.
        first: who starts.
        alternate: who starts alternates from game to game, beginning with ``first``.
        backend: who observes the boards, ``dice`` or a simulator.

    Raises:
        UsageError: on construction, if a player or the backend does not exist, or cannot play by the rules,
            or if neither X nor O starts.
    """

    x: str
    o: str
    rules: Rules = field(default_factory=Rules)
    seed: int = 0
    first: Symbol = Symbol.X
    alternate: bool = False
    backend: str = "dice"

    def __post_init__(self) -> None:
        """Give endless games an end, and see that everybody can play."""
        object.__setattr__(self, "rules", limited(self.rules))
        object.__setattr__(self, "first", Symbol.named(self.first))
        _seated(self)

    def starts(self, number: int) -> Symbol:
        """Who starts a game of the match."""
        return self.first.opponent if self.alternate and number % 2 else self.first


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game of a match.

    Attributes:
        number: its number, from 0.
        first: who started.
        result: X, O or tie.
        observations: how many observation phases it had.
        record: the whole record.
    """

    number: int
    first: Symbol
    result: Result
    observations: int
    record: str

    @classmethod
    def of(cls, match: Match, number: int, game: Game) -> Self:
        """A game of a match that has come to its end."""
        headers = {"X": match.x, "O": match.o, "Backend": match.backend, "Seed": str(match.seed)}
        record = str(Record.of(game, {**headers, "Game": str(number)}))
        return cls(number, game.first, game.result, game.state.observations, record)


def play_game(match: Match, number: int) -> Played:
    """Play one game of a match to its end.

    Args:
        match: who plays.
        number: which game, from 0; it decides who starts and all random numbers.

    Raises:
        ServiceError: the backend failed.
    """
    import numpy as np

    rng = np.random.default_rng([match.seed, number])
    players, observer = _seated(match)
    game = Game(rules=match.rules, first=match.starts(number))
    while not game.over:
        _advance(game, players, observer, rng)
    return Played.of(match, number, game)


def _advance(
    game: Game, players: dict[Symbol, Player], observer: Observer, rng: "np.random.Generator"
) -> None:
    state = game.state
    if state.phase is Phase.MOVE:
        choice = players[state.turn].choose(state, rng)
        if isinstance(choice, Look):
            game.push(measure_square(game, choice.square, observer, rng)[0])
        else:
            assert not isinstance(choice, Mode)
            game.push(choice)
        return
    mode = state.modes[0]
    if len(state.modes) > 1:
        game.push(observe_positions(game, observer, rng)[0])
        mode = Mode(str(players[state.initiator].choose(game.state, rng)))
    game.push(Observation(observer.draw(game, mode, rng).first, mode))


@lru_cache(maxsize=4)
def _seated(match: Match) -> tuple[dict[Symbol, Player], Observer]:
    players = {
        symbol: get_player(name, match.rules, clock=False)
        for symbol, name in ((Symbol.X, match.x), (Symbol.O, match.o))
    }
    return players, get_observer(match.backend)


def play_games(match: Match, numbers: range) -> list[Played]:
    """Play several games of a match, one after the other: what an executor is given to do."""
    return [play_game(match, number) for number in numbers]


def play_match(match: Match, numbers: range, executor: Executor | None = None) -> Iterator[Played]:
    """Play games of a match.

    Args:
        match: who plays.
        numbers: which games, for example ``range(1000)``.
        executor: anything that runs functions, such as a ``ProcessPoolExecutor`` or a Dask cluster's
            ``get_executor()``; None to play here. It is not shut down.

    Yields:
        The games in the order of their numbers, as soon as they and all before them are finished.

    Raises:
        ServiceError: the backend failed.
    """
    if executor is None:
        for number in numbers:
            yield play_game(match, number)
        return
    size = max(1, min(_MOST_IN_BATCH, len(numbers) // _WAITING))
    batches = (numbers[start : start + size] for start in range(0, len(numbers), size))
    waiting: deque[Future[list[Played]]] = deque()
    try:
        for batch in batches:
            waiting.append(executor.submit(play_games, match, batch))
            if len(waiting) >= _WAITING:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


@dataclass(slots=True)
class Score:
    """The results of a match so far.

    Attributes:
        wins: games by result.
        starter_wins: games that the player who started won.
        observations: observation phases of all games together.
    """

    wins: dict[Result, int] = field(
        default_factory=lambda: dict.fromkeys((Result.X, Result.TIE, Result.O), 0)
    )
    starter_wins: int = 0
    observations: int = 0

    def add(self, played: Played) -> None:
        """Count one game."""
        self.wins[played.result] += 1
        self.starter_wins += str(played.result) == str(played.first)
        self.observations += played.observations

    def add_all(self, games: Iterable[Played]) -> None:
        """Count games as they come."""
        for played in games:
            self.add(played)

    @property
    def games(self) -> int:
        """How many games were counted."""
        return sum(self.wins.values())

    def share(self, result: Result) -> tuple[float, float, float]:
        """The share of games with a result, and Wilson's 95 % interval for it."""
        count = self.wins[result]
        return count / self.games if self.games else 0.0, *wilson(count, self.games)

    def value(self) -> tuple[float, float, float]:
        """The mean of X's wins minus O's, and its 95 % interval.

        Raises:
            UsageError: no game was counted.
        """
        if not self.games:
            raise UsageError("a match of no games has no mean")
        x, o = self.wins[Result.X], self.wins[Result.O]
        return mean_interval(x - o, x + o, self.games)
