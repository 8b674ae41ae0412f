"""What a compiled circuit would give on its device, exactly, from the errors that the device reports.

The model is the one with which Qiskit simulates a device: a depolarising error and relaxation after every
gate, so that the gate's average error is as reported, and bits that are misread. Parts of a circuit that no
gate connects are independent, and each is small, so that its state is held whole: as a real vector of its
Pauli components, on which gates and their errors are matrices.

A device that reports honestly may still differ from that: `NoisyPart.ranges` says how far each cause of error
can move a part's bits. An *honest* device is one in which

* every error rate is between ``LEAST`` and ``MOST`` times what it reports, each qubit's reading and gates and
  each pair's gate for itself, and need not stay the same during a job: relaxation times go with the gates;
* 0 and 1 are misread equally often, or as unequally as its calibration says, or something between (where it
  says only their mean, one of them up to ``UNEQUAL`` times as often as that);
* gates turn too far or too short by an angle that alone would make ``COHERENT`` of their reported error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import asin, exp, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import RXGate, RZXGate, RZZGate
from qiskit.providers import BackendV2

from circuits.backends.parts import connected_qubits, on_part
from circuits.errors import BackendUsageError

LEAST: Final = 0.5
MOST: Final = 2.0
UNEQUAL: Final = 1.5
COHERENT: Final = 0.1

MOST_QUBITS: Final = 10
"""A part with more qubits is too large to be held."""

Vector = npt.NDArray[np.float64]
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a qubit is misread: each time the probabilities of reading 1 for 0, and 0 for 1.

    Attributes:
        as_simulated: what the device's target says, with which the device is simulated here: as a rule the
            mean of both errors, for both.
        by_calibration: what its calibration says of each; the same where it does not tell them apart.
    """

    as_simulated: tuple[float, float]
    by_calibration: tuple[float, float]


def reported_reading(device: BackendV2, qubit: int) -> Reading:
    """Return how a device reports that a qubit is misread.

    Raises:
        BackendUsageError: the device reports no readout error of that qubit.
    """
    properties: Any = device.properties() if hasattr(device, "properties") else None
    values = properties.qubit_property(qubit) if properties is not None else {}
    known = device.target["measure"].get((qubit,)) if "measure" in device.target.operation_names else None
    mean = None if known is None else known.error
    calibrated = values.get("readout_error", (mean,))[0]
    wrong_1 = values.get("prob_meas1_prep0", (calibrated,))[0]
    wrong_0 = values.get("prob_meas0_prep1", (calibrated,))[0]
    if wrong_0 is None or wrong_1 is None:
        raise BackendUsageError(
            f"{device.name} reports no readout error of qubit {qubit}: it cannot be mitigated"
        )
    mean = calibrated if mean is None else mean
    # As Qiskit's simulation reads it.
    simulated = (getattr(known, "prob_meas1_prep0", mean), getattr(known, "prob_meas0_prep1", mean))
    return Reading(simulated, (wrong_1, wrong_0))


@dataclass(frozen=True, slots=True)
class ReportedErrors:
    """The errors that a device reports of what a circuit uses.

    Attributes:
        relaxation: T1 and T2 of each qubit in seconds; infinite where they are not reported.
        reading: of each measured qubit the probabilities of reading 1 for 0 and 0 for 1, as they are taken
            to be.
        unequal: the same, as unequal as they may be, in one way or several.
        gates: the average error and the duration in seconds of each gate, by its name and its qubits.
    """

    relaxation: Mapping[int, Pair]
    reading: Mapping[int, Pair]
    unequal: Mapping[int, tuple[Pair, ...]]
    gates: Mapping[tuple[str, tuple[int, ...]], Pair]

    def to_json(self) -> dict[str, Any]:
        """The errors as a plain dictionary; infinite times are null."""
        return {
            "relaxation": [
                [qubit, *(None if time == np.inf else time for time in times)]
                for qubit, times in self.relaxation.items()
            ],
            "reading": [
                [qubit, list(pair), [list(other) for other in self.unequal[qubit]]]
                for qubit, pair in self.reading.items()
            ],
            "gates": [[name, list(qubits), *errors] for (name, qubits), errors in self.gates.items()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ReportedErrors":
        """Read what `to_json` wrote.

        Raises:
            BackendUsageError: it is something else.
        """
        try:
            relaxation = {
                _count(qubit): (
                    np.inf if first is None else _positive(first),
                    np.inf if second is None else _positive(second),
                )
                for qubit, first, second in data["relaxation"]
            }
            reading, unequal = {}, {}
            for qubit, pair, others in data["reading"]:
                reading[_count(qubit)] = _chances(pair)
                unequal[_count(qubit)] = tuple(_chances(other) for other in others)
            gates = {
                (str(name), tuple(_count(qubit) for qubit in qubits)): (_chance(error), _positive(seconds))
                for name, qubits, error, seconds in data["gates"]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise BackendUsageError(f"its reported errors are damaged: {error}") from error
        return cls(relaxation, reading, unequal, gates)


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{str(value)[:40]!r} is no qubit")
    return value


def _positive(value: object) -> float:
    # By exact type: in Python true is an int. A NaN is not at least 0.
    if type(value) not in (int, float) or not 0 <= value < np.inf:  # type: ignore[operator]
        raise ValueError(f"{str(value)[:40]!r} is no time")
    return float(value)  # type: ignore[arg-type]


def _chance(value: object) -> float:
    if _positive(value) > 1:
        raise ValueError(f"{str(value)[:40]!r} is no probability")
    return float(value)  # type: ignore[arg-type]


def _chances(pair: Sequence[object]) -> Pair:
    wrong_1, wrong_0 = pair
    return _chance(wrong_1), _chance(wrong_0)


def reported_errors(circuit: QuantumCircuit, device: BackendV2) -> ReportedErrors | None:
    """Return the errors that a device reports of a compiled circuit's gates and measurements.

    Args:
        circuit: gates of the device, then measurements.
        device: where it runs.

    Returns:
        The errors; None if the device does not report one of a two-qubit gate or a measurement, or if the
        circuit acts on its own measurements.
    """
    if circuit.has_control_flow_op():
        return None
    target, known = device.target, device.target.qubit_properties
    relaxation: dict[int, Pair] = {}
    reading: dict[int, Pair] = {}
    unequal: dict[int, tuple[Pair, ...]] = {}
    gates: dict[tuple[str, tuple[int, ...]], Pair] = {}
    for item in circuit.data:
        if item.name == "barrier":
            continue
        qubits = tuple(circuit.find_bit(qubit).index for qubit in item.qubits)
        there = target[item.name].get(qubits) if item.name in target.operation_names else None
        error = None if there is None else there.error
        for qubit in qubits:
            times = known[qubit] if known else None
            relaxation[qubit] = (getattr(times, "t1", None) or np.inf, getattr(times, "t2", None) or np.inf)
        if error is None and (item.name == "measure" or len(qubits) == 2):
            return None
        if item.name == "measure":
            own = reported_reading(device, qubits[0])
            reading[qubits[0]] = own.as_simulated
            unequal[qubits[0]] = (own.by_calibration,)
            if own.by_calibration == own.as_simulated:
                mean = error or 0.0
                more, less = min(1.0, UNEQUAL * mean), (2 - UNEQUAL) * mean
                unequal[qubits[0]] = ((less, more), (more, less))
        else:
            gates[item.name, qubits] = (error or 0.0, getattr(there, "duration", None) or 0.0)
    return ReportedErrors(relaxation, reading, unequal, gates)


@dataclass(frozen=True, slots=True, eq=False)
class NoisyPart:
    """The bits of one independent part of a circuit.

    Distributions have an axis of length 2 a bit, in the order of ``bits``.

    Attributes:
        bits: the register and the index of each bit.
        ideal: their distribution without any error.
        reported: their distribution if the errors are exactly those that the device reports.
        ranges: for each cause of error the distributions at the ends of what it may be on an honest device,
            all other causes being as reported.
        readings: for each bit the probabilities of reading 1 for 0 and 0 for 1.
    """

    bits: tuple[tuple[str, int], ...]
    ideal: Vector
    reported: Vector
    ranges: tuple[tuple[Vector, ...], ...]
    readings: tuple[Pair, ...]


def noisy_parts(circuit: QuantumCircuit, errors: ReportedErrors, *, ranges: bool = True) -> list[NoisyPart]:
    """Return what each independent part of a compiled circuit gives on its device.

    Args:
        circuit: gates and, at the end, measurements, on the device's qubits.
        errors: what `reported_errors` said of it.
        ranges: how far each cause can move them is wanted too.

    Raises:
        BackendUsageError: a part has more than `MOST_QUBITS` qubits, or the errors are of another circuit.
    """
    parts = []
    for qubits in connected_qubits(circuit):
        small = on_part(circuit, qubits)
        if any(item.name == "measure" for item in small.data):
            if len(qubits) > MOST_QUBITS:
                raise BackendUsageError(
                    f"{len(qubits)} qubits hang together in the circuit, too many for an expectation"
                )
            try:
                parts.append(_Part(small, qubits, errors).noisy(ranges))
            except KeyError as error:
                raise BackendUsageError("the errors that were reported are of another circuit") from error
    return parts


@dataclass(frozen=True, slots=True)
class _Changes:
    """How a device differs from what it reports, by the qubits or pairs concerned."""

    rates: Mapping[tuple[int, ...], float]
    turns: Mapping[tuple[int, ...], float]
    ideal: bool = False


_NONE: Final = _Changes({}, {})


class _Part:
    """One part of a circuit: its gates, and where its bits are read."""

    def __init__(self, circuit: QuantumCircuit, qubits: Sequence[int], errors: ReportedErrors) -> None:
        self.number, self.qubits, self.errors = len(qubits), qubits, errors
        self.gates: list[tuple[str, tuple[int, ...], Vector]] = []
        self.measured: list[int] = []
        bits = []
        for item in circuit.data:
            places = tuple(circuit.find_bit(qubit).index for qubit in item.qubits)
            if item.name == "measure":
                self.measured.append(places[0])
                ((register, index),) = circuit.find_bit(item.clbits[0]).registers
                bits.append((register.name, index))
            else:
                self.gates.append((item.name, places, _transfer_of(item.operation)))
        self.bits = tuple(bits)

    def noisy(self, ranges: bool) -> NoisyPart:
        """What the part gives."""
        before = self._unread(_NONE)
        places = [self.qubits[place] for place in self.measured]
        readings = tuple(self.errors.reading[qubit] for qubit in places)
        reported = misread(before, readings)
        found: list[tuple[Vector, ...]] = []
        if ranges:
            groups: list[tuple[int, ...]] = [(place,) for place in range(self.number)]
            groups += sorted({places for _, places, _ in self.gates if len(places) == 2})
            for group in groups:
                if any(places == group for _, places, _ in self.gates):
                    rates = [_Changes({group: factor}, {}) for factor in (LEAST, MOST)]
                    turns = [_Changes({}, {group: sign}) for sign in (-1.0, 1.0)]
                    found += [
                        tuple(misread(self._unread(change), readings) for change in changes)
                        for changes in (rates, turns)
                    ]
            for axis, qubit in enumerate(places):
                ends = []
                for pair in (readings[axis], *self.errors.unequal[qubit]):
                    for factor in (LEAST, MOST):
                        new = (min(1.0, factor * pair[0]), min(1.0, factor * pair[1]))
                        ends.append(misread(before, (*readings[:axis], new, *readings[axis + 1 :])))
                found.append(tuple(ends))
        ideal = self._unread(_Changes({}, {}, ideal=True))
        return NoisyPart(self.bits, ideal, reported, tuple(found), readings)

    def _unread(self, changes: _Changes) -> Vector:
        """The distribution of the measured qubits before they are read."""
        state = np.zeros((4,) * self.number)
        # Every qubit starts in 0: the identity and Z have the component 1.
        state[np.ix_(*[[0, 3]] * self.number)] = 1.0
        waiting: dict[int, Vector] = {}
        for name, places, transfer in self.gates:
            matrix = transfer if changes.ideal else self._noise(name, places, changes) @ transfer
            if len(places) == 1:
                waiting[places[0]] = matrix @ waiting.get(places[0], np.eye(4))
                continue
            first, second = (waiting.pop(place, np.eye(4)) for place in places)
            state = _apply(state, matrix @ np.kron(first, second), places)
        for place, matrix in waiting.items():
            state = _apply(state, matrix, (place,))
        # What is not measured is traced out: its identity alone is left.
        kept = state
        for place in range(self.number):
            kept = kept.take([0, 3] if place in self.measured else [0], axis=place)
        order = sorted(self.measured)
        kept = kept.reshape((2,) * len(order)).transpose([order.index(place) for place in self.measured])
        for axis in range(len(order)):
            plus, minus = kept.take(0, axis=axis), kept.take(1, axis=axis)
            kept = np.stack([plus + minus, plus - minus], axis=axis) / 2
        return np.clip(kept, 0.0, 1.0)

    def _noise(self, name: str, places: tuple[int, ...], changes: _Changes) -> Vector:
        """The error of a gate, as a matrix that follows the gate's own."""
        qubits = tuple(self.qubits[place] for place in places)
        error, seconds = self.errors.gates[name, qubits]
        factor = changes.rates.get(places, 1.0)
        times = []
        for place, qubit in zip(places, qubits, strict=True):
            faster = changes.rates.get((place,), 1.0)
            first, second = self.errors.relaxation[qubit]
            times.append((first / faster, second / faster))
        noise = _gate_noise(error * factor, seconds, tuple(times))
        turn = changes.turns.get(places, 0.0)
        return noise if not turn or not error else noise @ _too_far(name, turn, error)


def _apply(state: Vector, matrix: Vector, places: tuple[int, ...]) -> Vector:
    count = len(places)
    rows = np.moveaxis(state, list(places), list(range(count)))
    # Not by BLAS: its threads wait for each other, on a busy machine for minutes.
    done = np.einsum("ij,jk->ik", matrix, rows.reshape(4**count, -1))
    return np.moveaxis(done.reshape(rows.shape), list(range(count)), list(places))


def misread(distribution: Vector, readings: Sequence[Pair]) -> Vector:
    """A distribution of bits once they are read with errors."""
    for axis, (wrong_1, wrong_0) in enumerate(readings):
        confusion = np.array([[1 - wrong_1, wrong_0], [wrong_1, 1 - wrong_0]])
        rows = np.moveaxis(distribution, axis, 0)
        read = np.einsum("ij,jk->ik", confusion, rows.reshape(2, -1))
        distribution = np.moveaxis(read.reshape(rows.shape), 0, axis)
    return distribution


@lru_cache(maxsize=4096)
def _gate_noise(error: float, seconds: float, times: tuple[Pair, ...]) -> Vector:
    """A depolarising error and then relaxation that make a gate's average error as reported.

    Where relaxation alone makes a larger one, it stands alone.
    """
    count = len(times)
    relaxing: Vector = np.ones((1, 1))
    for first, second in times:
        relaxing = np.asarray(np.kron(relaxing, _relaxation(first, min(second, 2 * first), seconds)))
    states = 2**count
    # The average fidelity of a channel from the trace of its matrix.
    fidelity = (np.trace(relaxing) / states + 1) / (states + 1)
    error = min(error, states / (states + 1))
    # Relaxation keeps less of what is left, the more a state is depolarised.
    share = states * (error - (1 - fidelity)) / (states * fidelity - 1) if error > 1 - fidelity else 0.0
    depolarising = np.eye(4**count) * (1 - min(share, 4**count / (4**count - 1)))
    depolarising[0, 0] = 1.0
    return np.asarray(relaxing @ depolarising)


def _relaxation(first: float, second: float, seconds: float) -> Vector:
    decay = exp(-seconds / first)
    matrix = np.diag([1.0, exp(-seconds / second), exp(-seconds / second), decay])
    matrix[3, 0] = 1 - decay
    return matrix


@lru_cache(maxsize=4096)
def _too_far(name: str, sign: float, error: float) -> Vector:
    """A turn that makes ``COHERENT`` of a gate's error, about the axis about which the gate turns."""
    if name in ("cx", "ecr", "cz") or (name.startswith("r") and name not in ("rx", "ry", "rz")):
        angle = sign * 2 * asin(min(1.0, sqrt(1.25 * COHERENT * error)))
        return _transfer_of(RZXGate(angle) if name in ("cx", "ecr") else RZZGate(angle))
    return _transfer_of(RXGate(sign * 2 * asin(min(1.0, sqrt(1.5 * COHERENT * error)))))


def _transfer_of(operation: Any) -> Vector:
    """A unitary gate as a matrix on Pauli components, those of its first qubit slowest."""
    name, params = operation.name, tuple(map(float, operation.params))
    key = (name, params)
    if key not in _TRANSFERS:
        if len(_TRANSFERS) > 10_000:
            _TRANSFERS.clear()
        _TRANSFERS[key] = _transfer(np.asarray(operation.to_matrix()))
    return _TRANSFERS[key]


_TRANSFERS: dict[tuple[str, tuple[float, ...]], Vector] = {}
_PAULIS: Final = np.array(
    [[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]], dtype=np.complex128
)


def _transfer(unitary: npt.NDArray[np.complex128]) -> Vector:
    if len(unitary) == 2:
        basis = _PAULIS
    else:
        # Qiskit's matrices have the first qubit in the lowest place.
        basis = np.array([np.kron(second, first) for first in _PAULIS for second in _PAULIS])
    turned = unitary @ basis @ unitary.conj().T
    return np.asarray(np.real(np.einsum("iab,jba->ij", basis, turned)) / len(unitary))
