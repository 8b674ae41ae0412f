"""Measured matches: results of every game, so that a test can play some of them again.

``python -m examples.best_play.matches`` plays them all and writes ``matches.json`` beside this file. It takes
some minutes for each core.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from qttt.game.rules import Rules
from qttt.players.matches import Match, play_games, play_match
from qttt.stats import mean_interval, wilson
from qttt.storage import save_file
from qttt.workers import processes, usable_cores

FILE = Path(__file__).with_name("matches.json")
GAMES = 500
SEED = 1
#: Matches on the page: level, X, O.
PLAYED = ((2, "hard", "easy"), (2, "perfect", "perfect"))
_LETTERS = {"X": "X", "O": "O", "tie": "="}


@dataclass(frozen=True, slots=True)
class Measured:
    """A match that was played.

    Attributes:
        level: the level.
        x: who played X.
        o: who played O.
        alternate: who started alternated.
        results: of the games in order, ``X``, ``O`` or ``=`` for a tie.
    """

    level: int
    x: str
    o: str
    alternate: bool
    results: str

    @property
    def command(self) -> str:
        """The command that plays the match."""
        alternate = " --alternate" if self.alternate else ""
        games = f"--games {len(self.results)} --seed {SEED}"
        return f"qttt selfplay --x {self.x} --o {self.o} --level {self.level}{alternate} {games}"

    @property
    def match(self) -> Match:
        """The match, to be played again."""
        return Match(self.x, self.o, Rules.of(self.level), SEED, alternate=self.alternate)

    def share(self, letter: str) -> tuple[float, float, float]:
        """The share of games with a result, and its 95 % interval."""
        count, games = self.results.count(letter), len(self.results)
        return count / games, *wilson(count, games)

    def decided(self) -> tuple[float, float, float]:
        """X's share of the games that were no ties, and its 95 % interval."""
        x, o = self.results.count("X"), self.results.count("O")
        return x / (x + o), *wilson(x, x + o)

    def mean(self) -> tuple[float, float, float]:
        """X's wins minus O's, a game, and its 95 % interval."""
        x, o = self.results.count("X"), self.results.count("O")
        return mean_interval(x - o, x + o, len(self.results))


def replayed(measured: Measured, numbers: range) -> str:
    """Play some games of a match again.

    Returns:
        Their results, as in ``Measured.results``.
    """
    return "".join(_LETTERS[game.result] for game in play_games(measured.match, numbers))


@cache
def measured_matches() -> tuple[Measured, ...]:
    """The matches as they were played."""
    return tuple(Measured(**entry) for entry in json.loads(FILE.read_text(encoding="utf-8")))


def main() -> None:
    """Play every match and write the results."""
    played = []
    for level, x, o in PLAYED:
        # A player against itself needs no change of places: who starts is what is measured.
        measured = Measured(level, x, o, x != o, "")
        with processes(usable_cores()) as executor:
            games = play_match(measured.match, range(GAMES), executor)
            results = "".join(_LETTERS[game.result] for game in games)
        played.append(Measured(level, x, o, x != o, results))
        print(
            played[-1].command, f"X {results.count('X')}, ties {results.count('=')}, O {results.count('O')}"
        )
    save_file(FILE, "\n".join(_lines(played)) + "\n")


def _lines(played: list[Measured]) -> Iterator[str]:
    yield "["
    for place, one in enumerate(played):
        entry = {name: getattr(one, name) for name in Measured.__slots__}
        yield json.dumps(entry) + ("," if place < len(played) - 1 else "")
    yield "]"


if __name__ == "__main__":
    main()
