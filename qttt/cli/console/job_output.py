"""Jobs on devices, from the question whether to send them; and observations, to the first possible shot."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from qttt.cli.console.device_plans import progress, show_cost, show_plan
from qttt.cli.console.session import Session, StoppedError
from qttt.errors import ServiceError, UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Observation, Positions, filled_squares
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.devices import (
    DecodedShots,
    DeviceObserver,
    Plan,
    draw_seed,
    first_positions,
    open_device,
)
from qttt.observation.dynamic import Policy, plan_dynamic
from qttt.observation.job_file import HEADER, Pending, free_path
from qttt.observation.job_runs import P, PendingJob, fetch, receive, send
from qttt.observation.noise_gate import NoiseError
from qttt.records.record import Record
from qttt.storage import FileError

if TYPE_CHECKING:
    import numpy as np

    from circuits.backends.job_store import Job
    from circuits.backends.plans import Prepared
    from circuits.backends.progress import Notify
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


@dataclass(frozen=True)
class DeviceObservation:
    """An observation on a device: its plan, the question whether to send it, its wait and its end.

    Attributes:
        game: a game that waits for an observation, or for the mode of one; it gets the events.
        session: where it is shown and asked.
        choose: asks for the mode once the positions are known.
        show_positions: told when the positions are known, before the mode is asked for.
        sure: send a job to a real device without asking, also one that never arrived there.
        anyway: send a job also where it would not run at present.
        accept_noise: take a result even if the shots say nothing of the board.
    """

    game: Game
    session: Session
    choose: ChooseMode
    show_positions: ShowPositions
    sure: bool = False
    accept_noise: bool = False
    anyway: bool = False

    def observe(
        self,
        record: Record,
        file: str | Path | None,
        observer: DeviceObserver,
        rng: "np.random.Generator",
        mode: Mode | None = None,
        policy: Policy | None = None,
        shots: int | None = None,
    ) -> Outcome:
        """Send a job and wait for it.

        Args:
            record: the game's record.
            file: the record's file, or None.
            observer: the device.
            rng: where the seed of a simulated device comes from.
            mode: the mode, if it is chosen already.
            policy: let the circuit itself choose the mode, by this policy.
            shots: shots of each circuit.

        Raises:
            UsageError: the record waits for another job, or nobody can be asked.
            ServiceError: the device failed, or no shot is possible.
            NoiseError: the device says nothing of the board, and that is not accepted.
            StillQueuedError: the user interrupted the wait.
        """
        plan, waits = self._plan(record, file, observer, mode, policy, shots)
        pending, runs = self._send(observer, plan, waits, rng, keep=observer.keeps_job(waits.file))
        return self._finish(pending, runs, lambda: observer, shots)

    def leave(
        self,
        record: Record,
        file: str | Path | None,
        observer: DeviceObserver,
        rng: "np.random.Generator",
        mode: Mode | None = None,
        policy: Policy | None = None,
        shots: int | None = None,
    ) -> Pending:
        """Send a job and do not wait for it; arguments and errors are those of `observe`."""
        refuse_code(observer)
        plan, waits = self._plan(record, file, observer, mode, policy, shots)
        self._agree(observer, plan)
        path = free_path(waits.file, self.game)
        return leave_job(observer, plan, replace(waits, path=path), rng, self.session)

    def _plan(
        self,
        record: Record,
        file: str | Path | None,
        observer: DeviceObserver,
        mode: Mode | None,
        policy: Policy | None,
        shots: int | None,
    ) -> tuple[Plan, Pending]:
        """The job of an observation, and what will wait for it."""
        if HEADER in record.headers:
            raise UsageError(
                f"the record waits for a job already ({record.headers[HEADER]}): qttt observe --resume"
                + (" with its file" if file is None else f" {file}")
            )
        with progress(self.session, observer.backend.local) as notify:
            plan = plan_observation(self.game, observer, mode, policy, shots, notify)
        path = None if file is None else Path(file)
        return plan, Pending(record, path, None, mode, plan.collapsed is not None, policy, observer.encoding)

    def resume(self, pending: Pending) -> Outcome:
        """Fetch the result of a job that was sent before, and go on; raises what `observe` does."""
        pending, runs = fetch_job(pending, self.session, self.sure, self.anyway)
        assert pending.sent is not None
        job = pending.sent

        def reopened() -> DeviceObserver:
            from circuits.backends.plans import JobOptions

            options = JobOptions.from_json(job.options)
            return open_device(
                job.backend,
                encoding=pending.encoding,
                decoupling=options.dynamical_decoupling,
                twirling=options.twirling,
                accept_noise=self.accept_noise,
            )

        # The device is only needed again if the collapsed state has to be prepared, so it is opened late.
        return self._finish(pending, runs, reopened, job.shots)

    def _send(
        self,
        device: DeviceObserver,
        plan: Plan,
        pending: Pending,
        rng: "np.random.Generator",
        *,
        keep: bool,
        instead: Pending | None = None,
    ) -> "tuple[Pending, tuple[Shots, ...]]":
        """Ask whether to send a job, send it and wait for it.

        Args:
            device: the device.
            plan: the job.
            pending: what waits for it, without the job's file.
            rng: where the seed of a simulated device comes from.
            keep: the job gets a file.
            instead: an observation whose job gave no outcome: its record waits for this job from now on.

        Raises:
            NoiseError: there is no result to hope for, and that is not accepted.
        """
        self._agree(device, plan)
        path = free_path(pending.file, self.game) if keep else None
        if instead is not None:
            # A record that waits for one job is never written over by one that waits for another.
            instead.settle()
        return run_job(device, plan, replace(pending, path=path), rng, self.session)

    def _agree(self, device: DeviceObserver, plan: Plan) -> None:
        refuse_noise(plan, self.session, self.accept_noise)
        confirm(plan, device, self.session, self.sure, self.anyway)

    def _finish(
        self,
        pending: Pending,
        runs: "tuple[Shots, ...]",
        device: Callable[[], DeviceObserver],
        shots: int | None,
    ) -> Outcome:
        if pending.policy is not None:
            return self._finish_policy(pending, pending.policy, runs)
        game = self.game
        readings = pending.readings(game, runs)
        # Before anything is taken from them: not the positions, and no mode that is chosen by the positions.
        noise = self._check_shots(pending, readings.items())
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
            self.show_positions(game, sample)
        if mode is None:
            mode = self.choose(game)
        if mode not in readings:
            there = " and ".join(map(str, readings))
            raise UsageError(f"the job was sent for the {there} mode, not for the {mode} one")
        sample = readings[mode].sample(game.state.positions)
        collapsed = pending.collapsed
        if not sample.drawn and game.state.positions is not None and not collapsed:
            pending, runs = self._send_collapsed(pending, mode, device(), shots)
            readings = pending.readings(game, runs)
            noise = self._check_shots(pending, readings.items())
            sample = readings[mode].sample(game.state.positions)
            collapsed = True
        with _settled_without_shots(pending):
            game.push(Observation(sample.first, mode))
        return Outcome(_ended(game, pending), sample, collapsed, noise)

    def _finish_policy(self, pending: Pending, policy: Policy, runs: "tuple[Shots, ...]") -> Outcome:
        """Take the outcome of a circuit that has chosen the mode itself."""
        reading = pending.reading_of_policy(self.game, runs)
        noise = self._check_shots(pending, [(None, reading)])
        sample = reading.sample()
        with _settled_without_shots(pending):
            positions = Positions(filled_squares(sample.first))
        self.game.push(positions)
        self.game.push(Observation(sample.first, policy.mode(positions)))
        return Outcome(_ended(self.game, pending), sample, collapsed=False, noise=noise)

    def _send_collapsed(
        self, pending: Pending, mode: Mode, device: DeviceObserver, shots: int | None
    ) -> "tuple[Pending, tuple[Shots, ...]]":
        """Prepare the state that the positions have left, because no shot has them."""
        import numpy as np

        assert pending.sent is not None
        self.session.show(
            f"No possible shot in {mode} mode has these positions: the state that they leave is prepared "
            "anew.",
            to_stderr=True,
        )
        plan = device.plan(self.game, [mode], shots)
        # The positions came from the first job.
        again = replace(pending.named(), mode=mode, collapsed=True, policy=None, sent=None, own=None)
        # From the first job's seed, so that resuming that one leads to the same end as waiting for it.
        rng = np.random.default_rng(pending.sent.seed)
        return self._send(device, plan, again, rng, keep=pending.path is not None, instead=pending)

    def _check_shots(
        self, pending: Pending, readings: Iterable[tuple[Mode | None, DecodedShots]]
    ) -> str | None:
        """Take no result from shots that say nothing of the board; the job and the record stay as they are.

        Args:
            pending: what waits for them.
            readings: the shots, each with the mode of its circuit, None if that chose it.

        Returns:
            What was accepted, in a clause, or None.

        Raises:
            NoiseError: they say nothing, and that is not accepted.
        """
        noises = {mode: noise for mode, reading in readings if (noise := reading.noise)}
        if not noises:
            return None
        noise = "; ".join(f"in {mode} mode {noise}" if mode else noise for mode, noise in noises.items())
        if not self.accept_noise:
            again = "" if pending.path is None else f" (they are kept: {pending.resuming} --accept-noise)"
            raise NoiseError(f"{noise}: no result is taken from them without --accept-noise{again}")
        self.session.show(f"Note: {noise}.", to_stderr=True)
        return noise


def plan_observation(
    game: Game,
    observer: DeviceObserver,
    mode: Mode | None,
    policy: Policy | None,
    shots: int | None,
    notify: "Notify | None" = None,
) -> Plan:
    """Plan an observation's job: one circuit for each mode that may be chosen, or one that chooses itself.

    The arguments are those of `DeviceObservation.observe`; ``notify`` is told what happens.
    """
    if policy is not None:
        return plan_dynamic(observer, game, policy, shots, notify)
    return observer.plan(game, game.state.modes if mode is None else (mode,), shots, notify)


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
    # By now the job knows what it has used.
    pending = pending.with_job(handle.job)
    _archive(pending, session)
    return pending, runs


def leave_job(
    observer: DeviceObserver, plan: Plan, pending: P, rng: "np.random.Generator", session: Session
) -> P:
    """Send a job and do not wait for it; arguments and errors are those of `run_job`."""
    with progress(session, observer.backend.local) as notify, _interruptible(pending):
        return send(observer, plan, pending, draw_seed(rng), notify)[0]


def refuse_noise(plan: Plan, session: Session, accepted: bool) -> None:
    """Do not send a job that promises no result.

    Raises:
        NoiseError: there is no result to hope for, and that is not accepted.
    """
    if (noise := plan.noise) is not None:
        if not accepted:
            raise NoiseError(f"{noise}: nothing was sent; --accept-noise sends it all the same")
        session.show(f"Note: {noise}.", to_stderr=True)


def refuse_code(observer: DeviceObserver) -> None:
    """Leave no job with a device that a file cannot name.

    Raises:
        UsageError: it is code, `module:callable`.
    """
    from circuits.backends import names_code

    if names_code(observer.name):
        raise UsageError(f"a job's file names no code, and {observer.name} is some: wait for the job")


def tell_left(
    pending: PendingJob, records: Sequence[str], level: int | None, session: Session, *, as_json: bool
) -> int:
    """Say that a job is on its way, for people or as JSON.

    Args:
        pending: what waits for it.
        records: the records as they were named.
        level: that of all of them, or None.
        session: where it is said.
        as_json: print the object of ``qttt submit --json`` and ``qttt observe --no-wait --json``.

    Returns:
        The exit status.
    """
    job = pending.sent
    assert job is not None
    assert job.quantum_seconds is not None
    if as_json:
        session.write_json(
            {
                "level": level,
                "job_file": str(pending.path),
                "job_id": job.job_id,
                "backend": job.backend,
                "records": list(records),
                "circuits": len(job.circuits),
                "shots": job.shots,
                "estimated_seconds": job.quantum_seconds,
            }
        )
        return 0
    games, circuits = len(records), len(job.circuits)
    session.show(
        f"Sent {games} {'game' if games == 1 else 'games'} to {job.backend} in one job: {circuits} "
        f"{'circuit' if circuits == 1 else 'circuits'} of {job.shots:,} shots, about "
        f"{job.quantum_seconds:.1f} quantum seconds.",
        f"The job is kept in {pending.path}; its result is fetched with: {pending.resuming}",
    )
    return 0


def fetch_job(
    pending: P, session: Session, sure: bool = False, anyway: bool = False
) -> "tuple[P, tuple[Shots, ...]]":
    """Fetch the result of a job that was sent before; one that never arrived is sent, if that is wanted.

    Its circuits are held against the device as it is today and compiled again where they do not fit it any
    more; what it costs is shown again.

    Args:
        pending: what waits for it, as it was found on disk.
        session: where its progress is shown.
        sure: send it if it never reached the service, and ask nothing.
        anyway: send it also where it would not run at present.

    Raises:
        NotSentError: the user does not want to send it, or to simulate what costs much here.
        ServiceError: the job failed, is unknown, or never arrived; or the service failed.
        StillQueuedError: the user interrupted the wait.
    """
    from circuits.backends import Kind, kind_of, refit
    from circuits.errors import NeverArrivedError

    assert pending.sent is not None
    # What is over is read from its file alone, whoever has run it.
    local = not pending.sent.over and kind_of(pending.sent.backend) is not Kind.REAL
    with _interruptible(pending):
        if local and not sure:
            _confirm_simulation(pending.sent, session)
    try:
        with progress(session, local) as notify, _interruptible(pending):
            pending, runs = fetch(pending, notify)
        _archive(pending, session)
        return pending, runs
    except NeverArrivedError:
        if not (sure or session.interactive):
            raise
    assert pending.path is not None
    with progress(session, local) as notify:
        prepared = refit(pending.path, notify)
    session.show("The job never reached the service, so nothing was charged.", to_stderr=True)
    show_cost(prepared, session, to_stderr=True)
    _confirm_sending(prepared, session, sure, anyway)
    # From here on its record waits for it again, also where a crash had come between the two.
    pending.keep()
    with progress(session, local) as notify, _interruptible(pending):
        pending, runs = fetch(pending, notify, again=prepared)
    _archive(pending, session)
    return pending, runs


def _archive(pending: PendingJob, session: Session) -> None:
    """Write the archive of a finished job beside its file, before anything is taken from its shots."""
    from qttt.crosscheck.archive import keep_archive

    if pending.path is None:
        return
    assert pending.sent is not None
    try:
        with _interruptible(pending):
            keep_archive(pending.sent, pending.path)
    except FileError as error:
        # The job's file has everything, and the next --resume writes the archive.
        session.show(f"Note: the job has no archive: {error}.", to_stderr=True)


def confirm(
    plan: Plan,
    observer: DeviceObserver,
    session: Session,
    sure: bool,
    anyway: bool = False,
    names: Sequence[str] = (),
) -> None:
    """Show what a job on a real device will cost and, if it costs anything, ask; else show remarks.

    A simulated device's job is asked for where it costs much here.

    Args:
        plan: the job.
        observer: the device.
        session: where it is shown and asked.
        sure: do not ask.
        anyway: send it also where it would not run at present.
        names: what each circuit is called, if not by its mode.

    Raises:
        UsageError: nobody can be asked.
        ServiceError: it would not run at present, and that is not accepted.
        NotSentError: the user does not want it.
    """
    if not observer.backend.local:
        show_plan(plan, session, to_stderr=True, names=names)
        _confirm_sending(plan.prepared, session, sure, anyway)
        return
    for warning in plan.prepared.warnings:
        session.show(f"Note: {warning}.", to_stderr=True)
    if not sure:
        _confirm_simulation(plan.prepared, session)


def _confirm_sending(prepared: "Prepared", session: Session, sure: bool, anyway: bool) -> None:
    """Ask whether to send a job whose cost has been shown; raises what `confirm` does."""
    if prepared.obstacles and not anyway:
        raise ServiceError(
            f"{' and '.join(prepared.obstacles)}: nothing was sent; with --anyway qttt observe, check and "
            "submit send it all the same, and it waits"
        )
    if sure or not prepared.cost.quantum_seconds:
        return
    if not session.interactive:
        raise UsageError(f"a job on {prepared.backend} uses quantum time: say --yes to send it")
    if session.ask("Send it?", ["yes", "no"]) == "no":
        raise NotSentError("nothing was sent")


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


def job_remarks(pending: PendingJob) -> list[str]:
    """What is said of a job once its result is there: what it used, and where it is kept."""
    from qttt.crosscheck.archive import archive_path

    assert pending.sent is not None
    used, left = pending.sent.used_seconds, pending.sent.seconds_left
    said = [] if used is None else [f"the job used {used:g} quantum seconds"]
    said += [] if left is None else [f"{left:,.0f} quantum seconds are left in the plan"]
    lines = [f"{text[0].upper()}{text[1:]}." for text in ["; ".join(said)] if text]
    if pending.path is None:
        return lines
    archive = archive_path(pending.path)
    kept = [f"The job is kept in {pending.path}.", *[f"Its archive is {archive}."] * archive.exists()]
    return [*lines, " ".join(kept)]


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


def _ended(game: Game, pending: Pending) -> Pending:
    """Bring the record up to its outcome; it waits no more."""
    pending = pending.updated(game).named()
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
