"""IBM's devices, real and simulated, through the sampler of IBM's client, in job mode.

    device = get_backend("fake_torino")
    prepared = device.prepare(circuits, shots=1024)      # compiled, with its cost: nothing is sent
    handle = device.submit(prepared, seed=7, path="game.job")
    shots = handle.wait(notify)      # or, in another process: circuits.backends.resume("game.job").shots

A simulated device goes the same way as a real one, sampler included.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from math import ceil
from os import PathLike
from typing import Any, Final

from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit_ibm_runtime import QiskitRuntimeService
from qiskit_ibm_runtime.executor_sampler import Sampler

from circuits.backends import job_store
from circuits.backends.ibm.accounts import account_state, connect
from circuits.backends.ibm.cost import quantum_seconds
from circuits.backends.ibm.devices import fake_device
from circuits.backends.ibm.dynamic import dynamic_check
from circuits.backends.ibm.errors import attempt, calm, scrub
from circuits.backends.ibm.jobs import FINAL, ServiceHandle, nothing_sent, service_estimate
from circuits.backends.ibm.simulation import sampler_options, simulate
from circuits.backends.ibm.simulation_process import simulate_apart
from circuits.backends.job_store import Job, JobState
from circuits.backends.local_cost import simulation_cost
from circuits.backends.local_jobs import JobHandle
from circuits.backends.plans import Fetched, JobOptions, Prepared
from circuits.backends.progress import Notify, Progress, ignore
from circuits.backends.target_device import TargetDevice
from circuits.decoding import Shots
from circuits.errors import BackendError, NeverArrivedError, UnknownBackendError

_LIMIT_FACTOR: Final = 5
_LEAST_LIMIT: Final = 30
_MOST_LIMIT: Final = 10_800
"""A job is stopped after a multiple of its estimate, in quantum seconds: at least so many, and at most the
service's own limit. So a fault cannot use up a plan."""

_IDLE: Final = ("internal", "paused")
"""What a device says of itself that takes jobs and does not run them."""

_HERE_SECONDS: Final = 1.2
"""A simulation with a run that takes longer has a process of its own: no run here can be interrupted."""


class IBMBackend(TargetDevice):
    """One device of IBM's.

    Attributes:
        name: its full name, e.g. `'ibm_torino'` or `'fake_torino'`.
        device: IBM's object for it.
    """

    def __init__(self, device: BackendV2, service: QiskitRuntimeService | None = None) -> None:
        super().__init__(device.name, device)
        self._service = service

    @property
    def local(self) -> bool:
        """Whether the device is simulated here."""
        return self._service is None

    def check_dynamic(self, circuit: QuantumCircuit) -> None:
        """Refuse a circuit that the hardware would refuse."""
        dynamic_check(circuit, self.device)

    def _listen(self, notify: Notify) -> AbstractContextManager[None]:
        return calm(notify)

    def _charged(self, prepared: Prepared, notify: Notify) -> Prepared:
        if self._service is None:
            return prepared
        state = account_state(self._service, notify)
        status = attempt(self.device.status, f"asking {self.name} how it is", notify)
        said = scrub(status.status_msg) or ("active" if status.operational else "out of operation")
        cost, warnings, obstacles = prepared.cost, list(prepared.warnings), []
        if state.warning:
            warnings.append(state.warning)
        if not status.operational or said in _IDLE:
            obstacles.append(f"{self.name} runs no jobs at present ({said})")
        if state.seconds_left is not None:
            if state.seconds_left <= 0:
                obstacles.append(f"instance {state.instance} has no quantum time left")
            elif state.seconds_left < cost.quantum_seconds:
                needed, left = f"{cost.quantum_seconds:.0f}", f"{state.seconds_left:.0f}"
                warnings.append(f"the job needs about {needed} quantum seconds and {left} are left")
        options = prepared.options
        if options.max_seconds is None:
            limit = max(_LEAST_LIMIT, ceil(_LIMIT_FACTOR * cost.quantum_seconds))
            options = replace(options, max_seconds=min(limit, _MOST_LIMIT))
        return replace(
            prepared,
            cost=replace(
                cost,
                plan=state.plan,
                instance=state.instance,
                paid=state.paid,
                seconds_left=state.seconds_left,
                status=said,
                queue=int(status.pending_jobs),
            ),
            options=options,
            instance=state.crn,
            warnings=tuple(warnings),
            # What measures nothing is not sent.
            obstacles=tuple(obstacles) if cost.quantum_seconds else (),
        )

    def _seconds(self, compiled: list[QuantumCircuit], shots: int, options: JobOptions) -> tuple[float, str]:
        executions = shots
        if options.twirling:
            # The sampler runs at least 64 shots, in at most 32 variants of a circuit, and rounds up.
            each = max(64, -(-shots // 32))
            executions = -(-shots // each) * each
        basis = "IBM's formula: 2 s a job, and delay, reset and circuit length a shot"
        if self.local:
            basis += f"; what {self.name}'s original would take, here it is free"
        return quantum_seconds(compiled, self.device, executions), basis

    def send(self, job: Job, path: str | PathLike[str] | None = None, notify: Notify = ignore) -> JobHandle:
        """Send a job that has been written down: the second half of `submit`."""
        if self._service is None:
            return super().send(job, path, notify)
        job = job.at(JobState.SUBMITTING)
        if path is not None:
            job_store.save(job, path)
        if (done := nothing_sent(job)) is not None:
            handle = ServiceHandle(done, path, remote=object())
            handle.update(done.state)
            return handle
        notify(Progress("submitting", self._sending(job)))
        self._check_job(job)
        remote = self._send_remotely(job, notify)
        handle = ServiceHandle(
            job.at(JobState.SUBMITTED, job_id=remote.job_id()), path, remote, self._service
        )
        handle.update(handle.job.state, quantum_seconds=service_estimate(handle) or job.quantum_seconds)
        return handle

    def _send_remotely(self, job: Job, notify: Notify) -> Any:
        sampler = Sampler(mode=self.device, options=sampler_options(job))
        circuits = [item.circuit for item in job.circuits if item.circuit.num_clbits]
        tried = False

        def send() -> Any:
            nonlocal tried
            # A request that seemed to fail may have arrived: ask before sending, and being charged, twice.
            if tried and (found := self._find(job)) is not None:
                return found
            tried = True
            return sampler.run(circuits, shots=job.shots)

        return attempt(send, "submitting the job", notify)

    def _find(self, job: Job) -> Any | None:
        """Return the service's job with this job's tag, if it has one."""
        assert self._service is not None
        found = self._service.jobs(limit=1, job_tags=[job.tag], instance=job.instance)
        return found[0] if found else None

    def _simulate(self, job: Job, notify: Notify) -> list[Shots]:
        if simulation_cost(job.circuits, job.shots).longest > _HERE_SECONDS:
            return simulate_apart(job)
        with calm(notify):
            return simulate(job, self.device)


def get_backend(name: str, min_qubits: int = 27, notify: Notify = ignore) -> IBMBackend:
    """Return the account's device of that name.

    Args:
        name: `'ibm_<device>'`, or `'ibm'` for the account's least busy one.
        min_qubits: how many qubits the least busy one must have; a whole board has 27.
        notify: told of retries and of the client's remarks.

    Raises:
        UnknownBackendError: there is no such device, or none with enough qubits.
        BackendError: the account or the service failed.
    """
    return _account_backend(name, None, min_qubits, notify)


def get_simulated(name: str) -> IBMBackend:
    """Return the simulated device of that name.

    Raises:
        UnknownBackendError: there is none; the message names the nearest.
    """
    return IBMBackend(fake_device(name))


def _account_backend(name: str, instance: str | None, min_qubits: int, notify: Notify) -> IBMBackend:
    service = connect(instance, notify)
    if name == "ibm":
        device = attempt(
            lambda: service.least_busy(min_num_qubits=min_qubits), "looking for the least busy device", notify
        )
    else:
        device = attempt(lambda: service.backend(name), f"looking for {name}", notify)
    return IBMBackend(device, service)


def resume(
    job: Job,
    path: str | PathLike[str],
    notify: Notify = ignore,
    *,
    wait: bool = True,
    timeout: float | None = None,
    resubmit: Prepared | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Get the result of a job of the service, also when its device is gone.

    A job is fetched by its name; one that was being sent when the process died is looked for by its tag. The
    arguments and errors are those of `circuits.backends.base.Device.resume`.
    """
    if (done := nothing_sent(job)) is not None:
        job_store.save(done, path)
        return Fetched(done, done.results)
    handle = _find_remotely(job, path, notify, resubmit)
    status = attempt(handle.remote.status, "asking for the job", notify)
    if not wait and status not in FINAL:
        return Fetched(handle.job, None)
    shots = handle.wait(notify, timeout, sleep)
    return Fetched(handle.job, tuple(shots))


def refit(job: Job, notify: Notify = ignore) -> Prepared:
    """Prepare a job that never reached the service for its device as it is today.

    Raises:
        BackendError: the device is gone, or the account or the service failed.
        BackendUsageError: the device does not take the job any more.
    """
    return _todays_device(job, notify).refit(job, notify)


def _todays_device(job: Job, notify: Notify) -> IBMBackend:
    try:
        return _account_backend(job.backend, job.instance, 1, notify)
    except UnknownBackendError as error:
        raise BackendError(f"the job never reached the service, and its device is gone: {error}") from error


def _find_remotely(
    job: Job, path: str | PathLike[str], notify: Notify, resubmit: Prepared | None
) -> ServiceHandle:
    service = connect(job.instance, notify)
    if job.job_id is not None:
        name = job.job_id
        remote = attempt(lambda: service.job(name), f"fetching job {name}", notify)
        return ServiceHandle(job, path, remote, service)
    found = attempt(
        lambda: service.jobs(limit=1, job_tags=[job.tag], instance=job.instance),
        "looking for the job",
        notify,
    )
    if found:
        handle = ServiceHandle(job, path, found[0], service)
        handle.update(JobState.SUBMITTED, job_id=found[0].job_id())
        return handle
    if resubmit is None:
        raise NeverArrivedError("the job never reached the service, so nothing was charged: submit it again")
    fitting = replace(
        job,
        circuits=resubmit.circuits,
        options=asdict(resubmit.options),
        quantum_seconds=resubmit.cost.quantum_seconds,
    )
    device = _todays_device(job, notify)
    sent = device.send(device.calibrated(fitting), path, notify)
    assert isinstance(sent, ServiceHandle)
    return sent
