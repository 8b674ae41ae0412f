"""Readout mitigation: undoing, on average, what faulty measurements do to a distribution.

It corrects frequencies, not shots, so it is for comparing a device with theory and never for the outcome of a
game. The work is done by `mthree` (Nation, Kang, Sundaresan and Gambetta, PRX Quantum 2, 040326, 2021), which
the extra `mitigation` installs. The errors are those that the device reports, so nothing more has to be run.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2

from circuits.backends.base import ReadoutErrors
from circuits.backends.noise import reported_reading
from circuits.decoding import Shots
from circuits.errors import BackendUsageError
from circuits.measurement import REGISTER_NAMES

Distribution = dict[str, float]
"""Probabilities by bit string: `pos`, then `mark`, then `flag`, bit 0 of each first."""


def measured_qubits(circuit: QuantumCircuit) -> list[int]:
    """Return the qubit that each classical bit is read from at last, by the bit's index.

    Raises:
        BackendUsageError: a classical bit is never written.
    """
    last: dict[int, int] = {}
    for item in circuit.data:
        if item.name == "measure":
            last[circuit.find_bit(item.clbits[0]).index] = circuit.find_bit(item.qubits[0]).index
    if len(last) != circuit.num_clbits:
        raise BackendUsageError("a classical bit of the circuit is never measured: it cannot be mitigated")
    return [last[bit] for bit in range(circuit.num_clbits)]


def readout_errors(circuit: QuantumCircuit, device: BackendV2, *, simulated: bool = False) -> ReadoutErrors:
    """Return how each bit of a circuit is misread on its device, which is all that `mitigate` needs to know.

    It can be kept: later the device may report other errors, or be gone.

    Args:
        circuit: the compiled circuit.
        device: where it runs.
        simulated: it is simulated here, and so the errors are those of the simulation.

    Returns:
        For each bit, in the order of `Distribution`, the probabilities of reading 1 for 0 and 0 for 1.

    Raises:
        BackendUsageError: the extra is missing, a bit is never measured, or the device reports no errors.
    """
    _require_mthree()
    registers = {register.name: register for register in circuit.cregs}
    order = [bit for name in REGISTER_NAMES if name in registers for bit in registers[name]]
    measured = measured_qubits(circuit)
    readings = [reported_reading(device, measured[circuit.find_bit(bit).index]) for bit in order]
    return tuple(reading.as_simulated if simulated else reading.by_calibration for reading in readings)


def mitigate(shots: Shots, errors: ReadoutErrors) -> Distribution:
    """Estimate the distribution that a circuit's bits would have if measurements were perfect.

    Args:
        shots: what came out.
        errors: what `readout_errors` said of the circuit.

    Returns:
        The nearest probability distribution to the corrected frequencies, over the bit strings seen.

    Raises:
        BackendUsageError: the extra is missing, there are no shots, or they are of another circuit.
    """
    _require_mthree()
    rows = np.concatenate([shots.pos, shots.mark, shots.flag], axis=1)
    if not len(rows) or rows.shape[1] != len(errors):
        raise BackendUsageError(
            f"{rows.shape[0]} shots of {rows.shape[1]} bits are not of a circuit with {len(errors)}"
        )
    if not errors:
        return {"": 1.0}
    return _corrected(_counts(rows), errors)


def _require_mthree() -> None:
    if find_spec("mthree") is None:
        raise BackendUsageError("readout mitigation needs the package mthree: install the extra 'mitigation'")


def _counts(rows: npt.NDArray[np.bool_]) -> dict[str, int]:
    patterns, numbers = np.unique(rows, axis=0, return_counts=True)
    return {
        "".join("1" if bit else "0" for bit in pattern): int(number)
        for pattern, number in zip(patterns, numbers, strict=True)
    }


def _corrected(counts: Mapping[str, int], errors: ReadoutErrors) -> Distribution:
    mthree = import_module("mthree")
    mitigation = mthree.M3Mitigation()
    mitigation.cals_from_matrices(
        [np.array([[1 - wrong_1, wrong_0], [wrong_1, 1 - wrong_0]]) for wrong_1, wrong_0 in errors]
    )
    # mthree writes bit 0 last, as Qiskit does.
    reversed_counts = {bits[::-1]: number for bits, number in counts.items()}
    quasi = mitigation.apply_correction(reversed_counts, list(range(len(errors))))
    nearest = quasi.nearest_probability_distribution()
    return {bits[::-1]: float(probability) for bits, probability in sorted(nearest.items())}
