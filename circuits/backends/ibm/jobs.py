"""A job of IBM's sampler while this process has it: started, waited for, read."""

import time
from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from typing import Any, Final

from circuits.backends.ibm.errors import attempt, calm, scrub
from circuits.backends.ibm.simulation import shots_of
from circuits.backends.job_store import Job, JobState
from circuits.backends.local_jobs import JobHandle, no_bits
from circuits.backends.progress import Notify, Progress
from circuits.decoding import Shots
from circuits.errors import BackendError

_POLL: Final = (1.0, 15.0)
"""Seconds between questions about a job: at first, and at most, growing by half each time."""

FINAL: Final = frozenset({"DONE", "ERROR", "CANCELLED"})


class ServiceHandle(JobHandle):
    """A job of the service on its way.

    Attributes:
        remote: the client's object for it.
        service: the client's object for the account.
    """

    def __init__(self, job: Job, path: str | PathLike[str] | None, remote: Any, service: Any = None) -> None:
        super().__init__(job, path)
        self.remote = remote
        self.service = service

    def _usage(self) -> dict[str, float | None]:
        # No error counts, it is a courtesy; and the service may not have reckoned yet: then it says 0.
        used = left = None
        with suppress(Exception), calm():
            used = float(self.remote.usage()) or None
        with suppress(Exception), calm():
            left = float(self.service.usage()["usage_remaining_seconds"])
        return {"used_seconds": used, "seconds_left": left}

    def _results(self, notify: Notify, timeout: float | None, sleep: Callable[[float], None]) -> list[Shots]:
        end = None if timeout is None else time.monotonic() + timeout
        pause, longest = _POLL
        last: tuple[str, int | None] | None = None
        while (status := attempt(self.remote.status, "asking for the job", notify)) not in FINAL:
            queue = self._queue() if status == "QUEUED" else None
            if (status, queue) != last:
                last = (status, queue)
                notify(Progress("queued" if status == "QUEUED" else "running", "", self.job.job_id, queue))
            if end is not None and time.monotonic() >= end:
                raise BackendError(f"job {self.job.job_id} is not done yet: fetch it later from its job file")
            sleep(pause)
            pause = min(pause * 1.5, longest)
        try:
            result = attempt(self.remote.result, "fetching the result", notify)
        except BackendError as error:
            if status != "DONE":
                state = JobState.CANCELLED if status == "CANCELLED" else JobState.FAILED
                self.update(state, reason=str(error))
            raise
        live = [item for item in self.job.circuits if item.circuit.num_clbits]
        try:
            found = iter(
                [
                    shots_of(pub.data, item.circuit, self.job.shots)
                    for pub, item in zip(result, live, strict=True)
                ]
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise BackendError(
                f"job {self.job.job_id} has a result of an unexpected shape: {scrub(error)}"
            ) from error
        return [
            next(found) if item.circuit.num_clbits else no_bits(item.circuit, self.job.shots)
            for item in self.job.circuits
        ]

    def _queue(self) -> int | None:
        """Return how many jobs wait for the device; a retired device, or one that is silent, has no queue."""
        try:
            with calm():
                return int(self.remote.backend().status().pending_jobs)
        except Exception:
            return None

    def cancel(self) -> None:
        """Cancel the job."""
        attempt(self.remote.cancel, "cancelling the job")
        super().cancel()


def nothing_sent(job: Job) -> Job | None:
    """Return a job that measures nothing as done, because there is nothing to send; None for any other."""
    if any(item.circuit.num_clbits for item in job.circuits):
        return None
    return job.at(JobState.DONE, results=tuple(no_bits(item.circuit, job.shots) for item in job.circuits))


def service_estimate(handle: ServiceHandle) -> float | None:
    """Return the service's own estimate of a job's quantum seconds; no error counts, it is a courtesy."""
    try:
        with calm():
            seconds = handle.remote.usage_estimation.get("quantum_seconds")
        return None if seconds is None else float(seconds)
    except Exception:
        return None
