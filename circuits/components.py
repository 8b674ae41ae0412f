"""Independent parts of a circuit, and exact results by parts.

Pieces that never met are independent: no gate on two qubits connects theirs. A circuit then falls apart into
components, and its state is their product. Working component by component never holds more qubits at once
than the largest component has, at most 13 in a game, where the whole board has 27.
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
from circuits.decomposition import Measurement, Placed, Program, Step, read_program
from circuits.errors import CircuitShapeError
from circuits.fusion import apply_steps, elementary_gate, fuse
from circuits.measurement import HERALDS, POSITIONS, REGISTER_NAMES, SYMBOLS, Bit, Readout
from circuits.register import place

MAX_QUBITS: Final = 24
"""The largest component whose state is held as amplitudes (256 MiB)."""

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
    def steps(self) -> tuple[Step, ...]:
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


def _state(num_qubits: int, parts: Iterable[Placed]) -> npt.NDArray[np.complex128]:
    """Return the amplitudes as an array with one axis a qubit, qubit i being axis i."""
    if num_qubits > MAX_QUBITS:
        raise CircuitShapeError(f"a component of {num_qubits} qubits is too large; {MAX_QUBITS} can be held")
    state = np.zeros((2,) * num_qubits, dtype=np.complex128)
    state[(0,) * num_qubits] = 1
    for placed in parts:
        state = apply_steps(state, placed.steps())
    return state


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The exact distribution of a component's bits.

    Attributes:
        bits: the patterns that occur, shape (patterns, bits), in the order of the component's `measured`.
        probabilities: of each of them, shape (patterns,).
    """

    bits: Bits
    probabilities: npt.NDArray[np.float64]


@lru_cache(maxsize=4096)
def _patterns(num_qubits: int, parts: tuple[Placed, ...], measured: tuple[int, ...]) -> Patterns:
    state = _state(num_qubits, parts)
    weights = state.real**2 + state.imag**2
    order = sorted(set(measured))
    weights = weights.sum(axis=tuple(axis for axis in range(num_qubits) if axis not in order))
    # Amplitudes are exact to some 1e-16, so a weight of 1e-20 is a zero.
    seen = np.argwhere(weights > 1e-20)
    bits = seen[:, [order.index(qubit) for qubit in measured]].astype(np.bool_)
    return Patterns(bits, weights[tuple(seen.T)])


def patterns(component: Component) -> Patterns:
    """Return the exact distribution of a component's bits.

    Components of equal structure share one calculation, wherever on the board they are.

    Raises:
        CircuitShapeError: the component has more than `MAX_QUBITS` qubits.
    """
    return _patterns(len(component.qubits), component.parts, component.measured)


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
        CircuitShapeError: the circuit is something else, or has a component of more than `MAX_QUBITS` qubits.
        DecodingError: the readout does not fit the circuit.
    """
    widths = register_widths(circuit)
    components = split(circuit)
    kept = 1.0
    parts = []
    for component in components:
        found = patterns(component)
        flags = [register == HERALDS for register, _ in component.targets]
        if any(flags):
            # Heralds first: what fails in one component fails whatever the others give.
            good = ~found.bits[:, flags].any(axis=1)
            found = Patterns(found.bits[good], found.probabilities[good])
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
