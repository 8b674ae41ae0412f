"""Readout mitigation brings a noisy distribution nearer to the exact one; it needs the extra `mitigation`."""

from importlib.util import find_spec

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, QuantumCircuit

from circuits.backends import mitigation
from circuits.backends.ibm.backend import get_simulated as get_backend
from circuits.backends.mitigation import measured_qubits, mitigate, readout_errors
from circuits.backends.noise import reported_reading
from circuits.decoding import Shots
from circuits.errors import BackendUsageError
from tests.support.ibm_circuits import asymmetric, chain, pair

pytestmark = pytest.mark.ibm


needs_mthree = pytest.mark.skipif(find_spec("mthree") is None, reason="needs the extra 'mitigation'")


def distance(first: dict[str, float], second: dict[str, float]) -> float:
    keys = first.keys() | second.keys()
    return sum(abs(first.get(key, 0) - second.get(key, 0)) for key in keys) / 2


@needs_mthree
def test_nearer_to_the_exact_distribution() -> None:
    backend = get_backend("fake_mumbai")
    prepared = backend.prepare([chain(3)], 8000)
    (shots,) = backend.submit(prepared, seed=3).wait()
    probability = np.cos(1.2345678901234567 / 2) ** 2
    exact = {"000": probability, "111": 1 - probability}
    rows, numbers = np.unique(shots.pos, axis=0, return_counts=True)
    raw = {
        "".join("01"[bit] for bit in row): number / 8000
        for row, number in zip(rows.astype(int), numbers, strict=True)
    }
    mitigated = mitigate(shots, readout_errors(prepared.circuits[0].circuit, backend.device))
    assert sum(mitigated.values()) == pytest.approx(1)
    assert distance(mitigated, exact) < distance(raw, exact) / 2


@needs_mthree
def test_an_asymmetric_board_keeps_its_bits_in_order() -> None:
    """Registers `pos` then `mark`, bit 0 first: squares 1 and 8 occupied, 8 holds O."""
    backend = get_backend("fake_torino")
    prepared = backend.prepare([asymmetric()[0]], 2000)
    (shots,) = backend.submit(prepared, seed=3).wait()
    mitigated = mitigate(shots, readout_errors(prepared.circuits[0].circuit, backend.device))
    assert mitigated["1101"] > 0.98


def test_readings_are_what_the_device_reports() -> None:
    device = get_backend("fake_mumbai").device
    reading = reported_reading(device, 5)
    properties = device.properties()
    names = ("prob_meas1_prep0", "prob_meas0_prep1")
    assert reading.by_calibration == tuple(properties.qubit_property(5, name)[0] for name in names)
    # The simulation knows their mean alone.
    mean = sum(reading.by_calibration) / 2
    assert reading.as_simulated == pytest.approx((mean, mean))
    assert reading.by_calibration[0] != reading.by_calibration[1]


def test_measured_qubits() -> None:
    backend = get_backend("fake_manila")
    compiled = backend.prepare([pair()], 1).circuits[0].circuit
    where = {
        compiled.find_bit(i.clbits[0]).index: compiled.find_bit(i.qubits[0]).index
        for i in compiled.data
        if i.clbits
    }
    assert measured_qubits(compiled) == [where[0], where[1]]
    compiled.data.pop()
    with pytest.raises(BackendUsageError, match="never measured"):
        measured_qubits(compiled)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mitigation, "find_spec", lambda _name: None)
    with pytest.raises(BackendUsageError, match="install the extra 'mitigation'"):
        mitigate(Shots.from_registers({}, 1), ())
    with pytest.raises(BackendUsageError, match="install the extra 'mitigation'"):
        readout_errors(pair(), get_backend("fake_manila").device)


def test_shots_of_another_circuit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mitigation, "find_spec", lambda _name: object())
    shots = Shots.from_registers({"mark": np.zeros((4, 3), dtype=np.bool_)}, 4)
    with pytest.raises(BackendUsageError, match="4 shots of 3 bits are not of a circuit with 2"):
        mitigate(shots, ((0.1, 0.1), (0.1, 0.1)))


def test_errors_are_those_of_the_qubits_that_the_bits_are_read_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mitigation, "find_spec", lambda _name: object())
    device = get_backend("fake_mumbai").device
    circuit = QuantumCircuit(27)
    circuit.add_register(ClassicalRegister(1, "mark"), ClassicalRegister(2, "pos"))
    for qubit, bit in ((3, 0), (8, 1), (5, 2)):
        circuit.measure(qubit, bit)
    # `pos` comes before `mark`, in whichever order the circuit has them.
    expected = [reported_reading(device, qubit) for qubit in (8, 5, 3)]
    assert readout_errors(circuit, device) == tuple(one.by_calibration for one in expected)
    assert readout_errors(circuit, device, simulated=True) == tuple(one.as_simulated for one in expected)


def test_a_circuit_without_bits_has_nothing_to_correct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mitigation, "find_spec", lambda _name: object())
    assert mitigate(Shots.from_registers({}, 5), ()) == {"": 1.0}
