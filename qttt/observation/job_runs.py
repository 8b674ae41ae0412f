"""Jobs that outlive this program: on disk before anything is sent, and fetched later whatever happened.

What a job is for is its *kind*, and each kind has the command that sends it and fetches it again. The file is
one of `circuits.backends.job_store`; what has to be known besides the circuits is its payload, whose
``format`` names the kind. Everything here is the same for all kinds.
"""

import os
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar

from qttt.errors import QtttError, ServiceError, UsageError
from qttt.observation.devices import DeviceObserver, Plan

if TYPE_CHECKING:
    from circuits.backends.base import SentJob
    from circuits.backends.job_store import Job, StoredCircuit
    from circuits.backends.plans import Prepared
    from circuits.backends.progress import Notify
    from circuits.decoding import Shots

OBSERVATION: Final = "qttt observation"
BATCH: Final = "qttt observations"
CHECK: Final = "qttt check"
WITNESS: Final = "qttt witness"
KIT: Final = "qttt kit"
COMMANDS: Final = {
    OBSERVATION: "qttt observe",
    BATCH: "qttt observe",
    CHECK: "qttt check",
    WITNESS: "qttt witness",
    KIT: "qttt bench",
}
"""The command of each kind of job."""

P = TypeVar("P", bound="PendingJob")


class PendingJob(ABC):
    """A job that was, or will be, sent, and what is waiting for it.

    Attributes:
        kind: one of ``COMMANDS``.
        path: the job's file, or None if nothing has to survive this process.
        sent: the job, as far as it is known.
    """

    kind: ClassVar[str]
    path: Path | None
    sent: "Job | None"

    @abstractmethod
    def with_job(self, job: "Job") -> Self:
        """The same with what is now known of the job."""

    @abstractmethod
    def payload(self) -> dict[str, Any]:
        """What the job's file keeps besides the job, without its ``format``."""

    @abstractmethod
    def keep(self) -> None:
        """Note, wherever the result is waited for, that the job is on its way.

        Raises:
            FileError: it cannot be noted.
        """

    @abstractmethod
    def settle(self) -> None:
        """Take that note away: nothing is waited for any more."""

    @property
    def resuming(self) -> str:
        """The command line that fetches the result later."""
        return resuming(self.kind, self.path)


def resuming(kind: str, path: str | Path | None) -> str:
    """The command line that fetches the result of a job of a kind."""
    return f"{COMMANDS[kind]} --resume {shlex.quote(str(path))}"


def send(
    observer: DeviceObserver,
    plan: Plan,
    pending: P,
    seed: int,
    notify: "Notify",
) -> "tuple[P, SentJob]":
    """Send a plan's job, with everything on disk before.

    Args:
        observer: the device.
        plan: what to send.
        pending: what waits for it; its files are written.
        seed: for a simulated device.
        notify: told what happens.

    Raises:
        ServiceError: the service refused, and everything is as it was; or it did not answer, and the job's
            file is kept to find out.
        FileError: a file cannot be saved; nothing was sent.
    """
    from circuits.backends.progress import Progress
    from circuits.errors import CircuitsError, UnreachableError

    payload = {"format": pending.kind, **pending.payload()}
    # First the job's file, then the note of it, then the job: a crash in between leaves at worst a file
    # that nobody waits for, and never a job that nobody knows of.
    job = observer.backend.write_down(plan.prepared, seed, pending.path, payload)
    try:
        pending.with_job(job).keep()
    except QtttError:
        _remove(pending.path)
        raise
    if pending.path is not None:
        kept = f"the job is kept in {pending.path}; if the wait is cut short: {pending.resuming}"
        notify(Progress("note", kept))
    try:
        handle = observer.backend.send(job, pending.path, notify)
    except UnreachableError as error:
        find_out = "" if pending.path is None else f"; whether it arrived: {pending.resuming}"
        raise ServiceError(f"{error}{find_out}") from error
    except CircuitsError:
        pending.settle()
        _remove(pending.path)
        raise
    sent = pending.with_job(handle.job)
    sent.keep()
    return sent, handle


def _remove(path: Path | None) -> None:
    if path is not None:
        path.unlink(missing_ok=True)


def receive(pending: PendingJob, handle: "SentJob", notify: "Notify") -> "tuple[Shots, ...]":
    """Wait for the shots of a job that this process sent.

    Raises:
        ServiceError: the job failed or was cancelled, and what waited for it is as it was; or the service did
            not answer, and the job can be resumed.
    """
    with _settled_if_ended(pending):
        return tuple(handle.wait(notify, sleep=time.sleep))


def fetch(pending: P, notify: "Notify", *, again: "Prepared | None" = None) -> "tuple[P, tuple[Shots, ...]]":
    """Get the shots of a pending job, whatever happened to the process that sent it.

    Args:
        pending: what was found on disk.
        notify: told what happens.
        again: what to send if the job never reached the service (`circuits.backends.refit`).

    Raises:
        NeverArrivedError: it never reached the service, and there is nothing to send.
        ServiceError: the job failed or was cancelled, and what waited for it is as it was; or the service did
            not answer.
    """
    from circuits.backends import resume

    assert pending.path is not None
    with _settled_if_ended(pending):
        fetched = resume(pending.path, notify, resubmit=again, sleep=time.sleep)
    assert fetched.shots is not None
    return pending.with_job(fetched.job), fetched.shots


@contextmanager
def _settled_if_ended(pending: PendingJob) -> Iterator[None]:
    """Let nothing wait for a job that came to a bad end."""
    from circuits.errors import BackendError

    try:
        yield
    except BackendError:
        if _ended(pending.path):
            pending.settle()
        raise


def _ended(path: Path | None) -> bool:
    from circuits.backends import job_store
    from circuits.errors import CircuitsError

    if path is None:
        return False
    with suppress(CircuitsError):
        return job_store.load(path).state in (job_store.JobState.FAILED, job_store.JobState.CANCELLED)
    return False


def load_job(path: Path, *kinds: str) -> "Job":
    """Read the file of a job of one of some kinds.

    Raises:
        UsageError: it cannot be read, or is of another kind; the message names the command of that.
    """
    from circuits.backends import job_store

    job = job_store.load(path)
    found = job.payload.get("format")
    if found in kinds:
        return job
    if isinstance(found, str) and found in COMMANDS:
        raise UsageError(
            f"{path} is not a job of {COMMANDS[kinds[0]]}: fetch it with {resuming(found, path)}"
        )
    raise UsageError(f"{path} is a job, but no observation, check or witness of a game, and no kit")


def free_file(file: Path | None, what: str, purpose: str, folder: Path = Path()) -> Path:
    """A name for a job's file that nobody has.

    Args:
        file: the record's file, beside which it goes; None where there is none, or several.
        what: follows the record's name.
        purpose: stands in for the name of a record without a file.
        folder: where the job of no one record goes; by default the current one.
    """
    if file is None:
        # Two processes that share a folder may come here within one second.
        stem = time.strftime(f"{purpose}-%Y%m%d-%H%M%S-{os.getpid()}")
    else:
        stem, folder = f"{file.stem}-{what}", file.parent
    names = (f"{stem}{suffix}.job" for suffix in ("", *(f"-{number}" for number in range(2, 10_000))))
    return next(folder / name for name in names if not (folder / name).exists())


def describe(pending: PendingJob) -> dict[str, Any]:
    """What a report says of its job."""
    sent = pending.sent
    return {
        "job": None if pending.path is None else str(pending.path),
        "job_id": None if sent is None else sent.job_id,
        "quantum_seconds": None if sent is None else sent.quantum_seconds,
        "used_seconds": None if sent is None else sent.used_seconds,
        "seconds_left": None if sent is None else sent.seconds_left,
    }


def has_readouts(circuits: "Sequence[StoredCircuit]", labels: Sequence[str] | None = None) -> bool:
    """Whether every circuit says how it is read and, if labels are given, has one for itself."""
    found = [item.label for item in circuits]
    known = labels is None or (set(found) <= set(labels) and len(set(found)) == len(found))
    return known and all(item.readout is not None for item in circuits)
