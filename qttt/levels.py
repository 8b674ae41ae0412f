"""The six levels, as the table in the Player Reference ("Moves Per Level") gives them."""

from dataclasses import dataclass

from qttt.errors import UsageError


@dataclass(frozen=True, slots=True)
class Level:
    """What one level of the game allows.

    Attributes:
        number: 0 to 5, the Player Reference's numbering (decision D1 of the rules).
        name: the level's name.
        superposition: superposition moves are allowed.
        entangling: entangling and half-entangling moves are allowed.
        cancelling: cancelling and half-cancelling moves are allowed.
        rotated_mode: the initiating player chooses the mode of observation.
        rotated_view: the view can be switched.
        observed_in_play: observed pieces become lone dice of value 4 and can be played on.
    """

    number: int
    name: str
    superposition: bool = False
    entangling: bool = False
    cancelling: bool = False
    rotated_mode: bool = False
    rotated_view: bool = False
    observed_in_play: bool = False


LEVELS: tuple[Level, ...] = (
    Level(0, "Classical"),
    Level(1, "Superposition", True),
    Level(2, "Entanglement", True, True),
    Level(3, "Interference", True, True, True),
    Level(4, "Complementarity", True, True, True, True),
    Level(5, "Fully quantum", True, True, True, True, True, True),
)
DEFAULT_LEVEL = 2


def parse_level(text: str) -> Level:
    """Read a level number.

    Args:
        text: ``0`` to ``5``.

    Raises:
        UsageError: for anything else.
    """
    if text in {"0", "1", "2", "3", "4", "5"}:
        return LEVELS[int(text)]
    raise UsageError(f"level {text!r} does not exist: the levels are 0 to 5")
