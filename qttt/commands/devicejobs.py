"""An observation on a device, from the question whether to send it to the first possible shot."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.commands.deviceplans import progress, show_plan
from qttt.commands.session import Session
from qttt.devices import DeviceObserver, Plan, Reading, draw_seed, first_positions
from qttt.errors import QtttError, ServiceError, UsageError
from qttt.game import Game
from qttt.outcomes import Observation
from qttt.pending import HEADER, Pending, fetch, free_path, receive, send
from qttt.record import Record
from qttt.state import Phase
from qttt.symbols import Mode

if TYPE_CHECKING:
    import numpy as np

    from circuits.decoding import Shots
    from qttt.observation import Sample

ChooseMode = Callable[[Game], Mode]
ShowPositions = Callable[[Game, "Sample"], None]


class StillQueuedError(QtttError):
    """The user interrupted the wait; the job goes on without this program."""

    exit_status = 130


class NotSentError(QtttError):
    """The user did not want the job to be sent."""

    exit_status = 130


@dataclass(frozen=True)
class Outcome:
    """How an observation on a device ended.

    Attributes:
        pending: the observation, its record brought up to date; nothing is pending any more.
        sample: the shots of the chosen mode; its first board is the outcome.
        collapsed: the symbols were drawn from the state that the observed positions left, prepared on its
            own, because no shot of the job had these positions, or they were known before.
    """

    pending: Pending
    sample: "Sample"
    collapsed: bool


def observe_on_device(
    game: Game,
    record: Record,
    file: str | Path | None,
    observer: DeviceObserver,
    rng: "np.random.Generator",
    session: Session,
    *,
    mode: Mode | None = None,
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
        choose: asks for the mode once the positions are known.
        shots: shots of each circuit.
        sure: send a job to a real device without asking.
        show_positions: told when the positions are known, before the mode is asked for.

    Raises:
        UsageError: the record waits for another job, or nobody can be asked.
        ServiceError: the device failed, or no shot is possible.
        StillQueuedError: the user interrupted the wait.
    """
    if HEADER in record.headers:
        raise UsageError(
            f"the record waits for a job already ({record.headers[HEADER]}): qttt observe --resume"
            + (" with its file" if file is None else f" {file}")
        )
    modes = game.state.modes if mode is None else (mode,)
    with progress(session, observer.backend.local) as notify:
        plan = observer.plan(game, modes, shots, notify)
    path = None if file is None else Path(file)
    job = free_path(path, game) if path is not None or not observer.backend.local else None
    pending = Pending(record, path, job, mode, plan.collapsed is not None)
    pending, runs = _run(observer, plan, pending, rng, session, sure)
    return _finish(game, pending, runs, observer, rng, session, choose, shots, sure, show_positions)


def resume_on_device(
    pending: Pending,
    game: Game,
    rng: "np.random.Generator",
    session: Session,
    *,
    choose: ChooseMode,
    sure: bool = False,
    show_positions: ShowPositions | None = None,
) -> Outcome:
    """Fetch the result of a pending observation and go on; the arguments are those of `observe_on_device`."""
    from qttt.devices import open_device

    assert pending.sent is not None
    with progress(session, pending.sent.backend.startswith("fake_")) as notify, _interruptible(pending):
        pending, runs = fetch(pending, notify, again=sure)
    assert pending.sent is not None
    shots = pending.sent.shots
    # The device itself is only needed again if the collapsed state has to be prepared, so it is opened late.
    device = pending.sent.backend
    return _finish(
        game, pending, runs, lambda: open_device(device), rng, session, choose, shots, sure, show_positions
    )


def _run(
    observer: DeviceObserver,
    plan: Plan,
    pending: Pending,
    rng: "np.random.Generator",
    session: Session,
    sure: bool,
) -> "tuple[Pending, tuple[Shots, ...]]":
    """Ask where it costs something, send, and wait."""
    confirm(plan, observer, session, sure)
    with progress(session, observer.backend.local) as notify, _interruptible(pending):
        pending, handle = send(observer, plan, pending, draw_seed(rng), notify)
        runs = receive(pending, handle, notify)
    return pending, runs


def confirm(plan: Plan, observer: DeviceObserver, session: Session, sure: bool) -> None:
    """Show what a job on a real device will cost and ask; on a simulated one, show remarks only.

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
        if not sure:
            if not session.interactive:
                raise UsageError(f"a job on {observer.name} uses quantum time: say --yes to send it")
            if session.ask("Send it?", ["yes", "no"]) == "no":
                raise NotSentError("nothing was sent")
    for warning in plan.prepared.warnings if observer.backend.local else ():
        session.show(f"Note: {warning}.", to_stderr=True)


@contextmanager
def _interruptible(pending: Pending) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if pending.path is None:
            raise
        raise StillQueuedError(
            f"interrupted; everything is in {pending.path}, go on with: qttt observe --resume {pending.path}"
        ) from None


def _finish(
    game: Game,
    pending: Pending,
    runs: "tuple[Shots, ...]",
    observer: DeviceObserver | Callable[[], DeviceObserver],
    rng: "np.random.Generator",
    session: Session,
    choose: ChooseMode,
    shots: int | None,
    sure: bool,
    show_positions: ShowPositions | None,
) -> Outcome:
    readings = pending.readings(game, runs)
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
        pending, sample = _collapsed(game, pending, mode, observer, rng, session, shots, sure)
        collapsed = True
    with _settled_without_shots(pending):
        game.push(Observation(sample.first, mode))
    pending = pending.updated(game)
    assert pending.sent is not None
    if "Backend" not in pending.record.headers:
        pending = replace(pending, record=pending.record.with_header("Backend", pending.sent.backend))
    pending.settle()
    return Outcome(pending, sample, collapsed)


@contextmanager
def _settled_without_shots(pending: Pending) -> Iterator[None]:
    """If no shot of a job counts, there is nothing left to wait for."""
    try:
        yield
    except ServiceError:
        pending.settle()
        raise


def _reading(readings: dict[Mode, Reading], mode: Mode) -> Reading:
    if mode not in readings:
        there = " and ".join(map(str, readings))
        raise UsageError(f"the job was sent for the {there} mode, not for the {mode} one")
    return readings[mode]


def _collapsed(
    game: Game,
    pending: Pending,
    mode: Mode,
    observer: DeviceObserver | Callable[[], DeviceObserver],
    rng: "np.random.Generator",
    session: Session,
    shots: int | None,
    sure: bool,
) -> "tuple[Pending, Sample]":
    """Prepare the state that the positions have left, because no shot has them."""
    device = observer if isinstance(observer, DeviceObserver) else observer()
    session.show(
        f"No possible shot in {mode} mode has these positions: the state that they leave is prepared anew.",
        to_stderr=True,
    )
    plan = device.plan(game, [mode], shots)
    path = None if pending.path is None else free_path(pending.file, game)
    again = Pending(pending.record, pending.file, path, mode, True)
    again, runs = _run(device, plan, again, rng, session, sure)
    return again, again.readings(game, runs)[mode].sample(game.state.positions)
