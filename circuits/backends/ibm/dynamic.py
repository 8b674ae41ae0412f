"""Circuits that act on their own measurements: what the hardware takes, checked before anything is sent.

IBM's simulated devices accept more than the hardware does, so a circuit that ran on one of them may still be
refused after hours in a queue. The limits are those of IBM's guide to running dynamic circuits.
"""

from collections.abc import Sequence
from typing import Final

from qiskit.circuit import ClassicalRegister, Clbit, ControlFlowOp, IfElseOp, QuantumCircuit
from qiskit.circuit.classical import expr
from qiskit.providers import BackendV2

from circuits.errors import BackendUsageError

OPERAND_BITS: Final = 32
"""The widest value that an `if` may look at."""

_ARITHMETIC: Final = frozenset(
    {expr.Binary.Op.ADD, expr.Binary.Op.SUB, expr.Binary.Op.MUL, expr.Binary.Op.DIV}
)


def dynamic_check(circuit: QuantumCircuit, device: BackendV2) -> None:
    """Refuse a circuit that the hardware would refuse, naming the block.

    A block is named by its `label`, if it has one, and by its number among the circuit's blocks, from 1.

    Args:
        circuit: the circuit, compiled or not.
        device: where it should run.

    Raises:
        BackendUsageError: the device has no `if`; a block is a loop or a switch, has another block, a reset
            or a measurement in it, looks at more than 32 bits, or calculates.
    """
    blocks = [item.operation for item in circuit.data if isinstance(item.operation, ControlFlowOp)]
    if blocks and "if_else" not in device.target.operation_names:
        raise BackendUsageError(
            f"{device.name} cannot act on measurements within a circuit: choose one that can"
        )
    for number, block in enumerate(blocks, start=1):
        name = f"block {number}" + (f" ({block.label})" if block.label else "")
        fault = _fault(block)
        if fault:
            raise BackendUsageError(f"the hardware cannot run {name} of the circuit: {fault}")


def _fault(block: ControlFlowOp) -> str | None:
    if not isinstance(block, IfElseOp):
        return f"it is a {block.name}, and only `if` is allowed"
    condition = block.condition
    width = _width(condition if isinstance(condition, expr.Expr) else condition[0])
    if width > OPERAND_BITS:
        return f"it looks at {width} bits at once, and {OPERAND_BITS} are allowed"
    if isinstance(condition, expr.Expr) and _calculates(condition):
        return "its condition calculates, and only comparisons and logic are allowed"
    return _fault_inside(block.blocks)


def _fault_inside(bodies: Sequence[QuantumCircuit]) -> str | None:
    for body in bodies:
        for item in body.data:
            # The client has variants of both, such as measure_2.
            if item.name.startswith("reset"):
                return "it has a reset in it"
            if item.name.startswith("measure"):
                return "it has a measurement in it"
            if isinstance(item.operation, ControlFlowOp):
                return "it has another block in it, and only one level is allowed"
    return None


def _width(target: object) -> int:
    """Return the widest value in a condition, in bits."""
    if isinstance(target, Clbit):
        return 1
    if isinstance(target, ClassicalRegister):
        return len(target)
    if isinstance(target, expr.Var):
        return _width(target.var)
    inner = [
        getattr(target, name) for name in ("operand", "left", "right", "target") if hasattr(target, name)
    ]
    return max((_width(part) for part in inner), default=0)


def _calculates(target: object) -> bool:
    if isinstance(target, expr.Binary) and target.op in _ARITHMETIC:
        return True
    inner = [
        getattr(target, name) for name in ("operand", "left", "right", "target") if hasattr(target, name)
    ]
    return any(_calculates(part) for part in inner)
