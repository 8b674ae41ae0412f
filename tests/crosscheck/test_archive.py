"""The archive of a finished job: written before anything is taken from its shots, recomputed by anyone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from circuits.backends import job_store
from circuits.decoding import Shots
from qttt.crosscheck.archive import keep_archive
from qttt.crosscheck.decode import read_counts
from qttt.observation.exports import Export
from qttt.records.files import load_record
from tests.support.cli_runs import refusal, run, run_json
from tests.support.ibm_service import CRN, TOKEN, Service, install

pytestmark = pytest.mark.ibm

SMALL = '[Level "1"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n'
DEVICE = ("--backend", "fake_manila", "--seed", "5", "--shots", "200")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # One seed instead of several: the tests need no best circuit.
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)
    Path("game.qttt").write_text(SMALL)


def archive() -> Any:
    return json.loads(Path("game-1.archive.json").read_text())


_made: list[str] = []


def made() -> Any:
    """The archive of an observation, which the first test that asks for it makes."""
    if not _made:
        run_json("observe", "game.qttt", *DEVICE)
        _made.append(Path("game-1.archive.json").read_text())
    return json.loads(_made[0])


def test_an_observation_leaves_an_archive_whose_figures_follow_from_its_bits() -> None:
    told = run_json("observe", "game.qttt", *DEVICE)
    found = run_json("check", "--archive", "game-1.archive.json")
    assert (found["ok"], found["level"], found["backend"]) == (True, 1, "fake_manila")
    (circuit,) = found["circuits"]
    figures = circuit["figures"]
    assert (circuit["mode"], circuit["differ"]) == ("standard", {})
    for key in ("shots", "kept", "illegal", "herald_failed", "kinds"):
        assert figures[key] == told[key]
    assert figures["boards"] == told["counts"]
    # The calibration that was kept says of the circuit what the device said before it was sent.
    planned = run_json("observe", SMALL, *DEVICE, "--dry-run")["circuits"][0]
    assert figures["faultless"] == pytest.approx(planned["usable"], abs=1e-12)
    assert (figures["qubits"], figures["two_qubit_gates"], figures["depth"]) == (
        planned["qubits"],
        planned["two_qubit_gates"],
        planned["depth"],
    )
    assert found["calibrated"] is not None
    assert {"python", "qiskit", "qiskit-ibm-runtime"} <= set(found["versions"])
    # The record keeps the job's id.
    assert load_record("game.qttt").headers["Jobs"] == told["job_id"]


def test_the_counts_and_readouts_of_an_archive_can_be_decoded() -> None:
    run_json("observe", "game.qttt", *DEVICE)
    (circuit,) = archive()["circuits"]
    Path("readout.json").write_text(json.dumps(circuit["readout"]))
    done = run("decode", "readout.json", json.dumps(circuit["counts"]), "--seed", "1", "--json")
    assert json.loads(done.out)["boards"] == circuit["figures"]["boards"]
    shots = read_counts(circuit["counts"], Export.from_json(circuit["readout"], "here").readout)
    stored = (job_store.load("game-1.job").results or ())[0]
    assert sorted(map(tuple, Shots.concatenate([shots]).pos.tolist())) == sorted(
        map(tuple, stored.pos.tolist())
    )


@pytest.mark.slow
def test_check_and_dynamic_jobs_have_archives_too() -> None:
    run("check", "game.qttt", *DEVICE)
    assert run_json("check", "--archive", "game-check.archive.json")["ok"]
    modes = '[Level "4"]\n1 2 3 4 5 6 7 8+9\n'
    Path("game.qttt").write_text(modes)
    words = ("--backend", "fake_hanoi", "--seed", "11", "--shots", "4", "--dynamic", "9")
    assert run("observe", "game.qttt", *words).status == 0
    (circuit,) = run_json("check", "--archive", "game-1.archive.json")["circuits"]
    assert circuit["mode"] == "rotated mode if 9 is filled"


def _figure(data: Any) -> None:
    data["circuits"][0]["figures"]["kept"] += 1


def _p(data: Any) -> None:
    data["circuits"][0]["figures"]["p_value"] = (data["circuits"][0]["figures"]["p_value"] + 0.5) % 1


def _counts(data: Any) -> None:
    data["circuits"][0]["counts"] = {"00": 200}


def _mode(data: Any) -> None:
    data["circuits"][0]["record"] = "5"


def _readout(data: Any) -> None:
    data["circuits"][0]["readout"]["masked"] = 3


def _calibration(data: Any) -> None:
    for gate in data["job"]["calibration"]["gates"]:
        gate["error"] = 0.0


def _bits(data: Any) -> None:
    pos = data["job"]["results"][0]["pos"]
    pos["data"] = ("AAAA" if pos["data"][:4] != "AAAA" else "BBBB") + pos["data"][4:]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_figure, "kept"),
        (_p, "p_value"),
        (_counts, "counts"),
        (_mode, "record"),
        (_readout, "readout masked"),
        (_calibration, "faultless"),
        (_bits, "counts"),
    ],
)
def test_whatever_does_not_follow_is_named(change: Callable[[Any], None], named: str) -> None:
    data = made()
    change(data)
    Path("x.json").write_text(json.dumps(data))
    done = run("check", "--archive", "x.json", "--json")
    found = json.loads(done.out)
    assert (done.status, found["ok"], done.err) == (1, False, "")
    assert named in found["circuits"][0]["differ"]
    shown = run("check", "--archive", "x.json")
    assert (shown.status, f"the archive says {named} " in shown.out, "do NOT follow" in shown.out) == (
        1,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data.update(format="x"), "x.json is no archive of a job"),
        (lambda data: data.update(version=2), "an archive of version '2', and this program reads 1"),
        (lambda data: data.update(job=None), "x.json is damaged: this is not a job file"),
        (lambda data: data.update(circuits=[]), "does not have the job's circuits"),
        (lambda data: data["job"].update(state="failed", results=None), "its job is not done"),
        (lambda data: data["job"]["payload"].update(record="5 5"), "x.json is damaged"),
        (lambda data: data["job"]["payload"].update(policy="x"), "x.json is damaged"),
        (lambda data: data["job"]["circuits"][0].update(label="sideways"), "x.json is damaged"),
        (lambda data: data["job"]["calibration"].update(gates=[1]), "the calibration is damaged"),
        (lambda data: data["job"]["circuits"][0].update(readout=None), "x.json is damaged"),
    ],
)
def test_a_damaged_archive_is_refused(change: Callable[[Any], None], reason: str) -> None:
    data = made()
    change(data)
    Path("x.json").write_text(json.dumps(data))
    assert reason in refusal("check", "--archive", "x.json")


def test_what_is_no_archive_is_refused() -> None:
    assert "the archive game.qttt is not JSON" in refusal("check", "--archive", "game.qttt")
    assert "cannot read 'nowhere'" in refusal("check", "--archive", "nowhere")


def test_an_archive_that_cannot_be_written_takes_nothing_from_the_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("game-1.archive.json").mkdir()
    done = run("observe", "game.qttt", *DEVICE)
    assert (done.status, "Note: the job has no archive: " in done.err) == (0, True)
    Path("game-1.archive.json").rmdir()
    # The job's file has everything still.
    keep_archive(job_store.load("game-1.job"), Path("game-1.job"))
    assert run_json("check", "--archive", "game-1.archive.json")["ok"]


def test_an_archive_of_another_job_of_the_same_name_is_replaced() -> None:
    run_json("observe", "game.qttt", *DEVICE)
    first = archive()
    Path("game-1.job").unlink()
    Path("game.qttt").write_text(SMALL)
    run_json("observe", "game.qttt", *DEVICE)
    assert archive()["job"]["tag"] != first["job"]["tag"]


def test_the_account_is_not_in_the_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from circuits.backends.ibm.accounts import save_account

    service: Service = install(monkeypatch, tmp_path)
    save_account(TOKEN, "mine")
    done = run("observe", "game.qttt", "--backend", "ibm_manila", "--shots", "50", "--yes")
    assert "The job is kept in game-1.job. Its archive is game-1.archive.json." in done.out
    text = Path("game-1.archive.json").read_text()
    assert CRN not in text
    assert TOKEN not in text
    assert run_json("check", "--archive", "game-1.archive.json")["used_seconds"] == 2
    assert load_record("game.qttt").headers["Jobs"] == "job0000"
    assert len(service.jobs) == 1
