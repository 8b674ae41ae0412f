"""IBM's devices, real and simulated, through the sampler of IBM's client, in job mode.

    backend = get_backend("fake_torino")
    prepared = backend.prepare(circuits, shots=1024)      # compiled, with its cost: nothing is sent
    handle = backend.submit(prepared, seed=7, path="game.job")
    shots = handle.wait(notify)                            # or, in another process: resume("game.job").shots

A simulated device goes the same way as a real one, sampler included; only its jobs live in this process and
die with it, so resuming one runs the stored circuits again with the stored seed, which gives the same shots
as long as the same versions of IBM's client and of Aer are installed.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit_ibm_runtime import QiskitRuntimeService
from qiskit_ibm_runtime.executor_sampler import Sampler

from circuits.backends import job_store
from circuits.backends.ibm.accounts import account_state, connect
from circuits.backends.ibm.cost import Cost, circuit_cost, quantum_seconds
from circuits.backends.ibm.devices import fake_device
from circuits.backends.ibm.dynamic import dynamic_check
from circuits.backends.ibm.errors import attempt, calm
from circuits.backends.ibm.jobs import (
    FINAL,
    JobHandle,
    local_name,
    nothing_sent,
    service_estimate,
)
from circuits.backends.ibm.options import JobOptions, sampler_options
from circuits.backends.ibm.transpile import check_compiled, compile_for
from circuits.backends.job_store import Job, JobState, StoredCircuit
from circuits.backends.progress import Notify, Progress, ignore
from circuits.decoding import Shots
from circuits.errors import BackendError, BackendUsageError, UnknownBackendError
from circuits.measurement import REGISTER_NAMES, Readout

__all__ = ["Fetched", "IBMBackend", "JobHandle", "JobOptions", "Prepared", "get_backend", "resume"]


@dataclass(frozen=True)
class Prepared:
    """A job that is ready to be sent.

    Attributes:
        backend: the device's full name.
        circuits: compiled circuits with the callers' labels and readouts.
        cost: what it will cost and how good it will be.
        options: how it will be run.
        instance: the CRN that it will be charged to, or None.
        warnings: what the caller should say before it sends the job, a line each.
    """

    backend: str
    circuits: tuple[StoredCircuit, ...]
    cost: Cost
    options: JobOptions = field(default_factory=JobOptions)
    instance: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def shots(self) -> int:
        """Shots of each circuit."""
        return self.cost.shots


@dataclass(frozen=True)
class Fetched:
    """What `resume` found.

    Attributes:
        job: the job as it now is on disk.
        shots: the shots of every circuit, or None if it is not done yet.
    """

    job: Job
    shots: tuple[Shots, ...] | None


class IBMBackend:
    """One device of IBM's.

    Attributes:
        name: its full name, e.g. `'ibm_torino'` or `'fake_torino'`.
        device: IBM's object for it.
    """

    def __init__(self, device: BackendV2, service: QiskitRuntimeService | None = None) -> None:
        self.name: str = device.name
        self.device = device
        self._service = service

    @property
    def local(self) -> bool:
        """Whether the device is simulated here."""
        return self._service is None

    def prepare(
        self,
        circuits: Sequence[QuantumCircuit],
        shots: int,
        *,
        labels: Sequence[str] = (),
        readouts: Sequence[Readout | None] = (),
        options: JobOptions | None = None,
        compiled: bool = False,
        notify: Notify = ignore,
    ) -> Prepared:
        """Compile circuits and say what running them will cost. Nothing is sent.

        Args:
            circuits: measured circuits whose classical registers are among `pos`, `mark` and `flag`.
            shots: shots of each.
            labels: a name for each, or none at all.
            readouts: how to read each, or none at all.
            options: how to run them.
            compiled: the circuits are in the device's own gates and qubits already, and stay as they are.
            notify: told of retries and of the client's remarks.

        Raises:
            BackendUsageError: no circuit, fewer than one shot, another register, too few qubits, or a circuit
                that the hardware would refuse.
            BackendError: the account or the service failed.
        """
        options = options or JobOptions()
        self._check(circuits, shots)
        if (labels and len(labels) != len(circuits)) or (readouts and len(readouts) != len(circuits)):
            raise BackendUsageError("a job needs a label and a readout for every circuit, or none at all")
        warnings: list[str] = []
        dynamic = [circuit for circuit in circuits if circuit.has_control_flow_op()]
        for circuit in dynamic:
            dynamic_check(circuit, self.device)
        for wanted, name in (
            (options.dynamical_decoupling, "dynamical decoupling"),
            (options.twirling, "twirling"),
        ):
            if wanted and dynamic:
                raise BackendUsageError(f"{name} cannot be combined with circuits that have an `if`")
        if self.local and (options.dynamical_decoupling or options.twirling):
            warnings.append(
                f"ignored on {self.name}: dynamical decoupling and twirling act on coherent noise, which a "
                "simulated device does not have"
            )
            options = replace(options, dynamical_decoupling=False, twirling=False)
        with calm(lambda news: warnings.append(news.detail)):
            ready = list(circuits)
            if not compiled:
                ready = [compile_for(circuit, self.device, options.seeds) for circuit in circuits]
            for circuit in ready:
                check_compiled(circuit, self.device)
            cost = self._cost(ready, shots, options)
        instance = None
        if self._service is not None:
            state = account_state(self._service, notify)
            instance = state.crn
            cost = replace(cost, plan=state.plan, instance=state.instance, paid=state.paid)
            warnings.extend([state.warning] if state.warning else [])
            if state.seconds_left is not None and 0 < state.seconds_left < cost.quantum_seconds:
                needed, left = f"{cost.quantum_seconds:.0f}", f"{state.seconds_left:.0f}"
                warnings.append(f"the job needs about {needed} quantum seconds and {left} are left")
        stored = tuple(
            StoredCircuit(circuit, labels[index] if labels else "", readouts[index] if readouts else None)
            for index, circuit in enumerate(ready)
        )
        return Prepared(self.name, stored, cost, options, instance, tuple(dict.fromkeys(warnings)))

    def _check(self, circuits: Sequence[QuantumCircuit], shots: int) -> None:
        if not circuits:
            raise BackendUsageError("a job needs at least one circuit")
        most = min(getattr(self.device, "max_shots", None) or job_store.MAX_SHOTS, job_store.MAX_SHOTS)
        if not 1 <= shots <= most:
            raise BackendUsageError(f"{self.name} runs 1 to {most} shots, not {shots}")
        for circuit in circuits:
            unknown = [register.name for register in circuit.cregs if register.name not in REGISTER_NAMES]
            if unknown:
                raise BackendUsageError(
                    f"a circuit has a register {unknown[0]!r}: only pos, mark and flag are read"
                )

    def _cost(self, compiled: list[QuantumCircuit], shots: int, options: JobOptions) -> Cost:
        executions = shots
        if options.twirling:
            # The sampler runs at least 64 shots, in at most 32 variants of a circuit, and rounds up.
            each = max(64, -(-shots // 32))
            executions = -(-shots // each) * each
        measured = [circuit for circuit in compiled if circuit.num_clbits]
        basis = "IBM's formula: 2 s a job, and delay, reset and circuit length a shot"
        if not measured:
            basis = "everything is certain, so nothing is measured"
        elif self.local:
            basis += f"; what {self.name}'s original would take, here it is free"
        return Cost(
            circuits=tuple(circuit_cost(circuit, self.device) for circuit in compiled),
            shots=shots,
            quantum_seconds=quantum_seconds(measured, self.device, executions) if measured else 0.0,
            basis=basis,
        )

    def submit(
        self,
        prepared: Prepared,
        seed: int,
        path: str | PathLike[str] | None = None,
        payload: Mapping[str, Any] | None = None,
        notify: Notify = ignore,
    ) -> JobHandle:
        """Send a job; its file is on disk before anything is sent, and knows the job's name afterwards.

        Args:
            prepared: what `prepare` returned.
            seed: 0 to 2**31 - 1; equal seeds give equal shots on a simulated device.
            path: where the job file goes, or None for no file (and no way to resume).
            payload: the caller's own data to keep in the file.
            notify: told of retries and of the client's remarks.

        Raises:
            BackendUsageError: a bad seed, another backend's job, or something that cannot be stored.
            BackendError: the file cannot be written, or the service failed.
        """
        return self.send(self.write_down(prepared, seed, path, payload), path, notify)

    def write_down(
        self,
        prepared: Prepared,
        seed: int,
        path: str | PathLike[str] | None = None,
        payload: Mapping[str, Any] | None = None,
    ) -> Job:
        """Make a job and its file, and send nothing: the first half of `submit`.

        A caller who keeps a note of the job makes it between this and `send`: then neither a note without a
        file nor a job without a note can be left by a crash.

        Args:
            prepared: what `prepare` returned.
            seed: as for `submit`, and so are `path` and `payload`.
            path: where the job file goes, or None.
            payload: the caller's own data.

        Raises:
            BackendUsageError: a bad seed, another backend's job, or something that cannot be stored.
            BackendError: the file cannot be written.
        """
        if prepared.backend != self.name:
            raise BackendUsageError(f"the job was prepared for {prepared.backend}, not for {self.name}")
        if not 0 <= seed < 2**31:
            raise BackendUsageError(f"a seed is a number from 0 to 2**31 - 1, not {seed}")
        job = Job(
            backend=self.name,
            circuits=prepared.circuits,
            shots=prepared.shots,
            seed=seed,
            tag=f"circuits-{secrets.token_hex(12)}",
            instance=prepared.instance,
            options=asdict(prepared.options),
            quantum_seconds=prepared.cost.quantum_seconds,
            payload=payload or {},
        )
        if path is not None:
            job_store.save(job, path)
        return job

    def send(self, job: Job, path: str | PathLike[str] | None = None, notify: Notify = ignore) -> JobHandle:
        """Send a job that has been written down: the second half of `submit`.

        Args:
            job: what `write_down` returned.
            path: its file, or None.
            notify: told of retries and of the client's remarks.

        Raises:
            BackendError: the file cannot be written, or the service failed.
        """
        job = job.at(JobState.SUBMITTING)
        if path is not None:
            job_store.save(job, path)
        if self._service is not None and (done := nothing_sent(job)) is not None:
            handle = JobHandle(done, path, remote=object())
            handle.update(done.state)
            return handle
        number = len(job.circuits)
        what = f"{number} {'circuit' if number == 1 else 'circuits'} of {job.shots} shots to {self.name}"
        notify(Progress("submitting", what))
        if self._service is None:
            handle = JobHandle(job.at(JobState.SUBMITTED, job_id=local_name(job)), path, device=self.device)
        else:
            remote = self._send_remotely(job, notify)
            handle = JobHandle(job.at(JobState.SUBMITTED, job_id=remote.job_id()), path, remote=remote)
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

    def run(self, circuits: Sequence[QuantumCircuit], shots: int, rng: np.random.Generator) -> list[Shots]:
        """Compile, send and wait, without a job file: the plain backend protocol.

        Raises:
            BackendUsageError: see `prepare`.
            BackendError: the service failed.
        """
        prepared = self.prepare(circuits, shots)
        return self.submit(prepared, seed=int(rng.random() * 2**31)).wait()


def get_backend(name: str, min_qubits: int = 27, notify: Notify = ignore) -> IBMBackend:
    """Return the device of that name.

    Args:
        name: `'fake_<device>'`, `'ibm_<device>'`, or `'ibm'` for the account's least busy one.
        min_qubits: how many qubits the least busy one must have; a whole board has 27.
        notify: told of retries and of the client's remarks.

    Raises:
        UnknownBackendError: there is no such device, or none with enough qubits.
        BackendError: the account or the service failed.
    """
    if name.startswith("fake_"):
        return IBMBackend(fake_device(name))
    return _account_backend(name, None, min_qubits, notify)


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
    path: str | PathLike[str],
    notify: Notify = ignore,
    *,
    wait: bool = True,
    timeout: float | None = None,
    resubmit: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Get the result of the job in a file, whatever happened to the process that sent it.

    A done job is read from the file, without a network. A job on a simulated device runs again, with its
    stored circuits and seed. A job of the service is fetched by its name, also when its device is gone; one
    that was being sent when the process died is looked for by its tag.

    Args:
        path: the job file.
        notify: told of progress.
        wait: whether to wait for a job that is not done.
        timeout: seconds to wait at most.
        resubmit: send a job that never reached the service, instead of saying so.
        sleep: how to wait between questions to the service.

    Raises:
        BackendUsageError: the file is not a valid job file.
        UnknownBackendError: the simulated device no longer exists.
        BackendError: the job failed, was cancelled, is unknown or never arrived, or the service failed.
    """
    job = job_store.load(path)
    if job.state is JobState.DONE:
        return Fetched(job, job.results)
    if job.state in (JobState.FAILED, JobState.CANCELLED):
        raise BackendError(f"the job {job.state}: {job.reason or 'no reason was given'}")
    if job.backend.startswith("fake_"):
        job = job.at(JobState.SUBMITTED, job_id=local_name(job))
        handle = JobHandle(job, path, device=fake_device(job.backend))
    elif (done := nothing_sent(job)) is not None:
        job_store.save(done, path)
        return Fetched(done, done.results)
    else:
        handle = _find_remotely(job, path, notify, resubmit)
        status = attempt(handle.remote.status, "asking for the job", notify)
        if not wait and status not in FINAL:
            return Fetched(handle.job, None)
    shots = handle.wait(notify, timeout, sleep)
    return Fetched(handle.job, tuple(shots))


def _find_remotely(job: Job, path: str | PathLike[str], notify: Notify, resubmit: bool) -> JobHandle:
    service = connect(job.instance, notify)
    if job.job_id is not None:
        name = job.job_id
        return JobHandle(job, path, remote=attempt(lambda: service.job(name), f"fetching job {name}", notify))
    found = attempt(
        lambda: service.jobs(limit=1, job_tags=[job.tag], instance=job.instance),
        "looking for the job",
        notify,
    )
    if found:
        handle = JobHandle(job, path, remote=found[0])
        handle.update(JobState.SUBMITTED, job_id=found[0].job_id())
        return handle
    if not resubmit:
        raise BackendError("the job never reached the service, so nothing was charged: submit it again")
    try:
        backend = _account_backend(job.backend, job.instance, 1, notify)
    except UnknownBackendError as error:
        raise BackendError(f"the job never reached the service, and its device is gone: {error}") from error
    return backend.send(job, path, notify)
