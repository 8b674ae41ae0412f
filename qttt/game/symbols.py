"""The two symbols, the two views and the two modes: the smallest words of the game."""

from enum import StrEnum
from typing import NoReturn, Self

from qttt.errors import UnknownWordError, shown


class Word(StrEnum):
    """A word of the game; its ``repr`` is the member as it is written in code.

    Members equal plain strings, but code asks whether something *is* a member. So what others may call with a
    plain string takes the member of that name first, by ``named``.
    """

    def __repr__(self) -> str:
        """For example ``Symbol.X``."""
        return f"{type(self).__name__}.{self.name}"

    @classmethod
    def named(cls, word: str) -> Self:
        """The member that equals a string; a member is itself.

        >>> Mode.named("rotated")
        Mode.ROTATED

        Raises:
            UnknownWordError: there is none.
        """
        if isinstance(word, cls):
            return word
        return cls(word) if isinstance(word, str) else cls._missing_(word)

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        known = " or ".join(repr(str(member)) for member in cls)
        raise UnknownWordError(f"{cls.__name__.lower()} must be {known}, not {shown(value)}")


class Symbol(Word):
    """A player and the symbol they play: ``X`` plays △ (d4 dice), ``O`` plays □ (d6 dice)."""

    X = "X"
    O = "O"  # noqa: E741 - the rules' own letter

    @property
    def opponent(self) -> "Symbol":
        """The other player."""
        return Symbol.O if self is Symbol.X else Symbol.X

    @property
    def shape(self) -> str:
        """Name of the shape of this symbol's dice: ``triangle`` or ``square``."""
        return "triangle" if self is Symbol.X else "square"

    @property
    def glyph(self) -> str:
        """The shape as a Unicode character."""
        return "△" if self is Symbol.X else "□"

    @property
    def sign(self) -> int:
        """+1 for X, whose attacks and rotations make plus states; -1 for O, whose make minus states."""
        return 1 if self is Symbol.X else -1


class View(Word):
    """How the dice on the board are to be read (Level 5 text, "The Rotated View")."""

    STANDARD = "standard"
    ROTATED = "rotated"

    @property
    def other(self) -> "View":
        """The view that the view token shows after a flip."""
        return View.ROTATED if self is View.STANDARD else View.STANDARD


class Mode(Word):
    """How symbols are observed (Player Reference, "The Observation Phase", Step 3)."""

    STANDARD = "standard"
    ROTATED = "rotated"
