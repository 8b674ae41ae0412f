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

from circuits.decomposition import Step

FUSED_QUBITS: Final = 4
"""How wide a product may be: a move acts on four qubits, and five make Aer slower again."""


@lru_cache(maxsize=1024)
def elementary_gate(name: str, params: tuple[float, ...]) -> Gate:
    """Return the gate of a step, the same object every time."""
    return Step(name, params, ()).gate()


@lru_cache(maxsize=1024)
def elementary_matrix(name: str, params: tuple[float, ...]) -> npt.NDArray[np.complex128]:
    """Return the matrix of a step, its first qubit being the lowest bit of the index."""
    return np.asarray(elementary_gate(name, params).to_matrix(), dtype=np.complex128)


def apply_steps(state: npt.NDArray[np.complex128], steps: Iterable[Step]) -> npt.NDArray[np.complex128]:
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
    """A gate that stands for one or more steps, and the qubits it acts on."""

    gate: Gate
    qubits: tuple[int, ...]


@lru_cache(maxsize=4096)
def _product(num_qubits: int, steps: tuple[Step, ...]) -> UnitaryGate:
    columns = np.eye(2**num_qubits, dtype=np.complex128)
    # Read as a tensor, the highest bit of a matrix's index comes first.
    rows = columns.reshape((2,) * num_qubits + (-1,)).transpose([*reversed(range(num_qubits)), num_qubits])
    rows = apply_steps(rows, steps)
    matrix = rows.transpose([*reversed(range(num_qubits)), num_qubits]).reshape(columns.shape)
    return UnitaryGate(matrix, check_input=False)


class _Group:
    """Neighbouring steps that are to become one gate."""

    def __init__(self) -> None:
        self.qubits: set[int] = set()
        self.steps: list[Step] = []

    def take(self, other: "_Group") -> None:
        """Put a group in front of this one."""
        self.qubits |= other.qubits
        self.steps[:0] = other.steps
        other.qubits, other.steps = set(), []

    def gate(self) -> Fused:
        if len(self.steps) == 1:
            name, params, qubits = self.steps[0]
            return Fused(elementary_gate(name, params), qubits)
        qubits = tuple(sorted(self.qubits))
        place = {qubit: number for number, qubit in enumerate(qubits)}
        steps = [step._replace(qubits=tuple([place[qubit] for qubit in step.qubits])) for step in self.steps]
        return Fused(_product(len(qubits), tuple(steps)), qubits)


@lru_cache(maxsize=4096)
def fuse(steps: tuple[Step, ...]) -> tuple[Fused, ...]:
    """Multiply neighbouring gates together, up to `FUSED_QUBITS` qubits wide.

    A step joins the last group that touches its qubits, together with those groups on its other qubits that
    nothing has touched since, as long as the result is narrow enough; otherwise it begins a group.

    Args:
        steps: gates in order.

    Returns:
        Gates with the same product, in order.
    """
    groups: list[_Group] = []
    last: dict[int, _Group] = {}
    order: dict[_Group, int] = {}
    for step in steps:
        touched = {last[qubit] for qubit in step.qubits if qubit in last}
        group = max(touched, key=order.__getitem__, default=None)
        if group is None or len(group.qubits.union(step.qubits)) > FUSED_QUBITS:
            group = _Group()
            order[group] = len(groups)
            groups.append(group)
        for other in sorted(touched - {group}, key=order.__getitem__):
            untouched = all(last[qubit] is other for qubit in other.qubits)
            if untouched and len(group.qubits.union(other.qubits, step.qubits)) <= FUSED_QUBITS:
                last.update(dict.fromkeys(other.qubits, group))
                group.take(other)
        group.qubits.update(step.qubits)
        group.steps.append(step)
        # Not all of the group's qubits: a later group may have touched some of them.
        last.update(dict.fromkeys(step.qubits, group))
    return tuple([group.gate() for group in groups if group.steps])
