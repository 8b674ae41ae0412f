"""Simulated devices: the list, the names, and the part of one that is simulated."""

import subprocess
import sys
from statistics import median

import pytest
from qiskit_aer.noise import NoiseModel
from qiskit_ibm_runtime import fake_provider
from qiskit_ibm_runtime.fake_provider.fake_backend import FakeBackendV2

from circuits.backends import get_backend
from circuits.backends.ibm.devices import PartialDevice, fake_device, fake_names, list_simulated
from circuits.backends.plans import BackendRow
from circuits.errors import UnknownBackendError

pytestmark = pytest.mark.ibm


@pytest.fixture(scope="module")
def rows() -> dict[str, BackendRow]:
    return {row.name: row for row in list_simulated()}


def test_every_simulated_device_of_the_client_is_listed(rows: dict[str, BackendRow]) -> None:
    named = {
        str(vars(item)["backend_name"])
        for item in vars(fake_provider).values()
        if isinstance(item, type) and issubclass(item, FakeBackendV2) and item is not FakeBackendV2
    }
    assert set(fake_names()) == named
    assert list(rows) == sorted(named)


@pytest.mark.parametrize("name", ["fake_mumbai", "fake_torino", "fake_sherbrooke", "fake_armonk"])
def test_rows_say_what_the_device_says(name: str, rows: dict[str, BackendRow]) -> None:
    row = rows[name]
    device = fake_device(name)
    target = device.target
    assert row.qubits == target.num_qubits
    assert row.dynamic_circuits == ("if_else" in target.operation_names)
    readouts = [item.error for item in target["measure"].values() if item.error < 1]
    assert row.readout_error == pytest.approx(median(readouts))
    pairs = [
        item.error
        for gate in ("cx", "cz", "ecr")
        if gate in target.operation_names
        for item in target[gate].values()
        if item.error < 1
    ]
    assert row.two_qubit_error == (pytest.approx(median(pairs)) if pairs else None)
    assert row.queue is None
    assert row.calibrated == device.properties().last_update_date


def test_listing_does_not_import_the_client() -> None:
    code = (
        "import sys; from circuits.backends.ibm.devices import list_simulated; rows = list_simulated(); "
        "assert len(rows) > 50 and not {'qiskit_ibm_runtime', 'qiskit_aer'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_that_do_not_exist() -> None:
    with pytest.raises(UnknownBackendError, match="no simulated device 'fake_mumbay': is it fake_mumbai"):
        get_backend("fake_mumbay")
    with pytest.raises(UnknownBackendError, match="'fake_xyzzy'; `qttt backends` lists them"):
        get_backend("fake_xyzzy")


@pytest.mark.parametrize(
    ("name", "qubits"),
    [
        ("fake_manila", [0, 1, 3]),
        pytest.param("fake_mumbai", [1, 4, 7, 10], marks=pytest.mark.slow),
    ],
)
def test_a_part_has_the_noise_of_the_whole(name: str, qubits: list[int]) -> None:
    device = fake_device(name)
    whole, part = NoiseModel.from_backend(device), NoiseModel.from_backend(PartialDevice(device, qubits))
    pairs = [pair for pair in device.target["cx"] if set(pair) <= set(qubits)]
    assert part._local_quantum_errors["cx"].keys() == {tuple(map(qubits.index, pair)) for pair in pairs}
    assert part._local_readout_errors.keys() == {(index,) for index in range(len(qubits))}
    for gate, errors in part._local_quantum_errors.items():
        for where, error in errors.items():
            assert error == whole._local_quantum_errors[gate][tuple(qubits[index] for index in where)]
    for where, error in part._local_readout_errors.items():
        assert error == whole._local_readout_errors[tuple(qubits[index] for index in where)]
