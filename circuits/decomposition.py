"""A circuit as a plain list of elementary gates and measurements.

Simulators, the split into components and the drawings' statistics all want the named blocks opened. Qiskit's
own `decompose` takes half a millisecond a block; here the steps of a block are worked out once for every kind
of block and then reused.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from qiskit.circuit import CircuitInstruction, Gate, Operation, QuantumCircuit
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


class Step(NamedTuple):
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
    """A circuit of gates followed by measurements."""

    num_qubits: int
    steps: tuple[Step, ...]
    measurements: tuple[Measurement, ...]


_known_moves: dict[tuple[type, str], tuple[Step, ...]] = {}


def _angles(params: Sequence[object], name: str) -> tuple[float, ...]:
    try:
        return tuple(float(value) for value in params)  # type: ignore[arg-type]
    except TypeError as error:
        raise CircuitShapeError(f"gate {name!r} has an angle without a value: {list(params)}") from error


def _open(operation: Operation) -> tuple[Step, ...]:
    if not isinstance(operation, Gate):
        raise CircuitShapeError(f"{operation.name!r} is neither a gate nor a measurement at the end")
    # The name of a move's gate says everything about its definition; of other gates that cannot be known.
    key = (type(operation), operation.name)
    if isinstance(operation, MoveGate) and key in _known_moves:
        return _known_moves[key]
    if operation.definition is None:
        raise CircuitShapeError(f"gate {operation.name!r} has no definition in elementary gates")
    steps = tuple(_steps(operation.definition))
    if isinstance(operation, MoveGate):
        _known_moves[key] = steps
    return steps


def _steps(circuit: QuantumCircuit) -> Iterator[Step]:
    index = {qubit: number for number, qubit in enumerate(circuit.qubits)}
    for instruction in circuit.data:
        yield from _placed(instruction, tuple([index[qubit] for qubit in instruction.qubits]))


def _placed(instruction: CircuitInstruction, qubits: tuple[int, ...]) -> Iterator[Step]:
    if instruction.name in ELEMENTARY:
        yield Step(instruction.name, _angles(instruction.params, instruction.name), qubits)
    elif instruction.name != "barrier":
        for name, params, inner in _open(instruction.operation):
            yield Step(name, params, tuple([qubits[number] for number in inner]))


def read_program(circuit: QuantumCircuit) -> Program:
    """Open all blocks of a circuit and list its gates and measurements, without barriers and phase.

    Raises:
        CircuitShapeError: the circuit has something other than gates with fixed angles and measurements into
            registers, a gate after the measurement of its qubit, or a bit that is written twice.
    """
    index = {qubit: number for number, qubit in enumerate(circuit.qubits)}
    steps: list[Step] = []
    measurements: list[Measurement] = []
    measured: set[int] = set()
    places = {
        bit: (register.name, number) for register in circuit.cregs for number, bit in enumerate(register)
    }
    for instruction in circuit.data:
        qubits = tuple([index[qubit] for qubit in instruction.qubits])
        if instruction.name == "measure":
            place = places.pop(instruction.clbits[0], None)
            if place is None:
                raise CircuitShapeError("a measurement writes a bit outside all registers, or a second time")
            measurements.append(Measurement(qubits[0], *place))
            measured.update(qubits)
        elif instruction.name != "barrier" and not measured.isdisjoint(qubits):
            raise CircuitShapeError(f"gate {instruction.name!r} acts on a qubit that has been measured")
        else:
            steps.extend(_placed(instruction, qubits))
    return Program(circuit.num_qubits, tuple(steps), tuple(measurements))
