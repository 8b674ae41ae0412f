"""Independent parts of a circuit, and exact results by parts.

Pieces that never met are independent: no gate on two qubits connects theirs. A circuit then falls apart into
components, and its state is their product. Working component by component never holds more qubits at once
than the largest component has: at most 10 of the board's 27 in a game, unless it has measured squares.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt
from qiskit.circuit import Instruction, Measure, QuantumCircuit, Qubit

from circuits.decoding import ILLEGAL, Bits, Shots, decode
from circuits.errors import CircuitShapeError
from circuits.fusion import apply_steps, elementary_gate, fuse
from circuits.measurement import HERALDS, POSITIONS, REGISTER_NAMES, SYMBOLS, Bit, Readout
from circuits.program import GateStep, Measurement, Placed, Program, read_program
from circuits.register import place

MAX_QUBITS: Final = 22
"""The most qubits of a component that are held as amplitudes at once (64 MiB)."""

SMALLEST: Final = 1e-14
"""Probabilities below this are rounding errors and are dropped from exact results."""

_MEASURE: Final = Measure()


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a circuit that no gate connects with the rest.

    Attributes:
        qubits: the part's qubits by their index in the whole circuit, in the order of their first use; qubit
            i of the component is `qubits[i]`.
        parts: the component's gates, on its own qubit indices.
        measured: its own indices of the qubits that are measured.
        targets: where those bits belong in the whole circuit, `(register, index)`, in the same order.
    """

    qubits: tuple[int, ...]
    parts: tuple[Placed, ...]
    measured: tuple[int, ...]
    targets: tuple[tuple[str, int], ...]

    @property
    def steps(self) -> tuple[GateStep, ...]:
        """The component's elementary gates."""
        return tuple([step for placed in self.parts for step in placed.steps()])

    def circuit(self) -> QuantumCircuit:
        """Return the component as a circuit of elementary gates, whose bit i belongs at `targets[i]`."""
        return join_components([self])


def join_components(components: Iterable[Component]) -> QuantumCircuit:
    """Return components side by side as one circuit of elementary gates, their bits one after the other.

    Args:
        components: parts of one circuit or of several.
    """
    parts = list(components)
    circuit = QuantumCircuit(
        sum(len(component.qubits) for component in parts), sum(len(component.measured) for component in parts)
    )
    first = 0
    measured: list[Qubit] = []
    for component in parts:
        own = circuit.qubits[first : first + len(component.qubits)]
        for step in component.steps:
            place(circuit, elementary_gate(step.name, step.params), [own[qubit] for qubit in step.qubits])
        measured += [own[qubit] for qubit in component.measured]
        first += len(own)
    for qubit, bit in zip(measured, circuit.clbits, strict=True):
        place(circuit, _MEASURE, [qubit], [bit])
    return circuit


class _MeasureTogether(Instruction):  # type: ignore[misc]  # Qiskit ships no type information
    """Measurement of many qubits as one instruction, which costs Aer as much to take in as that of one.

    Aer's own measurement has a list of qubits and one of bits; Qiskit's class is for one of each.
    """

    def __init__(self, width: int) -> None:
        super().__init__("measure", width, width, [])


def fuse_components(components: Iterable[Component]) -> QuantumCircuit:
    """Return components side by side as one circuit for Aer, the same object every time: it must not change.

    Neighbouring gates are multiplied together (`circuits.fusion`), and one instruction measures all qubits.
    The bits are as those of `join_components`.

    Args:
        components: parts of one circuit or of several.
    """
    return _fused(tuple([(len(each.qubits), each.parts, each.measured) for each in components]))


@lru_cache(maxsize=1024)
def _fused(components: tuple[tuple[int, tuple[Placed, ...], tuple[int, ...]], ...]) -> QuantumCircuit:
    width = sum(len(measured) for _, _, measured in components)
    circuit = QuantumCircuit(sum(num_qubits for num_qubits, _, _ in components), width)
    first = 0
    together: list[Qubit] = []
    for num_qubits, parts, measured in components:
        own = circuit.qubits[first : first + num_qubits]
        for gate, qubits in fuse(parts):
            place(circuit, gate, [own[qubit] for qubit in qubits])
        together += [own[qubit] for qubit in measured]
        first += num_qubits
    if width:
        place(circuit, _MeasureTogether(width), together, circuit.clbits)
    return circuit


def split(circuit: QuantumCircuit) -> tuple[Component, ...]:
    """Split a circuit in its independent components, connected by the gates on two qubits inside its blocks.

    Components in which nothing is measured cannot be noticed and are left out.

    Raises:
        CircuitShapeError: the circuit is not gates followed by measurements.
    """
    return split_program(read_program(circuit))


def split_program(program: Program) -> tuple[Component, ...]:
    """Do what `split` does for a circuit that has been read already."""
    leader = list(range(program.num_qubits))

    def find(qubit: int) -> int:
        while leader[qubit] != qubit:
            leader[qubit] = leader[leader[qubit]]
            qubit = leader[qubit]
        return qubit

    for placed in program.parts:
        qubits = placed.qubits
        for other in qubits[1:]:
            leader[find(other)] = find(qubits[0])
    roots = [find(qubit) for qubit in range(program.num_qubits)]
    parts: dict[int, list[Placed]] = {}
    measurements: dict[int, list[Measurement]] = {}
    for measurement in program.measurements:
        measurements.setdefault(roots[measurement.qubit], []).append(measurement)
    for placed in program.parts:
        parts.setdefault(roots[placed.qubits[0]], []).append(placed)
    components = []
    for root, results in measurements.items():
        own: dict[int, int] = {}
        local = tuple(
            [
                Placed(part, tuple([own.setdefault(qubit, len(own)) for qubit in qubits]))
                for part, qubits in parts.get(root, ())
            ]
        )
        measured = tuple([own.setdefault(measurement.qubit, len(own)) for measurement in results])
        targets = tuple([(measurement.register, measurement.bit) for measurement in results])
        components.append(Component(tuple(own), local, measured, targets))
    return tuple(components)


def _kept_state(
    parts: Iterable[Placed], measured: Iterable[int], heralds: frozenset[int]
) -> tuple[npt.NDArray[np.complex128], list[int]]:
    """Return the amplitudes of the branches in which no herald fires, and the qubit of each axis.

    A qubit gets its axis when a gate first touches it, and a herald loses it after its last gate: a phase
    with many measure-turns uses all 27 qubits, and never more than 19 of them at once.
    """
    steps = [step for placed in parts for step in placed.steps()]
    last = {qubit: number for number, step in enumerate(steps) for qubit in step.qubits}
    state: npt.NDArray[np.complex128] = np.ones((), dtype=np.complex128)
    axes: list[int] = []

    def add(qubit: int) -> None:
        nonlocal state
        if qubit not in axes:
            if len(axes) == MAX_QUBITS:
                raise CircuitShapeError(
                    f"a component is too large: only {MAX_QUBITS} qubits can be held at once"
                )
            axes.append(qubit)
            state = np.stack([state, np.zeros_like(state)], axis=-1)

    for number, step in enumerate(steps):
        for qubit in step.qubits:
            add(qubit)
        here = tuple([axes.index(qubit) for qubit in step.qubits])
        state = apply_steps(state, [step._replace(qubits=here)])
        for qubit in step.qubits:
            if qubit in heralds and last[qubit] == number:
                state = np.asarray(state.take(0, axis=axes.index(qubit)))
                axes.remove(qubit)
    for qubit in measured:
        if qubit not in heralds:
            add(qubit)
    return state, axes


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The exact distribution of a component's bits where no herald fires.

    Attributes:
        bits: the patterns that occur, shape (patterns, bits), in the order of the component's `measured`.
        probabilities: of each of them, shape (patterns,); what they lack to 1 is how often a herald fires.
    """

    bits: Bits
    probabilities: npt.NDArray[np.float64]


@lru_cache(maxsize=4096)
def _patterns(parts: tuple[Placed, ...], measured: tuple[int, ...], heralds: frozenset[int]) -> Patterns:
    state, axes = _kept_state(parts, measured, heralds)
    weights = state.real**2 + state.imag**2
    unread = tuple([axis for axis, qubit in enumerate(axes) if qubit not in measured])
    weights = np.asarray(weights.sum(axis=unread))
    order = [qubit for qubit in axes if qubit in measured]
    # Amplitudes are exact to some 1e-16, so a weight of 1e-20 is a zero.
    seen = np.argwhere(weights > 1e-20)
    bits = np.zeros((len(seen), len(measured)), dtype=np.bool_)
    for column, qubit in enumerate(measured):
        if qubit not in heralds:
            bits[:, column] = seen[:, order.index(qubit)]
    return Patterns(bits, weights[weights > 1e-20])


def patterns(component: Component) -> Patterns:
    """Return the exact distribution of a component's bits where no herald fires.

    Components of equal structure share one calculation, wherever on the board they are.

    Raises:
        CircuitShapeError: more than `MAX_QUBITS` of the component's qubits are in use at once.
    """
    heralds = frozenset(
        [
            qubit
            for qubit, (register, _) in zip(component.measured, component.targets, strict=True)
            if register == HERALDS
        ]
    )
    return _patterns(component.parts, component.measured, heralds)


@dataclass(frozen=True, slots=True)
class Exact:
    """The exact result of measuring a board.

    Attributes:
        outcomes: the probability of every board among the shots that count; they sum to 1 (empty if none
            counts).
        herald_failed: the probability that a herald fires.
        illegal: the probability that no herald fires but the bits are no board; 0 for a right circuit.
    """

    outcomes: dict[str, float]
    herald_failed: float
    illegal: float


def _forget_masked(component: Component, found: Patterns, readout: Readout) -> Patterns:
    """Set symbols of empty squares to 0 where the readout does not look at them, and merge equal patterns."""
    column = {target: number for number, target in enumerate(component.targets)}
    readers = [source.index for source in readout.symbol if isinstance(source, Bit)]
    bits = found.bits.copy()
    for occupancy, symbol in zip(readout.occupancy, readout.symbol, strict=True):
        if isinstance(occupancy, Bit) and isinstance(symbol, Bit) and readers.count(symbol.index) == 1:
            where = column.get((POSITIONS, occupancy.index))
            what = column.get((SYMBOLS, symbol.index))
            if where is not None and what is not None:
                bits[:, what] &= bits[:, where]
    merged, inverse = np.unique(bits, axis=0, return_inverse=True)
    sums = np.zeros(len(merged))
    np.add.at(sums, inverse.ravel(), found.probabilities)
    return Patterns(merged, sums)


def register_widths(circuit: QuantumCircuit) -> dict[str, int]:
    """Return the number of bits of each classical register.

    Raises:
        CircuitShapeError: a register is none of `pos`, `mark` and `flag`.
    """
    widths = {register.name: len(register) for register in circuit.cregs}
    if not widths.keys() <= set(REGISTER_NAMES):
        raise CircuitShapeError(f"a board has registers {', '.join(REGISTER_NAMES)}, not {', '.join(widths)}")
    return widths


def exact_distribution(circuit: QuantumCircuit, readout: Readout) -> Exact:
    """Return the exact distribution of boards, component by component.

    Args:
        circuit: gates followed by measurements into registers `pos`, `mark` and `flag`.
        readout: how its bits make a board.

    Raises:
        CircuitShapeError: the circuit is something else, or uses more than `MAX_QUBITS` qubits of a component
            at once.
        DecodingError: the readout does not fit the circuit.
    """
    widths = register_widths(circuit)
    components = split(circuit)
    kept = 1.0
    parts = []
    for component in components:
        found = patterns(component)
        if any(register == HERALDS for register, _ in component.targets):
            # What fails in one component fails whatever the others give.
            weight = float(found.probabilities.sum())
            kept *= weight
            if weight > 0:
                found = Patterns(found.bits, found.probabilities / weight)
        if readout.masked:
            found = _forget_masked(component, found, readout)
        parts.append(found)
    shape = [len(part.probabilities) for part in parts]
    rows = prod(shape)
    choices = np.unravel_index(np.arange(rows), shape) if parts else ()
    bits = {name: np.zeros((rows, widths.get(name, 0)), dtype=np.bool_) for name in REGISTER_NAMES}
    weights = np.ones(rows)
    for component, part, choice in zip(components, parts, choices, strict=True):
        weights *= part.probabilities[choice]
        for (register, bit), column in zip(component.targets, part.bits[choice].T, strict=True):
            bits[register][:, bit] = column
    decoded = decode(readout, Shots(bits[POSITIONS], bits[SYMBOLS], bits[HERALDS]))
    wrong = float(weights[decoded.index == ILLEGAL].sum())
    right = decoded.index >= 0
    sums = np.bincount(decoded.index[right], weights=weights[right], minlength=len(decoded.boards))
    sums = np.where(sums < SMALLEST, 0, sums)
    total = float(sums.sum())
    outcomes = {
        board: float(weight / total) for board, weight in zip(decoded.boards, sums, strict=True) if weight > 0
    }
    return Exact(outcomes, max(0.0, 1 - kept), kept * wrong if wrong >= SMALLEST else 0.0)
