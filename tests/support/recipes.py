"""The moves as they were first written down, before they were made cheaper: a yardstick for gate counts.

Each recipe does what the gate of `circuits.gates` does, with a plain Toffoli gate and controlled rotations
where that saves gates by relative phases and fresh qubits. `append_*` put one move on a board circuit.
"""

from math import acos, asin, atan2, pi, sqrt

from qiskit.circuit import QuantumCircuit

from circuits.gates import CANCEL_MOVE, CANCEL_NORM, CANCEL_STAY, CANCEL_TURN
from circuits.register import her, occ, sym


def append_superposition(circuit: QuantumCircuit, symbol: str, a: int, b: int) -> None:
    circuit.h(occ(a))
    circuit.x(occ(b))
    circuit.cx(occ(a), occ(b))
    if symbol == "O":
        circuit.cx(occ(a), sym(a))
        circuit.cx(occ(b), sym(b))


def append_entangling(circuit: QuantumCircuit, attacker: str, a: int, b: int) -> None:
    if attacker == "X":
        circuit.x(sym(a))
    _coin(circuit, a, b)
    if attacker == "X":
        circuit.x([sym(a), sym(b)])


def append_half_entangling(circuit: QuantumCircuit, attacker: str, a: int, b: int) -> None:
    if attacker == "X":
        circuit.cx(occ(a), sym(a))
    _coin(circuit, a, b)
    # Where a was empty the coin still fell: 1 means that b stays empty, as a is.
    circuit.x(occ(a))
    circuit.ccx(sym(a), occ(a), occ(b))
    circuit.x(occ(a))
    circuit.x(occ(b))
    circuit.cx(occ(b), occ(a))
    circuit.x(occ(b))
    if attacker == "X":
        circuit.cx(occ(a), sym(a))
        circuit.cx(occ(b), sym(b))


def _coin(circuit: QuantumCircuit, a: int, b: int) -> None:
    """Turn the attacked symbol, 0, into a coin, and fill b with its opposite."""
    circuit.ry(-pi / 2, sym(a))
    circuit.x([occ(b), sym(b)])
    circuit.cx(sym(a), sym(b))


def append_half_cancelling(circuit: QuantumCircuit, attacker: str, a: int, b: int) -> None:
    circuit.x(occ(a))
    circuit.cry(2 * acos(1 / CANCEL_NORM), occ(a), her(a))
    circuit.x(occ(a))
    moved = sqrt(CANCEL_MOVE**2 + CANCEL_TURN**2)
    # The amplitude to stay is negative, and so is the cosine of half this angle.
    circuit.cry(2 * (pi - asin(moved / CANCEL_NORM)), occ(a), occ(b))
    assert CANCEL_STAY < 0
    angle = atan2(CANCEL_MOVE, CANCEL_TURN) if attacker == "X" else atan2(-CANCEL_TURN, CANCEL_MOVE)
    circuit.cry(2 * angle, occ(b), sym(b))
    circuit.cx(occ(b), occ(a))
    if attacker == "X":
        circuit.cx(occ(b), sym(a))


ATTACKS = {
    (False, "entangled"): append_entangling,
    (True, "entangled"): append_half_entangling,
    (True, "cancelled"): append_half_cancelling,
}
"""How to append an attack, by whether it meets half a piece and what it does."""
