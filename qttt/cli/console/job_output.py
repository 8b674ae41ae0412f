"""Jobs on devices, from the question whether to send them; and observations, to the first possible shot."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from qttt.cli.console.device_plans import progress, show_plan
from qttt.cli.console.session import Session, StoppedError
from qttt.errors import ServiceError, UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Observation, Positions, filled_squares
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.devices import DecodedShots, DeviceObserver, Plan, draw_seed, first_positions
from qttt.observation.dynamic import Policy, plan_dynamic
from qttt.observation.job_file import HEADER, Pending, free_path
from qttt.observation.job_runs import P, PendingJob, fetch, receive, send
from qttt.observation.noise_gate import NoiseError, predicted_noise
from qttt.records.record import Record

if TYPE_CHECKING:
    import numpy as np

    from circuits.backends.job_store import Job
    from circuits.backends.plans import Prepared
    from circuits.decoding import Shots
    from qttt.observation.observers import Sample

ChooseMode = Callable[[Game], Mode]
ShowPositions = Callable[[Game, "Sample"], None]


ASKING_SECONDS: Final = 10.0
ASKING_MEMORY: Final = 2**30
"""A simulation that takes more than this, in seconds or in bytes, is asked for first."""


class StillQueuedError(StoppedError):
    """The user interrupted the wait; the job goes on without this program."""


class NotSentError(StoppedError):
    """The user did not want the job to be sent, or simulated."""


@dataclass(frozen=True)
class Outcome:
    """How an observation on a device ended.

    Attributes:
        pending: the observation, its record brought up to date; nothing is pending any more.
        sample: the shots of the chosen mode; its first board is the outcome.
        collapsed: the symbols were drawn from the state that the observed positions left, prepared on its
            own, because no shot of the job had these positions, or they were known before.
        noise: why the shots say nothing of the board, in a clause; None if they do.
    """

    pending: Pending
    sample: "Sample"
    collapsed: bool
    noise: str | None = None


def observe_on_device(
    game: Game,
    record: Record,
    file: str | Path | None,
    observer: DeviceObserver,
    rng: "np.random.Generator",
    session: Session,
    *,
    mode: Mode | None = None,
    policy: Policy | None = None,
    choose: ChooseMode,
    shots: int | None = None,
    sure: bool = False,
    show_positions: ShowPositions | None = None,
) -> Outcome:
    """Observe the full board of a game on a device; the game gets the events.

    Args:
        game: a game that waits for an observation, or for the mode of one.
        record: its record.
        file: the record's file, or None.
        observer: the device.
        rng: where the seed of a simulated device comes from.
        session: where it is shown and asked.
        mode: the mode, if it is chosen already.
        policy: let the circuit itself choose the mode, by this policy.
        choose: asks for the mode once the positions are known.
        shots: shots of each circuit.
        sure: send a job to a real device without asking.
        show_positions: told when the positions are known, before the mode is asked for.

    Raises:
        UsageError: the record waits for another job, or nobody can be asked.
        ServiceError: the device failed, or no shot is possible.
        NoiseError: the device says nothing of the board, and the observer does not accept that.
        StillQueuedError: the user interrupted the wait.
    """
    if HEADER in record.headers:
        raise UsageError(
            f"the record waits for a job already ({record.headers[HEADER]}): qttt observe --resume"
            + (" with its file" if file is None else f" {file}")
        )
    with progress(session, observer.backend.local) as notify:
        if policy is not None:
            plan = plan_dynamic(observer, game, policy, shots, notify)
        else:
            plan = observer.plan(game, game.state.modes if mode is None else (mode,), shots, notify)
    _check_prediction(plan, observer.accept_noise, session)
    confirm(plan, observer, session, sure)
    path = None if file is None else Path(file)
    job = free_path(path, game) if observer.keeps_job(path) else None
    strict = observer.encoding == "strict"
    pending = Pending(record, path, job, mode, plan.collapsed is not None, policy, strict)
    pending, runs = run_job(observer, plan, pending, rng, session)
    accepts = observer.accept_noise
    return _finish(game, pending, runs, observer, session, choose, shots, sure, accepts, show_positions)


def resume_on_device(
    pending: Pending,
    game: Game,
    session: Session,
    *,
    choose: ChooseMode,
    sure: bool = False,
    accept_noise: bool = False,
    show_positions: ShowPositions | None = None,
) -> Outcome:
    """Fetch the result of a pending observation and go on; the arguments are those of `observe_on_device`.

    ``accept_noise`` takes a result even if the shots say nothing of the board.
    """
    pending, runs = fetch_job(pending, session, sure)
    assert pending.sent is not None
    job, strict = pending.sent, pending.strict

    def reopened() -> DeviceObserver:
        from circuits.backends.plans import JobOptions
        from qttt.observation.devices import open_device

        options = JobOptions.from_json(job.options)
        return open_device(
            job.backend,
            strict=strict,
            decoupling=options.dynamical_decoupling,
            twirling=options.twirling,
            accept_noise=accept_noise,
        )

    # The device itself is only needed again if the collapsed state has to be prepared, so it is opened late.
    return _finish(
        game, pending, runs, reopened, session, choose, job.shots, sure, accept_noise, show_positions
    )


def run_job(
    observer: DeviceObserver, plan: Plan, pending: P, rng: "np.random.Generator", session: Session
) -> "tuple[P, tuple[Shots, ...]]":
    """Send a job and wait for it.

    Args:
        observer: the device.
        plan: the job, which `confirm` has asked for.
        pending: what waits for it.
        rng: where the seed of a simulated device comes from.
        session: where its progress is shown.

    Raises:
        ServiceError: the device failed.
        StillQueuedError: the user interrupted the wait.
    """
    with progress(session, observer.backend.local) as notify, _interruptible(pending):
        pending, handle = send(observer, plan, pending, draw_seed(rng), notify)
        runs = receive(pending, handle, notify)
    return pending, runs


def fetch_job(pending: P, session: Session, sure: bool = False) -> "tuple[P, tuple[Shots, ...]]":
    """Fetch the result of a job that was sent before.

    Args:
        pending: what waits for it, as it was found on disk.
        session: where its progress is shown.
        sure: send it if it never reached the service, and ask nothing.

    Raises:
        NotSentError: the user does not want to simulate what costs much here.
        ServiceError: the job failed, is unknown, or never arrived; or the service failed.
        StillQueuedError: the user interrupted the wait.
    """
    from circuits.backends import Kind, kind_of

    assert pending.sent is not None
    # What is over is read from its file alone, whoever has run it.
    local = not pending.sent.over and kind_of(pending.sent.backend) is not Kind.REAL
    with _interruptible(pending):
        if local and not sure:
            _confirm_simulation(pending.sent, session)
    with progress(session, local) as notify, _interruptible(pending):
        return fetch(pending, notify, again=sure)


def confirm(plan: Plan, observer: DeviceObserver, session: Session, sure: bool) -> None:
    """Show what a job on a real device will cost and, if it costs anything, ask; else show remarks.

    A simulated device's job is asked for where it costs much here.

    Args:
        plan: the job.
        observer: the device.
        session: where it is shown and asked.
        sure: do not ask.

    Raises:
        UsageError: nobody can be asked.
        NotSentError: the user does not want it.
    """
    if not observer.backend.local:
        show_plan(plan, observer, session, to_stderr=True)
        if not sure and plan.prepared.cost.quantum_seconds:
            if not session.interactive:
                raise UsageError(f"a job on {observer.name} uses quantum time: say --yes to send it")
            if session.ask("Send it?", ["yes", "no"]) == "no":
                raise NotSentError("nothing was sent")
        return
    for warning in plan.prepared.warnings:
        session.show(f"Note: {warning}.", to_stderr=True)
    if not sure:
        _confirm_simulation(plan.prepared, session)


def _confirm_simulation(job: "Job | Prepared", session: Session) -> None:
    """Ask whether a simulated device's job may take what it takes here; where nobody can be asked, it may.

    Raises:
        NotSentError: the user does not want it.
    """
    from circuits.backends.local_cost import simulation_cost

    cost = simulation_cost(job.circuits, job.shots)
    if not session.interactive or (cost.seconds <= ASKING_SECONDS and cost.memory <= ASKING_MEMORY):
        return
    words = f"Simulating {job.shots:,} shots of {job.backend} here takes {duration(cost.seconds)}"
    if cost.memory > ASKING_MEMORY:
        words += f" and {cost.memory / 2**30:,.1f} GiB of memory"
    session.show(f"{words}.", to_stderr=True)
    if session.ask("Go on?", ["yes", "no"]) == "no":
        raise NotSentError("nothing was simulated")


def duration(seconds: float) -> str:
    """A rough time in words."""
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"about {seconds / size:,.0f} {unit}"
    return f"about {seconds:.0f} seconds"


@contextmanager
def _interruptible(pending: PendingJob) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if pending.path is None or not pending.path.exists():
            raise
        raise StillQueuedError(
            f"interrupted; everything is in {pending.path}, go on with: {pending.resuming}"
        ) from None


def _finish(
    game: Game,
    pending: Pending,
    runs: "tuple[Shots, ...]",
    observer: DeviceObserver | Callable[[], DeviceObserver],
    session: Session,
    choose: ChooseMode,
    shots: int | None,
    sure: bool,
    accept_noise: bool,
    show_positions: ShowPositions | None,
) -> Outcome:
    if pending.policy is not None:
        return _finish_policy(game, pending, pending.policy, runs, accept_noise, session)
    readings = pending.readings(game, runs)
    # Before anything is taken from them: not the positions, and no mode that is chosen by the positions.
    noise = _check_shots(pending, _noises(readings), accept_noise, session)
    mode = pending.mode
    if mode is None and len(game.state.modes) == 1:
        mode = game.state.modes[0]
    if mode is None and game.state.phase is Phase.OBSERVATION:
        with _settled_without_shots(pending):
            positions, sample = first_positions(readings)
        game.push(positions)
        pending = pending.updated(game)
        # From here on the positions are known, and nothing may make them anew.
        pending.keep()
        if show_positions is not None:
            show_positions(game, sample)
    if mode is None:
        mode = choose(game)
    sample = _reading(readings, mode).sample(game.state.positions)
    collapsed = pending.collapsed
    if not sample.drawn and game.state.positions is not None and not collapsed:
        pending, readings = _collapsed(game, pending, mode, observer, session, shots, sure, accept_noise)
        noise = _check_shots(pending, _noises(readings), accept_noise, session)
        sample = readings[mode].sample(game.state.positions)
        collapsed = True
    with _settled_without_shots(pending):
        game.push(Observation(sample.first, mode))
    return Outcome(_ended(game, pending), sample, collapsed, noise)


def _finish_policy(
    game: Game,
    pending: Pending,
    policy: Policy,
    runs: "tuple[Shots, ...]",
    accept_noise: bool,
    session: Session,
) -> Outcome:
    """Take the outcome of a circuit that has chosen the mode itself."""
    reading = pending.reading_of_policy(game, runs)
    noise = _check_shots(pending, [reading.noise] if reading.noise else [], accept_noise, session)
    sample = reading.sample()
    with _settled_without_shots(pending):
        positions = Positions(filled_squares(sample.first))
    game.push(positions)
    game.push(Observation(sample.first, policy.mode(positions)))
    return Outcome(_ended(game, pending), sample, collapsed=False, noise=noise)


def _check_prediction(plan: Plan, accept_noise: bool, session: Session) -> None:
    """Send nothing from which there is no result to hope for.

    Raises:
        NoiseError: so it is, and nobody accepts it.
    """
    if (noise := predicted_noise(plan)) is not None:
        if not accept_noise:
            raise NoiseError(f"{noise}: nothing was sent; --accept-noise sends it all the same")
        session.show(f"Note: {noise}.", to_stderr=True)


def _noises(readings: dict[Mode, DecodedShots]) -> list[str]:
    return [f"in {mode} mode {noise}" for mode, reading in readings.items() if (noise := reading.noise)]


def _check_shots(pending: Pending, noises: list[str], accept_noise: bool, session: Session) -> str | None:
    """Take no result from shots that say nothing of the board; the job and the record stay as they are.

    Args:
        pending: what waits for them.
        noises: why they say nothing, in clauses; none if they say something.
        accept_noise: take it all the same, and say so.
        session: where it is said.

    Returns:
        What was accepted, or None.

    Raises:
        NoiseError: they say nothing, and nobody accepts it.
    """
    noise = "; ".join(noises) or None
    if noise is not None:
        if not accept_noise:
            again = "" if pending.path is None else f" (they are kept: {pending.resuming} --accept-noise)"
            raise NoiseError(f"{noise}: no result is taken from them without --accept-noise{again}")
        session.show(f"Note: {noise}.", to_stderr=True)
    return noise


def _ended(game: Game, pending: Pending) -> Pending:
    """Bring the record up to its outcome; it waits no more."""
    pending = pending.updated(game)
    assert pending.sent is not None
    if "Backend" not in pending.record.headers:
        pending = replace(pending, record=pending.record.with_header("Backend", pending.sent.backend))
    pending.settle()
    return pending


@contextmanager
def _settled_without_shots(pending: Pending) -> Iterator[None]:
    """If no shot of a job counts, there is nothing left to wait for."""
    try:
        yield
    except ServiceError:
        pending.settle()
        raise


def _reading(readings: dict[Mode, DecodedShots], mode: Mode) -> DecodedShots:
    if mode not in readings:
        there = " and ".join(map(str, readings))
        raise UsageError(f"the job was sent for the {there} mode, not for the {mode} one")
    return readings[mode]


def _collapsed(
    game: Game,
    pending: Pending,
    mode: Mode,
    observer: DeviceObserver | Callable[[], DeviceObserver],
    session: Session,
    shots: int | None,
    sure: bool,
    accept_noise: bool,
) -> tuple[Pending, dict[Mode, DecodedShots]]:
    """Prepare the state that the positions have left, because no shot has them."""
    import numpy as np

    assert pending.sent is not None
    device = observer if isinstance(observer, DeviceObserver) else observer()
    session.show(
        f"No possible shot in {mode} mode has these positions: the state that they leave is prepared anew.",
        to_stderr=True,
    )
    plan = device.plan(game, [mode], shots)
    _check_prediction(plan, accept_noise, session)
    confirm(plan, device, session, sure)
    path = None if pending.path is None else free_path(pending.file, game)
    again = Pending(pending.record, pending.file, path, mode, True, None, pending.strict)
    # From the first job's seed, so that resuming that one leads to the same end as waiting for it.
    again, runs = run_job(device, plan, again, np.random.default_rng(pending.sent.seed), session)
    return again, again.readings(game, runs)
