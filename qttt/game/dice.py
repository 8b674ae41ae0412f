"""Dice: shape, owner, colour and signed value. The dice on the board are the state of the game."""

from dataclasses import dataclass

from qttt.game.symbols import Symbol

#: The colours in the order in which the seeds' diagrams use them.
COLOURS: tuple[str, ...] = ("red", "green", "blue", "yellow", "purple")
VALUES: tuple[int, ...] = (4, 2, 1, -2, -1)


def colour_name(colour: int) -> str:
    """Name of a player's colour; a real set has five, further ones are numbered (decision D7).

    Args:
        colour: 0 for a player's first colour, 1 for the second …
    """
    return COLOURS[colour] if colour < len(COLOURS) else f"colour {colour + 1}"


@dataclass(frozen=True, slots=True)
class Die:
    """One die on the board; it stands for the amplitude sign(value)·√(|value|/4) before renormalisation.

    Attributes:
        shape: the symbol that the die's shape stands for.
        owner: the player whose colour it is.
        colour: number of the colour among its owner's, from 0. A label only: it says which dice belong to
            one piece.
        value: 4, 2, 1, -2 or -1.
    """

    shape: Symbol
    owner: Symbol
    colour: int
    value: int

    @property
    def piece(self) -> tuple[Symbol, int]:
        """Owner and colour: dice that share them belong to the same piece."""
        return (self.owner, self.colour)

    @property
    def weight(self) -> float:
        """The probability that the value stands for, |value|/4, before any renormalisation."""
        return abs(self.value) / 4

    def with_value(self, value: int) -> "Die":
        """The same die with another face up."""
        return Die(self.shape, self.owner, self.colour, value)

    def __str__(self) -> str:
        """Shape and value, for example ``△2`` or ``□-1``."""
        return f"{self.shape.glyph}{self.value}"


def die_of(player: Symbol, colour: int, value: int) -> Die:
    """A die of a player's own shape and colour."""
    return Die(player, player, colour, value)
