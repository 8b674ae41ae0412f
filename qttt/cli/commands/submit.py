"""``qttt submit``: the observations of several games in one job of a device, without waiting for it."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_device_flags,
    add_flags,
    add_record_arguments,
    encoding_of,
    record_of,
    source_of,
)
from qttt.cli.console.session import Session
from qttt.errors import QtttError, UsageError, shown
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.observers import check_observable
from qttt.records.files import names_file
from qttt.records.record import Record
from qttt.tabletop.rolls import Rolls

MOST_GAMES = 500
"""Both modes of so many make the most circuits that a job's file may have."""


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, several=True)
    add_flags(parser, "--backend", required=True, help="the device (qttt backends lists them)")
    add_flags(
        parser,
        "--mode",
        help="prepare for this mode alone (default for every mode that may be chosen later)",
    )
    add_flags(parser, "--style")
    add_flags(parser, "--shots", help="shots of each circuit (default 1024)")
    add_flags(parser, "--seed", "--json")
    add_device_flags(parser)
    add_flags(parser, "--accept-noise", "--dry-run", "--yes", "--anyway")


@dataclass(frozen=True)
class _Entry:
    """One of the games: as it was named, its record, its file if it has one, and the modes to prepare for."""

    name: str
    record: Record
    game: Game
    file: Path | None
    modes: tuple[Mode, ...]


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.cli.console.device_plans import find_device, progress, show_dry_run
    from qttt.cli.console.job_output import confirm, leave_job, refuse_code, refuse_noise, tell_left
    from qttt.observation.job_batch import Batch, free_batch_path
    from qttt.observation.job_file import Pending

    if len(arguments.record) > MOST_GAMES:
        raise UsageError(f"one job takes {MOST_GAMES} games, and these are {len(arguments.record)}")
    entries = [_entry(name, arguments, session) for name in arguments.record]
    path = free_batch_path([entry.file for entry in entries if entry.file is not None])
    device = find_device(
        arguments.backend,
        Rolls.EXACT,
        session,
        encoding=encoding_of(arguments),
        decoupling=arguments.dd,
        twirling=arguments.twirl,
        accept_noise=arguments.accept_noise,
    )
    refuse_code(device)
    with progress(session, device.backend.local) as notify:
        plan = device.plan_games([(entry.game, entry.modes) for entry in entries], arguments.shots, notify)
    levels = {entry.game.rules.level.number for entry in entries}
    level = next(iter(levels)) if len(levels) == 1 else None
    names = [f"{number} {mode}" for number, entry in enumerate(entries, 1) for mode in entry.modes]
    if arguments.dry_run:
        show_dry_run(plan, device, session, level, as_json=arguments.json, names=names)
        return 0
    refuse_noise(plan, session, arguments.accept_noise)
    confirm(plan, device, session, arguments.yes, arguments.anyway, names)
    games, first = list[Pending](), 0
    for entry in entries:
        own = (first, first + len(entry.modes))
        mode = None if arguments.mode is None else Mode(arguments.mode)
        collapsed = entry.game.state.positions is not None
        games.append(
            Pending(entry.record, entry.file, path, mode, collapsed, encoding=device.encoding, own=own)
        )
        first = own[1]
    batch = Batch(tuple(games), path)
    batch = leave_job(device, plan, batch, session.generator(arguments.seed), session)
    return tell_left(batch, [entry.name for entry in entries], level, session, as_json=arguments.json)


def _entry(name: str, arguments: Namespace, session: Session) -> _Entry:
    """Read one of the games.

    Raises:
        UsageError: it cannot be read, does not wait for an observation, or waits for another job.
    """
    own = Namespace(**{**vars(arguments), "record": name, "rolls": str(Rolls.EXACT)})
    try:
        record = record_of(own, session)
        source_of(own, record)
        game = record.game()
        check_observable(game)
        if "Job" in record.headers:
            raise UsageError(f"it waits for a job already ({record.headers['Job']})")
        modes = game.state.modes
        if arguments.mode is not None and arguments.mode not in modes:
            raise UsageError(f"its observation is in {modes[0]} mode whatever the players choose")
    except QtttError as error:
        raise UsageError(f"{name if names_file(name) else shown(name)}: {error}") from error
    file = Path(name) if names_file(name) else None
    return _Entry(name, record, game, file, modes if arguments.mode is None else (Mode(arguments.mode),))


COMMAND = Command(
    explanation=(
        "Sends the observations of several full boards to a device in one job and ends: a job costs about "
        "two quantum seconds before its first shot, so thirty games in one cost a sixth of thirty jobs. At "
        "Levels 4 and 5 both modes go, and the mode is chosen when the result is fetched. Each record's "
        "file says what it waits for, and goes on with qttt observe --resume FILE; with the job's file "
        "instead, all of them do. The records of one job lie in one folder, and its file with them."
    ),
    examples=(
        "submit game1.qttt game2.qttt --backend fake_torino",
        "submit '1+3 1*2 9 3*4 5+6 7+8' game.qttt --backend ibm --dry-run",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
