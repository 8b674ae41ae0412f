"""Jobs while this process has them, and those that are simulated in it.

A simulated job lives in this process and dies with it; resuming one runs the stored circuits again with the
stored seed, which gives the same shots as long as the same versions of the simulator are installed.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from qiskit.circuit import QuantumCircuit

from circuits.backends import job_store
from circuits.backends.job_store import Job, JobState
from circuits.backends.progress import Notify, Progress, ignore
from circuits.decoding import Shots
from circuits.errors import BackendError, SimulationKilledError, one_line


class JobHandle(ABC):
    """A job on its way. All of its state that matters is in its file.

    Attributes:
        job: the job, as it is in the file.
        path: the file, or None if the caller wanted none.
    """

    def __init__(self, job: Job, path: str | PathLike[str] | None) -> None:
        self.job = job
        self.path = path

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
            sleep: how to wait between questions to a service.

        Returns:
            The shots of every circuit, in order.

        Raises:
            BackendError: the job failed or was cancelled, the service cannot be reached, or the time is over.
        """
        if self.job.results is None:
            results = tuple(self._results(notify, timeout, sleep))
            self.update(JobState.DONE, results=results, **self._usage())
            notify(Progress("done", job_id=self.job.job_id))
        assert self.job.results is not None
        return list(self.job.results)

    def cancel(self) -> None:
        """Cancel the job.

        Raises:
            BackendError: a service does not cancel it, for example because it is done.
        """
        self.update(JobState.CANCELLED, reason="cancelled here")

    def _usage(self) -> dict[str, float | None]:
        """Return what the job has used, as the job's file has it."""
        return {}

    @abstractmethod
    def _results(
        self, notify: Notify, timeout: float | None, sleep: Callable[[float], None]
    ) -> list[Shots]: ...


class LocalHandle(JobHandle):
    """A job that is simulated here, as soon as somebody waits for it."""

    def __init__(
        self, job: Job, path: str | PathLike[str] | None, simulate: Callable[[Job, Notify], list[Shots]]
    ) -> None:
        super().__init__(job, path)
        self._simulate = simulate

    def _results(self, notify: Notify, timeout: float | None, sleep: Callable[[float], None]) -> list[Shots]:
        notify(Progress("running", f"simulating {self.job.backend} here", self.job.job_id))
        try:
            return self._simulate(self.job, notify)
        except SimulationKilledError:
            # Whoever did that, or a want of memory: another time it may go well.
            raise
        except Exception as error:
            reason = one_line(error)
            self.update(JobState.FAILED, reason=reason)
            raise BackendError(f"the simulation of {self.job.backend} failed: {reason}") from error


def local_name(job: Job) -> str:
    """Return the name of a job on a simulated device: the same whenever, and however often, it runs."""
    return f"local-{job.seed:08x}"


def no_bits(circuit: QuantumCircuit, shots: int) -> Shots:
    """Return the shots of a circuit that measures nothing: whatever bits it has are 0."""
    blank = {register.name: np.zeros((shots, len(register)), dtype=np.bool_) for register in circuit.cregs}
    return Shots.from_registers(blank, shots)
