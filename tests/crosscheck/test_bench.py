"""The benchmark of chips: what a score is, that it goes on where it stopped, and what people see."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from qttt.crosscheck import bench
from qttt.crosscheck.bench import DeviceResult, Findings, Run, Trial, bench_report, interval
from qttt.errors import UsageError
from qttt.game.symbols import Mode
from qttt.observation.devices import open_device
from tests.support.cli_runs import refusal, run, run_json

pytestmark = pytest.mark.ibm

SMALL = ((4, "X", "1+2"), (5, "O", "1 1-2"))
TRIALS = tuple(Trial(*board, str(mode), "lean") for board, mode in product(SMALL, Mode))


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BOARDS", SMALL)
    monkeypatch.setattr(bench, "TRIALS", TRIALS)
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


def found(score: float) -> Run:
    return Run(5, 0.2, 0.25, 0.3, 0.1, 0.05, 0.04, score, None)


def test_the_suite_is_six_full_boards_in_both_modes() -> None:
    games = {trial.record: trial.game for trial in bench.TRIALS}
    assert len(games) == 6 and len(bench.TRIALS) == 6 * len(Mode) * len(bench.STYLES)
    assert all(game.state.position.full for game in games.values())


def test_a_score_and_its_interval() -> None:
    runs = {TRIALS[0]: tuple(map(found, (80, 82, 84, 86))), TRIALS[1]: tuple(map(found, (60, 62, 64, 66)))}
    result = DeviceResult("fake_x", "2021-03-13", runs)
    assert result.score == pytest.approx(73)
    # Student's factor for three degrees of freedom, and the repeats' means 70, 72, 74, 76.
    reach = 3.18244630528371 * np.std([70, 72, 74, 76], ddof=1) / 2
    assert result.score_interval == pytest.approx((73 - reach, 73 + reach))
    assert result.predicted_score is None
    report = bench_report([result, replace(result, snapshot="2022-01-01")], 1024, 0)
    assert report["snapshot"] is None and [one["snapshot"] for one in report["devices"]] == [
        "2021-03-13",
        "2022-01-01",
    ]
    row = report["devices"][0]["boards"][1]
    assert (row["record"], row["mode"], row["style"], row["score"]) == ("1+2", "rotated", "lean", 63)
    assert row["impossible_interval"] == pytest.approx([0.2, 0.2])
    assert interval([1.0, 0.9], 0, 1)[1] == 1


@pytest.mark.usefixtures("_small")
def test_found_and_predicted() -> None:
    given = run_json("bench", "fake_manila", "--shots", "4000")
    assert {"suite", "snapshot", "devices"} <= set(given)
    (device,) = given["devices"]
    assert device["backend"] == "fake_manila" and device["snapshot"] == given["snapshot"]
    assert str(given["snapshot"]).startswith("20")
    assert [(row["record"], row["mode"]) for row in device["boards"]] == [
        (trial.record, trial.mode) for trial in TRIALS
    ]
    for row in device["boards"]:
        assert row["impossible"] == pytest.approx(row["predicted_impossible"], abs=0.02)
        assert row["score"] == pytest.approx(row["predicted_score"], abs=3)
        assert row["tvd_after"] <= 4 * row["chance_tvd"] + 0.02
    low, high = device["score_interval"]
    assert low <= device["score"] <= high
    # Rotated, the target of `1 1-2` is certain and nothing is measured: no error, and all of the score.
    assert device["boards"][3]["score"] == 100


@pytest.mark.usefixtures("_small")
def test_it_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("bench", "fake_manila", "fake_lima", "--shots", "60", "--json")
    whole = run_json(*words[:-1])
    true, calls = bench.run_trial, []

    def stops(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return true(*arguments)  # type: ignore[arg-type]

    file = tmp_path / "bench.json"
    monkeypatch.setattr(bench, "run_trial", stops)
    assert run(*words, "--file", str(file)).status == 130
    kept = json.loads(file.read_text())
    assert [len(device["runs"]) for device in kept["devices"]] == [4, 1]
    again = json.loads(run(*words, "--file", str(file)).out)
    assert again == whole
    assert len(calls) == 6 + 3
    # Nothing is left to do.
    assert json.loads(run(*words, "--file", str(file)).out) == whole and len(calls) == 9
    assert "suite 1, 60 shots and seed 0" in refusal("bench", "fake_manila", "--file", str(file))


@pytest.mark.usefixtures("_small")
def test_a_page_with_pictures(tmp_path: Path) -> None:
    page = tmp_path / "bench.html"
    shown = run("bench", "fake_manila", "--shots", "50", "--out", str(page)).out
    assert "simulated from a snapshot of 20" in shown and f"Wrote {page}." in shown
    text = page.read_text()
    assert text.count("<svg") == 1 + len(SMALL)
    assert text.count("simulated from a snapshot of 20") == 2
    assert "src=" not in text and "1 1-2" in text


def test_damaged_findings() -> None:
    findings = Findings(60, 0)
    findings.runs("fake_x", None)[bench.TRIALS[0]] = (found(50),) * bench.REPEATS
    data = findings.to_json()
    assert Findings.from_json(json.loads(json.dumps(data)), 60, 0).to_json() == data
    runs = data["devices"][0]["runs"]
    runs[0]["repeats"][0]["score"] = float("nan")
    with pytest.raises(UsageError, match="score is no number"):
        Findings.from_json(data, 60, 0)
    runs[0]["repeats"] = []
    with pytest.raises(UsageError, match="not of the suite"):
        Findings.from_json(data, 60, 0)
    damaged: tuple[object, ...] = (None, [], {}, {"format": "qttt bench"})
    for wrong in damaged:
        with pytest.raises(UsageError):
            Findings.from_json(wrong, 60, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("aer",), "aer is no device"),
        (("fake_manila", "ibm"), "ibm is a real device"),
        (("fake_manila", "fake_nowhere"), "no simulated device 'fake_nowhere'"),
        (("fake_manila", "--out", "bench.pdf"), "must end with .html"),
        (("fake_manila",), "needs 12 qubits and fake_manila has 5"),
        (("fake_manila", "--file", "notes.txt"), "cannot go on from notes.txt"),
    ],
)
def test_refusals(words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("{")
    assert said in refusal("bench", *words)


def test_a_device_that_reports_no_errors_is_scored_without_a_prediction() -> None:
    observer = open_device("fake_manila")
    observer.backend.reported_errors = lambda compiled: None  # type: ignore[method-assign]
    runs = bench.run_trial(TRIALS[0], observer, 50, 0)
    result = DeviceResult("fake_manila", None, {TRIALS[0]: runs})
    assert result.predicted_score is None and 50 < result.score <= 100
