"""Dice: shape, owner, colour and signed value. The dice on the board are the state of the game."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import copysign, sqrt

from qttt.game.symbols import Symbol

#: The colours in the order in which the seeds' diagrams use them.
COLOURS: tuple[str, ...] = ("red", "green", "blue", "yellow", "purple")
VALUES: tuple[int, ...] = (4, 2, 1, -2, -1)


@dataclass(frozen=True, slots=True)
class Die:
    """One die on the board; it stands for the amplitude sign(value)·√(|value|/4) before renormalisation.

    Attributes:
        shape: the symbol that the die's shape stands for.
        owner: the player whose colour it is.
        number: number of the piece among its owner's, from 0: the dice of one piece share it, and those of
            another never do. Pieces 0 to 4 have a colour each, and piece n + 5 has the colour of piece n.
        value: 4, 2, 1, -2 or -1.
    """

    shape: Symbol
    owner: Symbol
    number: int
    value: int

    @property
    def piece(self) -> tuple[Symbol, int]:
        """Owner and number: dice that share them belong to the same piece."""
        return (self.owner, self.number)

    @property
    def colour(self) -> str:
        """The colour, one of ``COLOURS``: a label that two pieces of a player may share (decision D7)."""
        return COLOURS[self.number % len(COLOURS)]

    @property
    def weight(self) -> float:
        """The probability that the value stands for, |value|/4, before any renormalisation."""
        return abs(self.value) / 4

    def with_value(self, value: int) -> "Die":
        """The same die with another face up."""
        return Die(self.shape, self.owner, self.number, value)

    def __str__(self) -> str:
        """Shape and value, for example ``△2`` or ``□-1``."""
        return f"{self.shape.glyph}{self.value}"


def amplitude_of(dice: Iterable[Die]) -> float:
    """The amplitudes that some dice stand for, added with their signs, before any renormalisation."""
    return sum(copysign(sqrt(die.weight), die.value) for die in dice)


def die_of(player: Symbol, number: int, value: int) -> Die:
    """A die of a player's own shape in the piece of a number."""
    return Die(player, player, number, value)
