"""Exact results of a circuit from its amplitudes, component by component.

`exact_distribution` gives the probabilities of boards. `parts` gives the amplitudes as what the squares hold:
the state of the board is a product of independent parts, and a part's state is a table from patterns, such as
``XO`` for two squares, to amplitudes.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt
from qiskit.circuit import QuantumCircuit

from circuits.components import Component, register_widths, split
from circuits.decoding import ILLEGAL, Bits, Shots, decode
from circuits.errors import CircuitShapeError
from circuits.measurement import HERALDS, POSITIONS, REGISTER_NAMES, SYMBOLS, Bit, Readout, measure_board
from circuits.program import GateStep, apply_steps
from circuits.register import her, occ, sym

MAX_QUBITS: Final = 22
"""The most qubits of a component that are held as amplitudes at once (64 MiB)."""

SMALLEST_PROBABILITY: Final = 1e-14
"""Probabilities below this are rounding errors and are dropped from exact results."""

SMALLEST_AMPLITUDE: Final = 1e-9
"""Amplitudes below this are rounding errors and are dropped."""

_ORDER: Final = str.maketrans("XO.", "012")

_Term = tuple[complex, dict[int, int]]


def _kept_state(
    steps: Sequence[GateStep], measured: Iterable[int], heralds: frozenset[int]
) -> tuple[npt.NDArray[np.complex128], list[int]]:
    """Return the amplitudes of the branches in which no herald fires, and the qubit of each axis.

    A qubit gets its axis when a gate first touches it, and a herald loses it after its last gate: a phase
    with many measure-turns uses all 27 qubits, and never more than 19 of them at once.
    """
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


def patterns(component: Component) -> Patterns:
    """Return the exact distribution of a component's bits where no herald fires.

    Raises:
        CircuitShapeError: more than `MAX_QUBITS` of the component's qubits are in use at once.
    """
    measured = component.measured
    heralds = frozenset(
        [qubit for qubit, (name, _) in zip(measured, component.targets, strict=True) if name == HERALDS]
    )
    state, axes = _kept_state(component.steps, measured, heralds)
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
    sums = np.where(sums < SMALLEST_PROBABILITY, 0, sums)
    total = float(sums.sum())
    outcomes = {
        board: float(weight / total) for board, weight in zip(decoded.boards, sums, strict=True) if weight > 0
    }
    return Exact(outcomes, max(0.0, 1 - kept), kept * wrong if wrong >= SMALLEST_PROBABILITY else 0.0)


@dataclass(frozen=True, slots=True)
class Part:
    """An independent part of the board.

    Attributes:
        squares: its squares, 1..9, ascending.
        amplitudes: for each pattern that occurs, one character a square (``X``, ``O``, ``.``), its amplitude
            once no herald has fired; normalised, with the sign of the whole chosen so that the first of the
            largest is positive, since that sign means nothing.
        herald_failed: the probability that one of the part's heralds fires.
    """

    squares: tuple[int, ...]
    amplitudes: dict[str, complex]
    herald_failed: float = 0.0


def parts(
    circuit: QuantumCircuit, squares: Collection[int], heralds: Collection[int] = ()
) -> tuple[Part, ...]:
    """Return the state of a circuit without measurements, part by part.

    Args:
        circuit: gates on the 27 qubits of a board.
        squares: the squares that hold something; all others are empty.
        heralds: the squares whose herald a gate has used.

    Returns:
        The parts, by their smallest square.

    Raises:
        CircuitShapeError: the circuit has measurements or something else that is no gate, connects more than
            can be held, or puts a symbol on an empty square.
    """
    measured = circuit.copy()
    measure_board(measured, squares, heralds)
    qubit_square = {role(square): square for square in range(1, 10) for role in (occ, sym, her)}
    groups: list[tuple[set[int], list[Component]]] = []
    for component in split(measured):
        own = {qubit_square[qubit] for qubit in component.qubits}
        touching = [group for group in groups if group[0] & own]
        groups = [group for group in groups if not group[0] & own]
        members = [member for _, others in touching for member in others]
        groups.append((own.union(*(group[0] for group in touching)), [*members, component]))
    return tuple(sorted((_part(*group) for group in groups), key=lambda part: part.squares))


def _part(squares: Iterable[int], components: Iterable[Component]) -> Part:
    order = tuple(sorted(squares))
    amplitudes: dict[str, complex] = {}
    failed = 0.0
    for factors in product(*map(_terms, components)):
        amplitude = complex(np.prod([factor for factor, _ in factors]))
        bits = {qubit: bit for _, own in factors for qubit, bit in own.items()}
        if any(bits.get(her(square), 0) for square in order):
            failed += abs(amplitude) ** 2
            continue
        pattern = "".join(_cell(bits, square) for square in order)
        amplitudes[pattern] = amplitudes.get(pattern, 0) + amplitude
    kept = {pattern: value for pattern, value in amplitudes.items() if abs(value) > SMALLEST_AMPLITUDE}
    ordered = sorted(kept, key=lambda pattern: pattern.translate(_ORDER))
    largest = max(abs(value) for value in kept.values())
    first = next(kept[pattern] for pattern in ordered if abs(kept[pattern]) > largest - SMALLEST_AMPLITUDE)
    norm = float(np.sqrt(sum(abs(value) ** 2 for value in kept.values()))) * first / abs(first)
    return Part(order, {pattern: kept[pattern] / norm for pattern in ordered}, failed)


def _terms(component: Component) -> list[_Term]:
    """The component's amplitudes with the values of its qubits."""
    state, axes = _kept_state(component.steps, range(len(component.qubits)), frozenset())
    return [
        (
            complex(state[tuple(index)]),
            {component.qubits[axis]: int(bit) for axis, bit in zip(axes, index, strict=True)},
        )
        for index in np.argwhere(abs(state) > SMALLEST_AMPLITUDE)
    ]


def _cell(bits: dict[int, int], square: int) -> str:
    occupied, symbol = bits.get(occ(square), 0), bits.get(sym(square), 0)
    if symbol and not occupied:
        raise CircuitShapeError(f"square {square} has a symbol without being occupied")
    return ("XO"[symbol]) if occupied else "."
