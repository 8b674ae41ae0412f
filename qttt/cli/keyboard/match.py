"""A match of several games: its score, which its games' records carry, so that it can go on from there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from qttt.errors import UsageError
from qttt.game.symbols import Symbol
from qttt.records.record import Record

HEADER = "Match"
_WRITTEN = re.compile(r"Game ([0-9]{1,4}) of ([0-9]{1,4}) at X ([0-9]{1,5}), O ([0-9]{1,5})", re.ASCII)


@dataclass(frozen=True)
class Match:
    """How a match stands; a single game is a match of one.

    Attributes:
        games: how many games it has.
        number: which game is played, from 1; one more than there are after the last.
        points: what each player has of the games before it.
    """

    games: int
    number: int = 1
    points: Mapping[Symbol, int] = field(default_factory=lambda: dict.fromkeys(Symbol, 0))

    @classmethod
    def of(cls, record: Record) -> Self | None:
        """The match of a record's game, as its header says; None if it belongs to none.

        Raises:
            UsageError: the header cannot be read.
        """
        written = record.headers.get(HEADER)
        if written is None:
            return None
        read = _WRITTEN.fullmatch(written)
        if read is None or not 1 <= int(read[1]) <= int(read[2]):
            raise UsageError(f'the header [{HEADER} "{written}"] is not like: Game 2 of 3 at X 1, O 0')
        number, games, x, o = map(int, read.groups())
        return cls(games, number, {Symbol.X: x, Symbol.O: o})

    def __str__(self) -> str:
        """As the header has it: ``Game 2 of 3 at X 1, O 0``."""
        return f"Game {self.number} of {self.games} at {self.score}"

    @property
    def score(self) -> str:
        """The points of both, ``X 1, O 0``."""
        return ", ".join(f"{player} {self.points[player]}" for player in Symbol)

    @property
    def over(self) -> bool:
        """Whether every game has been played."""
        return self.number > self.games

    @property
    def verdict(self) -> str:
        """Who has won, once it is over."""
        most = max(self.points.values())
        ahead = [player for player in Symbol if self.points[player] == most]
        return f"{ahead[0]} wins the match." if len(ahead) == 1 else "The match is drawn."

    def after(self, points: Mapping[Symbol, int]) -> "Match":
        """The match after a game with so many points."""
        return Match(
            self.games, self.number + 1, {player: self.points[player] + points[player] for player in Symbol}
        )
