"""An observation that waits in a job: the job's file beside the record, and the record's header ``Job``.

Both are on disk before anything is sent, so that whatever happens to this program, the observation is neither
lost nor made twice. The header is ``[Job "<device> <job id> <file>"]``; the file is one of
`circuits.backends.jobs` with this payload:

    {"format": "qttt observation", "record": the record as it was, "file": the record's file or null,
     "mode": the mode if it was chosen before, else null, "positions": those prepared from, or null}
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.devices import DeviceObserver, Plan, Reading, read_shots
from qttt.errors import MALFORMED, QtttError, ServiceError, UsageError
from qttt.game import Game
from qttt.outcomes import Positions
from qttt.record import Record
from qttt.recordfile import load_record, save_record
from qttt.samples import service_errors
from qttt.symbols import Mode

if TYPE_CHECKING:
    from circuits.backends.ibm import JobHandle
    from circuits.backends.jobs import Job
    from circuits.backends.progress import Notify
    from circuits.decoding import Shots

HEADER = "Job"
_FORMAT = "qttt observation"


@dataclass(frozen=True)
class Pending:
    """An observation whose job was, or will be, sent.

    Attributes:
        record: the record, without the header ``Job``; the events of the observation are added as they come.
        file: the record's file, or None if it has none.
        path: the job's file, or None if nothing has to survive this process.
        mode: the mode if it was chosen before the job was sent.
        collapsed: the job prepares what positions observed before have left of the state.
        sent: the job, as far as it is known.
    """

    record: Record
    file: Path | None
    path: Path | None
    mode: Mode | None
    collapsed: bool
    sent: "Job | None" = None

    def marked(self) -> Record:
        """The record with its header ``Job``."""
        if self.path is None:
            return self.record
        device = self.sent.backend if self.sent else "-"
        name = (self.sent.job_id if self.sent else None) or "-"
        return self.record.with_header(HEADER, f"{device} {name} {self.path.name}")

    def keep(self) -> None:
        """Save the record with its header ``Job``.

        Raises:
            FileError: it cannot be saved.
        """
        if self.file is not None:
            save_record(self.file, self.marked())

    def settle(self) -> None:
        """Save the record without the header: nothing is waited for any more."""
        if self.file is not None:
            save_record(self.file, self.record)

    def updated(self, game: Game) -> "Pending":
        """The same with the record brought up to a game that went on."""
        return replace(self, record=self.record.updated(game))

    def readings(self, game: Game, shots: "Sequence[Shots]") -> dict[Mode, Reading]:
        """What the job's shots say of the board of a game, by mode."""
        assert self.sent is not None
        found = {}
        with service_errors():
            for item, run in zip(self.sent.circuits, shots, strict=True):
                assert item.readout is not None
                found[Mode(item.label)] = read_shots(game.state, Mode(item.label), item.readout, run)
        return found


def send(
    observer: DeviceObserver,
    plan: Plan,
    pending: Pending,
    seed: int,
    notify: "Notify",
) -> "tuple[Pending, JobHandle]":
    """Send a plan's job, with everything on disk before.

    Args:
        observer: the device.
        plan: what to send.
        pending: the observation; its files are written.
        seed: for a simulated device.
        notify: told what happens.

    Raises:
        ServiceError: the service refused, and the record is as it was; or it did not answer, and the job's
            file is kept to find out.
        FileError: a file cannot be saved; nothing was sent.
    """
    from circuits.errors import CircuitsError, UnreachableError

    payload = {
        "format": _FORMAT,
        "record": str(pending.record),
        "file": None if pending.file is None else pending.file.name,
        "mode": None if pending.mode is None else str(pending.mode),
        "positions": None if plan.collapsed is None else plan.collapsed.filled,
    }
    with service_errors():
        # First the job's file, then the note of it in the record, then the job: a crash in between leaves at
        # worst a file that nobody waits for, and never a job that nobody knows of.
        job = observer.backend.write_down(plan.prepared, seed, pending.path, payload)
        replace(pending, sent=job).keep()
        try:
            handle = observer.backend.send(job, pending.path, notify)
        except UnreachableError as error:
            raise ServiceError(f"{error}{_find_out(pending)}") from error
        except CircuitsError:
            pending.settle()
            if pending.path is not None:
                pending.path.unlink(missing_ok=True)
            raise
    sent = replace(pending, sent=handle.job)
    sent.keep()
    return sent, handle


def _find_out(pending: Pending) -> str:
    return "" if pending.path is None else f"; whether it arrived: qttt observe --resume {pending.path}"


def receive(pending: Pending, handle: "JobHandle", notify: "Notify") -> "tuple[Shots, ...]":
    """Wait for the shots of a job that this process sent.

    Raises:
        ServiceError: the job failed or was cancelled, and the record is as it was; or the service did not
            answer, and the job can be resumed.
    """
    with _settled_if_ended(pending), service_errors():
        return tuple(handle.wait(notify, sleep=time.sleep))


@contextmanager
def _settled_if_ended(pending: Pending) -> Iterator[None]:
    """Restore the record of an observation whose job came to a bad end."""
    try:
        yield
    except ServiceError:
        if _ended(pending.path):
            pending.settle()
        raise


def _ended(path: Path | None) -> bool:
    from circuits.backends import jobs
    from circuits.errors import CircuitsError

    if path is None:
        return False
    with suppress(CircuitsError):
        return jobs.load(path).state in (jobs.JobState.FAILED, jobs.JobState.CANCELLED)
    return False


def find(name: str) -> Pending:
    """Find a pending observation by its job's file, or by the record that waits for it.

    Args:
        name: a job file, or a record with a header ``Job``.

    Raises:
        UsageError: it is neither, the record does not wait for the job, or has gone on without it.
        QtttError: a file cannot be read.
    """
    path = Path(name)
    if path.suffix != ".job":
        record = load_record(path)
        path = path.parent / job_file(record, name)
    from circuits.backends import jobs

    with service_errors():
        sent = jobs.load(path)
    payload = sent.payload
    if payload.get("format") != _FORMAT:
        raise UsageError(f"{path} is a job, but no observation of a game")
    try:
        before = Record.parse(payload["record"])
        mode = None if payload["mode"] is None else Mode(payload["mode"])
        file = None if payload["file"] is None else path.parent / Path(payload["file"]).name
        collapsed = payload["positions"] is not None
    except (*MALFORMED, QtttError) as error:
        raise UsageError(f"the job file {path} is damaged: {error}") from error
    record = before if file is None else _waiting(file, path, before)
    return Pending(record, file, path, mode, collapsed, sent)


def job_file(record: Record, name: str) -> str:
    """The name of the job's file in a record's header.

    Raises:
        UsageError: the record has no such header, or a damaged one.
    """
    value = record.headers.get(HEADER)
    if value is None:
        raise UsageError(f"{name} waits for no job: it has no header {HEADER}")
    words = value.split(maxsplit=2)
    if len(words) != 3 or Path(words[2]).name != words[2]:
        raise UsageError(f"the header {HEADER} of {name} is not '<device> <job id> <file>'")
    return words[2]


def _waiting(file: Path, path: Path, before: Record) -> Record:
    """The record in a file, which must wait for the job and be where it was, or at the observed positions."""
    record = load_record(file)
    if HEADER not in record.headers or job_file(record, str(file)) != path.name:
        raise UsageError(f"{file} does not wait for the job in {path} (any more)")
    known = len(before.events)
    further = record.events[known:]
    if record.events[:known] != before.events or not all(isinstance(event, Positions) for event in further):
        raise UsageError(f"{file} is not the game that was sent with the job in {path}")
    return record.without_header(HEADER)


def fetch(pending: Pending, notify: "Notify", *, again: bool = False) -> "tuple[Pending, tuple[Shots, ...]]":
    """Get the shots of a pending observation, whatever happened to the process that sent it.

    Args:
        pending: what `find` found.
        notify: told what happens.
        again: send a job that never reached the service.

    Raises:
        ServiceError: the job failed or was cancelled, and the record is as it was; or the service did not
            answer.
    """
    from circuits.backends.ibm import resume

    assert pending.path is not None
    with _settled_if_ended(pending), service_errors():
        fetched = resume(pending.path, notify, resubmit=again, sleep=time.sleep)
    assert fetched.shots is not None
    return replace(pending, sent=fetched.job), fetched.shots


def free_path(file: Path | None, game: Game) -> Path:
    """Where a job's file goes: beside the record, numbered by the observation."""
    if file is None:
        # Two processes that share a folder may come here within one second.
        stem, folder = time.strftime(f"observation-%Y%m%d-%H%M%S-{os.getpid()}"), Path()
    else:
        stem, folder = f"{file.stem}-{game.state.observations + 1}", file.parent
    names = (f"{stem}{suffix}.job" for suffix in ("", *(f"-{number}" for number in range(2, 10_000))))
    return next(folder / name for name in names if not (folder / name).exists())


def describe(pending: Pending) -> dict[str, Any]:
    """What the report of an observation says of its job."""
    sent = pending.sent
    return {
        "job": None if pending.path is None else str(pending.path),
        "job_id": None if sent is None else sent.job_id,
        "quantum_seconds": None if sent is None else sent.quantum_seconds,
    }
