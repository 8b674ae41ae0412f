"""One line of a table's log: an event of the game, or what a player did beside it; a text, read and written.

A log is all that is kept of a table. ``5*6`` or ``=XO.XXO.OX`` is an event, ``X:undo`` an act of X; with a
clock the milliseconds since the table was set up follow, as in ``5*6@12345``.
"""

import re
from dataclasses import dataclass
from typing import Self

from qttt.errors import MoveSyntaxError, UsageError, quoted
from qttt.game.game import parse_event
from qttt.game.state import Event
from qttt.game.symbols import Symbol, Word

_ACT = re.compile(r"([XO]):([a-z]+)")
_TIMED = re.compile(r"(.*)@([0-9]{1,15})", re.ASCII)


class Act(Word):
    """What a player may do beside the game."""

    UNDO = "undo"
    DRAW = "draw"
    REMATCH = "rematch"
    ACCEPT = "accept"
    DECLINE = "decline"
    RESIGN = "resign"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    Attributes:
        event: an event of the game, or what ``by`` does beside it.
        by: who does that; None for an event, which says so by itself.
        at: milliseconds since the table was set up; None without a clock.
    """

    event: Event | Act
    by: Symbol | None = None
    at: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a line.

        Raises:
            UsageError: it is none.
        """
        at = None
        if match := _TIMED.fullmatch(text):
            text, at = match[1], int(match[2])
        try:
            if match := _ACT.fullmatch(text):
                return cls(Act(match[2]), Symbol(match[1]), at)
            return cls(parse_event(text), None, at)
        except (MoveSyntaxError, UsageError):
            raise UsageError(f"the log of a table has no line {quoted(text)}") from None

    def __str__(self) -> str:
        """The line; ``parse`` reads it back."""
        said = f"{self.by}:{self.event}" if isinstance(self.event, Act) else str(self.event)
        return said if self.at is None else f"{said}@{self.at}"
