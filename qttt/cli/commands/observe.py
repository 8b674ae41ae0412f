"""``qttt observe``: the observation phase of a full board, on a simulator, by dice, or on a device."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    DEVICE_FLAGS,
    MOMENT_FLAGS,
    RECORD_FLAGS,
    Source,
    add_device_flags,
    add_flags,
    add_moment_flags,
    add_record_arguments,
    encoding_of,
    file_name,
    given,
    mode_of,
    record_of,
    refuse_beside,
    source_of,
    style_of,
    whole_number,
)
from qttt.cli.console.observations import observe_report, save_outcome, save_where, show_observation
from qttt.cli.console.session import QuestionUnansweredError, Session
from qttt.cli.console.waiting import waiting
from qttt.errors import QtttError, UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.observers import check_observable, get_observer, observe_board, observe_positions
from qttt.records.files import names_file
from qttt.records.record import Record
from qttt.storage import FileError

if TYPE_CHECKING:
    import numpy as np

    from qttt.cli.console.job_output import DeviceObservation, Outcome
    from qttt.observation.dynamic import Policy
    from qttt.observation.observers import Observer, Sample

_ON_DEVICES = ("--dynamic", "--dry-run", "--no-wait", "--yes", "--anyway", *DEVICE_FLAGS, "--accept-noise")
_SENT_FOR = (
    *(*RECORD_FLAGS, *MOMENT_FLAGS, "--backend", "--style", "--rolls", "--shots", *DEVICE_FLAGS),
    *("--seed", "--dynamic", "--dry-run", "--no-wait"),
)
"""What a job that was sent has settled."""


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, optional=True)
    add_moment_flags(parser)
    add_flags(parser, "--mode", "--backend", "--style", "--rolls")
    shots = (
        "shots to take (default: until one counts, 1024 on a device); the first that counts is the outcome"
    )
    add_flags(parser, "--shots", help=shots)
    add_flags(parser, "--seed")
    parser.add_argument(
        "--save", metavar="FILE", type=file_name, help="write the record with the outcome to a file"
    )
    add_flags(parser, "--json")
    add_device_flags(parser)
    add_flags(parser, "--accept-noise", "--dry-run", "--no-wait", "--yes", "--anyway")
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
        return _resume(arguments, session)
    if arguments.record is None:
        raise UsageError("name the record to observe, or with --resume the job to fetch")
    record = record_of(arguments, session)
    game = record.game()
    check_observable(game)
    source = source_of(arguments, record)
    mode_of(arguments, game)
    on_device = source.on_device(arguments, _ON_DEVICES)
    if not (on_device and arguments.dry_run):
        if "Job" in record.headers:
            raise UsageError(
                f"this game waits for a job already ({record.headers['Job']}): "
                "qttt observe --resume fetches it"
            )
        # What is not waited for has its mode chosen when it is fetched.
        chosen = arguments.mode is not None or arguments.dynamic is not None or arguments.no_wait
        if not chosen and len(game.state.modes) > 1 and not session.interactive:
            raise UsageError(
                f"at Level {game.rules.level.number} {game.state.initiator} chooses the mode: "
                "give --mode standard or --mode rotated"
            )
    if on_device:
        return _by_device(game, record, source, arguments, session)
    observer = get_observer(source.backend, source.rolls, style=style_of(arguments))
    rng = session.generator(source.seed)
    if arguments.mode is not None:
        mode = Mode(arguments.mode)
    elif len(game.state.modes) == 1:
        mode = game.state.modes[0]
    else:
        mode = _choose(game, record, observer, rng, arguments, session)
    with waiting(session, f"observing on {observer.name}"):
        sample = observe_board(game, mode, observer, rng, arguments.shots)
    record = save_where(arguments.save, record.updated(game), arguments.record)
    report = observe_report(game, record, sample, observer.name)
    if arguments.json:
        session.write_json(report)
    else:
        show_observation(game, report, arguments.save, session)
    return 0


def _goes_on(arguments: Namespace) -> bool:
    """Whether the file that the record was read from goes on with what is observed: it stands at its end."""
    return given(arguments, MOMENT_FLAGS) is None and names_file(arguments.record)


def _ask_mode(game: Game, session: Session) -> Mode:
    question = f"{game.state.initiator}, which mode of observation?"
    return Mode(session.ask(question, [str(mode) for mode in game.state.modes]))


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
    seen = save_where(arguments.save, record.updated(game), arguments.record)
    try:
        session.show_game(game, to_stderr=True)
        return _ask_mode(game, session)
    except (QuestionUnansweredError, KeyboardInterrupt):
        # An interrupt may come before the question is out: the positions are seen all the same.
        raise QuestionUnansweredError(_kept(seen, arguments)) from None


def _kept(seen: Record, arguments: Namespace) -> str:
    """Keep the observed positions where the record came from, and say where they are."""
    file = arguments.save
    if file is None and _goes_on(arguments):
        file = arguments.record
        try:
            save_outcome(file, seen)
        except FileError as error:
            return str(error)
    if file is None:
        return f"no mode was chosen; go on with the observed positions: {' '.join(str(seen).split())}"
    return f"no mode was chosen; the observed positions are kept in {file}"


def _by_device(game: Game, record: Record, source: Source, arguments: Namespace, session: Session) -> int:
    """Send a job to a device and wait for it, or say what it would cost."""
    from qttt.cli.console.device_plans import find_device, show_dry_run
    from qttt.cli.console.job_output import plan_observation, tell_left

    policy = _policy(arguments)
    device = find_device(
        source.backend,
        source.rolls,
        session,
        encoding=encoding_of(arguments),
        decoupling=arguments.dd,
        twirling=arguments.twirl,
        accept_noise=arguments.accept_noise,
    )
    if arguments.dry_run:
        plan = plan_observation(game, device, _mode(game, arguments), policy, arguments.shots)
        show_dry_run(plan, device, session, game.rules.level.number, as_json=arguments.json)
        noise = plan.noise
        if noise is not None and not arguments.json:
            session.show(f"Note: {noise}: without --accept-noise nothing is sent.")
        return 0
    file = arguments.save
    if file is None and _goes_on(arguments):
        file = arguments.record
    observation, rng = _observation(game, file, arguments, session), session.generator(source.seed)
    job = (record, file, device, rng, _mode(game, arguments), policy, arguments.shots)
    if arguments.no_wait:
        pending = observation.leave(*job)
        name = arguments.record if file is None else str(file)
        return tell_left(pending, [name], game.rules.level.number, session, as_json=arguments.json)
    return _tell(game, observation.observe(*job), arguments, session)


def _resume(arguments: Namespace, session: Session) -> int:
    """Fetch the result of a job that was sent before, and go on."""
    from qttt.observation.job_file import find, is_batch

    refuse_beside(arguments, "--resume", _SENT_FOR, "the job says what it was sent for")
    if is_batch(arguments.resume):
        return _resume_batch(arguments, session)
    pending = find(arguments.resume)
    game = pending.record.game()
    if arguments.mode is not None:
        if pending.policy is not None:
            raise UsageError(f"the circuit of the job chooses the mode, so --mode cannot: {pending.policy}")
        mode = _mode(game, arguments)
        if pending.mode not in (None, mode):
            raise UsageError(f"the job was sent for the {pending.mode} mode")
    outcome = _observation(game, pending.file, arguments, session).resume(pending)
    return _tell(game, outcome, arguments, session)


def _resume_batch(arguments: Namespace, session: Session) -> int:
    """Fetch the result of a job of several games, and go on with each as far as it goes.

    Raises:
        QtttError: one of them does not go on; the others have, and all are reported.
    """
    from qttt.cli.console.job_output import fetch_job, job_remarks
    from qttt.observation.job_batch import find_batch
    from qttt.observation.job_runs import describe

    refuse_beside(arguments, "--resume", ("--save",), "each game of the job goes on in its own file")
    batch, _ = fetch_job(find_batch(Path(arguments.resume)), session, arguments.yes, arguments.anyway)
    reports: list[dict[str, Any]] = []
    problems: list[QtttError] = []
    for pending in batch.games:
        game, file = pending.record.game(), None if pending.file is None else str(pending.file)
        name = file or " ".join(str(pending.record).split())
        if not arguments.json:
            session.show(*([""] if reports else []), f"{name}:")
        try:
            outcome = _observation(game, pending.file, arguments, session).resume(pending)
            report = _report(game, outcome)
            if not arguments.json:
                show_observation(game, report, file, session, _remarks(report))
        except QtttError as error:
            problems.append(error)
            report = {"level": game.rules.level.number, "record": str(pending.record), "error": str(error)}
            if len(problems) > 1:
                session.show(f"{name}: {error}", to_stderr=True)
        reports.append({"file": file, **report})
    if arguments.json:
        session.write_json({**describe(batch), "observations": reports})
    else:
        session.show("", *job_remarks(batch))
    if problems:
        raise problems[0]
    return 0


def _observation(
    game: Game, file: Path | str | None, arguments: Namespace, session: Session
) -> "DeviceObservation":
    from qttt.cli.console.job_output import DeviceObservation

    def choose(game: Game) -> Mode:
        if arguments.mode is not None:
            return Mode(arguments.mode)
        try:
            return _ask_mode(game, session)
        except QuestionUnansweredError:
            if file is None:
                raise
            raise QuestionUnansweredError(
                f"no mode was chosen; {file} keeps the observed positions, go on with: qttt observe --resume "
                f"{file} --mode {' or '.join(map(str, game.state.modes))}"
            ) from None

    def show_positions(game: Game, sample: "Sample") -> None:
        session.show(
            f"{sample.kept:,} of {sample.shots:,} shots are possible; the first of these gives the "
            "positions.",
            to_stderr=True,
        )
        session.show_game(game, to_stderr=True)

    return DeviceObservation(
        *(game, session, choose, show_positions, arguments.yes, arguments.accept_noise, arguments.anyway)
    )


def _policy(arguments: Namespace) -> "Policy | None":
    """How the circuit is to choose the mode, if it is to.

    Raises:
        UsageError: the mode is given too.
    """
    from qttt.observation.dynamic import Policy

    if arguments.dynamic is None:
        return None
    if arguments.mode is not None:
        raise UsageError("--dynamic lets the circuit choose the mode, so --mode cannot")
    return Policy(arguments.dynamic)


def _mode(game: Game, arguments: Namespace) -> Mode | None:
    """The mode that was asked for, if any.

    Raises:
        UsageError: it is not open.
    """
    if arguments.mode is None:
        return None
    mode = Mode(arguments.mode)
    if mode not in game.state.modes:
        raise UsageError(f"this observation is in {game.state.modes[0]} mode whatever the players choose")
    return mode


def _tell(game: Game, outcome: "Outcome", arguments: Namespace, session: Session) -> int:
    from qttt.cli.console.job_output import job_remarks

    pending = outcome.pending
    if arguments.save is not None and pending.file != Path(arguments.save):
        save_where(arguments.save, pending.record, arguments.record)
    report = _report(game, outcome)
    if arguments.json:
        session.write_json(report)
        return 0
    file = arguments.save or (None if pending.file is None else str(pending.file))
    show_observation(game, report, file, session, [*_remarks(report), *job_remarks(pending)])
    return 0


def _report(game: Game, outcome: "Outcome") -> dict[str, Any]:
    """The object that ``--json`` prints of an observation by a job."""
    from qttt.observation.job_runs import describe

    pending, sample = outcome.pending, outcome.sample
    assert pending.sent is not None
    return {
        **observe_report(game, pending.record, sample, pending.sent.backend),
        "kinds": dict(sorted(sample.kinds.items())),
        "agreeing": sample.kept,
        "collapsed": outcome.collapsed,
        "noise": outcome.noise,
        **describe(pending),
        **({} if pending.policy is None else {"policy": str(pending.policy)}),
    }


def _remarks(report: dict[str, Any]) -> list[str]:
    lines = []
    if "policy" in report:
        lines.append(f"The circuit chose: {report['policy']}.")
    if report["kinds"]:
        kinds = "; ".join(f"{kind} {count:,}" for kind, count in report["kinds"].items())
        lines.append(f"Impossible: {kinds}.")
    if report["agreeing"] != report["kept"]:
        lines.append(f"{report['agreeing']:,} of these have the observed positions.")
    if report["collapsed"]:
        lines.append("The circuit prepared the state that the observed positions had left.")
    return lines


COMMAND = Command(
    explanation=(
        "Observes a full board: runs its circuit on a backend, or rolls dice, and takes the first shot that "
        "counts as the outcome. With --shots N the counts of N shots are shown too. At Levels 4 and 5 the "
        "positions come first; then the player who moved last chooses the mode, with --mode or when asked. "
        "If nothing is chosen, the record keeps the positions as =p:... and they are never observed anew. "
        "On a device the job is on disk before anything is sent, and --resume fetches the result after "
        "Ctrl-C or a crash; --no-wait sends it and ends."
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
