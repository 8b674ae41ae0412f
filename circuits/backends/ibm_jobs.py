"""A job of IBM's sampler while this process has it: started, waited for, read."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Final

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit_ibm_runtime.executor_sampler import Sampler

from circuits.backends import jobs
from circuits.backends.ibm_devices import PartialDevice, connected_qubits, on_part, used_qubits
from circuits.backends.ibm_errors import attempt, calm, scrub
from circuits.backends.ibm_transpile import SEEDS, check_compiled
from circuits.backends.jobs import Job, JobState
from circuits.backends.progress import Notify, Progress, ignore
from circuits.decoding import Shots
from circuits.errors import BackendError, BackendUsageError

_POLL: Final = (1.0, 15.0)
"""Seconds between questions about a job: at first, and at most, growing by half each time."""

_TOGETHER: Final = 6
"""Parts of a circuit that have no more qubits than this together are simulated in one run."""

FINAL: Final = frozenset({"DONE", "ERROR", "CANCELLED"})


@dataclass(frozen=True, slots=True)
class Options:
    """How a job is compiled and run.

    Attributes:
        dynamical_decoupling: fill idle times with pulses that cancel slow noise.
        twirling: randomise gates and measurements so that coherent errors average out.
        seeds: with how many seeds the compiler is run; the best result is kept.
        max_seconds: quantum seconds after which the service stops the job, or None for the service's limit.
    """

    dynamical_decoupling: bool = False
    twirling: bool = False
    seeds: int = SEEDS
    max_seconds: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Options":
        """Read options as a job file has them; unknown ones are an error.

        Raises:
            BackendUsageError: an option is unknown or has the wrong type.
        """
        allowed = {item.name: type(item.default) for item in fields(cls)}
        for key, value in data.items():
            kind = (int, type(None)) if key == "max_seconds" else (allowed.get(key, type(...)),)
            if type(value) not in kind:
                raise BackendUsageError(
                    f"the job file has an unknown or wrong option {key!r}: {str(value)[:40]!r}"
                )
        return cls(**data)


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
        self._local = _start_locally(job, device) if remote is None and device is not None else []

    def update(self, state: JobState, **changes: Any) -> None:
        """Bring the job into another state, here and in its file.

        Raises:
            BackendError: the file cannot be written.
        """
        self.job = self.job.at(state, **changes)
        if self.path is not None:
            jobs.save(self.job, self.path)

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
            results = (
                self._wait_locally(notify) if self.remote is None else self._wait(notify, timeout, sleep)
            )
            self.update(JobState.DONE, results=tuple(results))
            notify(Progress("done", job_id=self.job.job_id))
        assert self.job.results is not None
        return list(self.job.results)

    def _wait_locally(self, notify: Notify) -> list[Shots]:
        notify(Progress("running", f"simulating {self.job.backend} here", self.job.job_id))
        results = []
        with calm(notify):
            for item, task in zip(self.job.circuits, self._local, strict=True):
                try:
                    parts = [_shots(one.result()[0].data, item.circuit, self.job.shots) for one in task]
                    results.append(_joined(parts) if parts else no_bits(item.circuit, self.job.shots))
                except Exception as error:
                    reason = scrub(error)
                    self.update(JobState.FAILED, reason=reason)
                    raise BackendError(f"the simulation of {self.job.backend} failed: {reason}") from error
        return results

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
                    _shots(pub.data, item.circuit, self.job.shots)
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
        """Cancel the job. What a simulated device has begun ends by itself, and is forgotten.

        Raises:
            BackendError: the service does not cancel it, for example because it is done.
        """
        if self.remote is not None:
            attempt(self.remote.cancel, "cancelling the job")
        self.update(JobState.CANCELLED, reason="cancelled here")


def sampler_options(job: Job) -> dict[str, Any]:
    """Return a job's options as the sampler takes them."""
    options = Options.from_json(job.options)
    return {
        "dynamical_decoupling": {"enable": options.dynamical_decoupling},
        "twirling": {"enable_gates": options.twirling, "enable_measure": options.twirling},
        "environment": {"job_tags": [job.tag]},
        "max_execution_time": options.max_seconds,
    }


def local_name(job: Job) -> str:
    """Return the name of a job on a simulated device: the same whenever, and however often, it runs."""
    return f"local-{job.seed:08x}"


def _start_locally(job: Job, device: BackendV2) -> list[list[Any]]:
    """Start every circuit of a job on a simulated device: a list of tasks each, whose bits are joined by or.

    Parts that no gate connects go apart: their errors are independent in the simulation, and parts of a few
    qubits take a hundredth of the time that the whole circuit would. One without bits has nothing to run.
    """
    tasks: list[list[Any]] = []
    started = 0
    for item in job.circuits:
        own: list[Any] = []
        if item.circuit.num_clbits:
            check_compiled(item.circuit, device)
            for qubits in _groups(item.circuit):
                # In local mode the sampler gives all circuits of a job one seed, and Aer gives shot i the
                # seed plus i: a job each, with seeds further apart than the shots, keeps them independent.
                seed = (job.seed + started * (job.shots + 1)) % 2**31
                started += 1
                sampler = Sampler(mode=PartialDevice(device, qubits), options=sampler_options(job))
                sampler.options.simulator.seed_simulator = seed
                with calm():
                    own.append(sampler.run([on_part(item.circuit, qubits)], shots=job.shots))
        tasks.append(own)
    return tasks


def _groups(circuit: QuantumCircuit) -> list[list[int]]:
    """Return the qubits of the parts that are simulated apart; small ones share a run.

    A part that is never measured is left out. A circuit with an `if`, or a bit that two parts write, is one.
    """
    writers: dict[int, set[int]] = {}
    for item in circuit.data:
        for bit in item.clbits:
            places = {circuit.find_bit(qubit).index for qubit in item.qubits}
            writers.setdefault(circuit.find_bit(bit).index, set()).update(places)
    parts = [
        part for part in connected_qubits(circuit) if any(places & set(part) for places in writers.values())
    ]
    shared = any(sum(bool(places & set(part)) for part in parts) > 1 for places in writers.values())
    if shared or circuit.has_control_flow_op():
        return [used_qubits(circuit)]
    groups: list[list[int]] = []
    for part in sorted(parts, key=len, reverse=True):
        fitting = next((group for group in groups if len(group) + len(part) <= _TOGETHER), None)
        if fitting is None:
            groups.append(list(part))
        else:
            fitting.extend(part)
    return [sorted(group) for group in groups]


def nothing_sent(job: Job) -> Job | None:
    """Return a job that measures nothing as done, because there is nothing to send; None for any other."""
    if any(item.circuit.num_clbits for item in job.circuits):
        return None
    return job.at(JobState.DONE, results=tuple(no_bits(item.circuit, job.shots) for item in job.circuits))


def no_bits(circuit: QuantumCircuit, shots: int) -> Shots:
    """Return the shots of a circuit that measures nothing: whatever bits it has are 0."""
    blank = {register.name: np.zeros((shots, len(register)), dtype=np.bool_) for register in circuit.cregs}
    return Shots.from_registers(blank, shots)


def _shots(data: Any, circuit: QuantumCircuit, shots: int) -> Shots:
    """Read a sampler's result. Twirling may run a few shots more than asked for: they are left out."""
    registers = {
        register.name: np.asarray(data[register.name].to_bool_array(order="little"), dtype=np.bool_)[:shots]
        for register in circuit.cregs
    }
    return Shots.from_registers(registers, shots)


def _joined(parts: list[Shots]) -> Shots:
    """Join parts that were simulated apart: what a part does not measure reads 0 there."""
    names = ("pos", "mark", "flag")
    bits = {name: np.any(np.stack([getattr(part, name) for part in parts]), axis=0) for name in names}
    return Shots.from_registers(bits, len(parts[0]))


def service_estimate(handle: JobHandle) -> float | None:
    """Return the service's own estimate of a job's quantum seconds; no error counts, it is a courtesy."""
    try:
        with calm():
            seconds = handle.remote.usage_estimation.get("quantum_seconds")
        return None if seconds is None else float(seconds)
    except Exception:
        return None
