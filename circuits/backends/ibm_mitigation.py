"""Readout mitigation: undoing, on average, what faulty measurements do to a distribution.

It corrects frequencies, not shots, so it is for comparing a device with theory and never for the outcome of a
game. The work is done by `mthree` (Nation, Kang, Sundaresan and Gambetta, PRX Quantum 2, 040326, 2021), which
the extra `mitigation` installs. The errors are those that the device reports, so nothing more has to be run.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2

from circuits.decoding import Shots
from circuits.errors import BackendUsageError

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


def readout_matrix(device: BackendV2, qubit: int) -> npt.NDArray[np.float64]:
    """Return how a qubit is read: column p holds the probabilities of reading 0 and 1 when it is in p.

    A device that only reports the mean of both errors gets it for both.

    Raises:
        BackendUsageError: the device reports no readout error of that qubit.
    """
    properties: Any = device.properties() if hasattr(device, "properties") else None
    values = properties.qubit_property(qubit) if properties is not None else {}
    mean = values.get("readout_error", (None,))[0]
    wrong_1 = values.get("prob_meas1_prep0", (mean,))[0]
    wrong_0 = values.get("prob_meas0_prep1", (mean,))[0]
    if wrong_0 is None or wrong_1 is None:
        raise BackendUsageError(
            f"{device.name} reports no readout error of qubit {qubit}: it cannot be mitigated"
        )
    return np.array([[1 - wrong_1, wrong_0], [wrong_1, 1 - wrong_0]])


def mitigate(shots: Shots, circuit: QuantumCircuit, device: BackendV2) -> Distribution:
    """Estimate the distribution that the circuit's bits would have if measurements were perfect.

    Args:
        shots: what came out.
        circuit: the compiled circuit that ran.
        device: where it ran.

    Returns:
        The nearest probability distribution to the corrected frequencies, over the bit strings seen.

    Raises:
        BackendUsageError: the extra is missing, there are no shots or bits, or the device reports no errors.
    """
    if find_spec("mthree") is None:
        raise BackendUsageError("readout mitigation needs the package mthree: install the extra 'mitigation'")
    registers = {register.name: register for register in circuit.cregs}
    order = [bit for name in ("pos", "mark", "flag") if name in registers for bit in registers[name]]
    rows = np.concatenate([shots.pos, shots.mark, shots.flag], axis=1)
    if not rows.size or rows.shape[1] != len(order):
        raise BackendUsageError(
            f"{rows.shape[0]} shots of {rows.shape[1]} bits are not of a circuit with {len(order)}"
        )
    measured = measured_qubits(circuit)
    qubits = [measured[circuit.find_bit(bit).index] for bit in order]
    counts = _counts(rows)
    return _corrected(counts, qubits, [readout_matrix(device, qubit) for qubit in qubits])


def _counts(rows: npt.NDArray[np.bool_]) -> dict[str, int]:
    patterns, numbers = np.unique(rows, axis=0, return_counts=True)
    return {
        "".join("1" if bit else "0" for bit in pattern): int(number)
        for pattern, number in zip(patterns, numbers, strict=True)
    }


def _corrected(
    counts: Mapping[str, int], qubits: Sequence[int], matrices: Sequence[npt.NDArray[np.float64]]
) -> Distribution:
    mthree = import_module("mthree")
    mitigation = mthree.M3Mitigation()
    calibration: list[npt.NDArray[np.float64] | None] = [None] * (max(qubits) + 1)
    for qubit, matrix in zip(qubits, matrices, strict=True):
        calibration[qubit] = matrix
    mitigation.cals_from_matrices(calibration)
    # mthree writes bit 0 last, as Qiskit does.
    reversed_counts = {bits[::-1]: number for bits, number in counts.items()}
    quasi = mitigation.apply_correction(reversed_counts, list(qubits))
    nearest = quasi.nearest_probability_distribution()
    return {bits[::-1]: float(probability) for bits, probability in sorted(nearest.items())}
