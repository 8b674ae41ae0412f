"""What simulating a circuit on this computer takes.

With noise Aer goes one of two ways. A density matrix is evolved once, and all shots are drawn from it; it
takes 4**n numbers on n qubits. Otherwise every shot is a trajectory of its own, on 2**n amplitudes, with a
random stream that starts from the seed plus the shot's number: cutting a run changes no shot then. Aer takes
the density matrix if there are more shots than amplitudes and nothing depends on a measurement.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from qiskit.circuit import ControlFlowOp, Measure, QuantumCircuit, Qubit

from circuits.backends.parts import simulated_parts

if TYPE_CHECKING:
    from circuits.backends.job_store import StoredCircuit

SHOTS_AT_ONCE: Final = 100_000
"""The most shots of one run of Aer, which spends 70 bytes and some 3 µs on each and is never interrupted."""

# Measured with Aer 0.18 on the noise of fake_torino, one processor, 4 to 20 qubits.
_PER_AMPLITUDE: Final = 7e-9
_PER_OPERATION: Final = 5e-6
_PER_SHOT: Final = 3e-6


@dataclass(frozen=True, slots=True)
class LocalCost:
    """What a simulation takes.

    Attributes:
        seconds: about how long it runs on one processor.
        longest: seconds of its longest run, which nothing interrupts.
        memory: bytes of the largest state and its shots.
    """

    seconds: float = 0.0
    longest: float = 0.0
    memory: int = 0

    def __add__(self, other: "LocalCost") -> "LocalCost":
        """Return what both take, one after the other."""
        return LocalCost(
            self.seconds + other.seconds, max(self.longest, other.longest), max(self.memory, other.memory)
        )


def simulation_cost(circuits: "Iterable[StoredCircuit]", shots: int) -> LocalCost:
    """Return what simulating so many shots of each of these circuits takes, part by part."""
    parts = [part for item in circuits for part, _ in simulated_parts(item.circuit)]
    return sum((noisy_cost(part, shots) for part in parts), LocalCost())


def noisy_cost(circuit: QuantumCircuit, shots: int) -> LocalCost:
    """Return what simulating a circuit with a device's noise takes, in runs of `SHOTS_AT_ONCE`.

    Args:
        circuit: what is run; it does something to each of its qubits.
        shots: how often.
    """
    qubits, at_once = circuit.num_qubits, min(shots, SHOTS_AT_ONCE)
    runs = -(-shots // SHOTS_AT_ONCE)
    matrix = at_once > 2**qubits and _is_drawn(circuit)
    evolution = trajectory_seconds(circuit, 2 * qubits) if matrix else trajectory_seconds(circuit, qubits)
    # The noise is made anew for each run.
    made = 0.1 + 0.03 * qubits
    each = made + evolution * (1 if matrix else at_once) + _PER_SHOT * at_once
    memory = 16 * (4 if matrix else 2) ** qubits + 70 * at_once
    return LocalCost(each * runs, each, memory)


def trajectory_seconds(circuit: QuantumCircuit, qubits: int) -> float:
    """Return about how long one shot takes that is simulated by itself, on 2**qubits amplitudes."""
    return max(1, _operations(circuit)) * (2.0**qubits * _PER_AMPLITUDE + _PER_OPERATION)


def _is_drawn(circuit: QuantumCircuit) -> bool:
    """Tell whether all shots can be drawn from one state: nothing follows a measurement."""
    measured: set[Qubit] = set()
    for item in circuit.data:
        if isinstance(item.operation, ControlFlowOp) or not measured.isdisjoint(item.qubits):
            return False
        if isinstance(item.operation, Measure):
            measured.update(item.qubits)
    return True


def _operations(circuit: QuantumCircuit) -> int:
    blocks = (
        block
        for item in circuit.data
        if isinstance(item.operation, ControlFlowOp)
        for block in item.operation.blocks
    )
    return len(circuit.data) + sum(map(_operations, blocks))
