"""The local simulator: Qiskit Aer, without noise."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from qiskit import transpile
from qiskit.circuit import QuantumCircuit
from qiskit_aer import AerSimulator

from circuits.backends.local_cost import SHOTS_AT_ONCE, trajectory_seconds
from circuits.backends.parts import used_qubits
from circuits.components import Component, join_components, register_widths, split
from circuits.decoding import Bits, Shots
from circuits.errors import BackendError, BackendUsageError, CircuitShapeError
from circuits.fusion import fuse_components
from circuits.measurement import HERALDS, POSITIONS, REGISTER_NAMES, SYMBOLS

PACKED_QUBITS: Final = 10
"""Components are put side by side up to this many qubits: a state of 1,024 amplitudes costs less than one
more circuit. Without packing 100,000 shots take 1.6 times as long."""

SHOTS_OF_PRODUCTS: Final = 20_000
"""The most shots of one run as a matrix product state, which takes some 20 µs on each."""

RUN_SECONDS: Final = 0.5
"""What a run of a circuit that cannot be split may take: Ctrl-C is answered after it."""

DENSE_QUBITS: Final = 20
"""A component above this is run as a matrix product state (16 MiB of amplitudes at this size)."""


def _pack(components: Iterable[Component], width: int) -> list[list[Component]]:
    """Put components into as few groups of `width` qubits as first-fit finds; larger ones are alone."""
    groups: list[list[Component]] = []
    for component in sorted(components, key=lambda part: -len(part.qubits)):
        for group in groups:
            if sum(len(part.qubits) for part in group) + len(component.qubits) <= width:
                group.append(component)
                break
        else:
            groups.append([component])
    return groups


def _bits(memory: Sequence[str], width: int) -> Bits:
    """Turn Aer's hexadecimal words, one a shot, into an array of shape (shots, width), bit 0 first."""
    octets = -(-width // 8)
    joined = b"".join([int(word, 16).to_bytes(octets, "little") for word in memory])
    rows = np.frombuffer(joined, dtype=np.uint8).reshape(len(memory), octets)
    return np.unpackbits(rows, axis=1, count=width, bitorder="little").view(np.bool_)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.random() * 2**31)


def _simulator(method: str) -> AerSimulator:
    # One thread: on states this small more of them cost more than they give.
    return AerSimulator(method=method, max_parallel_threads=1, max_parallel_experiments=1)


def _execute(circuits: list[QuantumCircuit], method: str, shots: int, seed: int) -> list[Bits]:
    try:
        result: Any = _simulator(method).run(circuits, shots=shots, memory=True, seed_simulator=seed).result()
    except Exception as error:
        raise BackendError(f"the simulator failed: {error}") from error
    if not result.success:
        raise BackendError(f"the simulator failed: {result.status}")
    # Where nothing was measured, there is no memory.
    return [
        _bits(getattr(experiment.data, "memory", ["0x0"] * shots), circuit.num_clbits)
        for circuit, experiment in zip(circuits, result.results, strict=True)
    ]


class AerBackend:
    """Runs circuits on this computer, by components.

    A circuit falls into components that no gate connects (`circuits.components`). Each is run on its own,
    several small ones side by side in one circuit, and shot i of the board is put together from shot i of
    each of them. That is exact: a product state gives independent results, and the shots of one component are
    independent of each other, so any pairing of them has the right joint distribution, this one included. It
    keeps the state small: a component has at most 10 qubits, unless squares were measured in between, where
    the board has 27.

    Neighbouring gates are multiplied together first (`circuits.fusion`), because Aer spends more time on
    taking an instruction in than on a state this small.

    On a full Level-2 board (components of 8, 4 and 2 qubits) Aer takes ten times as long for 1,000 shots by a
    matrix product state, and five times as long for one shot on one dense state.

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

        Raises:
            BackendUsageError: fewer than one shot.
            CircuitShapeError: a circuit has other classical registers, or an angle without a value.
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
        if circuit.parameters:
            raise
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
    small = _pack((part for part in live if len(part.qubits) <= DENSE_QUBITS), PACKED_QUBITS)
    for groups, method in ((small, "statevector"), (large, "matrix_product_state")):
        if not groups:
            continue
        join = fuse_components if groups is small else join_components
        circuits = [join(group) for group in groups]
        # Aer cannot be interrupted, only Python between its runs.
        at_once = SHOTS_AT_ONCE if groups is small else SHOTS_OF_PRODUCTS
        for first in range(0, shots, at_once):
            some = slice(first, min(first + at_once, shots))
            # A seed for every run: streams that start alike would tie independent components together.
            results = _execute(circuits, method, some.stop - first, _seed(rng))
            for group, rows in zip(groups, results, strict=True):
                targets = [target for part in group for target in part.targets]
                for (register, bit), column in zip(targets, rows.T, strict=True):
                    bits[register][some, bit] = column


def _run_whole(circuit: QuantumCircuit, shots: int, rng: np.random.Generator, bits: dict[str, Bits]) -> None:
    """Run a circuit as it is, for what cannot be split."""
    method = "automatic"
    opened = transpile(circuit, _simulator(method), optimization_level=0)
    each = trajectory_seconds(opened, len(used_qubits(opened)))
    seed, at_once = _seed(rng), max(1, min(SHOTS_AT_ONCE, int(RUN_SECONDS / each)))
    for first in range(0, shots, at_once):
        some = slice(first, min(first + at_once, shots))
        # Shot i of such a run has the run's seed plus i: however it is cut, every shot has its own.
        (rows,) = _execute([opened], method, some.stop - first, (seed + first) % 2**31)
        for register in circuit.cregs:
            bits[register.name][some] = rows[:, [circuit.find_bit(bit).index for bit in register]]
