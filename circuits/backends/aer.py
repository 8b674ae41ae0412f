"""The local simulator: Qiskit Aer, without noise."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from qiskit import transpile
from qiskit.circuit import QuantumCircuit
from qiskit_aer import AerSimulator

from circuits.components import Component, join_components, register_widths, split
from circuits.decoding import Bits, Shots
from circuits.errors import BackendError, BackendUsageError, CircuitShapeError
from circuits.measurement import HERALDS, POSITIONS, REGISTER_NAMES, SYMBOLS

PACKED_QUBITS: Final = 10
"""Components are put side by side up to this many qubits: a state of 1,024 amplitudes costs less than one
more circuit."""

DENSE_QUBITS: Final = 20
"""A component above this is run as a matrix product state (16 MiB of amplitudes at this size)."""


@lru_cache(maxsize=2)
def _simulator(method: str) -> AerSimulator:
    # Making one costs some 10 ms, and it holds no state between runs. One thread: on states this small a
    # second one gains little, and loses tens of milliseconds where the cores are shared.
    return AerSimulator(method=method, max_parallel_threads=1)


def _pack(components: Iterable[Component]) -> list[list[Component]]:
    """Put components into as few groups of `PACKED_QUBITS` as first-fit finds; larger ones are alone."""
    groups: list[list[Component]] = []
    for component in sorted(components, key=lambda part: -len(part.qubits)):
        for group in groups:
            if sum(len(part.qubits) for part in group) + len(component.qubits) <= PACKED_QUBITS:
                group.append(component)
                break
        else:
            groups.append([component])
    return groups


def _bits(memory: Sequence[str], width: int) -> Bits:
    """Turn Aer's hexadecimal words, one a shot, into an array of shape (shots, width), bit 0 first."""
    values: dict[str, int] = {word: int(word, 16) for word in set(memory)}
    words = np.fromiter(map(values.__getitem__, memory), dtype=np.uint64, count=len(memory))
    octets = words[:, np.newaxis].view(np.uint8)
    return np.unpackbits(octets, axis=1, count=width, bitorder="little").view(np.bool_)


def _execute(circuits: list[QuantumCircuit], method: str, shots: int, rng: np.random.Generator) -> list[Bits]:
    seed = int(rng.random() * 2**31)
    try:
        result: Any = _simulator(method).run(circuits, shots=shots, memory=True, seed_simulator=seed).result()
    except Exception as error:
        raise BackendError(f"the simulator failed: {error}") from error
    if not result.success:
        raise BackendError(f"the simulator failed: {result.status}")
    return [
        _bits(experiment.data.memory, circuit.num_clbits)
        for circuit, experiment in zip(circuits, result.results, strict=True)
    ]


class AerBackend:
    """Runs circuits on this computer, by components.

    A circuit falls into components that no gate connects (`circuits.components`). Each is run on its own,
    several small ones side by side in one circuit, and shot i of the board is put together from shot i of
    each of them. That is exact: a product state gives independent results, and the shots of one component are
    independent of each other, so any pairing of them has the right joint distribution, this one included. It
    keeps the state small: at most 13 qubits in a game where the board has 27.

    Neighbouring gates are multiplied together first (`circuits.fusion`), because Aer spends more time on
    taking an instruction in than on a state this small.

    Measured on a full Level-2 board of 18 live qubits (components of 8, 4 and 2 and single qubits; two
    cores), Aer's time alone: one shot takes 0.9 ms in two packed circuits by statevector (1.3 ms without the
    products of gates), 1.4 ms as one matrix product state, 2.4 ms as one circuit a component and 13 ms as one
    dense state; 1,000 shots take 5 ms packed and 32 ms as a matrix product state; 100,000 take 0.25 s and
    3.3 s. So it is packed components by statevector for every number of shots. Opening the blocks, splitting
    and packing add some 0.3 ms a circuit.

    Circuits that are not gates followed by measurements, such as dynamic ones, are run whole, which is much
    slower.
    """

    @property
    def name(self) -> str:
        """The backend's name, 'aer'."""
        return "aer"

    def run(self, circuits: Sequence[QuantumCircuit], shots: int, rng: np.random.Generator) -> list[Shots]:
        """Run circuits and return their bits, one `Shots` a circuit.

        Every run of Aer takes a fresh seed from `rng`, and Aer gives each of the packed circuits in it a
        stream of its own; a generator in the same state gives the same shots.

        Args:
            circuits: measured circuits with registers among `pos`, `mark` and `flag`.
            shots: how often each of them runs, at least once.
            rng: where the seeds come from.

        Raises:
            BackendUsageError: fewer than one shot.
            CircuitShapeError: a circuit has other classical registers.
            BackendError: Aer failed.
        """
        if shots < 1:
            raise BackendUsageError(f"cannot run {shots} shots: at least one is needed")
        return [_run(circuit, shots, rng) for circuit in circuits]


def _run(circuit: QuantumCircuit, shots: int, rng: np.random.Generator) -> Shots:
    widths = register_widths(circuit)
    bits: dict[str, Bits] = {
        name: np.zeros((shots, widths.get(name, 0)), dtype=np.bool_) for name in REGISTER_NAMES
    }
    try:
        components = split(circuit)
    except CircuitShapeError:
        _run_whole(circuit, shots, rng, bits)
    else:
        _run_components(components, shots, rng, bits)
    return Shots(bits[POSITIONS], bits[SYMBOLS], bits[HERALDS])


def _run_components(
    components: Sequence[Component], shots: int, rng: np.random.Generator, bits: dict[str, Bits]
) -> None:
    # A qubit without a gate is 0, which the bits are already.
    live = [part for part in components if part.steps]
    large = [[part] for part in live if len(part.qubits) > DENSE_QUBITS]
    small = _pack(part for part in live if len(part.qubits) <= DENSE_QUBITS)
    for groups, method in ((small, "statevector"), (large, "matrix_product_state")):
        if groups:
            fused = groups is small
            # A seed for each of the two: streams that start alike would tie independent components together.
            results = _execute([join_components(group, fused=fused) for group in groups], method, shots, rng)
            for group, rows in zip(groups, results, strict=True):
                targets = [target for part in group for target in part.targets]
                for (register, bit), column in zip(targets, rows.T, strict=True):
                    bits[register][:, bit] = column


def _run_whole(circuit: QuantumCircuit, shots: int, rng: np.random.Generator, bits: dict[str, Bits]) -> None:
    """Run a circuit as it is, for what cannot be split."""
    method = "automatic"
    opened = transpile(circuit, _simulator(method), optimization_level=0)
    (rows,) = _execute([opened], method, shots, rng)
    first = 0
    for register in circuit.cregs:
        bits[register.name][:] = rows[:, first : first + len(register)]
        first += len(register)
