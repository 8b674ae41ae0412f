"""What every device with a `Target` of Qiskit's does alike: it compiles, reckons, and makes jobs."""

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from datetime import datetime
from os import PathLike
from statistics import median
from typing import Any

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit.transpiler import Target

from circuits.backends import job_store
from circuits.backends.base import ReadoutErrors
from circuits.backends.calibration import calibration_of
from circuits.backends.job_store import Job, JobState, StoredCircuit
from circuits.backends.local_jobs import JobHandle, LocalHandle, local_name
from circuits.backends.mitigation import readout_errors
from circuits.backends.noise import ReportedErrors, reported_errors
from circuits.backends.plans import BackendRow, Cost, Fetched, JobOptions, Prepared
from circuits.backends.progress import Notify, Progress, ignore
from circuits.backends.transpile import check_compiled, circuit_cost, compile_for, in_bases, success_log
from circuits.decoding import Shots
from circuits.errors import BackendUsageError
from circuits.measurement import REGISTER_NAMES, SYMBOLS, Readout


class TargetDevice(ABC):
    """A device (`circuits.backends.base.Device`) that Qiskit can compile for; here, one that is simulated.

    Attributes:
        name: the name by which it is found.
        device: Qiskit's object for it.
    """

    def __init__(self, name: str, device: BackendV2) -> None:
        self.name = name
        self.device = device

    @property
    def local(self) -> bool:
        """Whether its jobs run within this program."""
        return True

    def describe(self) -> BackendRow:
        """Its line in the list of backends, with the errors that its target reports."""
        target = self.device.target
        pairs: list[float] = []
        for name in target.operation_names:
            operation = target.operation_from_name(name)
            if not isinstance(operation, type) and operation.num_qubits == 2:
                pairs += _errors(target, name)
        readouts = _errors(target, "measure")
        return BackendRow(
            self.name,
            "simulated device" if self.local else "device",
            qubits=target.num_qubits,
            two_qubit_error=median(pairs) if pairs else None,
            readout_error=median(readouts) if readouts else None,
            dynamic_circuits="if_else" in target.operation_names,
            calibrated=self._calibrated(),
        )

    def _calibrated(self) -> datetime | None:
        """Return when its errors were measured; None if it does not say."""
        properties: Any = self.device.properties() if hasattr(self.device, "properties") else None
        date = getattr(properties, "last_update_date", None)
        return date if isinstance(date, datetime) else None

    @abstractmethod
    def check_dynamic(self, circuit: QuantumCircuit) -> None:
        """Refuse a circuit that acts on its own measurements in a way that the device does not."""

    @abstractmethod
    def _simulate(self, job: Job, notify: Notify) -> list[Shots]:
        """Run a job's circuits."""

    @abstractmethod
    def _seconds(self, compiled: list[QuantumCircuit], shots: int, options: JobOptions) -> tuple[float, str]:
        """Return how long a job keeps the device, and where that number comes from."""

    def _charged(self, prepared: Prepared, notify: Notify) -> Prepared:
        """Return a job with what it is charged to, and what the service says of device and account."""
        return prepared

    def _listen(self, notify: Notify) -> AbstractContextManager[None]:
        """Take what libraries would write to standard error as remarks."""
        return nullcontext()

    def compile(self, circuit: QuantumCircuit, seeds: int, first: int = 0) -> QuantumCircuit:
        """Compile a circuit as the likeliest of several to succeed."""
        with self._listen(ignore):
            return compile_for(circuit, self.device, seeds, first)

    def in_bases(
        self, compiled: QuantumCircuit, angles: Mapping[int, float], register: str = SYMBOLS
    ) -> QuantumCircuit:
        """Measure bits of a compiled coherent circuit along other axes."""
        return in_bases(compiled, self.device, angles, register)

    def merit(self, compiled: QuantumCircuit) -> float:
        """The logarithm of the probability that a shot has no fault."""
        return success_log(compiled, self.device.target)

    def readout_errors(self, compiled: QuantumCircuit) -> ReadoutErrors:
        """How each bit of a compiled circuit is misread."""
        return readout_errors(compiled, self.device, simulated=self.local)

    def reported_errors(self, compiled: QuantumCircuit) -> ReportedErrors | None:
        """The errors that it reports of a compiled circuit; None if some of them are missing."""
        return reported_errors(compiled, self.device)

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
        """Compile circuits and say what running them will cost."""
        options = options or JobOptions()
        self._check(circuits, shots)
        if (labels and len(labels) != len(circuits)) or (readouts and len(readouts) != len(circuits)):
            raise BackendUsageError("a job needs a label and a readout for every circuit, or none at all")
        warnings: list[str] = []
        dynamic = [circuit for circuit in circuits if circuit.has_control_flow_op()]
        for circuit in dynamic:
            self.check_dynamic(circuit)
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
        with self._listen(lambda news: warnings.append(news.detail)):
            ready = list(circuits)
            if not compiled:
                ready = [compile_for(circuit, self.device, options.seeds) for circuit in circuits]
            for circuit in ready:
                check_compiled(circuit, self.device)
            cost = self._cost(ready, shots, options)
        stored = tuple(
            StoredCircuit(circuit, labels[index] if labels else "", readouts[index] if readouts else None)
            for index, circuit in enumerate(ready)
        )
        prepared = self._charged(Prepared(self.name, stored, cost, options, warnings=tuple(warnings)), notify)
        return replace(prepared, warnings=tuple(dict.fromkeys(prepared.warnings)))

    def refit(self, job: Job, notify: Notify = ignore) -> Prepared:
        """Return a job that was never sent as it would be sent now, and what that costs.

        Where the device has not the gates or connections any more that the job was compiled for, all of it is
        compiled again, and a warning says so.
        """
        options = JobOptions.from_json(job.options)
        circuits = [item.circuit for item in job.circuits]
        again = []
        try:
            for circuit in circuits:
                check_compiled(circuit, self.device)
        except BackendUsageError as error:
            again.append(f"the circuits were compiled again, because by now {error}")
            with self._listen(lambda news: again.append(news.detail)):
                circuits = [compile_for(circuit, self.device, options.seeds) for circuit in circuits]
        prepared = self.prepare(
            circuits,
            job.shots,
            labels=[item.label for item in job.circuits],
            readouts=[item.readout for item in job.circuits],
            options=options,
            compiled=True,
            notify=notify,
        )
        return replace(prepared, warnings=tuple(dict.fromkeys([*again, *prepared.warnings])))

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
        seconds, basis = 0.0, "everything is certain, so nothing is measured"
        if measured := [circuit for circuit in compiled if circuit.num_clbits]:
            seconds, basis = self._seconds(measured, shots, options)
        costs = tuple(circuit_cost(circuit, self.device.target) for circuit in compiled)
        return Cost(costs, shots, seconds, basis)

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
        """Make a job and its file, and send nothing: the first half of `submit`."""
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
        if path is None:
            return job
        job = self.calibrated(job)
        job_store.save(job, path)
        return job

    def calibrated(self, job: Job) -> Job:
        """Return a job with what the device reports of its circuits now."""
        circuits = [item.circuit for item in job.circuits if item.circuit.num_clbits]
        with self._listen(ignore):
            return replace(job, calibration=calibration_of(circuits, self.device))

    def send(self, job: Job, path: str | PathLike[str] | None = None, notify: Notify = ignore) -> JobHandle:
        """Send a job that has been written down: the second half of `submit`."""
        job = job.at(JobState.SUBMITTING)
        if path is not None:
            job_store.save(job, path)
        notify(Progress("submitting", self._sending(job)))
        self._check_job(job)
        handle = LocalHandle(job.at(JobState.SUBMITTED, job_id=local_name(job)), path, self._simulate)
        handle.update(handle.job.state)
        return handle

    def _sending(self, job: Job) -> str:
        number = len(job.circuits)
        return f"{number} {'circuit' if number == 1 else 'circuits'} of {job.shots} shots to {self.name}"

    def _check_job(self, job: Job) -> None:
        """Refuse a job that is not this device's, whoever wrote its file."""
        JobOptions.from_json(job.options)
        for item in job.circuits:
            if item.circuit.num_clbits:
                check_compiled(item.circuit, self.device)

    def resume(
        self,
        job: Job,
        path: str | PathLike[str],
        notify: Notify = ignore,
        *,
        wait: bool = True,
        timeout: float | None = None,
        resubmit: Prepared | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Fetched:
        """Run a simulated job again, with its stored circuits and seed."""
        self._check_job(job)
        handle = LocalHandle(job.at(JobState.SUBMITTED, job_id=local_name(job)), path, self._simulate)
        shots = handle.wait(notify, timeout, sleep)
        return Fetched(handle.job, tuple(shots))

    def run(self, circuits: Sequence[QuantumCircuit], shots: int, rng: np.random.Generator) -> list[Shots]:
        """Compile, send and wait, without a job file: the plain backend protocol."""
        prepared = self.prepare(circuits, shots)
        return self.submit(prepared, seed=int(rng.random() * 2**31)).wait()


def _errors(target: Target, name: str) -> list[float]:
    """Return the errors that a target reports of an instruction; 1 marks a part that is out of order."""
    if name not in target.operation_names:
        return []
    found = [properties.error for properties in target[name].values() if properties is not None]
    return [error for error in found if error is not None and error < 1]
