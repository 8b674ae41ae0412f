"""Squares and qubits."""

import subprocess
import sys

import pytest

import circuits
from circuits.errors import CircuitsError, SquareError
from circuits.register import NUM_QUBITS, SQUARES, board_circuit, her, occ, qubit_name, sym


def test_every_qubit_belongs_to_one_square_and_role() -> None:
    """The three roles fill 27 indices, and the names lead back."""
    named = {index: qubit_name(index) for index in range(NUM_QUBITS)}
    for role, index in (("occ", occ), ("sym", sym), ("her", her)):
        for square in SQUARES:
            assert named.pop(index(square)) == f"{role} {square}"
    assert not named


def test_board_circuit_has_the_registers_that_the_indices_mean() -> None:
    """Index and register agree."""
    board = board_circuit()
    assert [register.name for register in board.qregs] == ["occ", "sym", "her"]
    assert (board.num_qubits, board.num_clbits, len(board.data)) == (27, 0, 0)
    assert board.qubits[sym(5)] == board.qregs[1][4]


@pytest.mark.parametrize("square", [0, 10, -1])
def test_squares_off_the_board(square: int) -> None:
    """The message names the square and the board's."""
    with pytest.raises(SquareError, match=f"there is no square {square}: squares are 1 to 9"):
        occ(square)


def test_qubits_off_the_board() -> None:
    """There is no 28th qubit."""
    with pytest.raises(SquareError, match="there is no qubit 27: a board has 27"):
        qubit_name(27)


def test_errors_are_one_tree() -> None:
    """Whoever catches `CircuitsError` catches all."""
    import circuits.errors as errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 5
    assert all(issubclass(kind, CircuitsError) for kind in kinds)


def test_the_package_is_marked_and_light() -> None:
    """Importing it loads neither Qiskit nor numpy, and tells whose it is."""
    assert circuits.CIRCUITS_OF == "tiqtaqtoe"
    heavy = ("qiskit", "qiskit_aer", "matplotlib", "numpy")
    code = f"import sys, circuits; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
