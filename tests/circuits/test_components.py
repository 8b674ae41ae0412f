"""The split into independent components, and exact distributions, against one state vector of everything."""

from collections import defaultdict
from dataclasses import replace
from math import cos, sin, sqrt

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, Parameter, QuantumCircuit
from qiskit.quantum_info import Statevector

from circuits.components import Component, join_components, split
from circuits.errors import CircuitShapeError
from circuits.exact import exact_distribution
from circuits.gates import (
    ClassicalGate,
    EntanglingGate,
    HalfCancellingGate,
    HalfEntanglingGate,
    SuperpositionGate,
    ViewSwitchGate,
)
from circuits.measurement import Bit, Known, Readout, measure_board
from circuits.program import ELEMENTARY, GateStep, read_program
from circuits.register import board_circuit, her, occ, sym
from tests.support.boards import level_five, level_two, place, rotate


def by_one_state(circuit: QuantumCircuit, squares: list[int]) -> tuple[dict[str, float], float]:
    """Return boards and herald failures from a single state of all live qubits; heralds are its last ones."""
    live = sorted({circuit.find_bit(qubit).index for item in circuit.data for qubit in item.qubits})
    gates = QuantumCircuit(len(live))
    for item in circuit.data:
        if item.name != "measure":
            gates.append(item.operation, [live.index(circuit.find_bit(qubit).index) for qubit in item.qubits])
    weights = Statevector(gates).probabilities()
    heralds = sum(index >= 18 for index in live)
    kept = weights[: len(weights) >> heralds]
    outcomes: dict[str, float] = defaultdict(float)
    for state in np.flatnonzero(kept > 1e-15).tolist():
        board = ["."] * 9
        for square in squares:
            full, second = (bool(state >> live.index(role(square)) & 1) for role in (occ, sym))
            assert full or not second, "a symbol on an empty square"
            board[square - 1] = "." if not full else "O" if second else "X"
        outcomes["".join(board)] += kept[state] / kept.sum()
    return outcomes, 1 - float(kept.sum())


@pytest.mark.parametrize("make", [level_two, pytest.param(level_five, marks=pytest.mark.slow)])
def test_exact_distribution_of_full_boards(make: object) -> None:
    """The product of the components is the whole."""
    circuit, readout = level_two() if make is level_two else level_five()
    outcomes, failed = by_one_state(circuit, list(range(1, 10)))
    exact = exact_distribution(circuit, readout)
    assert exact.outcomes == pytest.approx(outcomes, abs=1e-12)
    assert sum(exact.outcomes.values()) == pytest.approx(1, abs=1e-12)
    assert exact.herald_failed == pytest.approx(failed, abs=1e-12)
    assert exact.illegal == 0
    if make is level_five:
        assert 1 - failed == pytest.approx(0.631, abs=5e-4)


@pytest.mark.parametrize(
    ("rotated", "expected"),
    [
        (False, {"..X": 0.3867, ".O.": 0.3867, ".X.": 0.1934, "X..": 0.0332}),
        (True, {".O.": 0.5635, "..X": 0.1934, "..O": 0.1934, ".X.": 0.0166, "X..": 0.0166, "O..": 0.0166}),
    ],
)
def test_half_cancel_of_physics_md(rotated: bool, expected: dict[str, float]) -> None:
    """`1+3 1-2`, with the numbers of physics.md."""
    circuit = board_circuit()
    place(circuit, SuperpositionGate("X"), 1, 3)
    place(circuit, HalfCancellingGate("O"), 1, 2)
    if rotated:
        rotate(circuit, [], [1, 2, 3])
    exact = exact_distribution(circuit, measure_board(circuit, [1, 2, 3], [1]))
    assert exact.outcomes == pytest.approx({board + "." * 6: p for board, p in expected.items()}, abs=5e-5)


def test_two_roots_of_physics_md() -> None:
    """`1+3 1*2 9 3-4`: eight boards, two of them .1934."""
    circuit = board_circuit()
    place(circuit, SuperpositionGate("X"), 1, 3)
    place(circuit, HalfEntanglingGate("O"), 1, 2)
    place(circuit, HalfCancellingGate("O"), 3, 4)
    exact = exact_distribution(circuit, measure_board(circuit, [1, 2, 3, 4], [3], known={9: "X"}))
    assert len(exact.outcomes) == 8
    for board in ("OX......X", "XO......X"):
        assert exact.outcomes[board] == pytest.approx(0.1934, abs=5e-5)


def test_components_of_a_level_two_board() -> None:
    """Roots, and single qubits where nothing was ever entangled."""
    circuit, _ = level_two()
    components = split(circuit)
    assert sorted(len(component.qubits) for component in components) == [1, 1, 1, 2, 5, 8]
    root = next(component for component in components if len(component.qubits) == 8)
    squares = {square for square in range(1, 10) if occ(square) in root.qubits}
    assert squares == {1, 2, 3, 9}
    targets = [target for component in components for target in component.targets]
    assert sorted(targets) == sorted((name, bit) for name in ("pos", "mark") for bit in range(9))


def test_a_component_is_a_circuit_of_its_own() -> None:
    """It has its own qubits, elementary gates, and a bit a measurement."""
    circuit = board_circuit()
    place(circuit, ClassicalGate("O"), 8)
    place(circuit, EntanglingGate("X"), 8, 3)
    measure_board(circuit, [3, 8])
    pair = next(part for part in split(circuit) if sym(8) in part.qubits)
    assert isinstance(pair, Component)
    assert pair.qubits == (sym(8), sym(3))
    own = join_components([pair])
    assert (own.num_qubits, own.num_clbits, own.count_ops()["measure"]) == (2, 2, 2)
    amplitudes = Statevector(own.remove_final_measurements(inplace=False)).data
    assert abs(amplitudes) ** 2 == pytest.approx([0, 0.5, 0.5, 0], abs=1e-14)
    assert dict(zip(pair.targets, pair.measured, strict=True)) == {("mark", 0): 1, ("mark", 1): 0}


def test_what_is_not_measured_is_summed_over() -> None:
    """Leaving out the symbols gives the positions; a component without a measurement disappears."""
    circuit = board_circuit()
    place(circuit, SuperpositionGate("O"), 1, 2)
    place(circuit, SuperpositionGate("X"), 8, 9)
    circuit.add_register(ClassicalRegister(2, "pos"))
    circuit.measure([occ(1), occ(2)], [0, 1])
    assert [set(part.qubits) for part in split(circuit)] == [{occ(1), sym(1), occ(2), sym(2)}]
    readout = Readout((Bit(0), Bit(1), *[Known(False)] * 7), (Known(False),) * 9)
    half = {"X........": 0.5, ".X.......": 0.5}
    assert exact_distribution(circuit, readout).outcomes == pytest.approx(half)


def test_illegal_and_heralds_of_a_wrong_circuit() -> None:
    """A symbol on an empty square is illegal unless masked; where a herald fired it is not counted again."""
    circuit = QuantumCircuit(27)
    circuit.ry(2 * np.arcsin(sqrt(0.3)), sym(1))
    circuit.x(occ(2))
    circuit.ry(2 * np.arcsin(sqrt(0.2)), her(3))
    circuit.ry(2 * np.arcsin(sqrt(0.1)), her(4))
    readout = measure_board(circuit, [1, 2], [3, 4])
    exact = exact_distribution(circuit, readout)
    assert exact.herald_failed == pytest.approx(1 - 0.8 * 0.9)
    assert exact.illegal == pytest.approx(0.8 * 0.9 * 0.3)
    assert exact.outcomes == {".X.......": pytest.approx(1)}
    masked = exact_distribution(circuit, Readout(readout.occupancy, readout.symbol, readout.heralds, True))
    assert masked.illegal == 0
    assert masked.outcomes == {".X.......": pytest.approx(1)}


def test_shared_symbol_bits_are_not_masked_away() -> None:
    """A symbol bit that two squares read must keep its value where either of them is filled."""
    circuit = QuantumCircuit(4)
    circuit.h([0, 2])
    circuit.cx(0, 1)
    circuit.x(1)
    circuit.cx(2, 3)
    circuit.cz(0, 2)  # changes no result, but makes one component of it
    for name, qubits in (("pos", [0, 1]), ("mark", [3])):
        circuit.add_register(ClassicalRegister(len(qubits), name))
        circuit.measure(qubits, circuit.cregs[-1])
    empty = [Known(False)] * 7
    readout = Readout((Bit(0), Bit(1), *empty), (Bit(0), Bit(0), *empty), masked=True)
    quarters = {board + "." * 7: 0.25 for board in ("X.", "O.", ".X", ".O")}
    assert exact_distribution(circuit, readout).outcomes == pytest.approx(quarters)


def test_a_known_board_has_one_outcome() -> None:
    """Nothing is measured, nothing is in doubt."""
    circuit = board_circuit()
    exact = exact_distribution(circuit, measure_board(circuit, (), known={5: "O"}))
    assert exact.outcomes == {"....O....": 1}
    assert (exact.herald_failed, exact.illegal) == (0, 0)


def test_every_elementary_gate_and_any_block() -> None:
    """Gates with angles, gates that treat their qubits differently, blocks in blocks, and open controls."""
    inner = QuantumCircuit(3, name="inner")
    inner.append(ViewSwitchGate(1, 1), [2, 0, 1])
    inner.ccx(2, 0, 1)
    circuit = QuantumCircuit(4)
    for seed, name in enumerate(sorted(ELEMENTARY)):
        angles = {"p": 1, "rx": 1, "ry": 1, "rz": 1, "u": 3}.get(name, 0)
        qubits = [(seed * 3 + number * 5) % 4 for number in range(2 if name in ("cx", "cz", "swap") else 1)]
        circuit.append(
            GateStep(name, tuple(0.3 + seed + number for number in range(angles)), ()).gate(), qubits
        )
        circuit.ry(0.4 + seed, seed % 4)
        circuit.cx(seed % 4, (seed + 1) % 4)
    circuit.append(inner.to_gate(), [3, 1, 0])
    circuit.cx(3, 2, ctrl_state=0)
    expected = Statevector(circuit).probabilities()
    circuit.add_register(ClassicalRegister(4, "pos"))
    circuit.barrier()
    circuit.measure(range(4), range(4))
    readout = Readout((*map(Bit, range(4)), *[Known(False)] * 5), (Known(False),) * 9)
    found = exact_distribution(circuit, readout).outcomes
    for state, probability in enumerate(expected):
        board = "".join("X" if state >> square & 1 else "." for square in range(4)) + "....."
        assert found.get(board, 0) == pytest.approx(probability, abs=1e-13)


def test_circuits_of_another_shape() -> None:
    """Each refusal says what it met."""
    circuit = QuantumCircuit(1, 1)
    circuit.measure(0, 0)
    with pytest.raises(CircuitShapeError, match="bit outside all registers, or a second time"):
        read_program(QuantumCircuit(circuit.qubits, circuit.clbits).compose(circuit))
    circuit.x(0)
    with pytest.raises(CircuitShapeError, match="gate 'x' acts on a qubit that has been measured"):
        read_program(circuit)
    reset = QuantumCircuit(1)
    reset.reset(0)
    with pytest.raises(CircuitShapeError, match="'reset' is neither a gate nor a measurement at the end"):
        read_program(reset)
    free = QuantumCircuit(1)
    free.ry(Parameter("t"), 0)
    with pytest.raises(CircuitShapeError, match=r"gate 'ry' has an angle without a value"):
        read_program(free)
    with pytest.raises(CircuitShapeError, match="registers pos, mark, flag, not c"):
        exact_distribution(QuantumCircuit(1, 1), Readout((Known(False),) * 9, (Known(False),) * 9))
    large = QuantumCircuit(25)
    large.cx(range(24), range(1, 25))
    large.add_register(ClassicalRegister(1, "pos"))
    large.measure(0, 0)
    with pytest.raises(CircuitShapeError, match="too large: only 22 qubits can be held at once"):
        exact_distribution(large, Readout((Bit(0), *[Known(False)] * 8), (Known(False),) * 9))


def test_rare_boards_are_boards() -> None:
    """Down to probabilities that nobody will ever see."""
    circuit = QuantumCircuit(1)
    circuit.ry(2e-6, 0)
    circuit.add_register(ClassicalRegister(1, "pos"))
    circuit.measure(0, 0)
    readout = Readout((Bit(0), *[Known(False)] * 8), (Known(False),) * 9)
    assert exact_distribution(circuit, readout).outcomes["X........"] == pytest.approx(1e-12, rel=1e-6)


def test_a_qubit_measured_twice_reads_the_same() -> None:
    circuit = QuantumCircuit(1)
    circuit.ry(1, 0)
    circuit.add_register(ClassicalRegister(2, "pos"), ClassicalRegister(1, "mark"))
    circuit.measure([0, 0, 0], range(3))
    readout = Readout((Bit(0), Bit(1), *[Known(False)] * 7), (Bit(0), *[Known(False)] * 8), masked=True)
    exact = exact_distribution(circuit, readout)
    assert exact.outcomes == pytest.approx({".........": cos(0.5) ** 2, "OX.......": sin(0.5) ** 2})


def test_a_herald_may_fire_always_or_never_or_be_read_twice() -> None:
    circuit = board_circuit()
    circuit.h(occ(1))
    readout = measure_board(circuit, [1], [1])
    assert exact_distribution(circuit, readout).outcomes == pytest.approx(
        {".........": 0.5, "X........": 0.5}
    )
    fires = board_circuit()
    fires.h(occ(1))
    fires.x(her(1))
    exact = exact_distribution(fires, measure_board(fires, [1], [1]))
    assert (exact.outcomes, exact.herald_failed) == ({}, 1)
    both = QuantumCircuit(1)
    both.ry(1, 0)
    both.add_register(ClassicalRegister(1, "pos"), ClassicalRegister(1, "flag"))
    both.measure([0, 0], range(2))
    exact = exact_distribution(
        both, Readout((Bit(0), *[Known(False)] * 8), (Known(False),) * 9, heralds=(1,))
    )
    assert exact.outcomes == {".........": 1}
    assert exact.herald_failed == pytest.approx(sin(0.5) ** 2)


def test_a_symbol_on_an_empty_square_is_illegal_only_where_it_is_strict() -> None:
    """Within one component too: the symbol is 1 exactly where the square is empty."""
    circuit = board_circuit()
    circuit.h(occ(1))
    circuit.cx(occ(1), sym(1))
    circuit.x(sym(1))
    strict = measure_board(circuit, [1])
    exact = exact_distribution(circuit, strict)
    assert exact.outcomes == pytest.approx({"X........": 1})
    assert exact.illegal == pytest.approx(0.5)
    exact = exact_distribution(circuit, replace(strict, masked=True))
    assert exact.outcomes == pytest.approx({"X........": 0.5, ".........": 0.5})
    assert exact.illegal == 0
