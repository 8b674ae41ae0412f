"""A job of IBM's sampler while this process has it: started, waited for, read."""

import time
from collections.abc import Callable
from os import PathLike
from typing import Any, Final

from qiskit.providers import BackendV2

from circuits.backends import job_store
from circuits.backends.ibm.errors import attempt, calm, scrub
from circuits.backends.ibm.options import JobOptions
from circuits.backends.ibm.simulation import no_bits, shots_of, simulate, simulation_cost
from circuits.backends.ibm.transpile import check_compiled
from circuits.backends.job_store import Job, JobState
from circuits.backends.progress import Notify, Progress, ignore
from circuits.decoding import Shots
from circuits.errors import BackendError
from circuits.simulation_process import SimulationKilledError, simulate_apart

_POLL: Final = (1.0, 15.0)
"""Seconds between questions about a job: at first, and at most, growing by half each time."""

_HERE_SECONDS: Final = 1.2
"""A simulation with a run that takes longer has a process of its own: no run here can be interrupted."""

FINAL: Final = frozenset({"DONE", "ERROR", "CANCELLED"})


class JobHandle:
    """A job on its way. All of its state that matters is in its file.

    Attributes:
        job: the job, as it is in the file.
        path: the file, or None if the caller wanted none.
    """

    def __init__(
        self, job: Job, path: str | PathLike[str] | None, remote: Any = None, device: BackendV2 | None = None
    ) -> None:
        self.job = job
        self.path = path
        self.remote = remote
        self._device = device
        if device is not None:
            JobOptions.from_json(job.options)
            for item in job.circuits:
                if item.circuit.num_clbits:
                    check_compiled(item.circuit, device)

    def update(self, state: JobState, **changes: Any) -> None:
        """Bring the job into another state, here and in its file.

        Raises:
            BackendError: the file cannot be written.
        """
        self.job = self.job.at(state, **changes)
        if self.path is not None:
            job_store.save(self.job, self.path)

    def wait(
        self,
        notify: Notify = ignore,
        timeout: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> list[Shots]:
        """Wait for the result and put it into the file.

        Args:
            notify: told of every change of status, and of the queue.
            timeout: seconds to wait; None is for ever. A job that is not done by then goes on.
            sleep: how to wait between questions to the service.

        Returns:
            The shots of every circuit, in order.

        Raises:
            BackendError: the job failed or was cancelled, the service cannot be reached, or the time is over.
        """
        if self.job.results is None:
            if self._device is not None:
                results = self._simulate(self._device, notify)
            else:
                results = self._wait(notify, timeout, sleep)
            self.update(JobState.DONE, results=tuple(results))
            notify(Progress("done", job_id=self.job.job_id))
        assert self.job.results is not None
        return list(self.job.results)

    def _simulate(self, device: BackendV2, notify: Notify) -> list[Shots]:
        notify(Progress("running", f"simulating {self.job.backend} here", self.job.job_id))
        try:
            if simulation_cost(self.job.circuits, self.job.shots).longest > _HERE_SECONDS:
                return simulate_apart(self.job)
            with calm(notify):
                return simulate(self.job, device)
        except SimulationKilledError:
            # Whoever did that, or a want of memory: another time it may go well.
            raise
        except Exception as error:
            reason = scrub(error)
            self.update(JobState.FAILED, reason=reason)
            raise BackendError(f"the simulation of {self.job.backend} failed: {reason}") from error

    def _wait(self, notify: Notify, timeout: float | None, sleep: Callable[[float], None]) -> list[Shots]:
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
        """Cancel the job.

        Raises:
            BackendError: the service does not cancel it, for example because it is done.
        """
        if self.remote is not None:
            attempt(self.remote.cancel, "cancelling the job")
        self.update(JobState.CANCELLED, reason="cancelled here")


def local_name(job: Job) -> str:
    """Return the name of a job on a simulated device: the same whenever, and however often, it runs."""
    return f"local-{job.seed:08x}"


def nothing_sent(job: Job) -> Job | None:
    """Return a job that measures nothing as done, because there is nothing to send; None for any other."""
    if any(item.circuit.num_clbits for item in job.circuits):
        return None
    return job.at(JobState.DONE, results=tuple(no_bits(item.circuit, job.shots) for item in job.circuits))


def service_estimate(handle: JobHandle) -> float | None:
    """Return the service's own estimate of a job's quantum seconds; no error counts, it is a courtesy."""
    try:
        with calm():
            seconds = handle.remote.usage_estimation.get("quantum_seconds")
        return None if seconds is None else float(seconds)
    except Exception:
        return None
