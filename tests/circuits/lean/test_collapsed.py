"""The circuit of the symbols once the positions are known: the odds that these leave, in few gates."""

from collections.abc import Sequence

import pytest
from qiskit.circuit import QuantumCircuit

from circuits.exact import exact_distribution
from circuits.lean import Piece, PieceError, Site, collapsed_circuit
from circuits.measurement import Bit, Known
from tests.support.lean_boards import INTERFERING, STUDIED, superposition
from tests.support.lean_reference import distribution, every_piece

MODES = ("standard", "rotated")
OBSERVED = {9: "O"}


def filled_squares(board: str) -> tuple[bool, ...]:
    return tuple(cell != "." for cell in board)


def check(pieces: Sequence[Piece], mode: str, observed: dict[int, str]) -> None:
    """Compare with the reference for every set of squares that these pieces may fill."""
    boards = distribution(list(pieces), mode, observed)
    for filled in {filled_squares(board) for board, chance in boards.items() if chance > 1e-12}:
        kept = {board: p for board, p in boards.items() if filled_squares(board) == filled and p > 1e-12}
        expected = {board: p / sum(kept.values()) for board, p in kept.items()}
        for measure_all in (False, True):
            circuit, readout = collapsed_circuit(
                pieces, filled, mode, observed=observed, measure_all=measure_all
            )
            assert exact_distribution(circuit, readout).outcomes == pytest.approx(expected)
            read = [square for square, source in enumerate(readout.symbol, 1) if isinstance(source, Bit)]
            assert circuit.num_qubits == len(read)
            assert two_qubit_gates(circuit) <= 4
            certain = [
                square
                for square in range(1, 10)
                if filled[square - 1] and len({board[square - 1] for board in expected}) == 1
            ]
            doubtful = {square for square in range(1, 10) if filled[square - 1]} - {*certain, *observed}
            # What is certain is measured only if everything is; what was observed before, never.
            assert set(read) == doubtful | (set(certain) - set(observed) if measure_all else set())


def two_qubit_gates(circuit: QuantumCircuit) -> int:
    return sum(step.operation.num_qubits == 2 for step in circuit.data)


@pytest.mark.parametrize("mode", MODES)
def test_every_piece(mode: str) -> None:
    for piece in every_piece():
        check([piece], mode, OBSERVED)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["1+3 1*2 9 3*4 5+6 7+8", "cancelled, its other half rotated, and a plus"])
def test_full_boards(name: str, mode: str) -> None:
    check((STUDIED | INTERFERING)[name], mode, {})


def test_positions_are_known_and_nothing_is_looked_for_in_empty_squares() -> None:
    filled = [square in (1, 9) for square in range(1, 10)]
    circuit, readout = collapsed_circuit([superposition("X", 1, 3)], filled, "standard", observed=OBSERVED)
    assert circuit.num_qubits == len(circuit.cregs) == 0
    assert readout.occupancy == tuple(map(Known, filled))
    assert readout.symbol == (*[Known(False)] * 8, Known(True))
    assert readout.masked


def test_what_does_not_fit_is_refused() -> None:
    piece = Piece("X", (Site(1), Site(3)))
    for there in ((), (1, 3)):
        with pytest.raises(PieceError, match=r"cannot fill exactly the squares"):
            collapsed_circuit([piece], [square in there for square in range(1, 10)], "standard")
    with pytest.raises(PieceError, match=r"squares \[5\] do not fit"):
        collapsed_circuit([piece], [square in (1, 5) for square in range(1, 10)], "standard")
    with pytest.raises(PieceError, match=r"squares \[9\] do not fit"):
        collapsed_circuit([piece], [square == 1 for square in range(1, 10)], "standard", observed=OBSERVED)
    with pytest.raises(PieceError, match="unknown mode 'sideways'"):
        collapsed_circuit([piece], [square == 1 for square in range(1, 10)], "sideways")
