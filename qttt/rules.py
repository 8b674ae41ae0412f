"""The rules of one game: a level and the options that are on."""

from dataclasses import dataclass, field

from qttt.levels import DEFAULT_LEVEL, LEVELS, Level, parse_level
from qttt.options import Options, check_options, parse_options


@dataclass(frozen=True, slots=True)
class Rules:
    """What a game is played by.

    Attributes:
        level: which moves, modes and views there are.
        options: the optional rules.

    Raises:
        UsageError: on construction, if an option means nothing at the level.
    """

    level: Level = LEVELS[DEFAULT_LEVEL]
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        """Refuse combinations that make no sense."""
        check_options(self.options, self.level)

    @classmethod
    def of(cls, level: int = DEFAULT_LEVEL, options: str = "") -> "Rules":
        """Rules from a level number and options as a record writes them.

        >>> Rules.of(5, "view-switches=2").options.view_switches
        2

        Raises:
            UsageError: an unknown level or option, or one that means nothing at this level.
        """
        known = parse_level(str(level))
        return cls(known, parse_options(options, known))

    @property
    def view_switches(self) -> int:
        """How often each player may switch the view between observations; 0 below Level 5."""
        return self.options.view_switches if self.level.rotated_view else 0
