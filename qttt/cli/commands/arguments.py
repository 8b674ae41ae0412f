"""Flags that commands share, one row each, and the values that they settle."""

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from qttt.chance import MAX_SEED
from qttt.cli.console.session import Session
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.rules import SUMMARIES, Rules
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.samples import MAX_SHOTS
from qttt.records.files import read_record
from qttt.records.record import MOST_EVENTS, Record
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    from circuits.lean import Encoding
    from qttt.observation.compiler import Style

#: The readings of a view switch (decision D5).
VIEWS = ("tabletop", "physical")


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers for ``type=``: ASCII digits only, within bounds."""

    def whole_number(text: str) -> int:
        if not re.fullmatch("[0-9]{1,30}", text) or not least <= int(text) <= most:
            raise ArgumentTypeError(f"it must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return whole_number


def phase_number(text: str) -> int:
    """A phase for ``type=``: from 1, and 0 for the last."""
    return 0 if text == "last" else whole_number(1, MOST_EVENTS)(text)


def file_name(text: str) -> str:
    """A file's name for ``type=``; an empty one is refused."""
    if not text:
        raise ArgumentTypeError("the name of the file is empty")
    return text


STYLES: Final = ("moves", "lean", "coherent")
"""The names of `qttt.observation.compiler.Style`, which loads what a parser does not need."""

FLAGS: Final[dict[str, dict[str, Any]]] = {
    "--level": {"metavar": "N", "help": "level 0 to 5 (default: what the record says, else 2)"},
    "--options": {
        "metavar": "LIST",
        "help": f"optional rules, separated by commas: {', '.join(SUMMARIES)}",
    },
    "--first": {"metavar": "P", "help": "who starts, X or O (default: what the record says, else X)"},
    "--view": {
        "choices": VIEWS,
        "help": "how view switches are read at Level 5, as at the table (the default) or physically",
    },
    "--at": {
        "metavar": "N",
        "type": whole_number(0, MOST_EVENTS),
        "help": "the record after its first N moves and observations",
    },
    "--phase": {
        "metavar": "N",
        "type": phase_number,
        "help": "the N-th observed phase, or the last, as it stood before its observation",
    },
    "--json": {"action": "store_true", "help": "print one JSON object"},
    "--mode": {
        "choices": [str(mode) for mode in Mode],
        "help": "mode of observation (rotated: Levels 4 and 5)",
    },
    "--seed": {
        "metavar": "N",
        "type": whole_number(0, MAX_SEED),
        "help": "makes the random numbers repeat exactly",
    },
    "--backend": {
        "metavar": "B",
        "help": "who observes; qttt backends lists them (default aer, or dice with --rolls d6)",
    },
    "--rolls": {
        "choices": [str(rolls) for rolls in Rolls],
        "default": str(Rolls.EXACT),
        "help": "how the backend dice rolls chances that no single d6 gives (default exact)",
    },
    "--style": {
        "choices": STYLES,
        "help": "the circuit: moves, a box a move (as simulators run it); lean, the fewest gates (devices); "
        "coherent, one preparation for both modes",
    },
    "--shots": {"metavar": "N", "type": whole_number(1, MAX_SHOTS)},
    "--strict": {
        "action": "store_true",
        "help": "measure every square, certain values too, and make symbols on empty squares tell a fault",
    },
    "--dd": {
        "action": "store_true",
        "help": "dynamical decoupling: pulses that cancel slow noise in idle times",
    },
    "--twirl": {
        "action": "store_true",
        "help": "twirling: randomised gates that average coherent errors out",
    },
    "--accept-noise": {
        "action": "store_true",
        "help": "take a result even where a device's shots say no more of the board than random bits",
    },
    "--dry-run": {"action": "store_true", "help": "say what a job would cost, and send nothing"},
    "--anyway": {
        "action": "store_true",
        "help": "send a job also to a device that runs none at present, or for a plan without time left",
    },
    "--no-wait": {
        "action": "store_true",
        "help": "send the job and end; --resume fetches the result, and takes the mode where it is open",
    },
    "--yes": {
        "action": "store_true",
        "help": "send a job to a real device without asking; with --resume, also one that never arrived "
        "there",
    },
}
"""What argparse is told of the flags that stand in several commands."""

RECORD_FLAGS: Final = ("RECORD", "--level", "--options", "--first", "--view")
"""The record, and the flags that stand in for its headers."""

MOMENT_FLAGS: Final = ("--at", "--phase")
"""Which moment of the record is meant, where it is not its end; one of them at most."""

DEVICE_FLAGS: Final = ("--strict", "--dd", "--twirl")
"""What is said of the circuits of a device's job."""


def add_flags(parser: ArgumentParser, *flags: str, **changes: Any) -> None:
    """Add flags of ``FLAGS``.

    Args:
        parser: a command's parser.
        *flags: in the order in which the help lists them.
        **changes: what this command says otherwise.
    """
    for flag in flags:
        parser.add_argument(flag, **FLAGS[flag] | changes)


def add_record_arguments(
    parser: ArgumentParser,
    *,
    optional: bool = False,
    several: bool = False,
    views: Sequence[str] = VIEWS,
) -> None:
    """Add ``RECORD_FLAGS``.

    Args:
        parser: a command's parser.
        optional: the command can do without a record.
        several: it takes one or more.
        views: what ``--view`` may be.
    """
    parser.add_argument(
        "record",
        metavar="RECORD",
        nargs="?" if optional else "+" if several else None,
        help="a game: its moves in quotes ('5 5*6'), the name of a file, or - for standard input",
    )
    add_flags(parser, "--level", "--options", "--first")
    both = "; both shows where the readings differ" if "both" in views else ""
    add_flags(parser, "--view", choices=views, help=FLAGS["--view"]["help"] + both)


def add_device_flags(parser: ArgumentParser) -> None:
    """Add ``DEVICE_FLAGS``, under a heading of their own."""
    group = parser.add_argument_group("on devices (fake_<name>, ibm_<name>, ibm)")
    for flag in DEVICE_FLAGS:
        group.add_argument(flag, **FLAGS[flag])


def add_moment_flags(parser: ArgumentParser) -> None:
    """Add ``MOMENT_FLAGS``."""
    group = parser.add_mutually_exclusive_group()
    for flag in MOMENT_FLAGS:
        group.add_argument(flag, **FLAGS[flag])


def style_of(arguments: Namespace) -> "Style | None":
    """The ``--style`` that was given."""
    from qttt.observation.compiler import Style

    return None if arguments.style is None else Style(arguments.style)


def encoding_of(arguments: Namespace) -> "Encoding":
    """What ``--style`` and ``--strict`` mean on a device.

    Raises:
        UsageError: they contradict each other, or no device runs the style.
    """
    from qttt.observation.compiler import Style

    return (style_of(arguments) or Style.LEAN).encoding(strict=arguments.strict)


def given(arguments: Namespace, flags: Iterable[str]) -> str | None:
    """The first of some of a command's flags that was given, None if none was."""
    for flag in flags:
        value = getattr(arguments, flag.lstrip("-").replace("-", "_").lower())
        if value is not None and value is not False and value != str(Rolls.EXACT):
            return flag
    return None


def refuse_beside(arguments: Namespace, flag: str, flags: Iterable[str], why: str) -> None:
    """Refuse beside a flag what it has settled.

    Args:
        arguments: what was given.
        flag: a flag that was given.
        flags: flags of the command that do not go with it.
        why: what settles them.

    Raises:
        UsageError: one of them was given.
    """
    if (other := given(arguments, flags)) is not None:
        raise UsageError(f"{other} and {flag} do not go together: {why}")


@dataclass(frozen=True, slots=True)
class Source:
    """Where what is observed comes from.

    Attributes:
        backend: the name of who observes.
        rolls: how ``dice`` rolls.
        seed: where random numbers start; None for the system's.
    """

    backend: str
    rolls: Rolls
    seed: int | tuple[int, int] | None

    def on_device(self, arguments: Namespace, flags: Iterable[str]) -> bool:
        """Whether it is a device.

        Args:
            arguments: what was given.
            flags: flags of the command that go with a device only.

        Raises:
            UsageError: it is none, and one of the flags was given.
        """
        from qttt.observation.devices import is_device

        if is_device(self.backend):
            return True
        if (flag := given(arguments, flags)) is not None:
            raise UsageError(f"{flag} goes with a device, for example --backend fake_torino")
        return False


def source_of(arguments: Namespace, record: Record | None = None) -> Source:
    """The source that ``--backend``, ``--rolls`` and ``--seed`` mean.

    Args:
        arguments: what was given.
        record: a record that is played on or observed: its headers ``Backend``, ``Rolls`` and ``Seed`` speak
            where no flag does. To its seed belongs the number of its events, so that going on repeats too and
            yet does not draw again what was drawn before.

    Raises:
        UsageError: a flag contradicts a header, or a header names code to be run.
    """
    from qttt.observation.observers import named_in_file

    headers = {} if record is None else record.headers
    for key in ("Backend", "Seed"):
        flag, written = getattr(arguments, key.lower()), headers.get(key)
        if flag is not None and written not in (None, str(flag)):
            raise UsageError(f'--{key.lower()} {flag} contradicts the record\'s header [{key} "{written}"]')
    rolls = Rolls.D6 if headers.get("Rolls") == str(Rolls.D6) else Rolls(arguments.rolls)
    backend = arguments.backend
    if backend is None and "Backend" in headers:
        backend = named_in_file(headers["Backend"])
    seed = arguments.seed
    if record is not None and "Seed" in headers:
        seed = int(headers["Seed"]), len(record.events)
    return Source(("aer" if rolls is Rolls.EXACT else "dice") if backend is None else backend, rolls, seed)


def record_of(
    arguments: Namespace, session: Session, *, exploring: bool = False, looking_back: bool = False
) -> Record:
    """The record that the arguments mean, completed by the flags that stand in for headers.

    With ``--at`` or ``--phase`` it ends at that moment, and every JSON object of the command says ``at``.

    Args:
        arguments: what was given.
        session: where standard input is.
        exploring: ``--view`` may read a record otherwise than it says.
        looking_back: of a game that an observation has ended the last phase is meant, before its observation,
            unless these flags say otherwise; a line on standard error says so.

    Raises:
        UsageError: a flag contradicts a header.
        RecordError: it cannot be read.
        FileError: its file cannot be read.
    """
    record = completed(read_record(arguments.record, session.stdin), arguments, exploring=exploring)
    moment = _moment(record, arguments)
    session.added = {} if moment is None else {"at": moment}
    if moment is not None:
        return record.until(moment)
    if looking_back and record.game().state.phase is Phase.OVER:
        session.show(_LOOKING_BACK, to_stderr=True)
        return record.until(record.observed_phases()[-1])
    return record


_LOOKING_BACK = (
    "The game has ended: this is its last phase, as it stood before its observation (--at and --phase show "
    "any moment)."
)


def _moment(record: Record, arguments: Namespace) -> int | None:
    """How many events of a record ``--at`` or ``--phase`` mean, if one was given.

    Raises:
        UsageError: there are not so many.
    """
    if getattr(arguments, "at", None) is not None:
        if arguments.at > len(record.events):
            raise UsageError(f"--at {arguments.at}: the record has {_counted(len(record.events), 'event')}")
        return int(arguments.at)
    if getattr(arguments, "phase", None) is None:
        return None
    phases = record.observed_phases()
    if not phases or arguments.phase > len(phases):
        raise UsageError(
            f"--phase {arguments.phase or 'last'}: the record has {_counted(len(phases), 'observed phase')}"
        )
    # The last one is number 0 here.
    return phases[int(arguments.phase) - 1]


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def completed(record: Record, arguments: Namespace, *, exploring: bool = False) -> Record:
    """A record completed by the flags that stand in for headers; see `record_of`."""
    record = record.completed(arguments.level, arguments.options, arguments.first)
    if arguments.view not in VIEWS:
        return record
    read = read_as(record, physical=arguments.view == "physical")
    if not exploring and "Options" in record.headers and read.rules != record.rules:
        raise UsageError(
            f'--view {arguments.view} contradicts the options of the record: "{record.headers["Options"]}"'
        )
    return read


def read_as(record: Record, *, physical: bool) -> Record:
    """The record with view switches read as at the table, or physically.

    Raises:
        UsageError: a physical reading below Level 5.
    """
    options = replace(record.rules.options, physical_view=physical)
    text = str(Rules(record.level, options).options)
    return record.with_header("Options", text) if text else record.without_header("Options")


def game_of(arguments: Namespace, session: Session, *, looking_back: bool = False) -> Game:
    """The replayed game that the arguments mean; see `record_of`.

    Raises:
        QtttError: it cannot be read or replayed.
    """
    return record_of(arguments, session, looking_back=looking_back).game()


def mode_of(arguments: Namespace, game: Game) -> Mode:
    """The mode that was asked for, else the first one that the game allows.

    Raises:
        UsageError: the level has no rotated mode.
    """
    state = game.state
    if arguments.mode is None:
        return state.modes[0]
    mode = Mode(arguments.mode)
    if mode is Mode.ROTATED and not game.rules.level.rotated_mode:
        number = game.rules.level.number
        raise UsageError(f"the rotated mode of observation starts at Level 4, and this is Level {number}")
    return mode
