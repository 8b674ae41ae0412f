"""``qttt observe`` on a device: send a job, or fetch the result of one that was sent before."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.cli.commands.arguments import device_of, resume_alone
from qttt.cli.console.device_plans import show_dry_run
from qttt.cli.console.job_output import Outcome, observe_on_device, resume_on_device
from qttt.cli.console.observations import observe_report, saved, show_observation
from qttt.cli.console.session import QuestionUnansweredError, Session
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.dynamic import Policy, plan_dynamic
from qttt.observation.job_file import find
from qttt.observation.job_runs import describe
from qttt.records.files import names_file
from qttt.records.record import Record

if TYPE_CHECKING:
    from qttt.observation.observers import Sample


def dry_run(game: Game, arguments: Namespace, session: Session) -> int:
    """Say what a job would cost, and send nothing."""
    policy = _policy(arguments)
    observer = device_of(arguments, session)
    if policy is not None:
        plan = plan_dynamic(observer, game, policy, arguments.shots)
    else:
        plan = observer.plan(game, _modes(game, arguments), arguments.shots)
    show_dry_run(plan, observer, session, game.rules.level.number, as_json=arguments.json)
    noise = plan.noise
    if noise is not None and not arguments.json:
        session.show(f"Note: {noise}: without --accept-noise nothing is sent.")
    return 0


def observe(game: Game, record: Record, arguments: Namespace, session: Session) -> int:
    """Send a job and wait for it."""
    policy = _policy(arguments)
    observer = device_of(arguments, session)
    file = arguments.save
    if file is None and names_file(arguments.record):
        file = arguments.record
    outcome = observe_on_device(
        game,
        record,
        file,
        observer,
        session.generator(arguments.seed),
        session,
        mode=None if arguments.mode is None else _modes(game, arguments)[0],
        policy=policy,
        choose=lambda game: _choose(game, session, file),
        shots=arguments.shots,
        sure=arguments.yes,
        show_positions=lambda game, sample: _show_positions(game, sample, session),
    )
    return _report(game, outcome, arguments, session)


def resume(arguments: Namespace, session: Session) -> int:
    """Fetch the result of a job that was sent before, and go on."""
    resume_alone(arguments, "--dynamic", "--dry-run")
    pending = find(arguments.resume)
    game = pending.record.game()
    if arguments.mode is not None:
        if pending.policy is not None:
            raise UsageError(f"the circuit of the job chooses the mode, so --mode cannot: {pending.policy}")
        mode = _modes(game, arguments)[0]
        if pending.mode not in (None, mode):
            raise UsageError(f"the job was sent for the {pending.mode} mode")
    outcome = resume_on_device(
        pending,
        game,
        session,
        choose=lambda game: (
            _choose(game, session, pending.file) if arguments.mode is None else Mode(arguments.mode)
        ),
        sure=arguments.yes,
        accept_noise=arguments.accept_noise,
        show_positions=lambda game, sample: _show_positions(game, sample, session),
    )
    return _report(game, outcome, arguments, session)


def _policy(arguments: Namespace) -> Policy | None:
    """How the circuit is to choose the mode, if it is to.

    Raises:
        UsageError: the mode is given too.
    """
    if arguments.dynamic is None:
        return None
    if arguments.mode is not None:
        raise UsageError("--dynamic lets the circuit choose the mode, so --mode cannot")
    return Policy(arguments.dynamic)


def _modes(game: Game, arguments: Namespace) -> tuple[Mode, ...]:
    """The modes that a job has to read.

    Raises:
        UsageError: the mode asked for is not open.
    """
    if arguments.mode is None:
        return game.state.modes
    mode = Mode(arguments.mode)
    if mode not in game.state.modes:
        raise UsageError(f"this observation is in {game.state.modes[0]} mode whatever the players choose")
    return (mode,)


def _show_positions(game: Game, sample: "Sample", session: Session) -> None:
    session.show(
        f"{sample.kept:,} of {sample.shots:,} shots are possible; the first of these gives the positions.",
        to_stderr=True,
    )
    session.show_game(game, to_stderr=True)


def _choose(game: Game, session: Session, file: Path | str | None) -> Mode:
    try:
        question = f"{game.state.initiator}, which mode of observation?"
        return Mode(session.ask(question, [str(mode) for mode in game.state.modes]))
    except QuestionUnansweredError:
        if file is None:
            raise
        raise QuestionUnansweredError(
            f"no mode was chosen; {file} keeps the observed positions, go on with: qttt observe --resume "
            f"{file} --mode {' or '.join(map(str, game.state.modes))}"
        ) from None


def _report(game: Game, outcome: Outcome, arguments: Namespace, session: Session) -> int:
    pending, sample = outcome.pending, outcome.sample
    assert pending.sent is not None
    if arguments.save is not None and pending.file != Path(arguments.save):
        saved(pending.record, arguments)
    report = {
        **observe_report(game, pending.record, sample, pending.sent.backend),
        "kinds": dict(sorted(sample.kinds.items())),
        "agreeing": sample.kept,
        "collapsed": outcome.collapsed,
        "noise": outcome.noise,
        **describe(pending),
        **({} if pending.policy is None else {"policy": str(pending.policy)}),
    }
    if arguments.json:
        session.write_json(report)
        return 0
    file = arguments.save or (None if pending.file is None else str(pending.file))
    show_observation(game, report, file, session, _remarks(report))
    return 0


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
    if report["job"] is not None:
        lines.append(f"The job is kept in {report['job']}.")
    return lines
