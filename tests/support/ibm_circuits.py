"""Small circuits for tests of devices."""

from qiskit.circuit import ClassicalRegister, QuantumCircuit, QuantumRegister

from circuits.measurement import Readout, measure_board
from circuits.register import board_circuit, occ, sym


def pair() -> QuantumCircuit:
    """An entangled pair in squares 1 and 8, on the board's register; only the symbols are measured."""
    circuit = board_circuit()
    circuit.h(sym(1))
    circuit.cx(sym(1), sym(8))
    circuit.x(sym(8))
    mark = ClassicalRegister(2, "mark")
    circuit.add_register(mark)
    circuit.measure([sym(1), sym(8)], mark)
    return circuit


def asymmetric() -> tuple[QuantumCircuit, Readout]:
    """X for certain in square 1, O for certain in 8, and both measured."""
    circuit = board_circuit()
    circuit.x([occ(1), occ(8), sym(8)])
    return circuit, measure_board(circuit, [1, 8])


def chain(qubits: int) -> QuantumCircuit:
    """A GHZ state of so many qubits, with an angle that is no fraction of π."""
    circuit = QuantumCircuit(QuantumRegister(qubits, "q"), ClassicalRegister(qubits, "pos"))
    circuit.ry(1.2345678901234567, 0)
    for qubit in range(qubits - 1):
        circuit.cx(qubit, qubit + 1)
    circuit.measure(range(qubits), range(qubits))
    return circuit


def dynamic() -> QuantumCircuit:
    """A bit decides in the middle of the circuit what happens to the other qubit."""
    circuit = QuantumCircuit(
        QuantumRegister(2, "q"), ClassicalRegister(1, "pos"), ClassicalRegister(1, "mark")
    )
    circuit.h(0)
    circuit.measure(0, 0)
    with circuit.if_test((circuit.clbits[0], 1), label="mode of 1*2"):
        circuit.x(1)
    circuit.measure(1, 1)
    return circuit
