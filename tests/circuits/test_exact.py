"""The parts of a board's state, from its circuit."""

from math import sqrt

import pytest
from qiskit.circuit import QuantumCircuit

from circuits import gates
from circuits.errors import CircuitShapeError
from circuits.exact import Part, parts
from circuits.register import board_circuit, her, occ, sym


def board(*moves: tuple[gates.MoveGate, tuple[int, ...]]) -> QuantumCircuit:
    circuit = board_circuit()
    for gate, squares in moves:
        qubits = [role(square) for square in squares for role in (occ, sym)]
        if isinstance(gate, gates.HalfCancellingGate):
            qubits.append(her(squares[0]))
        circuit.append(gate, qubits)
    return circuit


def assert_part(part: Part, squares: tuple[int, ...], amplitudes: dict[str, float]) -> None:
    assert part.squares == squares
    assert part.amplitudes == pytest.approx(amplitudes, abs=1e-12)
    assert list(part.amplitudes) == list(amplitudes)


def test_independent_squares_are_parts_of_their_own() -> None:
    circuit = board((gates.ClassicalGate("O"), (9,)), (gates.SuperpositionGate("X"), (7, 1)))
    first, second = parts(circuit, [1, 7, 9])
    assert_part(first, (1, 7), {"X.": sqrt(0.5), ".X": sqrt(0.5)})
    assert_part(second, (9,), {"O": 1.0})


def test_an_entangled_pair_is_the_singlet() -> None:
    (part,) = parts(board((gates.ClassicalGate("X"), (5,)), (gates.EntanglingGate("O"), (5, 6))), [5, 6])
    assert_part(part, (5, 6), {"XO": sqrt(0.5), "OX": -sqrt(0.5)})


def test_a_half_cancel_is_renormalised_and_tells_how_often_it_fails() -> None:
    circuit = board((gates.SuperpositionGate("X"), (1, 3)), (gates.HalfCancellingGate("O"), (1, 2)))
    (part,) = parts(circuit, [1, 2, 3], [1])
    # rules.md: P(1) = 3.318 %; P(3) = 2/5 and P(2) = 3/5 of the rest, in 2 O twice as likely as X.
    weights = {pattern: abs(value) ** 2 for pattern, value in part.amplitudes.items()}
    rest = 1 - weights["X.."]
    assert weights["X.."] == pytest.approx(0.03318, abs=5e-6)
    assert weights["..X"] == pytest.approx(0.4 * rest)
    assert weights[".X."] == pytest.approx(0.2 * rest)
    assert weights[".O."] == pytest.approx(0.4 * rest)
    assert part.amplitudes[".X."].real * part.amplitudes[".O."].real < 0
    assert part.herald_failed == pytest.approx(0.1847, abs=5e-5)


def test_a_cancelled_square_is_empty_for_certain() -> None:
    circuit = board((gates.ClassicalGate("X"), (5,)), (gates.CancellingGate("O"), (5, 6)))
    empty, minus = parts(circuit, [5, 6])
    assert_part(empty, (5,), {".": 1.0})
    assert_part(minus, (6,), {"X": sqrt(0.5), "O": -sqrt(0.5)})


def test_a_symbol_on_an_empty_square_is_refused() -> None:
    circuit = board_circuit()
    circuit.x(sym(4))
    with pytest.raises(CircuitShapeError, match="square 4 has a symbol without being occupied"):
        parts(circuit, [4])
