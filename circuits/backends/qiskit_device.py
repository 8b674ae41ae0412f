"""Any `BackendV2` of Qiskit's as a device: compiled for its target, run by its own `run`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from qiskit.circuit import QuantumCircuit

from circuits.backends.job_store import Job
from circuits.backends.local_jobs import no_bits
from circuits.backends.plans import JobOptions
from circuits.backends.progress import Notify, Progress
from circuits.backends.target_device import TargetDevice
from circuits.decoding import Shots
from circuits.errors import BackendError, BackendUsageError, CircuitsError, one_line
from circuits.interrupts import interrupts_held

_SEEDS: Final = ("seed_simulator", "seed")
"""What options that seed a run are called; a backend that has neither cannot be seeded."""


class QiskitDevice(TargetDevice):
    """A `BackendV2`: its errors are those of its target, and where that has none they are unknown."""

    def check_dynamic(self, circuit: QuantumCircuit) -> None:
        """Refuse a circuit with an `if` where the target has none."""
        if circuit.has_control_flow_op() and "if_else" not in self.device.target.operation_names:
            raise BackendUsageError(
                f"{self.name} cannot act on measurements within a circuit: choose one that can"
            )

    def compile(self, circuit: QuantumCircuit, seeds: int, first: int = 0) -> QuantumCircuit:
        """Compile a circuit as the likeliest of several to succeed."""
        try:
            return super().compile(circuit, seeds, first)
        except CircuitsError:
            raise
        except Exception as error:
            reason = one_line(error)
            raise BackendUsageError(f"the circuit cannot be compiled for {self.name}: {reason}") from error

    @contextmanager
    def _listen(self, notify: Notify) -> Iterator[None]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        # What would interest whoever wrote the backend is not for whoever uses it.
        for warning in caught:
            if not issubclass(warning.category, (DeprecationWarning, PendingDeprecationWarning)):
                notify(Progress("note", one_line(warning.message)))

    def _seconds(self, compiled: list[QuantumCircuit], shots: int, options: JobOptions) -> tuple[float, str]:
        return 0.0, f"how long {self.name} takes is not known"

    def _simulate(self, job: Job, notify: Notify) -> list[Shots]:
        results = []
        for number, item in enumerate(job.circuits):
            if not item.circuit.num_clbits:
                results.append(no_bits(item.circuit, job.shots))
                continue
            options: dict[str, object] = {
                name: (job.seed + number) % 2**31 for name in _SEEDS if hasattr(self.device.options, name)
            }
            with interrupts_held(), self._listen(notify):
                found = self.device.run(item.circuit, shots=job.shots, memory=True, **options).result()
                memory = found.get_memory(0)
            results.append(_shots_of(memory, item.circuit, job.shots))
        return results


def _shots_of(memory: list[str], circuit: QuantumCircuit, shots: int) -> Shots:
    """Read what Qiskit keeps of each shot: the registers last first, each with bit 0 last."""
    rows = [line.replace(" ", "")[::-1] for line in memory]
    if len(rows) != shots or any(len(row) != circuit.num_clbits or set(row) - {"0", "1"} for row in rows):
        raise BackendError(f"it gave no {shots} shots of {circuit.num_clbits} bits")
    bits = np.array([[bit == "1" for bit in row] for row in rows], dtype=np.bool_)
    registers = {
        register.name: bits[:, [circuit.find_bit(bit).index for bit in register]]
        for register in circuit.cregs
    }
    return Shots.from_registers(registers, shots)
