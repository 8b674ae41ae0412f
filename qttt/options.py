"""The optional rules (rules.md, "Options"), written ``name`` or ``name=value`` and separated by commas."""

from dataclasses import dataclass, fields

from qttt.errors import UsageError
from qttt.levels import Level

MAX_COUNT = 1000


@dataclass(frozen=True, slots=True)
class Options:
    """The optional rules of one game; the defaults are the game without any.

    Attributes:
        quantum_only: no classical move while a quantum move is legal in the current view.
        tally: lines are points, and the game ends only when every square holds an observed symbol.
        no_double_entanglement: a root may be entangled once only.
        measure_turn: a turn may be spent on observing one square instead of a move (Levels 1 and 2).
        no_ties: a full board with equal lines is observed again, modes alternating from rotated (Level 5).
        view_switches: how often each player may switch the view between observations (Level 5).
        physical_view: a view switch rotates every occupied square (decision D5; Level 5).
        max_observations: the game is a tie after so many observation phases (Level 5); None: no limit.
    """

    quantum_only: bool = False
    tally: bool = False
    no_double_entanglement: bool = False
    measure_turn: bool = False
    no_ties: bool = False
    view_switches: int = 1
    physical_view: bool = False
    max_observations: int | None = None

    def __str__(self) -> str:
        """The options as a record's ``Options`` header writes them; empty if none is on."""
        parts = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default:
                continue
            if field.name == "physical_view":
                parts.append("view=physical")
            elif value is True:
                parts.append(_dashed(field.name))
            else:
                parts.append(f"{_dashed(field.name)}={value}")
        return ",".join(parts)


#: One line on each option, for help texts and the guide.
SUMMARIES: dict[str, str] = {
    "quantum-only": "no classical move while any quantum move is legal",
    "tally": "lines are points; play until every square holds an observed symbol",
    "no-double-entanglement": "a root may be entangled once only (the online game's rule)",
    "measure-turn": "Levels 1 and 2: a turn may observe one square instead of placing a piece",
    "no-ties": "Level 5: a full board with equal lines is observed again, modes alternating",
    "view-switches=N": "Level 5: view switches a player may make between observations (default 1)",
    "view=physical": "Level 5: a view switch rotates every occupied square",
    "max-observations=N": "Level 5: a tie after N observation phases",
}
_FLAGS = frozenset({"quantum-only", "tally", "no-double-entanglement", "measure-turn", "no-ties"})
_LEVEL_FIVE = ("no_ties", "view_switches", "physical_view", "max_observations")


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _count(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 4 or not 1 <= int(text) <= MAX_COUNT:
        raise UsageError(f"option {name}={text}: the value must be a whole number from 1 to {MAX_COUNT}")
    return int(text)


def parse_options(text: str, level: Level) -> Options:
    """Read a comma-separated list of options and check it against the level.

    Args:
        text: for example ``quantum-only,view-switches=2``; may be empty.
        level: the level the game is played at.

    Raises:
        UsageError: an unknown, repeated or malformed option, or one that means nothing at this level.
    """
    values: dict[str, bool | int] = {}
    key: str
    entry: bool | int
    for part in text.split(",") if text.strip() else []:
        name, equals, value = part.strip().partition("=")
        if name in _FLAGS:
            if equals:
                raise UsageError(f"option {name} takes no value")
            key, entry = name.replace("-", "_"), True
        elif name in {"view-switches", "max-observations"}:
            key, entry = name.replace("-", "_"), _count(name, value)
        elif name == "view":
            if value not in {"physical", "tabletop"}:
                raise UsageError(f"option view={value}: the readings are 'tabletop' and 'physical'")
            key, entry = "physical_view", value == "physical"
        else:
            raise UsageError(f"unknown option {part.strip()!r}: the options are {', '.join(SUMMARIES)}")
        if key in values:
            raise UsageError(f"option {name} is given twice")
        values[key] = entry
    options = Options(**values)  # type: ignore[arg-type]
    check_options(options, level)
    return options


def check_options(options: Options, level: Level) -> None:
    """Refuse options that mean nothing at a level, or that contradict each other.

    Raises:
        UsageError: with the option, the level and the reason.
    """
    default = Options()
    for name in _LEVEL_FIVE:
        if getattr(options, name) != getattr(default, name) and not level.rotated_view:
            shown = "view=physical" if name == "physical_view" else _dashed(name)
            raise UsageError(f"option {shown} needs Level 5, and this is Level {level.number}")
    if options.quantum_only and not level.superposition:
        raise UsageError("option quantum-only needs Level 1 or higher: Level 0 has classical moves only")
    if options.no_double_entanglement and not level.entangling:
        raise UsageError(
            f"option no-double-entanglement needs Level 2 or higher, and this is Level {level.number}"
        )
    if options.measure_turn and level.number not in (1, 2):
        raise UsageError(f"option measure-turn needs Level 1 or 2, and this is Level {level.number}")
