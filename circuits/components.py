"""Independent parts of a circuit.

Pieces that never met are independent: no gate on two qubits connects theirs. A circuit then falls apart into
components, and its state is their product. Working component by component never holds more qubits at once
than the largest component has: at most 10 of the board's 27 in a game, unless it has measured squares.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from qiskit.circuit import Gate, QuantumCircuit, Qubit

from circuits.errors import CircuitShapeError
from circuits.measurement import REGISTER_NAMES
from circuits.program import GateStep, Measurement, read_program


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a circuit that no gate connects with the rest.

    Attributes:
        qubits: the part's qubits by their index in the whole circuit, in the order of their first use; qubit
            i of the component is `qubits[i]`.
        steps: the component's elementary gates, on its own qubit indices.
        measured: its own indices of the qubits that are measured.
        targets: where those bits belong in the whole circuit, `(register, index)`, in the same order.
    """

    qubits: tuple[int, ...]
    steps: tuple[GateStep, ...]
    measured: tuple[int, ...]
    targets: tuple[tuple[str, int], ...]


def elementary_gates(steps: Iterable[GateStep]) -> list[tuple[Gate, tuple[int, ...]]]:
    """Return steps as Qiskit's gates, each with the qubits that it acts on."""
    return [(step.gate(), step.qubits) for step in steps]


def join_components(
    components: Iterable[Component],
    gates: Callable[[tuple[GateStep, ...]], Iterable[tuple[Gate, tuple[int, ...]]]] = elementary_gates,
) -> QuantumCircuit:
    """Return components side by side as one circuit, their bits one after the other.

    Args:
        components: parts of one circuit or of several.
        gates: makes gates of a component's steps, with the qubits of the component that each acts on.
    """
    parts = list(components)
    circuit = QuantumCircuit(
        sum(len(component.qubits) for component in parts), sum(len(component.measured) for component in parts)
    )
    first = 0
    measured: list[Qubit] = []
    for component in parts:
        own = circuit.qubits[first : first + len(component.qubits)]
        for gate, qubits in gates(component.steps):
            circuit.append(gate, [own[qubit] for qubit in qubits])
        measured += [own[qubit] for qubit in component.measured]
        first += len(own)
    circuit.measure(measured, circuit.clbits)
    return circuit


def split(circuit: QuantumCircuit) -> tuple[Component, ...]:
    """Split a circuit in its independent components, connected by the gates on two qubits inside its blocks.

    Components in which nothing is measured cannot be noticed and are left out.

    Raises:
        CircuitShapeError: the circuit is not gates followed by measurements.
    """
    program = read_program(circuit)
    leader = list(range(program.num_qubits))

    def find(qubit: int) -> int:
        while leader[qubit] != qubit:
            leader[qubit] = leader[leader[qubit]]
            qubit = leader[qubit]
        return qubit

    for step in program.steps:
        for other in step.qubits[1:]:
            leader[find(other)] = find(step.qubits[0])
    measurements: dict[int, list[Measurement]] = {}
    for measurement in program.measurements:
        measurements.setdefault(find(measurement.qubit), []).append(measurement)
    steps: dict[int, list[GateStep]] = {root: [] for root in range(program.num_qubits)}
    for step in program.steps:
        steps[find(step.qubits[0])].append(step)
    components = []
    for root, results in measurements.items():
        own: dict[int, int] = {}
        local = tuple(
            [
                GateStep(name, params, tuple([own.setdefault(qubit, len(own)) for qubit in qubits]))
                for name, params, qubits in steps[root]
            ]
        )
        measured = tuple([own.setdefault(measurement.qubit, len(own)) for measurement in results])
        targets = tuple([(measurement.register, measurement.bit) for measurement in results])
        components.append(Component(tuple(own), local, measured, targets))
    return tuple(components)


def register_widths(circuit: QuantumCircuit) -> dict[str, int]:
    """Return the number of bits of each classical register.

    Raises:
        CircuitShapeError: a register is none of `pos`, `mark` and `flag`.
    """
    widths = {register.name: len(register) for register in circuit.cregs}
    if not widths.keys() <= set(REGISTER_NAMES):
        raise CircuitShapeError(f"a board has registers {', '.join(REGISTER_NAMES)}, not {', '.join(widths)}")
    return widths
