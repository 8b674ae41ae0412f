"""A circuit as a plain list of small parts and measurements.

Simulators, the split into components and the drawings' statistics all want the named blocks opened. Qiskit's
own `decompose` takes half a millisecond a block; here the steps of a block are worked out once for every kind
of block and then reused.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from qiskit.circuit import Barrier, CircuitInstruction, Gate, Measure, Operation, QuantumCircuit
from qiskit.circuit.library import get_standard_gate_name_mapping

from circuits.errors import CircuitShapeError
from circuits.gates import MoveGate


class _OnQubits(Protocol):
    @property
    def qubits(self) -> tuple[int, ...]: ...


Item = TypeVar("Item", bound=_OnQubits)


class _Group(Generic[Item]):
    """Items that stay together, and their qubits."""

    def __init__(self) -> None:
        self.qubits: set[int] = set()
        self.items: list[Item] = []

    def take(self, other: "_Group[Item]") -> None:
        """Put a group in front of this one."""
        self.qubits |= other.qubits
        self.items[:0] = other.items
        other.qubits, other.items = set(), []


def neighbours(items: Iterable[Item], width: int) -> list[tuple[frozenset[int], list[Item]]]:
    """Put neighbouring gates together in groups of at most `width` qubits.

    A gate joins the last group that touches its qubits, together with those groups on its other qubits that
    nothing has touched since, as long as the result is narrow enough; otherwise it begins a group. So each
    group is connected, and one group after the other is the same circuit as one gate after the other.

    Args:
        items: gates in order, whatever has `qubits`; one wider than `width` is a group of its own.
        width: how many qubits a group may have.

    Returns:
        The groups in order, each with its qubits and its items in order.
    """
    groups: list[_Group[Item]] = []
    last: dict[int, _Group[Item]] = {}
    order: dict[_Group[Item], int] = {}
    for item in items:
        touched = {last[qubit] for qubit in item.qubits if qubit in last}
        group = max(touched, key=order.__getitem__, default=None)
        if group is None or len(group.qubits.union(item.qubits)) > width:
            group = _Group()
            order[group] = len(groups)
            groups.append(group)
        for other in sorted(touched - {group}, key=order.__getitem__):
            untouched = all(last[qubit] is other for qubit in other.qubits)
            if untouched and len(group.qubits.union(other.qubits, item.qubits)) <= width:
                last.update(dict.fromkeys(other.qubits, group))
                group.take(other)
        group.qubits.update(item.qubits)
        group.items.append(item)
        # Not all of the group's qubits: a later group may have touched some of them.
        last.update(dict.fromkeys(item.qubits, group))
    return [(frozenset(group.qubits), group.items) for group in groups if group.items]


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

PART_QUBITS: Final = 4
"""The most qubits of a part: a move acts on four, or five with a herald."""

_OWN: Final = ((), (0,), (0, 1))
"""The qubits of a gate by their numbers in it; elementary gates have one or two."""

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


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A few elementary gates that belong together: a whole gate of a circuit, or a connected part of one.

    Equal parts are one object, as long as it is remembered, so that two are compared by their identity.

    Attributes:
        num_qubits: how many qubits it acts on, at most `PART_QUBITS`.
        steps: its gates, on qubits 0 and up.
    """

    num_qubits: int
    steps: tuple[GateStep, ...]


class Placed(NamedTuple):
    """A part and where it is.

    Attributes:
        part: the part.
        qubits: the index of the qubit on which each of its qubits lies.
    """

    part: Part
    qubits: tuple[int, ...]

    def steps(self) -> tuple[GateStep, ...]:
        """The part's gates on the qubits where it lies."""
        qubits = self.qubits
        return tuple(
            [GateStep(name, params, tuple([qubits[n] for n in on])) for name, params, on in self.part.steps]
        )


class Measurement(NamedTuple):
    """One measurement: a qubit's index, the classical register's name, and the bit's index in it."""

    qubit: int
    register: str
    bit: int


class Program(NamedTuple):
    """A circuit of gates followed by measurements.

    Attributes:
        num_qubits: how many qubits the circuit has.
        parts: its gates, in order.
        measurements: what follows them.
    """

    num_qubits: int
    parts: tuple[Placed, ...]
    measurements: tuple[Measurement, ...]

    @property
    def steps(self) -> tuple[GateStep, ...]:
        """The elementary gates in order; those of one move may have changed places with each other."""
        return tuple([step for placed in self.parts for step in placed.steps()])


# Parts that have been forgotten are made anew, and then only cost what knowing them would have saved.
_part = lru_cache(maxsize=4096)(Part)
_known_moves: dict[tuple[object, str], tuple[Placed, ...]] = {}


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


def _open(operation: Operation) -> tuple[Placed, ...]:
    """Return the parts of one gate on its own qubits."""
    # Of other gates than moves nothing tells the definition but itself.
    recipe = operation.recipe if isinstance(operation, MoveGate) else None
    if recipe is None:
        return _grouped(elementary_steps(operation))
    if recipe not in _known_moves:
        _known_moves[recipe] = _grouped(elementary_steps(operation))
    return _known_moves[recipe]


def _grouped(steps: Iterable[GateStep]) -> tuple[Placed, ...]:
    parts = []
    for qubits, group in neighbours(steps, PART_QUBITS):
        order = tuple(sorted(qubits))
        index = {qubit: number for number, qubit in enumerate(order)}
        moved = tuple(
            [step._replace(qubits=tuple([index[qubit] for qubit in step.qubits])) for step in group]
        )
        parts.append(Placed(_part(len(order), moved), order))
    return tuple(parts)


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
    parts: list[Placed] = []
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
                step = GateStep(name, _angles(instruction.params, name), _OWN[len(qubits)])
                parts.append(Placed(_part(len(qubits), (step,)), tuple(qubits)))
            else:
                for part, inner in _open(instruction.operation):
                    parts.append(Placed(part, tuple([qubits[number] for number in inner])))
    return Program(circuit.num_qubits, tuple(parts), tuple(measurements))
