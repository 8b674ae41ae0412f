"""A circuit as a plain list of elementary gates and measurements.

Simulators, the split into components and the drawings' statistics all want the named blocks opened.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from qiskit.circuit import Barrier, CircuitInstruction, Gate, Measure, Operation, QuantumCircuit
from qiskit.circuit.library import get_standard_gate_name_mapping

from circuits.errors import CircuitShapeError
from circuits.gates import MoveGate

ELEMENTARY: Final = frozenset(
    [
        "id",
        "x",
        "y",
        "z",
        "h",
        "s",
        "sdg",
        "t",
        "tdg",
        "sx",
        "sxdg",
        "p",
        "rx",
        "ry",
        "rz",
        "u",
        "cx",
        "cz",
        "swap",
    ]
)
"""Gates that are not opened any further: those that every method of Aer takes as they are."""

_STANDARD: Final = {
    name: type(gate) for name, gate in get_standard_gate_name_mapping().items() if name in ELEMENTARY
}


class GateStep(NamedTuple):
    """One elementary gate.

    Attributes:
        name: its name in Qiskit, one of `ELEMENTARY`.
        params: its angles, in radians.
        qubits: the indices of the qubits it acts on.
    """

    name: str
    params: tuple[float, ...]
    qubits: tuple[int, ...]

    def gate(self) -> Gate:
        """Return the step as a Qiskit gate."""
        gate: Gate = _STANDARD[self.name](*self.params)
        return gate


class Measurement(NamedTuple):
    """One measurement: a qubit's index, the classical register's name, and the bit's index in it."""

    qubit: int
    register: str
    bit: int


class Program(NamedTuple):
    """A circuit of gates followed by measurements.

    Attributes:
        num_qubits: how many qubits the circuit has.
        steps: its elementary gates, in order.
        measurements: what follows them.
    """

    num_qubits: int
    steps: tuple[GateStep, ...]
    measurements: tuple[Measurement, ...]


_known_moves: dict[tuple[object, str], tuple[GateStep, ...]] = {}


def _angles(params: Sequence[object], name: str) -> tuple[float, ...]:
    try:
        return tuple(float(value) for value in params)  # type: ignore[arg-type]
    except TypeError as error:
        raise CircuitShapeError(f"gate {name!r} has an angle without a value: {list(params)}") from error


def _is_elementary(instruction: CircuitInstruction) -> bool:
    # Anybody may call a gate of their own `x`.
    return instruction.name in ELEMENTARY and bool(instruction.is_standard_gate())


def _is_barrier(instruction: CircuitInstruction) -> bool:
    return instruction.name == "barrier" and isinstance(instruction.operation, Barrier)


def _open(operation: Operation) -> tuple[GateStep, ...]:
    """Return the steps of one gate on its own qubits."""
    # Of other gates than moves nothing tells the definition but itself.
    recipe = operation.recipe if isinstance(operation, MoveGate) else None
    if recipe is None:
        return tuple(elementary_steps(operation))
    # Kept, as one observation takes 1.2 to 1.3 times as long without.
    if recipe not in _known_moves:
        _known_moves[recipe] = tuple(elementary_steps(operation))
    return _known_moves[recipe]


def elementary_steps(operation: Operation) -> Iterator[GateStep]:
    """Open a gate down to elementary ones, in the order of its definition and on its own qubits.

    Raises:
        CircuitShapeError: it is no gate, has no definition, or an angle has no value.
    """
    if not isinstance(operation, Gate):
        raise CircuitShapeError(f"{operation.name!r} is neither a gate nor a measurement at the end")
    if operation.definition is None:
        raise CircuitShapeError(f"gate {operation.name!r} has no definition in elementary gates")
    index = {qubit: number for number, qubit in enumerate(operation.definition.qubits)}
    for instruction in operation.definition.data:
        qubits = [index[qubit] for qubit in instruction.qubits]
        if _is_elementary(instruction):
            yield GateStep(instruction.name, _angles(instruction.params, instruction.name), tuple(qubits))
        elif not _is_barrier(instruction):
            for step in elementary_steps(instruction.operation):
                yield step._replace(qubits=tuple([qubits[number] for number in step.qubits]))


def read_program(circuit: QuantumCircuit) -> Program:
    """Open all blocks of a circuit and list its gates and measurements, without barriers and phase.

    Raises:
        CircuitShapeError: the circuit has something other than gates with fixed angles and measurements into
            registers, a gate after the measurement of its qubit, a bit that is written twice, or one that is
            in two registers.
    """
    index = {qubit: number for number, qubit in enumerate(circuit.qubits)}
    steps: list[GateStep] = []
    measurements: list[Measurement] = []
    measured: set[int] = set()
    places = {
        bit: (register.name, number) for register in circuit.cregs for number, bit in enumerate(register)
    }
    if len(places) < sum(map(len, circuit.cregs)):
        raise CircuitShapeError("a bit is in two registers")
    for instruction in circuit.data:
        name = instruction.name
        qubits = [index[qubit] for qubit in instruction.qubits]
        if name == "measure" and isinstance(instruction.operation, Measure):
            target = places.pop(instruction.clbits[0], None)
            if target is None:
                raise CircuitShapeError("a measurement writes a bit outside all registers, or a second time")
            measurements.append(Measurement(qubits[0], *target))
            measured.add(qubits[0])
        elif not _is_barrier(instruction):
            if not measured.isdisjoint(qubits):
                raise CircuitShapeError(f"gate {name!r} acts on a qubit that has been measured")
            if _is_elementary(instruction):
                steps.append(GateStep(name, _angles(instruction.params, name), tuple(qubits)))
            else:
                for inner, params, on in _open(instruction.operation):
                    steps.append(GateStep(inner, params, tuple([qubits[number] for number in on])))
    return Program(circuit.num_qubits, tuple(steps), tuple(measurements))


def apply_steps(state: npt.NDArray[np.complex128], steps: Iterable[GateStep]) -> npt.NDArray[np.complex128]:
    """Apply gates to amplitudes.

    Args:
        state: an array with one axis of length 2 a qubit, qubit i being axis i, and any axes after those.
        steps: gates on these qubits, in order.

    Returns:
        An array of the same shape.
    """
    for step in steps:
        qubits = step.qubits
        # The first qubit of a gate is the lowest bit of its matrix's index.
        axes = [*reversed(qubits), *(axis for axis in range(state.ndim) if axis not in qubits)]
        moved = state.transpose(axes)
        product = step.gate().to_matrix() @ moved.reshape(2 ** len(qubits), -1)
        state = product.reshape(moved.shape).transpose(np.argsort(axes))
    return state
