"""Keeping the shots that agree with what is known already: which squares are filled.

Positions are observed before the mode of observation is chosen, so the symbols must be drawn from the state
that the positions left behind. A measurement in the middle would collapse it; so does looking only at those
shots of a whole circuit whose positions are the known ones, because measuring an occupancy commutes with
everything that happens to the symbols afterwards. On a noiseless simulator this is done component by
component: independent parts are conditioned independently, and even a rare pattern of the whole board is
then never rarer than the rarest pattern of one part.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from qiskit.circuit import QuantumCircuit

from circuits.backends.base import Backend
from circuits.components import Component, split
from circuits.decoding import Shots
from circuits.errors import BackendError
from circuits.measurement import HERALDS, POSITIONS, REGISTER_NAMES, SYMBOLS, Bit, Readout

MAX_ROUNDS = 200


def run_given(
    backend: Backend,
    circuit: QuantumCircuit,
    readout: Readout,
    occupied: Sequence[bool],
    shots: int,
    rng: np.random.Generator,
    *,
    batch: int = 1024,
) -> Shots:
    """Draw shots of a circuit, given which squares are filled, on a noiseless backend.

    The circuit runs in batches; every component keeps its own shots that agree, in their order, and the i-th
    of each are joined. That is exact only where components are independent, so not on a device with noise.

    Args:
        backend: a noiseless backend.
        circuit: a measured circuit.
        readout: how to read it.
        occupied: for squares 1 to 9, whether the square is filled.
        shots: how many agreeing shots are wanted.
        rng: where seeds come from.
        batch: shots a run.

    Raises:
        BackendError: no agreeing shot turns up; the positions are impossible or nearly so.
    """
    components = split(circuit)
    wanted = {
        source.index: value
        for source, value in zip(readout.occupancy, occupied, strict=True)
        if isinstance(source, Bit)
    }
    found: list[list[Shots]] = [[] for _ in components]
    missing = [shots] * len(components)
    for _ in range(MAX_ROUNDS):
        if not any(missing):
            break
        (run,) = backend.run([circuit], max(batch, shots), rng)
        for number, component in enumerate(components):
            if missing[number]:
                rows = np.flatnonzero(_component_agrees(component, run, wanted))[: missing[number]]
                found[number].append(Shots(run.pos[rows], run.mark[rows], run.flag[rows]))
                missing[number] -= len(rows)
    if any(missing):
        raise BackendError(
            f"backend {backend.name!r} gave no shot with the observed positions in "
            f"{MAX_ROUNDS * max(batch, shots)} shots"
        )
    return _joined(components, found, circuit, shots)


def _component_agrees(component: Component, run: Shots, wanted: dict[int, bool]) -> npt.NDArray[np.bool_]:
    good = np.ones(len(run), dtype=np.bool_)
    for register, bit in component.targets:
        if register == HERALDS:
            good &= ~run.flag[:, bit]
        elif register == POSITIONS and bit in wanted:
            good &= run.pos[:, bit] == wanted[bit]
    return good


def _joined(
    components: Sequence[Component], found: Sequence[list[Shots]], circuit: QuantumCircuit, shots: int
) -> Shots:
    widths = {register.name: len(register) for register in circuit.cregs}
    bits = {name: np.zeros((shots, widths.get(name, 0)), dtype=np.bool_) for name in REGISTER_NAMES}
    for component, parts in zip(components, found, strict=True):
        if not parts:
            continue
        whole = Shots.concatenate(parts)
        source = {POSITIONS: whole.pos, SYMBOLS: whole.mark, HERALDS: whole.flag}
        for register, bit in component.targets:
            bits[register][:, bit] = source[register][:, bit]
    return Shots.from_registers(bits, shots)
