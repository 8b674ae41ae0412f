"""Products of gates: the same state as gate by gate, in fewer and never too wide gates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qiskit.circuit import QuantumCircuit
from qiskit.quantum_info import Operator, Statevector

from circuits.components import join_components, split
from circuits.decomposition import Step
from circuits.fusion import FUSED_QUBITS, apply_steps, fuse
from tests.circuits.boards import level_five, level_two

QUBITS = 6


@st.composite
def step(draw: st.DrawFn) -> Step:
    name = draw(st.sampled_from(["x", "h", "ry", "sdg", "cx", "cz", "swap"]))
    first, second = draw(st.permutations(range(QUBITS)))[:2]
    params = (draw(st.floats(-3, 3)),) if name == "ry" else ()
    return Step(name, params, (first, second) if name in {"cx", "cz", "swap"} else (first,))


def product(gates: QuantumCircuit) -> np.ndarray:
    return np.asarray(Operator(gates).data)


def circuit(gates: list[tuple[object, tuple[int, ...]]]) -> QuantumCircuit:
    made = QuantumCircuit(QUBITS)
    for gate, qubits in gates:
        made.append(gate, qubits)
    return made


@given(st.lists(step(), max_size=25))
def test_the_product_is_the_same(steps: list[Step]) -> None:
    fused = fuse(tuple(steps))
    assert all(len(qubits) <= FUSED_QUBITS for _, qubits in fused)
    assert len(fused) <= len(steps)
    one_by_one = product(circuit([(each.gate(), each.qubits) for each in steps]))
    assert product(circuit(list(fused))) == pytest.approx(one_by_one, abs=1e-12)


@given(st.lists(step(), max_size=12))
def test_steps_act_on_amplitudes_as_qiskit_has_it(steps: list[Step]) -> None:
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
        plain, fused = (join_components([part], fused=choice) for choice in (False, True))
        states = [Statevector(each.remove_final_measurements(inplace=False)).data for each in (plain, fused)]
        assert states[1] == pytest.approx(states[0], abs=1e-12)
        if len(part.steps) > 20:
            assert len(fuse(part.steps)) * 3 < len(part.steps)
