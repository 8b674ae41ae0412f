"""The amplitudes of a board's circuit, part by part, as what the squares hold.

Squares that no gate has connected are independent, so the state of the board is a product and can be written
down part by part. A part's state is a table from patterns, such as ``XO`` for two squares, to amplitudes.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.quantum_info import Statevector

from circuits.components import Component, split
from circuits.errors import CircuitShapeError
from circuits.measurement import measure_board
from circuits.register import her, occ, sym

SMALLEST: Final = 1e-9
"""Amplitudes below this are rounding errors and are dropped."""

_ORDER: Final = str.maketrans("XO.", "012")

_Term = tuple[complex, dict[int, int]]


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
    kept = {pattern: value for pattern, value in amplitudes.items() if abs(value) > SMALLEST}
    ordered = sorted(kept, key=lambda pattern: pattern.translate(_ORDER))
    largest = max(abs(value) for value in kept.values())
    first = next(kept[pattern] for pattern in ordered if abs(kept[pattern]) > largest - SMALLEST)
    norm = float(np.sqrt(sum(abs(value) ** 2 for value in kept.values()))) * first / abs(first)
    return Part(order, {pattern: kept[pattern] / norm for pattern in ordered}, failed)


def _terms(component: Component) -> list[_Term]:
    """The component's amplitudes with the values of its qubits."""
    gates = component.circuit().remove_final_measurements(inplace=False)
    state = np.asarray(Statevector(gates).data)
    return [
        (complex(state[index]), {qubit: int(index) >> bit & 1 for bit, qubit in enumerate(component.qubits)})
        for index in np.flatnonzero(abs(state) > SMALLEST)
    ]


def _cell(bits: dict[int, int], square: int) -> str:
    occupied, symbol = bits.get(occ(square), 0), bits.get(sym(square), 0)
    if symbol and not occupied:
        raise CircuitShapeError(f"square {square} has a symbol without being occupied")
    return ("XO"[symbol]) if occupied else "."
