"""The kit for a real chip: one job, its verdict, its archive, and what it refuses."""

import json
from pathlib import Path

import pytest

from qttt.crosscheck.kit import BOARDS, MOST_SECONDS, PAIRS, slices
from qttt.crosscheck.witness import Plant
from tests.support.cli_runs import refusal, run, run_json

pytestmark = [pytest.mark.ibm, pytest.mark.slow]


def test_it_is_one_job_that_anybody_recomputes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("bench", "fake_torino", "--kit", "--shots", "400", "--seed", "3")
    found = run_json(*words)
    assert found["ok"] and found["quantum_seconds"] < MOST_SECONDS
    assert [pair["record"] for pair in found["pairs"]] == [moves for moves, _ in PAIRS]
    assert all(pair["shown"] for pair in found["pairs"]) and found["pairs"][0]["chsh"]["s"] > 2
    assert [control["plant"] for control in found["controls"]] == list(Plant)
    assert not any(control["shown"] for control in found["controls"])
    assert [check["record"] for check in found["checks"]] == [moves for moves, _ in BOARDS]
    assert run_json("bench", "--resume", found["job"]) == found
    archive = next(Path().glob("*.archive.json"))
    report = run_json("check", "--archive", str(archive))
    assert report["ok"] and len(report["pairs"]) == len(PAIRS) + len(Plant) and len(report["circuits"]) == 4
    data = json.loads(archive.read_text())
    data["pairs"][0]["w_lower"] += 0.001
    Path("lie.archive.json").write_text(json.dumps(data))
    assert run("check", "--archive", "lie.archive.json").status == 1
    said = run("bench", "--resume", found["job"]).out
    assert "Pairs are shown, controls are not" in said
    job = Path(found["job"]).read_text()
    Path("other.job").write_text(job.replace('"plan": "1"', '"plan": "9"'))
    assert "of plan '9'" in refusal("bench", "--resume", "other.job")
    assert "qttt bench --resume" in refusal("witness", "--resume", found["job"])


def test_what_it_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "one device" in refusal("bench", "fake_torino", "fake_mumbai", "--kit")
    assert "at most 60" in refusal("bench", "fake_torino", "--kit", "--shots", "10000", "--dry-run")
    assert "--out" in refusal("bench", "fake_torino", "--kit", "--out", "a.html")
    assert "goes with --kit" in refusal("bench", "fake_torino", "--yes")
    assert "name the devices" in refusal("bench")
    assert "no job" in refusal("bench", "--resume", "a.json")
    plan = run_json("bench", "fake_mumbai", "--kit", "--dry-run")
    assert plan["quantum_seconds"] < MOST_SECONDS and len(plan["circuits"]) == 30
    assert list(Path().iterdir()) == []
    assert list(slices((1, 3))) == [slice(0, 1), slice(1, 4)]
