"""What a job will cost and how good its shots will be, before it is sent."""

import math
from dataclasses import dataclass
from typing import Final

from qiskit.circuit import QuantumCircuit
from qiskit.exceptions import QiskitError
from qiskit.providers import BackendV2

from circuits.backends.ibm.transpile import success_log, two_qubit_gates

OVERHEAD: Final = 2.0
"""Quantum seconds that a job takes besides its shots, as IBM's guide to workload usage has it."""

_REPETITION_DELAY: Final = 250e-6
"""Seconds between shots on most devices, for one that does not report its own."""

_LENGTH: Final = 100e-6
"""Seconds of a circuit whose instructions' lengths are not reported, the guide's upper figure."""


@dataclass(frozen=True, slots=True)
class CircuitCost:
    """One compiled circuit.

    Attributes:
        qubits: how many it acts on.
        two_qubit_gates: how many gates on two qubits it has.
        depth: its depth in the device's gates, measurement included.
        faultless: the probability that a shot has no fault at all, from the errors that the device reports.
            It bounds the fraction of usable shots from below: some faults make another possible board.
    """

    qubits: int
    two_qubit_gates: int
    depth: int
    faultless: float


@dataclass(frozen=True, slots=True)
class Cost:
    """A job.

    Attributes:
        circuits: one entry a circuit.
        shots: shots of each circuit.
        quantum_seconds: how long the device will be busy with it, estimated.
        basis: where that number comes from.
        plan: the plan that it is charged to, or None where nothing is charged.
        instance: the instance's name, or None.
        paid: whether that plan costs money; None if unknown.
    """

    circuits: tuple[CircuitCost, ...]
    shots: int
    quantum_seconds: float
    basis: str
    plan: str | None = None
    instance: str | None = None
    paid: bool | None = False

    @property
    def faultless(self) -> float:
        """The mean of the circuits' probabilities of a faultless shot; 1 if there is no circuit."""
        if not self.circuits:
            return 1.0
        return sum(circuit.faultless for circuit in self.circuits) / len(self.circuits)


def circuit_cost(circuit: QuantumCircuit, device: BackendV2) -> CircuitCost:
    """Return what a compiled circuit is like on its device."""
    live = {qubit for item in circuit.data if item.name != "barrier" for qubit in item.qubits}
    return CircuitCost(
        qubits=len(live),
        two_qubit_gates=two_qubit_gates(circuit),
        depth=circuit.depth(),
        faultless=math.exp(success_log(circuit, device.target)),
    )


def quantum_seconds(circuits: list[QuantumCircuit], device: BackendV2, executions: int) -> float:
    """Estimate how long a job keeps the device: the overhead, and every shot's delay, reset and circuit.

    This is the formula of IBM's guide; the service's own estimate is only known once the job is sent.

    Args:
        circuits: compiled circuits.
        device: the device.
        executions: shots of each circuit, those that twirling adds included.
    """
    configuration = device.configuration() if hasattr(device, "configuration") else None
    delay = getattr(configuration, "default_rep_delay", None) or _REPETITION_DELAY
    resets = device.target["reset"].values() if "reset" in device.target.operation_names else ()
    reset = max((item.duration for item in resets if item is not None and item.duration), default=0.0)
    total = OVERHEAD
    for circuit in circuits:
        try:
            length = float(circuit.estimate_duration(device.target, unit="s"))
        except QiskitError:
            # Old snapshots do not say how long their gates take, and an `if` has no fixed length.
            length = _LENGTH
        total += executions * (delay + reset + length)
    return total
