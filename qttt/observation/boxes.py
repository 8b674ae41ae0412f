"""The boxes of a move-by-move circuit, opened: a move's elementary gates, alone or in their place."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from qttt.observation.compiler import CompiledBoard

if TYPE_CHECKING:
    from qiskit.circuit import CircuitInstruction, QuantumCircuit


def opened_block(compiled: CompiledBoard, number: int) -> "QuantumCircuit":
    """One box, opened: its elementary gates alone, on the board's 27 qubits.

    Args:
        compiled: a move-by-move circuit.
        number: index of the box in ``compiled.blocks``.
    """
    box = [item for item in compiled.circuit.data if item.name != "measure"][number]
    alone = compiled.circuit.copy_empty_like()
    _open_into(alone, box)
    return alone


def with_opened(compiled: CompiledBoard, moves: Collection[int]) -> "QuantumCircuit":
    """The whole circuit with the boxes of some moves opened and all others closed.

    Args:
        compiled: a move-by-move circuit.
        moves: which moves to open, counted from 0 since the last observation.
    """
    circuit = compiled.circuit.copy_empty_like()
    blocks = iter(compiled.blocks)
    for item in compiled.circuit.data:
        if item.name != "measure" and next(blocks).move in moves:
            _open_into(circuit, item)
        else:
            circuit.append(item)
    return circuit


def _open_into(circuit: "QuantumCircuit", box: "CircuitInstruction") -> None:
    inner = box.operation.definition
    for step in inner.data:
        circuit.append(step.operation, [box.qubits[inner.find_bit(qubit).index] for qubit in step.qubits])
