"""Products of gates: the same state as gate by gate, in fewer and never too wide gates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qiskit.circuit import QuantumCircuit
from qiskit.quantum_info import Operator, Statevector

from circuits.components import join_components, split
from circuits.fusion import FUSED_QUBITS, fuse, fuse_components, group_neighbours
from circuits.program import GateStep, apply_steps, read_program
from tests.support.boards import level_five, level_two

QUBITS = 5


@st.composite
def step(draw: st.DrawFn) -> GateStep:
    name = draw(st.sampled_from(["x", "h", "ry", "sdg", "cx", "cz", "swap"]))
    first, second = draw(st.permutations(range(QUBITS)))[:2]
    params = (draw(st.floats(-3, 3)),) if name == "ry" else ()
    return GateStep(name, params, (first, second) if name in {"cx", "cz", "swap"} else (first,))


def product(gates: QuantumCircuit) -> np.ndarray:
    return np.asarray(Operator(gates).data)


def gates_alone(measured: QuantumCircuit) -> np.ndarray:
    """The state before the measurement, which Qiskit does not remove where it is one for all qubits."""
    gates = measured.copy_empty_like()
    gates.data = [item for item in measured.data if item.name != "measure"]
    return np.asarray(Statevector(gates).data)


def circuit(gates: list[tuple[object, tuple[int, ...]]]) -> QuantumCircuit:
    made = QuantumCircuit(QUBITS)
    for gate, qubits in gates:
        made.append(gate, qubits)
    return made


@given(st.lists(st.lists(step(), max_size=9), max_size=4), st.booleans())
def test_the_product_is_the_same(boxes: list[list[GateStep]], boxed: bool) -> None:
    plain = [circuit([(each.gate(), each.qubits) for each in steps]) for steps in boxes]
    whole = QuantumCircuit(QUBITS)
    for box in plain:
        whole.compose(box.to_gate() if boxed else box, range(QUBITS), inplace=True)
    program = read_program(whole)
    assert len(program.steps) == sum(map(len, boxes))
    fused = fuse(program.steps)
    assert all(len(qubits) <= FUSED_QUBITS for _, qubits in fused)
    assert len(fused) <= len(program.steps)
    steps = [(each.gate(), each.qubits) for each in program.steps]
    assert product(circuit(steps)) == pytest.approx(product(whole), abs=1e-12)
    assert product(circuit(list(fused))) == pytest.approx(product(whole), abs=1e-12)


@given(st.lists(step(), max_size=25), st.integers(2, 5))
def test_groups_are_connected_and_narrow_and_keep_the_order(steps: list[GateStep], width: int) -> None:
    groups = group_neighbours(steps, width)
    assert sorted(each for group in groups for each in group) == sorted(steps)
    for group in groups:
        qubits = {qubit for each in group for qubit in each.qubits}
        assert len(qubits) <= width
        reached = set(group[0].qubits)
        for _ in group:
            reached |= {q for each in group if reached & set(each.qubits) for q in each.qubits}
        assert reached == qubits
    # On every qubit the gates stay in their order.
    for qubit in range(QUBITS):
        now = [each for group in groups for each in group if qubit in each.qubits]
        assert now == [each for each in steps if qubit in each.qubits]


def test_neighbours_are_put_together() -> None:
    """As many as fit; what is too wide begins a group, behind those that it touches."""
    a, b, c = (GateStep("x", (), (qubit,)) for qubit in range(3))
    pair, away = GateStep("cx", (), (0, 1)), GateStep("cx", (), (1, 2))
    assert group_neighbours([a, b, pair], 2) == [[a, b, pair]]
    assert group_neighbours([a, b, c, pair, away], 2) == [[c], [a, b, pair], [away]]
    assert group_neighbours([a, b, c, pair, away], 3) == [[c, a, b, pair, away]]


def test_a_lone_gate_stays_itself() -> None:
    circuit = QuantumCircuit(2)
    circuit.x(1)
    ((gate, qubits),) = fuse(read_program(circuit).steps)
    assert (gate.name, qubits) == ("x", (1,))
    circuit.h(1)
    ((gate, qubits),) = fuse(read_program(circuit).steps)
    assert (gate.name, qubits) == ("unitary", (1,))


def test_a_gate_wider_than_the_groups_stays_alone() -> None:
    steps = [GateStep("x", (), (0,)), GateStep("cx", (), (0, 1)), GateStep("x", (), (1,))]
    assert group_neighbours(steps, 1) == [[step] for step in steps]


@given(st.lists(step(), max_size=12))
def test_steps_act_on_amplitudes_as_qiskit_has_it(steps: list[GateStep]) -> None:
    zero = np.zeros((2,) * QUBITS, dtype=np.complex128)
    zero[(0,) * QUBITS] = 1
    state = apply_steps(zero, steps)
    # Qiskit's index has qubit 0 as its lowest bit, an array's first axis is its highest.
    vector = state.transpose(tuple(reversed(range(QUBITS)))).ravel()
    gates = circuit([(each.gate(), each.qubits) for each in steps])
    assert vector == pytest.approx(product(gates)[:, 0], abs=1e-12)


@pytest.mark.parametrize("make", [level_two, level_five])
def test_a_board_takes_a_third_of_the_gates(make: object) -> None:
    """Told here because it is why there are products at all; what it saves is the benchmark's to tell."""
    board, _ = level_two() if make is level_two else level_five()
    for part in split(board):
        states = [gates_alone(join([part])) for join in (join_components, fuse_components)]
        assert states[1] == pytest.approx(states[0], abs=1e-12)
        if len(part.steps) > 20:
            assert len(fuse(part.steps)) * 3 < len(part.steps)
