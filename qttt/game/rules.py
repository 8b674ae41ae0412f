"""What a game is played by: a level, one row each, and the optional rules that are on, one row each."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from qttt.errors import UsageError, shown, whole_number
from qttt.game.moves import Kind


@dataclass(frozen=True, slots=True)
class Level:
    """What one level of the game allows, as the Player Reference's "Moves Per Level" gives it.

    Attributes:
        number: 0 to 5, the Player Reference's numbering (decision D1 of the rules).
        name: the level's name.
        rotated_mode: the initiating player chooses the mode of observation.
        rotated_view: the view can be switched.
        observed_in_play: observed pieces become lone dice of value 4 and can be played on.
    """

    number: int
    name: str
    rotated_mode: bool = False
    rotated_view: bool = False
    observed_in_play: bool = False

    def allows(self, kind: Kind) -> bool:
        """Whether the level has moves of a kind."""
        return self.number >= kind.first_level


LEVELS: tuple[Level, ...] = (
    Level(0, "Classical"),
    Level(1, "Superposition"),
    Level(2, "Entanglement"),
    Level(3, "Interference"),
    Level(4, "Complementarity", rotated_mode=True),
    Level(5, "Fully quantum", rotated_mode=True, rotated_view=True, observed_in_play=True),
)
DEFAULT_LEVEL = 2


def parse_level(text: str) -> Level:
    """Read a level number.

    Args:
        text: ``0`` to ``5``.

    Raises:
        UsageError: for anything else.
    """
    for level in LEVELS:
        if text == str(level.number):
            return level
    raise UsageError(f"level {text!r} does not exist: the levels are 0 to {LEVELS[-1].number}")


def _option(written: str, levels: Collection[int], summary: str, default: Any = False) -> Any:
    return field(default=default, metadata={"written": written, "levels": levels, "summary": summary})


@dataclass(frozen=True, slots=True)
class Options:
    """The optional rules of one game; the defaults are the game without any.

    All that is a fact about an option stands in its row: how it is written (``name``, ``name=N`` for a number
    from 1 to 1000, ``name=word``), at which levels it means something, what it does, and its default.
    """

    quantum_only: bool = _option(
        "quantum-only",
        range(1, 6),
        "no classical move while any quantum move is legal (Level 5: in the current view or after a view "
        "switch that the player may still make)",
    )
    tally: bool = _option(
        "tally", range(6), "lines are points; play until every square holds an observed symbol"
    )
    no_double_entanglement: bool = _option(
        "no-double-entanglement",
        range(2, 6),
        "a root may be entangled once only (the online game's rule)",
    )
    measure_turn: bool = _option(
        "measure-turn", (1, 2), "a turn may observe one square instead of placing a piece"
    )
    no_ties: bool = _option(
        "no-ties",
        (5,),
        "a full board with equal lines is observed again, in rotated and standard mode by turns, "
        "rotated first (a standard one, of classical pieces alone, changes nothing)",
    )
    view_switches: int = _option(
        "view-switches=N",
        (5,),
        "view switches a player may make between observations (default 1)",
        1,
    )
    physical_view: bool = _option("view=physical", (5,), "a view switch rotates every occupied square")
    max_observations: int | None = _option(
        "max-observations=N", (5,), "a tie if nobody has won after N observations", None
    )

    def __str__(self) -> str:
        """The options as a record's ``Options`` header writes them; empty if none is on."""
        return ",".join(
            _written(row).replace("=N", f"={value}")
            for row in fields(self)
            if (value := getattr(self, row.name)) != row.default
        )


def _written(row: "Field[Any]") -> str:
    return str(row.metadata["written"])


_ROWS = fields(Options)


def _where(numbers: Collection[int]) -> str:
    """At which levels an option means something, before what it does; nothing if from some level on."""
    if max(numbers) == len(LEVELS) - 1:
        return f"Level {min(numbers)}: " if len(numbers) == 1 else ""
    return f"Levels {' and '.join(map(str, numbers))}: "


_BY_NAME = {_written(row).partition("=")[0]: row for row in _ROWS}
#: One line on each option as it is written, for help texts and the guide.
SUMMARIES: dict[str, str] = {
    _written(row): _where(row.metadata["levels"]) + row.metadata["summary"] for row in _ROWS
}
MAX_COUNT = 1000
#: The word that says of an option with a word that it is off (decision D5).
_OFF = "tabletop"


def parse_options(text: str | Iterable[str], level: Level) -> Options:
    """Read options and check them against the level.

    Args:
        text: for example ``quantum-only,view-switches=2``, or the options one by one; may be empty.
        level: the level the game is played at.

    Raises:
        UsageError: an unknown, repeated or malformed option, or one that means nothing at this level.
    """
    values: dict[str, Any] = {}
    listed = _joined(text)
    for part in listed.split(",") if listed.strip() else []:
        name, equals, value = part.strip().partition("=")
        if name not in _BY_NAME:
            raise UsageError(f"unknown option {part.strip()!r}: the options are {', '.join(SUMMARIES)}")
        row = _BY_NAME[name]
        if row.name in values:
            raise UsageError(f"option {name} is given twice")
        values[row.name] = _value(name, equals, value, _written(row).partition("=")[2])
    options = Options(**values)
    check_options(options, level)
    return options


def _joined(options: str | Iterable[str]) -> str:
    if isinstance(options, str):
        return options
    # A mapping might say of an option that it is off.
    if isinstance(options, Iterable) and not isinstance(options, Mapping):
        parts = list(options)
        if all(isinstance(part, str) for part in parts):
            return ",".join(parts)
    raise UsageError(f"options are text or a list of texts, for example 'tally', not {shown(options)}")


def _value(name: str, equals: str, value: str, form: str) -> bool | int:
    """What an option is set to: its row says whether it takes nothing, a number (N) or a word."""
    if not form:
        if equals:
            raise UsageError(f"option {name} takes no value")
        return True
    if form == "N":
        if not (value.isascii() and value.isdigit()) or len(value) > 4 or not 1 <= int(value) <= MAX_COUNT:
            raise UsageError(f"option {name}={value}: the value must be a whole number from 1 to {MAX_COUNT}")
        return int(value)
    if value not in (form, _OFF):
        raise UsageError(f"option {name}={value}: the readings are {_OFF!r} and {form!r}")
    return value == form


def check_options(options: Options, level: Level) -> None:
    """Refuse options that mean nothing at a level.

    Raises:
        UsageError: with the option, the levels that it needs and this level.
    """
    for row in _ROWS:
        if getattr(options, row.name) != row.default and level.number not in row.metadata["levels"]:
            raise UsageError(
                f"option {_written(row).removesuffix('=N')} needs {_levels(row.metadata['levels'])}, "
                f"and this is Level {level.number}"
            )


def options_at(level: Level) -> tuple[str, ...]:
    """The options that mean something at a level, as ``SUMMARIES`` names them."""
    return tuple(_written(row) for row in _ROWS if level.number in row.metadata["levels"])


def _levels(numbers: Collection[int]) -> str:
    first, last = min(numbers), max(numbers)
    if first == last:
        return f"Level {first}"
    if last == LEVELS[-1].number:
        return f"Level {first} or higher"
    return f"Level {', '.join(map(str, range(first, last)))} or {last}"


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
        if not (isinstance(self.level, Level) and isinstance(self.options, Options)):
            raise UsageError(
                "Rules takes a Level and Options; a number and text make rules by Rules.of, for example "
                f"Rules.of(2, 'tally'), not Rules({shown(self.level)}, {shown(self.options)})"
            )
        check_options(self.options, self.level)

    @classmethod
    def of(cls, level: int = DEFAULT_LEVEL, options: str | Iterable[str] = "") -> "Rules":
        """Rules from a level number and options.

        >>> Rules.of(5, ["tally", "view-switches=2"]).options.view_switches
        2

        Args:
            level: 0 to 5.
            options: as a record writes them, separated by commas, or one by one.

        Raises:
            UsageError: an unknown level or option, or one that means nothing at this level.
        """
        known = LEVELS[whole_number(level, "the level", 0, LEVELS[-1].number)]
        return cls(known, parse_options(options, known))

    def __str__(self) -> str:
        """For example ``Level 2 with tally``, as messages name rules."""
        options = str(self.options)
        return f"Level {self.level.number} with {options}" if options else f"Level {self.level.number}"

    @property
    def view_switches(self) -> int:
        """How often each player may switch the view between observations; 0 below Level 5."""
        return self.options.view_switches if self.level.rotated_view else 0
