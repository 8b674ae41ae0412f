"""Simulated devices, all the way through IBM's sampler: bits, seeds, options, jobs."""

import json
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, QuantumCircuit, QuantumRegister

from circuits.backends import get_backend, job_store, resume
from circuits.backends.base import Backend
from circuits.backends.ibm.backend import get_simulated as ibm_backend
from circuits.backends.job_store import JobState
from circuits.backends.plans import JobOptions
from circuits.backends.progress import Progress
from circuits.decoding import Shots, decode
from circuits.errors import BackendError, BackendUsageError, UnknownBackendError
from tests.support.ibm_circuits import asymmetric, chain, dynamic, pair

pytestmark = pytest.mark.ibm


def same(first: Shots, second: Shots) -> bool:
    return all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in ("pos", "mark", "flag")
    )


@pytest.mark.parametrize("name", ["fake_mumbai", "fake_torino", "fake_sherbrooke", "fake_algiers"])
def test_an_asymmetric_board_reads_the_same_everywhere(name: str) -> None:
    circuit, readout = asymmetric()
    backend = get_backend(name)
    assert isinstance(backend, Backend)
    (shots,) = backend.run([circuit], 200, np.random.default_rng(4))
    counts = decode(readout, shots).counts()
    assert len(shots) == 200
    assert max(counts, key=counts.__getitem__) == "X......O."
    assert counts["X......O."] > 150


def test_nothing_deprecated_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("circuits.backends.ibm.backend.calm", lambda *_: nullcontext())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (shots,) = get_backend("fake_manila").run([pair()], 20, np.random.default_rng(4))
    assert len(shots) == 20


def test_noise_is_the_devices() -> None:
    """Readout errors of a qubit that holds 0 or 1 for certain, against what the device reports."""
    backend = ibm_backend("fake_mumbai")
    circuit = QuantumCircuit(QuantumRegister(1), ClassicalRegister(1, "pos"))
    circuit.x(0)
    circuit.measure(0, 0)
    prepared = backend.prepare([circuit], 20_000)
    (item,) = (item for item in prepared.circuits[0].circuit.data if item.name == "measure")
    qubit = prepared.circuits[0].circuit.find_bit(item.qubits[0]).index
    wrong = backend.device.properties().qubit_property(qubit, "prob_meas0_prep1")[0]
    (shots,) = backend.submit(prepared, seed=1).wait()
    seen = 1 - shots.pos.mean()
    assert abs(seen - wrong) < 5 * np.sqrt(wrong / 20_000) + 0.001


@pytest.mark.slow
def test_repetitions_in_one_job_are_independent_and_seeds_repeat_them() -> None:
    backend = ibm_backend("fake_mumbai")
    prepared = backend.prepare([chain(4)] * 3, 300, options=JobOptions(seeds=1))
    first = backend.submit(prepared, seed=7).wait()
    again = backend.submit(prepared, seed=7).wait()
    other = backend.submit(prepared, seed=8).wait()
    for index in range(3):
        assert same(first[index], again[index])
        assert not same(first[index], other[index])
    # P(all four bits alike in two independent shots) is below 0.6 for this state.
    for one, two in ((first[0], first[1]), (first[1], first[2]), (first[0], other[0])):
        for shift in range(3):
            alike = (one.pos[shift:] == two.pos[: 300 - shift]).all(axis=1).mean()
            assert alike < 0.7


def test_equal_generators_give_equal_shots() -> None:
    backend = get_backend("fake_manila")
    runs = [backend.run([pair()], 100, np.random.default_rng(3))[0] for _ in range(2)]
    assert same(*runs)


def test_a_circuit_without_bits_needs_no_run() -> None:
    backend = get_backend("fake_manila")
    empty, with_bits = QuantumCircuit(3), pair()
    shots = backend.run([empty, with_bits], 50, np.random.default_rng(3))
    assert shots[0].pos.shape == (50, 0)
    assert shots[1].mark.shape == (50, 2)


def test_a_dynamic_circuit() -> None:
    (shots,) = get_backend("fake_torino").run([dynamic()], 400, np.random.default_rng(3))
    assert (shots.pos[:, 0] == shots.mark[:, 0]).mean() > 0.9
    assert 0.35 < shots.pos.mean() < 0.65


def test_options_that_do_not_apply() -> None:
    backend = ibm_backend("fake_torino")
    both = JobOptions(dynamical_decoupling=True, twirling=True, seeds=1)
    prepared = backend.prepare([pair()], 10, options=both)
    assert prepared.warnings == (
        "ignored on fake_torino: dynamical decoupling and twirling act on coherent noise, which a simulated "
        "device does not have",
    )
    assert prepared.options == JobOptions(seeds=1)
    with pytest.raises(
        BackendUsageError, match="decoupling cannot be combined with circuits that have an `if`"
    ):
        backend.prepare([dynamic()], 10, options=both)


def test_requests_that_make_no_sense() -> None:
    backend = ibm_backend("fake_manila")
    with pytest.raises(BackendUsageError, match="at least one circuit"):
        backend.prepare([], 10)
    with pytest.raises(BackendUsageError, match=r"runs 1 to .* shots, not 0"):
        backend.prepare([pair()], 0)
    with pytest.raises(BackendUsageError, match="a label and a readout for every circuit"):
        backend.prepare([pair()], 1, labels=["a", "b"])
    other = QuantumCircuit(QuantumRegister(1), ClassicalRegister(1, "c"))
    with pytest.raises(BackendUsageError, match="register 'c': only pos, mark and flag"):
        backend.prepare([other], 1)
    prepared = backend.prepare([pair()], 1, options=JobOptions(seeds=1))
    with pytest.raises(BackendUsageError, match="from 0 to 2\\*\\*31 - 1, not -1"):
        backend.submit(prepared, seed=-1)
    with pytest.raises(BackendUsageError, match="prepared for fake_manila, not for fake_mumbai"):
        ibm_backend("fake_mumbai").submit(prepared, seed=1)


def test_a_job_from_its_file(tmp_path: Path) -> None:
    circuit, readout = asymmetric()
    backend = ibm_backend("fake_mumbai")
    prepared = backend.prepare(
        [circuit, circuit], 100, labels=["standard", "rotated"], readouts=[readout] * 2
    )
    path = tmp_path / "game.job"
    news: list[Progress] = []
    handle = backend.submit(prepared, seed=5, path=path, payload={"record": "1 8"}, notify=news.append)
    waiting = job_store.load(path)
    assert (waiting.state, waiting.results, waiting.seed) == (JobState.SUBMITTED, None, 5)
    assert waiting.payload == {"record": "1 8"}
    assert [item.label for item in waiting.circuits] == ["standard", "rotated"]
    assert [item.readout for item in waiting.circuits] == [readout, readout]
    assert waiting.quantum_seconds == pytest.approx(prepared.cost.quantum_seconds)

    # As another process would: the file is all there is.
    elsewhere = tmp_path / "copy.job"
    elsewhere.write_bytes(path.read_bytes())
    resumed = resume(elsewhere)
    shots = handle.wait(news.append)
    assert resumed.shots is not None
    assert all(same(one, two) for one, two in zip(resumed.shots, shots, strict=True))
    assert job_store.load(path).state is JobState.DONE
    done = resume(path)
    assert done.shots is not None
    assert all(same(one, two) for one, two in zip(done.shots, shots, strict=True))
    assert [item.status for item in news] == ["submitting", "running", "done"]


def test_jobs_that_ended_or_whose_device_is_gone(tmp_path: Path) -> None:
    backend = ibm_backend("fake_manila")
    path = tmp_path / "a.job"
    handle = backend.submit(backend.prepare([pair()], 10, options=JobOptions(seeds=1)), seed=5, path=path)
    data = json.loads(path.read_text())
    handle.cancel()
    with pytest.raises(BackendError, match="the job cancelled: cancelled here"):
        resume(path)
    path.write_text(json.dumps(data | {"backend": "fake_xyzzy"}))
    with pytest.raises(UnknownBackendError, match="no simulated device 'fake_xyzzy'"):
        resume(path)
    path.write_text(json.dumps(data | {"options": {"speed": 9}}))
    with pytest.raises(BackendUsageError, match="unknown or wrong option 'speed': '9'"):
        resume(path)
    # A stored gate that the device does not have.
    data["circuits"][0]["circuit"]["instructions"].insert(0, ["ecr", [0, 1], []])
    path.write_text(json.dumps(data | {"state": "submitted"}))
    with pytest.raises(BackendUsageError, match=r"fake_manila has no ecr on its qubits \(0, 1\)"):
        resume(path)
    data["circuits"][0]["circuit"]["qubits"] = 30
    path.write_text(json.dumps(data))
    with pytest.raises(BackendUsageError, match="the circuit has 30 qubits and fake_manila has 5"):
        resume(path)


@pytest.mark.slow
def test_parts_that_never_meet_are_simulated_apart_and_independent() -> None:
    """Four pairs on eight qubits: opposite inside a pair, independent between pairs, shot by shot."""
    circuit = QuantumCircuit(QuantumRegister(8), ClassicalRegister(4, "pos"), ClassicalRegister(4, "mark"))
    for first in range(0, 8, 2):
        circuit.h(first)
        circuit.cx(first, first + 1)
        circuit.x(first + 1)
        circuit.measure([first, first + 1], [first // 2, 4 + first // 2])
    shots, other = ibm_backend("fake_torino").run([circuit, circuit], 2000, np.random.default_rng(4))
    assert ((shots.pos != shots.mark).mean(axis=0) > 0.9).all()
    correlation = np.corrcoef(np.concatenate([shots.pos, other.pos], axis=1), rowvar=False)
    assert np.abs(correlation - np.eye(8)).max() < 0.1


def test_a_compiled_circuit_stays_as_it_is() -> None:
    backend = ibm_backend("fake_torino")
    once = backend.prepare([pair()], 10, options=JobOptions(seeds=1)).circuits[0].circuit
    again = backend.prepare([once], 10, compiled=True).circuits[0].circuit
    assert again == once
    with pytest.raises(BackendUsageError, match="the circuit has 27 qubits"):
        backend.prepare([pair()], 10, compiled=True)
