"""Circuits taken apart: whatever a gate calls itself, its definition counts."""

from math import pi

import numpy as np
import pytest
from qiskit import qasm2, qasm3
from qiskit.circuit import ClassicalRegister, Clbit, Gate, QuantumCircuit, QuantumRegister
from qiskit.quantum_info import Operator, Statevector

from circuits.components import split
from circuits.errors import CircuitShapeError
from circuits.exact import exact_distribution
from circuits.gates import EntanglingGate, HalfCancellingGate, HalfEntanglingGate, MoveGate
from circuits.measurement import measure_board
from circuits.program import GateStep, elementary_steps, read_program
from circuits.register import board_circuit
from tests.support.boards import place


def unitary(gates: QuantumCircuit) -> np.ndarray:
    return np.asarray(Operator(gates).data)


def rebuilt(gates: QuantumCircuit) -> QuantumCircuit:
    """The steps that were read, as a circuit."""
    circuit = QuantumCircuit(gates.num_qubits)
    for step in read_program(gates).steps:
        circuit.append(step.gate(), step.qubits)
    return circuit


def own_gate(name: str, *angles: float) -> Gate:
    """A gate of somebody's own: a rotation of each of its qubits, whatever it is called."""
    gate = Gate(name, len(angles), [])
    gate.definition = QuantumCircuit(len(angles))
    for qubit, angle in enumerate(angles):
        gate.definition.ry(angle, qubit)
    return gate


@pytest.mark.parametrize("name", ["x", "ry", "cx", "swap", "barrier", "measure", "own", "entangling_x"])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_gate_is_what_its_definition_says(name: str, width: int) -> None:
    """Two gates of one name and class are two gates all the same, also inside another."""
    gates = QuantumCircuit(3)
    for start in (0.3, 1.4):
        gates.append(own_gate(name, *(start + qubit for qubit in range(width))), range(width))
    whole = Gate("whole", 3, [])
    whole.definition = gates
    boxed = QuantumCircuit(3)
    boxed.append(whole, [2, 0, 1])
    for circuit in (gates, boxed):
        assert unitary(rebuilt(circuit)) == pytest.approx(unitary(circuit), abs=1e-12)


@pytest.mark.parametrize("language", [2, 3])
def test_a_program_may_define_standard_names_anew(language: int) -> None:
    """OpenQASM without its standard library lets `x` be anything, here a quarter turn."""
    own = "gate x a { U(pi/2, 0, pi) a; }"
    if language == 2:
        circuit = qasm2.loads(f"OPENQASM 2.0; {own} qreg q[1]; creg pos[1]; x q[0]; measure q -> pos;")
    else:
        circuit = qasm3.loads(f"OPENQASM 3.0; {own} qubit[1] q; bit[1] pos; x q[0]; pos = measure q;")
    gates = circuit.remove_final_measurements(inplace=False)
    assert Statevector(rebuilt(gates)).probabilities() == pytest.approx([0.5, 0.5], abs=1e-12)


def test_barriers_are_nothing_at_every_depth() -> None:
    inner = QuantumCircuit(2)
    inner.h(0)
    inner.barrier()
    inner.cx(0, 1)
    box = Gate("box", 2, [])
    box.definition = inner
    circuit = QuantumCircuit(2)
    circuit.barrier()
    circuit.append(box, [1, 0])
    assert [step.name for step in read_program(circuit).steps] == ["h", "cx"]


def test_a_move_with_another_definition_is_another_gate() -> None:
    """A fault planted in one gate shows in its circuit alone, before and after the true gate was read."""
    for _ in range(2):
        circuit = board_circuit()
        place(circuit, EntanglingGate("X"), 1, 2)
        assert sorted(step.name for step in read_program(circuit).steps) == ["cx", "ry", "x", "x"]
        wrong = EntanglingGate("X")
        wrong.definition = QuantumCircuit(4)
        wrong.definition.x(3)
        planted = board_circuit()
        place(planted, wrong, 1, 2)
        assert read_program(planted).steps == (GateStep("x", (), (10,)),)


def test_a_changed_definition_counts() -> None:
    """Also where it was changed in place, after somebody had looked at it."""
    gate = EntanglingGate("O")
    gate.definition.h(0)
    circuit = board_circuit()
    place(circuit, gate, 1, 2)
    assert sum(step.name == "h" for step in read_program(circuit).steps) == 1


def test_a_changed_class_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault planted in the class is found although the gate has been read before."""
    circuit = board_circuit()
    place(circuit, EntanglingGate("O"), 1, 2)
    true = read_program(circuit)

    def triplet(self: EntanglingGate, circuit: QuantumCircuit) -> None:
        circuit.ry(pi / 2, 1)
        circuit.x([2, 3])
        circuit.cx(1, 3)

    monkeypatch.setattr(EntanglingGate, "_build", triplet)
    again = board_circuit()
    place(again, EntanglingGate("O"), 1, 2)
    assert read_program(again).steps != true.steps


def test_a_class_may_define_itself_in_its_own_way() -> None:
    class Own(EntanglingGate):
        def _define(self) -> None:
            self.definition = QuantumCircuit(4)
            self.definition.x(2)

    circuit = board_circuit()
    place(circuit, EntanglingGate("O"), 1, 2)
    place(circuit, Own("O"), 1, 2)
    assert [step.name for step in read_program(circuit).steps].count("x") == 3


@pytest.mark.parametrize("gate", [HalfEntanglingGate("X"), HalfEntanglingGate("O"), HalfCancellingGate("X")])
def test_the_steps_are_the_move(gate: MoveGate) -> None:
    circuit = QuantumCircuit(gate.num_qubits)
    circuit.append(gate, range(gate.num_qubits))
    assert unitary(rebuilt(circuit)) == pytest.approx(unitary(circuit), abs=1e-12)
    assert tuple(elementary_steps(gate)) == read_program(circuit).steps


def test_bits_that_say_too_little() -> None:
    """A bit that is written twice, or in no register or in two, has no place on a board."""
    twice = QuantumCircuit(QuantumRegister(2), ClassicalRegister(1, "pos"))
    twice.measure(0, 0)
    twice.measure(1, 0)
    outside = QuantumCircuit(QuantumRegister(1), [Clbit()])
    outside.measure(0, 0)
    for circuit in (twice, outside):
        with pytest.raises(CircuitShapeError, match="bit outside all registers, or a second time"):
            read_program(circuit)
    bits = [Clbit(), Clbit()]
    pos, mark = ClassicalRegister(bits=bits, name="pos"), ClassicalRegister(bits=bits[1:], name="mark")
    shared = QuantumCircuit(QuantumRegister(2), bits, pos, mark)
    with pytest.raises(CircuitShapeError, match="a bit is in two registers"):
        read_program(shared)


def test_something_else_than_a_gate_inside_a_gate() -> None:
    inside = QuantumCircuit(1)
    inside.reset(0)
    circuit = QuantumCircuit(1)
    circuit.append(inside.to_instruction(), [0])
    with pytest.raises(CircuitShapeError, match="is neither a gate nor a measurement at the end"):
        read_program(circuit)
    with pytest.raises(CircuitShapeError, match="gate 'shape' has no definition in elementary gates"):
        tuple(elementary_steps(Gate("shape", 1, [])))


def test_planted_gates_reach_the_distribution() -> None:
    """What is planted in a move's definition is what the exact road computes."""
    wrong = EntanglingGate("O")
    wrong.definition = QuantumCircuit(4)
    wrong.definition.x([0, 1, 2])
    circuit = board_circuit()
    circuit.x(0)
    place(circuit, wrong, 1, 2)
    readout = measure_board(circuit, [1, 2])
    assert len(split(circuit)) == 4
    assert exact_distribution(circuit, readout).illegal == pytest.approx(1)
