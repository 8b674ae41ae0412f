"""The exact noise of a compiled circuit, against Qiskit's own simulation and against closed forms."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, QuantumCircuit, QuantumRegister

from circuits.backends.ibm.devices import PartialDevice, fake_device
from circuits.backends.noise import COHERENT, NoisyPart, ReportedErrors, noisy_parts, reported_errors
from circuits.errors import BackendUsageError

pytestmark = pytest.mark.ibm


def tangled(gate: str) -> QuantumCircuit:
    """Four qubits in a row on Torino or Mumbai, the last of them not measured."""
    small = QuantumCircuit(QuantumRegister(5), ClassicalRegister(3, "pos"), ClassicalRegister(1, "mark"))
    for qubit in range(4):
        small.sx(qubit)
        small.rz(0.3 + qubit, qubit)
        small.sx(qubit)
    for pair in ((0, 1), (1, 2), (2, 3)):
        getattr(small, gate)(*pair)
        small.sx(pair[1])
    small.x(4)
    small.measure([2, 0, 1, 4], [0, 1, 2, 3])
    return small


def placed(circuit: QuantumCircuit, device: Any, places: list[int]) -> QuantumCircuit:
    whole = QuantumCircuit(device.target.num_qubits)
    for register in circuit.cregs:
        whole.add_register(register)
    return whole.compose(circuit, places, whole.clbits)


def by_aer(circuit: QuantumCircuit, device: Any, places: list[int], part: NoisyPart) -> Any:
    """The exact distribution of a part's bits by Aer's density matrix."""
    from qiskit_aer import AerSimulator
    from qiskit_aer.noise import NoiseModel

    small = PartialDevice(device, places)
    noise = NoiseModel.from_backend(small)
    measured = [item for item in circuit.data if item.name == "measure"]
    bare = circuit.copy_empty_like()
    for item in circuit.data:
        if item.name != "measure":
            bare.append(item)
    wanted = []
    for register, index in part.bits:
        (bit,) = (creg[index] for creg in circuit.cregs if creg.name == register)
        wanted += [circuit.find_bit(i.qubits[0]).index for i in measured if i.clbits[0] == bit]
    bare.save_probabilities(wanted)
    run = AerSimulator(noise_model=noise, method="density_matrix").run(bare).result()
    # Aer has the first qubit fastest.
    found = run.data()["probabilities"].reshape((2,) * len(wanted)).T
    for axis, qubit in enumerate(wanted):
        error = device.target["measure"][(places[qubit],)].error
        confusion = np.array([[1 - error, error], [error, 1 - error]])
        found = np.moveaxis(np.tensordot(confusion, found, axes=(1, axis)), 0, axis)
    return found


@pytest.mark.parametrize(
    ("name", "gate", "places"),
    [("fake_torino", "cz", [0, 1, 2, 3, 20]), ("fake_mumbai", "cx", [0, 1, 4, 7, 20])],
)
def test_the_noise_is_that_of_qiskits_simulation(name: str, gate: str, places: list[int]) -> None:
    device = fake_device(name)
    circuit = placed(tangled(gate), device, places)
    errors = reported_errors(circuit, device)
    assert errors is not None
    first, second = noisy_parts(circuit, errors)
    assert first.bits == (("pos", 0), ("pos", 1), ("pos", 2)) and second.bits == (("mark", 0),)
    for part in (first, second):
        exact = by_aer(tangled(gate), device, places, part)
        assert part.reported == pytest.approx(exact, abs=1e-9)
        assert not np.allclose(part.ideal, exact, atol=1e-3)
        assert part.ideal.sum() == pytest.approx(1)
        for end in (end for cause in part.ranges for end in cause):
            assert end.sum() == pytest.approx(1) and (end >= 0).all()


def one_qubit(*names: str, reading: float = 0.0, error: float = 0.0) -> tuple[QuantumCircuit, ReportedErrors]:
    circuit = QuantumCircuit(QuantumRegister(1), ClassicalRegister(1, "pos"))
    for name in names:
        getattr(circuit, name)(0)
    circuit.measure(0, 0)
    pair = (reading, reading)
    return circuit, ReportedErrors(
        {0: (np.inf, np.inf)}, {0: pair}, {0: (pair,)}, {(name, (0,)): (error, 0.0) for name in names}
    )


def test_a_depolarising_error_has_the_reported_average() -> None:
    circuit, errors = one_qubit("x", error=0.03)
    (part,) = noisy_parts(circuit, errors)
    # An average error e leaves a pure state with the probability 1 - e.
    assert part.reported[1] == pytest.approx(0.97)
    assert part.ideal == pytest.approx([0, 1])
    rates, turns, reading = part.ranges
    assert [end[1] for end in rates] == pytest.approx([0.985, 0.94])
    # A turn too far is seen in a superposition, by the angle and not by its square.
    circuit, errors = one_qubit("sx", error=0.03)
    (part,) = noisy_parts(circuit, errors)
    _, turns, reading = part.ranges
    angle = 2 * np.arcsin(np.sqrt(1.5 * COHERENT * 0.03))
    shrunk = 1 - 2 * 0.03
    assert [end[1] - 0.5 for end in turns] == pytest.approx(
        [-shrunk * np.sin(angle) / 2, shrunk * np.sin(angle) / 2]
    )
    assert all(end == pytest.approx([0.5, 0.5]) for end in reading)


def test_relaxation_alone_where_it_is_more_than_the_reported_error() -> None:
    circuit, errors = one_qubit("x", error=1e-6)
    errors = replace(errors, relaxation={0: (1e-4, 1e-4)}, gates={("x", (0,)): (1e-6, 1e-5)})
    (part,) = noisy_parts(circuit, errors, ranges=False)
    assert part.reported[1] == pytest.approx(np.exp(-0.1)) and part.ranges == ()


def test_readings_range_from_half_to_twice_and_from_equal_to_unequal() -> None:
    circuit, errors = one_qubit("x", reading=0.02)
    (part,) = noisy_parts(circuit, replace(errors, unequal={0: ((0.01, 0.03),)}))
    ends = [end[0] for end in part.ranges[-1]]
    assert ends == pytest.approx([0.01, 0.04, 0.015, 0.06])


def test_what_is_not_reported() -> None:
    device = fake_device("fake_manila")
    circuit = placed(tangled("cx"), device, [0, 1, 2, 3, 4])
    errors = reported_errors(circuit, device)
    assert errors is not None
    # Calibrated readings differ from their mean.
    assert all(errors.unequal[qubit] != (pair,) for qubit, pair in errors.reading.items())

    class Silent:
        name, target = "silent", PartialDevice(device, range(5)).target

    for where in ((0,), (1,)):
        Silent.target["measure"][where].error = None
    assert reported_errors(circuit, Silent()) is None


def test_a_device_that_knows_the_mean_alone_may_read_unequally() -> None:
    device = PartialDevice(fake_device("fake_manila"), range(5))
    errors = reported_errors(placed(tangled("cx"), device, [0, 1, 2, 3, 4]), device)
    assert errors is not None
    mean = device.target["measure"][(0,)].error
    assert errors.reading[0] == (mean, mean)
    assert errors.unequal[0] == ((mean / 2, 1.5 * mean), (1.5 * mean, mean / 2))


def test_errors_are_kept_in_a_file() -> None:
    device = fake_device("fake_mumbai")
    errors = reported_errors(placed(tangled("cx"), device, [0, 1, 4, 7, 20]), device)
    assert errors is not None
    errors = replace(errors, relaxation={**errors.relaxation, 0: (np.inf, 1e-4)})
    kept = json.loads(json.dumps(errors.to_json(), allow_nan=False))
    assert ReportedErrors.from_json(kept) == errors


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("relaxation", None),
        ("relaxation", [[0, "long", None]]),
        ("relaxation", [[-1, 1e-4, None]]),
        ("reading", [[0, [0.1, 2], []]]),
        ("reading", [[0, [0.1], []]]),
        ("reading", [[True, [0.1, 0.1], []]]),
        ("gates", [["x", [0], 1.5, 0]]),
        ("gates", [["x", 0, 0.1, 0]]),
    ],
)
def test_damaged_errors_are_refused(key: str, value: object) -> None:
    _, errors = one_qubit("x")
    with pytest.raises(BackendUsageError, match="reported errors are damaged"):
        ReportedErrors.from_json({**errors.to_json(), key: value})


def test_errors_of_another_circuit() -> None:
    circuit, _ = one_qubit("x")
    _, errors = one_qubit("sx")
    with pytest.raises(BackendUsageError, match="of another circuit"):
        noisy_parts(circuit, errors)


def test_a_part_that_is_too_large() -> None:
    circuit = QuantumCircuit(QuantumRegister(11), ClassicalRegister(1, "pos"))
    for qubit in range(10):
        circuit.cx(qubit, qubit + 1)
    circuit.measure(0, 0)
    with pytest.raises(BackendUsageError, match="11 qubits hang together"):
        noisy_parts(circuit, one_qubit("x")[1])
