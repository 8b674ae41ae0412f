"""A clock for two players: so many seconds each, and some more with every move. Time is given, never read."""

import re
from dataclasses import dataclass, replace
from typing import Self

from qttt.errors import UsageError, quoted, whole_number
from qttt.game.symbols import Symbol

MOST_SECONDS, MOST_INCREMENT = 24 * 3600, 3600


@dataclass(frozen=True, slots=True)
class Control:
    """How much time the players have.

    Attributes:
        seconds: for each player at the start.
        increment: seconds that a player gains with every move.

    Raises:
        UsageError: on construction, unless ``seconds`` is from 1 to a day and ``increment`` up to an hour.
    """

    seconds: int
    increment: int = 0

    def __post_init__(self) -> None:
        """Refuse what no clock shows."""
        whole_number(self.seconds, "the seconds of a clock", 1, MOST_SECONDS)
        whole_number(self.increment, "the increment of a clock", 0, MOST_INCREMENT)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``300+5``.

        Raises:
            UsageError: it is not written so.
        """
        if not (match := re.fullmatch(r"([0-9]{1,6})\+([0-9]{1,6})", text, re.ASCII)):
            raise UsageError(f"a clock is written like 300+5, seconds and increment, not {quoted(text)}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        """For example ``300+5``; ``parse`` reads it back."""
        return f"{self.seconds}+{self.increment}"


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that is left, in milliseconds; it stands until the first move.

    Attributes:
        control: what the players had.
        left: what X and O had when it was last pressed.
        runs: whose time runs.
        since: when it was last pressed, on any clock that goes on by milliseconds.
    """

    control: Control
    left: tuple[int, int]
    runs: Symbol | None = None
    since: int = 0

    @classmethod
    def of(cls, control: Control) -> Self:
        """The clock at the start of a game."""
        return cls(control, (1000 * control.seconds,) * 2)

    def left_at(self, player: Symbol, now: int) -> int:
        """What a player has left at a time, 0 at the least."""
        used = max(0, now - self.since) if self.runs is player else 0
        return max(0, self.left[player is Symbol.O] - used)

    def pressed(self, now: int, runs: Symbol | None, *, moved: bool) -> "Clock":
        """The clock after something happened.

        Args:
            now: when.
            runs: whose time runs from now on; None to stop it.
            moved: it was a move of the player whose time ran, who gains the increment.
        """
        x, o = (self.left_at(player, now) for player in Symbol)
        gain = 1000 * self.control.increment * (moved and self.runs is not None)
        left = (x + gain * (self.runs is Symbol.X), o + gain * (self.runs is Symbol.O))
        return replace(self, left=left, runs=runs, since=now)
