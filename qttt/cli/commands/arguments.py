"""Arguments that commands share: the record, what stands in for its headers, seeds and numbers."""

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qttt.chance import MAX_SEED
from qttt.cli.console.session import Session
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.rules import SUMMARIES, Rules
from qttt.game.symbols import Mode
from qttt.observation.samples import MAX_SHOTS
from qttt.records.files import read_record
from qttt.records.record import Record
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    from qttt.observation.devices import DeviceObserver
    from qttt.observation.observers import Observer

#: The readings of a view switch (decision D5).
VIEWS = ("tabletop", "physical")


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers for ``type=``: ASCII digits only, within bounds."""

    def whole_number(text: str) -> int:
        if not re.fullmatch("[0-9]{1,30}", text) or not least <= int(text) <= most:
            raise ArgumentTypeError(f"it must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return whole_number


def file_name(text: str) -> str:
    """A file's name for ``type=``; an empty one is refused."""
    if not text:
        raise ArgumentTypeError("the name of the file is empty")
    return text


def add_rules_arguments(parser: ArgumentParser) -> None:
    """Add ``--level`` and ``--options``."""
    parser.add_argument("--level", metavar="N", help="level 0 to 5 (default: what the record says, else 2)")
    parser.add_argument(
        "--options", metavar="LIST", help=f"optional rules, separated by commas: {', '.join(SUMMARIES)}"
    )


def add_record_arguments(
    parser: ArgumentParser, *, optional: bool = False, views: Sequence[str] = VIEWS
) -> None:
    """Add ``RECORD`` and the flags that stand in for its headers.

    Args:
        parser: a command's parser.
        optional: the command can do without a record.
        views: what ``--view`` may be.
    """
    parser.add_argument(
        "record",
        metavar="RECORD",
        nargs="?" if optional else None,
        help="a game: its moves in quotes ('5 5*6'), the name of a file, or - for standard input",
    )
    add_rules_arguments(parser)
    parser.add_argument(
        "--first", metavar="P", help="who starts, X or O (default: what the record says, else X)"
    )
    add_view_argument(parser, views)


def add_view_argument(parser: ArgumentParser, views: Sequence[str] = VIEWS) -> None:
    """Add ``--view``, which stands in for the option ``view=physical``."""
    both = "; both shows where the readings differ" if "both" in views else ""
    parser.add_argument(
        "--view",
        choices=views,
        help=f"how view switches are read at Level 5, as at the table (the default) or physically{both}",
    )


def add_json_argument(parser: ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_mode_argument(parser: ArgumentParser) -> None:
    """Add ``--mode``."""
    parser.add_argument(
        "--mode", choices=[str(mode) for mode in Mode], help="mode of observation (rotated: Levels 4 and 5)"
    )


def add_seed_argument(parser: ArgumentParser) -> None:
    """Add ``--seed``."""
    parser.add_argument(
        "--seed", metavar="N", type=whole_number(0, MAX_SEED), help="makes the random numbers repeat exactly"
    )


def add_backend_arguments(parser: ArgumentParser) -> None:
    """Add ``--backend`` and ``--rolls``."""
    parser.add_argument(
        "--backend",
        metavar="B",
        help="who observes; qttt backends lists them, and module:callable is a Qiskit BackendV2 of your own "
        "(default aer, or dice with --rolls d6)",
    )
    parser.add_argument(
        "--rolls",
        choices=[str(rolls) for rolls in Rolls],
        default=str(Rolls.EXACT),
        help="how the backend dice rolls chances that no single d6 gives (default exact)",
    )


def settle_headers(record: Record, arguments: Namespace) -> "int | tuple[int, int] | None":
    """Let the record's headers ``Backend``, ``Rolls`` and ``Seed`` speak where no flag does.

    Args:
        record: a record that is played on or observed.
        arguments: gets the backend and the rolls that the record names.

    Returns:
        The seed: the flag's, or the record's with the number of its events, so that going on repeats too and
        yet does not draw again what was drawn before.

    Raises:
        UsageError: a flag contradicts a header.
    """
    from qttt.observation.observers import named_in_file

    headers = record.headers
    for key in ("Backend", "Seed"):
        flag, written = getattr(arguments, key.lower()), headers.get(key)
        if flag is not None and written not in (None, str(flag)):
            raise UsageError(f'--{key.lower()} {flag} contradicts the record\'s header [{key} "{written}"]')
    if arguments.backend is None and "Backend" in headers:
        arguments.backend = named_in_file(headers["Backend"])
    if headers.get("Rolls") == str(Rolls.D6):
        arguments.rolls = str(Rolls.D6)
    if "Seed" not in headers:
        return None if arguments.seed is None else int(arguments.seed)
    return int(headers["Seed"]), len(record.events)


def add_shots_argument(parser: ArgumentParser, help: str) -> None:
    """Add ``--shots``."""
    parser.add_argument("--shots", metavar="N", type=whole_number(1, MAX_SHOTS), help=help)


def add_device_arguments(parser: ArgumentParser) -> None:
    """Add what is said of jobs on devices."""
    group = parser.add_argument_group("on devices (fake_<name>, ibm_<name>, ibm)")
    group.add_argument(
        "--strict",
        action="store_true",
        help="measure every square, certain values too, and make symbols on empty squares tell a fault",
    )
    group.add_argument(
        "--dd", action="store_true", help="dynamical decoupling: pulses that cancel slow noise in idle times"
    )
    group.add_argument(
        "--twirl", action="store_true", help="twirling: randomised gates that average coherent errors out"
    )


def add_noise_argument(parser: ArgumentParser) -> None:
    """Add ``--accept-noise``."""
    parser.add_argument(
        "--accept-noise",
        action="store_true",
        help="take a result even where a device's shots say no more of the board than random bits",
    )


def device_of(arguments: Namespace, session: Session) -> "DeviceObserver":
    """The device that the arguments name.

    Raises:
        UsageError: there is no such device, or the extra ``ibm`` is not installed.
        ServiceError: the account or the service failed.
    """
    from circuits.backends import Kind, kind_of
    from qttt.cli.console.device_plans import progress
    from qttt.observation.devices import open_device
    from qttt.observation.observers import refuse_rolls

    refuse_rolls(Rolls(arguments.rolls), arguments.backend)
    with progress(session, local=kind_of(arguments.backend) is not Kind.REAL) as notify:
        return open_device(
            arguments.backend,
            notify,
            strict=arguments.strict,
            decoupling=arguments.dd,
            twirling=arguments.twirl,
            accept_noise=getattr(arguments, "accept_noise", False),
        )


def alone(arguments: Namespace, flag: str, why: str, *others: str) -> None:
    """Refuse beside a flag what it has settled.

    Args:
        arguments: what was given.
        flag: a flag that was given.
        why: what settles the rest.
        *others: flags of the command besides those that every command on a record has.

    Raises:
        UsageError: one of them was given.
    """
    said = ("RECORD", "--level", "--options", "--first", "--view", "--backend", "--rolls", "--shots")
    for other in (*said, "--strict", "--dd", "--twirl", *others):
        value = getattr(arguments, other.lstrip("-").replace("-", "_").lower())
        if value is not None and value is not False and value != str(Rolls.EXACT):
            raise UsageError(f"{other} and {flag} do not go together: {why}")


def resume_alone(arguments: Namespace, *others: str) -> None:
    """Refuse beside ``--resume`` what the job has settled; see `alone`."""
    alone(arguments, "--resume", "the job says what it was sent for", "--seed", *others)


def names_device(arguments: Namespace) -> bool:
    """Whether ``--backend`` is a device.

    Raises:
        UsageError: it is none, and something is said that goes with devices only.
    """
    from qttt.observation.devices import is_device

    if arguments.backend is not None and is_device(arguments.backend):
        return True
    if getattr(arguments, "dynamic", None) is not None:
        raise UsageError("--dynamic goes with a device, for example --backend fake_torino")
    for name in ("dry_run", "yes", "strict", "dd", "twirl", "mitigate", "accept_noise"):
        if getattr(arguments, name, False):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} goes with a device, for example --backend fake_torino")
    return False


def observer_of(arguments: Namespace) -> "Observer":
    """The observer that the arguments mean.

    Raises:
        UsageError: there is none of that name, or it does not roll.
    """
    from qttt.observation.observers import DICE, get_observer

    rolls = Rolls(arguments.rolls)
    default = "aer" if rolls is Rolls.EXACT else DICE
    return get_observer(
        default if arguments.backend is None else arguments.backend,
        rolls,
        accept_noise=getattr(arguments, "accept_noise", False),
    )


def record_of(arguments: Namespace, session: Session, *, exploring: bool = False) -> Record:
    """The record that the arguments mean, completed by the flags that stand in for headers.

    Args:
        arguments: what was given.
        session: where standard input is.
        exploring: ``--view`` may read a record otherwise than it says.

    Raises:
        UsageError: a flag contradicts a header.
        RecordError: it cannot be read.
        FileError: its file cannot be read.
    """
    return completed(read_record(arguments.record, session.stdin), arguments, exploring=exploring)


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


def game_of(arguments: Namespace, session: Session) -> Game:
    """The replayed game that the arguments mean.

    Raises:
        QtttError: it cannot be read or replayed.
    """
    return record_of(arguments, session).game()


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
