"""Every move gate on every basis state that its precondition allows, relative phases included."""

from collections.abc import Callable, Mapping
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
from qiskit.circuit import Gate, QuantumCircuit
from qiskit.quantum_info import Operator

from circuits.errors import SquareError
from circuits.gates import (
    CANCEL_NORM,
    CancellingGate,
    ClassicalGate,
    EntanglingGate,
    HalfCancellingGate,
    HalfEntanglingGate,
    MeasureTurnGate,
    ModeRotationGate,
    SuperpositionGate,
    ViewSwitchGate,
)

Vector = npt.NDArray[np.complex128]
SYMBOLS = ("X", "O")
OTHER = {"X": "O", "O": "X"}
SIGN = {"X": 1, "O": -1}
BITS = {".": 0b00, "X": 0b01, "O": 0b11}  # occ is the lower bit
ALL_GATES: tuple[Callable[[], Gate], ...] = (
    *(lambda p=p, kind=kind: kind(p) for p in SYMBOLS for kind in (ClassicalGate, SuperpositionGate)),
    *(lambda p=p, kind=kind: kind(p) for p in SYMBOLS for kind in (EntanglingGate, HalfEntanglingGate)),
    *(lambda p=p, kind=kind: kind(p) for p in SYMBOLS for kind in (CancellingGate, HalfCancellingGate)),
    *(lambda result=result: MeasureTurnGate(result) for result in "XO."),
    *(lambda kind=kind: kind(2, 1) for kind in (ViewSwitchGate, ModeRotationGate)),
)


def vector(amplitudes: Mapping[str, float], qubits: int) -> Vector:
    """Write a state given by squares, such as {'XO': 1}, as a Qiskit vector; a last digit is the herald."""
    state = np.zeros(2**qubits, dtype=np.complex128)
    for squares, amplitude in amplitudes.items():
        places = [BITS[square] if square in BITS else int(square) for square in squares]
        state[sum(bits << 2 * number for number, bits in enumerate(places))] = amplitude
    return state


def act(gate: Gate, amplitudes: Mapping[str, float]) -> Vector:
    """Apply a gate to a state."""
    return np.asarray(Operator(gate).data @ vector(amplitudes, gate.num_qubits))


def assert_becomes(gate: Gate, before: Mapping[str, float], after: Mapping[str, float]) -> None:
    """Compare amplitudes, the overall phase included."""
    np.testing.assert_allclose(act(gate, before), vector(after, gate.num_qubits), atol=1e-14)


@pytest.mark.parametrize("result", [*SYMBOLS, "."])
def test_measure_turn(result: str) -> None:
    """The herald stays silent on what was found, and fires on everything else."""
    gate = MeasureTurnGate(result)
    assert gate.result == result
    for held in BITS:
        assert_becomes(gate, {f"{held}0": 1}, {f"{held}{int(held != result)}": 1})
    with pytest.raises(SquareError, match=r"holds 'X', 'O' or nothing \('\.'\), not '\?'"):
        MeasureTurnGate("?")


@pytest.mark.parametrize("p", SYMBOLS)
def test_classical(p: str) -> None:
    """A classical move puts the symbol there for certain."""
    assert_becomes(ClassicalGate(p), {".": 1}, {p: 1})


@pytest.mark.parametrize("p", SYMBOLS)
def test_superposition(p: str) -> None:
    """A superposition is half in each square with equal signs."""
    assert_becomes(SuperpositionGate(p), {"..": 1}, {f"{p}.": sqrt(0.5), f".{p}": sqrt(0.5)})


@pytest.mark.parametrize("p", SYMBOLS)
def test_entangling_makes_the_singlet(p: str) -> None:
    """The pair has the minus sign, q first."""
    q = OTHER[p]
    assert_becomes(EntanglingGate(p), {f"{q}.": 1}, {q + p: sqrt(0.5), p + q: -sqrt(0.5)})


@pytest.mark.parametrize("p", SYMBOLS)
def test_entangled_pair_is_opposite_after_hadamards_too(p: str) -> None:
    """Only the singlet has this property; the triplet would come out alike."""
    circuit = QuantumCircuit(4)
    circuit.append(ClassicalGate(OTHER[p]), [0, 1])
    circuit.append(EntanglingGate(p), range(4))
    circuit.append(ModeRotationGate(2, 0), [1, 3])
    probabilities = abs(Operator(circuit).data[:, 0]) ** 2
    np.testing.assert_allclose(probabilities, vector({"XO": 0.5, "OX": 0.5}, 4).real, atol=1e-14)


@pytest.mark.parametrize("p", SYMBOLS)
def test_half_entangling(p: str) -> None:
    """Each branch is right up to its own sign, which belongs to the positions and not to the symbols."""
    q, gate = OTHER[p], HalfEntanglingGate(p)
    met = act(gate, {f"{q}.": 1})
    missed = act(gate, {"..": 1})
    np.testing.assert_allclose(met, vector({q + p: sqrt(0.5), p + q: -sqrt(0.5)}, 4), atol=1e-14)
    np.testing.assert_allclose(missed, -vector({f".{p}": sqrt(0.5), f"{p}.": sqrt(0.5)}, 4), atol=1e-14)


@pytest.mark.parametrize("p", SYMBOLS)
def test_cancelling(p: str) -> None:
    """The square empties, and the next one holds a plus if X moved and a minus, X first, if O did."""
    assert_becomes(CancellingGate(p), {f"{OTHER[p]}.": 1}, {".X": sqrt(0.5), ".O": SIGN[p] * sqrt(0.5)})


@pytest.mark.parametrize("p", SYMBOLS)
def test_half_cancelling_is_the_kraus_operator_of_the_dice(p: str) -> None:
    """Herald 0 is K/n exactly, on both basis states; herald 1 is what is left of the missed branch."""
    q, gate = OTHER[p], HalfCancellingGate(p)
    t, u, v = sqrt(0.5) - 1, sqrt(0.5), 1.0
    n = sqrt(t * t + u * u + v * v)
    assert_becomes(gate, {f"{q}.0": 1}, {f"{q}.0": t / n, f".{q}0": u / n, f".{p}0": SIGN[p] * v / n})
    assert_becomes(gate, {"..0": 1}, {"..0": 1 / n, "..1": sqrt(1 - 1 / n**2)})
    assert n == pytest.approx(CANCEL_NORM, abs=1e-15)


def test_half_cancelling_keeps_the_shots_it_should() -> None:
    """One keeps 81.5 % of the shots, one on each half 63.1 %; rules.md has the position weights."""
    circuit = QuantumCircuit(10)  # squares a, b, c, d, then the heralds of a and c
    circuit.append(SuperpositionGate("X"), [0, 1, 4, 5])
    circuit.append(HalfCancellingGate("O"), [0, 1, 2, 3, 8])
    weights = abs(Operator(circuit).data[:, 0]) ** 2
    assert weights[: 2**8].sum() == pytest.approx(0.815, abs=5e-4)
    met = weights[BITS["X"]] / weights[: 2**8].sum()
    assert met == pytest.approx(0.03318, abs=5e-6)
    circuit.append(HalfCancellingGate("O"), [4, 5, 6, 7, 9])
    weights = abs(Operator(circuit).data[:, 0]) ** 2
    kept = weights[: 2**8].sum()
    assert kept == pytest.approx(0.631, abs=5e-4)
    assert weights[BITS["X"]] / kept == pytest.approx(0.02705, abs=5e-6)
    assert weights[BITS["X"] << 4] / kept == pytest.approx(0.02705, abs=5e-6)


@pytest.mark.parametrize("kind", [ViewSwitchGate, ModeRotationGate])
def test_hadamards_leave_empty_squares_alone(kind: type[ViewSwitchGate]) -> None:
    """The rotation is a Hadamard on a certain square, and on a half only where there is a piece."""
    hadamard = np.array([[1, 1], [1, -1]]) / sqrt(2)
    half = np.diag([1, 1, 1, 1]).astype(np.complex128)
    half[np.ix_([1, 3], [1, 3])] = hadamard  # occ is the lower bit and controls
    expected = np.kron(half, np.kron(hadamard, hadamard))
    np.testing.assert_allclose(Operator(kind(2, 1)).data, expected, atol=1e-14)
    np.testing.assert_allclose(Operator(kind(0, 2)).data, np.kron(half, half), atol=1e-14)


@pytest.mark.parametrize("make", ALL_GATES)
def test_definitions_inverses_and_names(make: Callable[[], Gate]) -> None:
    """All definitions stay in the basis that needs no transpiler, and the inverse undoes the gate."""
    gate = make()
    assert set(gate.definition.count_ops()) <= {"x", "h", "ry", "cx"}
    product = Operator(gate.inverse()) @ Operator(gate)
    np.testing.assert_allclose(product.data, np.eye(2**gate.num_qubits), atol=1e-14)
    assert gate.name.isidentifier()
    assert gate.label


def test_two_qubit_gates_of_the_moves() -> None:
    """What each move costs before any optimisation; cancelling a certain piece costs nothing."""
    cost = {make().name: make().definition.count_ops().get("cx", 0) for make in ALL_GATES}
    assert cost == {
        "classical_x": 0,
        "classical_o": 0,
        "superposition_x": 1,
        "superposition_o": 3,
        "entangling_x": 1,
        "entangling_o": 1,
        "half_entangling_x": 8,
        "half_entangling_o": 5,
        "cancelling_x": 0,
        "cancelling_o": 0,
        "half_cancelling_x": 5,
        "half_cancelling_o": 4,
        "found_x": 2,
        "found_o": 1,
        "found_empty": 1,
        "view_switch_2_1": 1,
        "mode_rotation_2_1": 1,
    }


def test_equality() -> None:
    """Gates are equal when their kinds and parameters are."""
    assert EntanglingGate("X") == EntanglingGate("X")
    assert EntanglingGate("X") != EntanglingGate("O")
    assert ViewSwitchGate(1, 1) == ViewSwitchGate(1, 1)
    assert ViewSwitchGate(1, 1) != ViewSwitchGate(3, 0)
    assert ViewSwitchGate(1, 1) != ModeRotationGate(1, 1)
    assert CancellingGate("O").symbol == "O"
    assert (ViewSwitchGate(2, 1).certain, ViewSwitchGate(2, 1).halves) == (2, 1)


def test_bad_parameters() -> None:
    """The message names what was wrong."""
    with pytest.raises(SquareError, match="'x' is not a symbol"):
        ClassicalGate("x")
    with pytest.raises(SquareError, match="cannot turn 0 certain squares and 0 halves"):
        ViewSwitchGate(0, 0)
    for certain, halves in ((-1, 2), (2, -1)):
        with pytest.raises(SquareError, match=f"cannot turn {certain} certain squares and {halves} halves"):
            ViewSwitchGate(certain, halves)
