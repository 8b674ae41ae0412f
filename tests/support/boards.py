"""Boards that several tests of the ground floor measure."""

from collections.abc import Sequence

from qiskit.circuit import Gate, QuantumCircuit

from circuits.gates import (
    CancellingGate,
    ClassicalGate,
    EntanglingGate,
    HalfCancellingGate,
    HalfEntanglingGate,
    ModeRotationGate,
    SuperpositionGate,
)
from circuits.measurement import Readout, measure_board
from circuits.register import board_circuit, her, occ, sym


def place(circuit: QuantumCircuit, gate: Gate, *squares: int) -> None:
    """Append a gate to the qubits of its squares, and to the first one's herald if it has five qubits."""
    qubits = [qubit for square in squares for qubit in (occ(square), sym(square))]
    circuit.append(gate, qubits + ([her(squares[0])] if gate.num_qubits == 5 else []))


def rotate(circuit: QuantumCircuit, certain: Sequence[int], halves: Sequence[int]) -> None:
    """Append the rotation that reads the rotated mode."""
    pairs = [qubit for square in halves for qubit in (occ(square), sym(square))]
    circuit.append(ModeRotationGate(len(certain), len(halves)), [*map(sym, certain), *pairs])


def level_two() -> tuple[QuantumCircuit, Readout]:
    """`1+2 1*3 4+5 4*6 7 7*8` and `2*9`: a full board of Level 2 on 18 live qubits."""
    circuit = board_circuit()
    place(circuit, SuperpositionGate("X"), 1, 2)
    place(circuit, HalfEntanglingGate("O"), 1, 3)
    place(circuit, SuperpositionGate("X"), 4, 5)
    place(circuit, HalfEntanglingGate("O"), 4, 6)
    place(circuit, ClassicalGate("X"), 7)
    place(circuit, EntanglingGate("O"), 7, 8)
    place(circuit, HalfEntanglingGate("O"), 2, 9)
    return circuit, measure_board(circuit, range(1, 10))


def level_five() -> tuple[QuantumCircuit, Readout]:
    """`1+2 1-3 4 4-5 6+7 6*8 2-9`, read in rotated mode: a full board with two heralds."""
    circuit = board_circuit()
    place(circuit, SuperpositionGate("X"), 1, 2)
    place(circuit, HalfCancellingGate("O"), 1, 3)
    place(circuit, ClassicalGate("X"), 4)
    place(circuit, CancellingGate("O"), 4, 5)
    place(circuit, SuperpositionGate("X"), 6, 7)
    place(circuit, HalfEntanglingGate("O"), 6, 8)
    place(circuit, HalfCancellingGate("O"), 2, 9)
    rotate(circuit, [5], [1, 2, 3, 6, 7, 8, 9])
    return circuit, measure_board(circuit, range(1, 10), heralds=(1, 2))
