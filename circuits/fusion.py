"""Gates multiplied together before they go to a simulator: fewer and wider gates, the same state.

On boards of ten qubits a simulator spends most of its time on taking instructions in, some 10 µs each, and
next to none on the state. A move is a dozen elementary gates on four qubits; multiplied together they are one
unitary.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from qiskit.circuit import Gate, QuantumCircuit
from qiskit.circuit.library import UnitaryGate

from circuits.components import Component, join_components
from circuits.program import GateStep, apply_steps

FUSED_QUBITS: Final = 4
"""How wide a product may be: a move acts on four qubits, and five make Aer slower again."""


class Fused(NamedTuple):
    """A gate that stands for one or more steps, and the qubits it acts on."""

    gate: Gate
    qubits: tuple[int, ...]


# Without products one observation takes 1.1 to 1.3 times as long; without keeping them it is no quicker.
@lru_cache(maxsize=512)
def fuse(steps: tuple[GateStep, ...]) -> tuple[Fused, ...]:
    """Multiply neighbouring gates together, up to `FUSED_QUBITS` qubits wide.

    Returns:
        Gates with the same product, in order.
    """
    return tuple([_product(group) for group in group_neighbours(steps, FUSED_QUBITS)])


def fuse_components(components: Iterable[Component]) -> QuantumCircuit:
    """Return what `join_components` does, as products of gates."""
    return join_components(components, fuse)


def group_neighbours(steps: Iterable[GateStep], width: int) -> list[list[GateStep]]:
    """Put neighbouring gates together in connected groups of at most `width` qubits.

    One group after the other is the same circuit as one gate after the other. A gate wider than `width` is a
    group of its own.
    """
    closed: list[list[GateStep]] = []
    # No two open groups share a qubit, so that their order does not matter.
    groups: list[tuple[set[int], list[GateStep]]] = []
    for step in steps:
        touched = [group for group in groups if not group[0].isdisjoint(step.qubits)]
        groups = [group for group in groups if group[0].isdisjoint(step.qubits)]
        qubits = set(step.qubits).union(*[qubits for qubits, _ in touched])
        if len(qubits) <= width:
            groups.append((qubits, [*(each for _, group in touched for each in group), step]))
        else:
            closed += [group for _, group in touched]
            groups.append((set(step.qubits), [step]))
    return closed + [group for _, group in groups]


def _product(steps: list[GateStep]) -> Fused:
    if len(steps) == 1:
        return Fused(steps[0].gate(), steps[0].qubits)
    order = tuple(sorted({qubit for step in steps for qubit in step.qubits}))
    size = len(order)
    # Read as a tensor, the highest bit of a matrix's index comes first.
    axes = [*reversed(range(size)), size]
    rows = np.eye(2**size, dtype=np.complex128).reshape((2,) * size + (-1,)).transpose(axes)
    local = [step._replace(qubits=tuple([order.index(qubit) for qubit in step.qubits])) for step in steps]
    matrix = apply_steps(rows, local).transpose(axes).reshape(2**size, 2**size)
    return Fused(UnitaryGate(matrix, check_input=False), order)
