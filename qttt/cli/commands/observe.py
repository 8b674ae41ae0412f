"""``qttt observe``: the observation phase of a full board, on a simulator, by dice, or on a device."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_backend_arguments,
    add_device_arguments,
    add_json_argument,
    add_mode_argument,
    add_noise_argument,
    add_record_arguments,
    add_seed_argument,
    add_shots_argument,
    file_name,
    mode_of,
    names_device,
    observer_of,
    record_of,
    settle_headers,
    whole_number,
)
from qttt.cli.console.observations import observe_report, save_outcome, saved, show_observation
from qttt.cli.console.session import QuestionUnansweredError, Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.observers import check_observable, observe_board, observe_positions
from qttt.records.files import names_file
from qttt.records.record import Record
from qttt.storage import FileError

if TYPE_CHECKING:
    import numpy as np

    from qttt.observation.observers import Observer


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, optional=True)
    add_mode_argument(parser)
    add_backend_arguments(parser)
    add_shots_argument(
        parser,
        "shots to take (default: until one counts, 1024 on a device); the first that counts is the outcome",
    )
    add_seed_argument(parser)
    parser.add_argument(
        "--save", metavar="FILE", type=file_name, help="write the record with the outcome to a file"
    )
    add_json_argument(parser)
    add_device_arguments(parser)
    add_noise_argument(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what a job would cost, and send nothing")
    parser.add_argument(
        "--yes",
        action="store_true",
        help="send a job to a real device without asking; with --resume, also one that never arrived there",
    )
    parser.add_argument(
        "--dynamic",
        metavar="SQUARE",
        type=whole_number(1, 9),
        help="a demonstration: the circuit itself chooses the rotated mode if this square is filled",
    )
    parser.add_argument(
        "--resume",
        metavar="FILE",
        type=file_name,
        help="fetch the result of a job that was sent before, --dynamic or not: its file, or the record that "
        "waits for it",
    )


def _run(arguments: Namespace, session: Session) -> int:
    if arguments.resume is not None:
        from qttt.cli.commands.observe_by_job import resume

        return resume(arguments, session)
    if arguments.record is None:
        raise UsageError("name the record to observe, or with --resume the job to fetch")
    record = record_of(arguments, session)
    game = record.game()
    check_observable(game)
    arguments.seed = settle_headers(record, arguments)
    mode_of(arguments, game)
    on_device = names_device(arguments)
    if on_device and arguments.dry_run:
        from qttt.cli.commands.observe_by_job import dry_run

        return dry_run(game, arguments, session)
    if "Job" in record.headers:
        raise UsageError(
            f"this game waits for a job already ({record.headers['Job']}): qttt observe --resume fetches it"
        )
    chosen = arguments.mode is not None or arguments.dynamic is not None
    if not chosen and len(game.state.modes) > 1 and not session.interactive:
        raise UsageError(
            f"at Level {game.rules.level.number} {game.state.initiator} chooses the mode: "
            "give --mode standard or --mode rotated"
        )
    if on_device:
        from qttt.cli.commands.observe_by_job import observe

        return observe(game, record, arguments, session)
    observer = observer_of(arguments)
    rng = session.generator(arguments.seed)
    if arguments.mode is not None:
        mode = Mode(arguments.mode)
    elif len(game.state.modes) == 1:
        mode = game.state.modes[0]
    else:
        mode = _choose(game, record, observer, rng, arguments, session)
    with waiting(session, f"observing on {observer.name}"):
        sample = observe_board(game, mode, observer, rng, arguments.shots)
    record = saved(record.updated(game), arguments)
    report = observe_report(game, record, sample, observer.name)
    if arguments.json:
        session.write_json(report)
    else:
        show_observation(game, report, arguments.save, session)
    return 0


def _choose(
    game: Game,
    record: Record,
    observer: "Observer",
    rng: "np.random.Generator",
    arguments: Namespace,
    session: Session,
) -> Mode:
    """Show the positions, which are observed first unless the record has them, and ask for the mode."""
    if game.state.positions is None:
        with waiting(session, f"observing on {observer.name}"):
            positions, _ = observe_positions(game, observer, rng)
        game.push(positions)
    # From here on the positions are known, and nothing that happens to the program may make them anew.
    seen = saved(record.updated(game), arguments)
    try:
        session.show_game(game, to_stderr=True)
        question = f"{game.state.initiator}, which mode of observation?"
        return Mode(session.ask(question, [str(mode) for mode in game.state.modes]))
    except (QuestionUnansweredError, KeyboardInterrupt):
        # An interrupt may come before the question is out: the positions are seen all the same.
        raise QuestionUnansweredError(_kept(seen, arguments)) from None


def _kept(seen: Record, arguments: Namespace) -> str:
    """Keep the observed positions where the record came from, and say where they are."""
    file = arguments.save
    if file is None and names_file(arguments.record):
        file = arguments.record
        try:
            save_outcome(file, seen)
        except FileError as error:
            return str(error)
    if file is None:
        return f"no mode was chosen; go on with the observed positions: {' '.join(str(seen).split())}"
    return f"no mode was chosen; the observed positions are kept in {file}"


COMMAND = Command(
    explanation=(
        "Observes a full board: runs its circuit on a backend, or rolls dice, and takes the first shot that "
        "counts as the outcome. With --shots N the counts of N shots are shown too. At Levels 4 and 5 the "
        "positions come first; then the player who moved last chooses the mode, with --mode or when asked. "
        "If nothing is chosen, the record keeps the positions as =p:... and they are never observed anew. "
        "On a device the job is on disk before anything is sent, and --resume fetches the result after "
        "Ctrl-C or a crash."
    ),
    examples=(
        "observe '1 5 2 6 3+4 7 8 9' --level 1 --seed 7",
        "observe '1 5 2 6 3+4 7 8 9' --level 1 --backend dice --seed 7 --json",
        "observe '1+3 1-2 4 5 6 7 8 9' --level 4 --mode rotated --shots 1000",
        "observe game.qttt --save game.qttt",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
