"""Job files: what is written comes back, what is wrong is one clear line, and nothing is half written."""

import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qiskit.circuit import QuantumCircuit

from circuits.backends import job_circuits, job_store
from circuits.backends.job_store import Job, JobState, StoredCircuit
from circuits.decoding import Shots
from circuits.errors import BackendError, BackendUsageError
from tests.support.ibm_circuits import asymmetric, chain


def a_job(**changes: Any) -> Job:
    circuit, readout = asymmetric()
    job = Job(
        backend="fake_mumbai",
        circuits=(StoredCircuit(circuit, "standard", readout), StoredCircuit(chain(3), "rotated")),
        shots=5,
        seed=2**31 - 1,
        tag="circuits-0123456789",
        payload={"record": '[Level "2"]\n1 8', "position": [1, None, {"é": 2.5}]},
    )
    return replace(job, **changes)


def shots_of(bits: int, shots: int = 5) -> Shots:
    rows = np.random.default_rng(3).random((shots, bits)) < 0.5
    return Shots.from_registers({"pos": rows, "mark": ~rows}, shots)


def test_round_trip(tmp_path: Path) -> None:
    results = (shots_of(3), Shots.from_registers({}, 5))
    job = a_job(
        state=JobState.DONE, job_id="d1-x_2", instance="crn:v1:x", quantum_seconds=2.5, results=results
    )
    path = tmp_path / "a.job"
    job_store.save(job, path)
    back = job_store.load(path)
    assert replace(back, circuits=(), results=None) == replace(job, circuits=(), results=None)
    assert [(item.label, item.readout) for item in back.circuits] == [
        (item.label, item.readout) for item in job.circuits
    ]
    assert back.results is not None
    for read, written in zip(back.results, results, strict=True):
        for name in ("pos", "mark", "flag"):
            assert np.array_equal(getattr(read, name), getattr(written, name))
    assert job_store.to_json(back) == job_store.to_json(job)
    assert list(tmp_path.iterdir()) == [path]


Edit = Callable[[dict[str, Any]], Any]


def circuit_of(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["circuits"][0]["circuit"]
    return found


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda d: d.update(format="x"), "this is not a job file"),
        (lambda d: d.update(version=2), "version '2' and this program reads 1"),
        (lambda d: d.update(shots=True), "'shots' is missing or wrong: 'True'"),
        (lambda d: d.update(shots=0), "'shots' is missing or wrong"),
        (lambda d: d.update(seed=2**31), "'seed' is missing or wrong"),
        (lambda d: d.update(state="lost"), "'state' is missing or wrong: 'lost'"),
        (lambda d: d.update(state="done"), "results exactly if the job is done"),
        (lambda d: d.update(created="yesterday"), "'created' is not a time with its zone: 'yesterday'"),
        (lambda d: d.update(created="2026-01-01T00:00:00"), "not a time with its zone"),
        (lambda d: d.update(job_id="../../x"), "'job_id' is missing or wrong"),
        (lambda d: d.update(payload=[]), "'payload' is missing or wrong"),
        (lambda d: d.pop("backend"), "'backend' is missing or wrong: 'None'"),
        (lambda d: d.update(circuits=[]), "'circuits' is missing or wrong"),
        (lambda d: d.update(circuits=["x"]), "must be a list of objects"),
        (lambda d: d["circuits"][0]["readout"].pop("masked"), "damaged readout"),
        (lambda d: circuit_of(d).pop("phase"), "needs qubits, registers, phase and instructions"),
        (lambda d: circuit_of(d).update(qubits=10**9), "'1000000000' qubits: 0 to 2000"),
        (lambda d: circuit_of(d).update(phase="0"), "'0' where a phase belongs"),
        (lambda d: circuit_of(d).update(registers=[["pos", 2], ["pos", 2]]), "two registers named 'pos'"),
        (lambda d: circuit_of(d).update(registers=[["__class__", 2]]), "bad register"),
        (lambda d: circuit_of(d).update(registers=[["pos", 10**9]]), "bad register"),
        (lambda d: circuit_of(d).update(instructions=[["x", [27], []]]), "bad qubits"),
        (lambda d: circuit_of(d).update(instructions=[["cx", [1, 1], []]]), "bad qubits"),
        (lambda d: circuit_of(d).update(instructions=[["rz", [1], []]]), "rz gate needs 1 angles, not 0"),
        (lambda d: circuit_of(d).update(instructions=[["rz", [1], [1e999]]]), "is not JSON"),
        (lambda d: circuit_of(d).update(instructions=[["os.system", [1], []]]), "unknown instruction"),
        (lambda d: circuit_of(d).update(instructions=[["measure", [1], [99]]]), "bad classical bits"),
        (lambda d: circuit_of(d).update(instructions=[["x"]]), "bad instruction"),
        (
            lambda d: circuit_of(d).update(instructions=[["if", [1], [0, 5], [[]]]]),
            "a value that its bits cannot have",
        ),
        (lambda d: circuit_of(d).update(instructions=[["if", [1], ["no", 0], [[]]]]), "unknown register"),
        (
            lambda d: circuit_of(d).update(instructions=[["if", [1], [0, 1], [[["x", [2], []]]]]]),
            "qubits that it does not list",
        ),
        pytest.param(
            lambda d: circuit_of(d).update(instructions=[["x", [0], []]] * 200_001),
            "more than 200000 instructions",
            marks=pytest.mark.slow,
        ),
        (lambda d: d.update(results=[{}, {}], state="done"), "'pos' is missing or wrong"),
    ],
)
def test_damage_is_named(edit: Edit, message: str, tmp_path: Path) -> None:
    data = job_store.to_json(a_job())
    edit(data)
    path = tmp_path / "bad.job"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(BackendUsageError, match=message) as caught:
        job_store.load(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_what_is_at_a_limit_is_read(tmp_path: Path) -> None:
    for changes in (
        {"seed": 0, "quantum_seconds": 0.0},
        {"seed": 2**31 - 1, "quantum_seconds": 1e9, "instance": "x" * 500},
        {"state": JobState.DONE, "results": (shots_of(64), shots_of(0))},
    ):
        job = a_job(**changes)
        job_store.save(job, tmp_path / "a.job")
        assert job_store.to_json(job_store.load(tmp_path / "a.job")) == job_store.to_json(job)
    whole = job_store.to_json(a_job()) | {"quantum_seconds": 3}
    assert job_store.from_json(whole).quantum_seconds == 3
    with pytest.raises(BackendUsageError, match="'quantum_seconds' is missing or wrong"):
        job_store.from_json(whole | {"quantum_seconds": 10**400})
    still = QuantumCircuit(1)
    for length, unit in ((0, "dt"), (2**48, "dt"), (0.5, "us")):
        still.delay(length, 0, unit)
    stored = job_circuits.to_json(still)
    assert job_circuits.from_json(stored) == still
    for length, unit in ((-0.5, "us"), (2**48 + 1, "dt"), (0.5, "dt")):
        with pytest.raises(BackendUsageError, match="has a delay of"):
            job_circuits.from_json(stored | {"instructions": [["delay", [0], [length, unit]]]})


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2**31},
        {"seed": -1},
        {"quantum_seconds": -0.5},
        {"instance": "x" * 501},
        {"instance": ""},
        {"results": [{}]},
    ],
)
def test_what_is_beyond_a_limit_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BackendUsageError, match=f"'{next(iter(changes))}' is missing or wrong"):
        job_store.from_json(job_store.to_json(a_job()) | changes)


@pytest.mark.parametrize("registers", [{}, [["a", 1]] * 65, [["a", 0]], [["a", -1]], [["a", 1], ["a", 1]]])
def test_registers_are_few_and_each_has_a_name_of_its_own(registers: object) -> None:
    with pytest.raises(BackendUsageError, match="regist"):
        job_circuits.from_json({"qubits": 1, "registers": registers, "phase": 0, "instructions": []})


def test_results_of_the_wrong_length() -> None:
    data = job_store.to_json(a_job(state=JobState.DONE, results=(shots_of(3), shots_of(3))))
    data["results"][0]["pos"]["data"] = "AA=="
    with pytest.raises(BackendUsageError, match="1 bytes of 'pos' for 5 shots"):
        job_store.from_json(data)
    data["results"][0]["pos"]["data"] = "*"
    with pytest.raises(BackendUsageError, match="damaged 'pos'"):
        job_store.from_json(data)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00", '{"format": NaN}'])
def test_not_json(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.job"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BackendUsageError, match="is not JSON"):
        job_store.load(path)


def test_a_job_file_is_for_nobody_else_to_read(tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    job_store.save(a_job(), path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BackendUsageError, match="cannot be read: No such file"):
        job_store.load(tmp_path / "none.job")
    with pytest.raises(BackendError, match="cannot be written: No such file"):
        job_store.save(a_job(), tmp_path / "none" / "a.job")
    with pytest.raises(BackendUsageError, match="payload is not JSON"):
        job_store.save(a_job(payload={"x": object()}), tmp_path / "a.job")
    assert list(tmp_path.iterdir()) == []


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_is_refused_in_one_line(data: object) -> None:
    """Whatever stands in the place of a circuit, the answer is a circuit or one line."""
    whole = job_store.to_json(a_job())
    whole["circuits"][0]["circuit"]["instructions"] = data
    try:
        job_store.from_json(whole)
    except BackendUsageError as error:
        assert "\n" not in str(error)
    else:
        assert data == []


def write_for_ever(path: str) -> None:
    numbers = iter(range(10**9))
    while True:
        number = next(numbers)
        job_store.save(a_job(payload={"number": number, "text": str(number) * 200}), path)


def test_a_kill_never_leaves_half_a_file(tmp_path: Path) -> None:
    """Ten kills while a file is replaced over and over; what is found is always one whole version."""
    path = tmp_path / "a.job"
    job_store.save(a_job(payload={"number": 0, "text": "0" * 200}), path)
    random = np.random.default_rng(8)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.circuits.backends.test_job_store"])
    for _ in range(10):
        writer = context.Process(target=write_for_ever, args=(str(path),))
        writer.start()
        before = path.stat().st_mtime_ns
        while path.stat().st_mtime_ns == before:
            time.sleep(0.001)
        time.sleep(0.02 * random.random())
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        payload = job_store.load(path).payload
        assert payload["text"] == str(payload["number"]) * 200


@pytest.mark.parametrize("shots", [1_000_001, 10**7, 10**30])
def test_no_file_asks_for_more_shots_than_the_command_line_allows(shots: int, tmp_path: Path) -> None:
    from qttt.observation import samples

    assert job_store.MAX_SHOTS == samples.MAX_SHOTS == 1_000_000
    path = tmp_path / "large.job"
    job_store.save(a_job(), path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"shots": shots}))
    with pytest.raises(BackendUsageError) as caught:
        job_store.load(path)
    assert str(caught.value) == f"{path}: the job file asks for {shots:,} shots, and 1,000,000 is the most"


def test_numbers_that_read_as_infinite_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.job"
    file.write_text(
        json.dumps(job_store.to_json(a_job())).replace('"payload": {', '"payload": {"much": 1e999, ')
    )
    with pytest.raises(BackendUsageError, match="is not JSON: 1e999 is not JSON"):
        job_store.load(file)


def test_a_job_file_of_many_small_values_is_refused(tmp_path: Path) -> None:
    """They would take thirty times their text in memory."""
    file = tmp_path / "x.job"
    file.write_text("[" + ",".join(["[]"] * 1_000_001) + "]")
    with pytest.raises(BackendUsageError, match="has more than 2,000,000 values"):
        job_store.load(file)


def test_a_job_file_without_an_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackendUsageError, match="is larger than 16 MiB"):
        job_store.load("/dev/zero")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(json.dumps(job_store.to_json(a_job()))))
    writer.start()
    assert job_store.load(pipe).backend == "fake_mumbai"
    writer.join()


def test_a_job_too_large_to_be_read_again_is_not_saved(tmp_path: Path) -> None:
    large = a_job(payload={"text": "x" * job_store.MAX_BYTES})
    with pytest.raises(BackendUsageError, match="and a job file has 16,777,216 at most"):
        job_store.save(large, tmp_path / "x.job")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_whole_numbers_beyond_all_floats_are_refused(number: int) -> None:
    with pytest.raises(BackendUsageError, match="'quantum_seconds' is missing or wrong"):
        job_store.from_json({**job_store.to_json(a_job()), "quantum_seconds": number})
