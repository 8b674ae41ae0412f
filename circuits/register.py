"""Which qubit belongs to which square: the only place where squares turn into qubit indices.

Every square has three qubits. `occ` says whether it is occupied (1) or empty (0); `sym` which symbol it holds
(0 is X, the triangle; 1 is O, the box), and is 0 where the square is empty; `her` starts in 0 and is the
herald of the moves that only succeed with some probability: reading 1 means that the shot does not count.

Squares are numbered 1 to 9, left to right and top to bottom, as everywhere outside this module.
"""

from typing import Final

from qiskit.circuit import QuantumCircuit, QuantumRegister

from circuits.errors import SquareError

SQUARES: Final = range(1, 10)
"""The squares of the board, 1 to 9."""

NUM_QUBITS: Final = 27
"""Qubits of a whole board: occupancy, symbol and herald of nine squares."""

_REGISTERS: Final = ("occ", "sym", "her")


def _index(register: int, square: int) -> int:
    if square not in SQUARES:
        raise SquareError(f"there is no square {square!r}: squares are 1 to 9")
    return 9 * register + square - 1


def occ(square: int) -> int:
    """Return the index of the qubit that says whether `square` (1..9) is occupied, 0..8.

    Raises:
        SquareError: `square` is not on the board.
    """
    return _index(0, square)


def sym(square: int) -> int:
    """Return the index of the qubit that holds the symbol of `square` (1..9), 9..17.

    Raises:
        SquareError: `square` is not on the board.
    """
    return _index(1, square)


def her(square: int) -> int:
    """Return the index of the herald qubit of `square` (1..9), 18..26.

    Raises:
        SquareError: `square` is not on the board.
    """
    return _index(2, square)


def qubit_name(index: int) -> str:
    """Name the qubit with that index after its role and square, e.g. `'occ 5'` for 4.

    Raises:
        SquareError: the index is not one of the board's 27.
    """
    if index not in range(NUM_QUBITS):
        raise SquareError(f"there is no qubit {index!r}: a board has {NUM_QUBITS}")
    return f"{_REGISTERS[index // 9]} {index % 9 + 1}"


def board_circuit() -> QuantumCircuit:
    """Return an empty board: 27 qubits in registers `occ`, `sym` and `her` of nine each, no classical bit."""
    return QuantumCircuit(*(QuantumRegister(9, name) for name in _REGISTERS))
