"""Gates multiplied together before they go to a simulator: fewer and wider gates, the same state.

On boards of ten qubits a simulator spends most of its time on taking instructions in, some 10 µs each, and
next to none on the state. A move is a dozen elementary gates on four qubits; multiplied together they are one
unitary, and equal products are worked out once.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from qiskit.circuit import Gate
from qiskit.circuit.library import UnitaryGate

from circuits.program import PART_QUBITS, GateStep, Placed, neighbours

FUSED_QUBITS: Final = PART_QUBITS
"""How wide a product may be: a move acts on four qubits, and five make Aer slower again."""


@lru_cache(maxsize=1024)
def elementary_gate(name: str, params: tuple[float, ...]) -> Gate:
    """Return the gate of a step, the same object every time."""
    return GateStep(name, params, ()).gate()


@lru_cache(maxsize=1024)
def elementary_matrix(name: str, params: tuple[float, ...]) -> npt.NDArray[np.complex128]:
    """Return the matrix of a step, its first qubit being the lowest bit of the index."""
    return np.asarray(elementary_gate(name, params).to_matrix(), dtype=np.complex128)


def apply_steps(state: npt.NDArray[np.complex128], steps: Iterable[GateStep]) -> npt.NDArray[np.complex128]:
    """Apply gates to amplitudes.

    Args:
        state: an array with one axis of length 2 a qubit, qubit i being axis i, and any axes after those.
        steps: gates on these qubits, in order.

    Returns:
        An array of the same shape.
    """
    for name, params, qubits in steps:
        # The first qubit of a gate is the lowest bit of its matrix's index.
        axes = [*reversed(qubits), *(axis for axis in range(state.ndim) if axis not in qubits)]
        moved = state.transpose(axes)
        product = elementary_matrix(name, params) @ moved.reshape(2 ** len(qubits), -1)
        state = product.reshape(moved.shape).transpose(np.argsort(axes))
    return state


class Fused(NamedTuple):
    """A gate that stands for one or more parts, and the qubits it acts on."""

    gate: Gate
    qubits: tuple[int, ...]


@lru_cache(maxsize=4096)
def _product(num_qubits: int, parts: tuple[Placed, ...]) -> UnitaryGate:
    columns = np.eye(2**num_qubits, dtype=np.complex128)
    # Read as a tensor, the highest bit of a matrix's index comes first.
    rows = columns.reshape((2,) * num_qubits + (-1,)).transpose([*reversed(range(num_qubits)), num_qubits])
    for part in parts:
        rows = apply_steps(rows, part.steps())
    matrix = rows.transpose([*reversed(range(num_qubits)), num_qubits]).reshape(columns.shape)
    return UnitaryGate(matrix, check_input=False)


def _gate(qubits: frozenset[int], parts: list[Placed]) -> Fused:
    if len(parts) == 1 and len(parts[0].part.steps) == 1:
        (step,) = parts[0].steps()
        return Fused(elementary_gate(step.name, step.params), step.qubits)
    order = tuple(sorted(qubits))
    place = {qubit: number for number, qubit in enumerate(order)}
    moved = tuple([Placed(part, tuple([place[qubit] for qubit in on])) for part, on in parts])
    return Fused(_product(len(order), moved), order)


@lru_cache(maxsize=4096)
def fuse(parts: tuple[Placed, ...]) -> tuple[Fused, ...]:
    """Multiply neighbouring parts of gates together, up to `FUSED_QUBITS` qubits wide.

    Args:
        parts: of gates, in order.

    Returns:
        Gates with the same product, in order.
    """
    return tuple([_gate(qubits, group) for qubits, group in neighbours(parts, FUSED_QUBITS)])
