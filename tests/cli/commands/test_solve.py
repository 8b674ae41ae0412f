"""``qttt solve``: what it prints, and what it refuses."""

import re
from pathlib import Path

import pytest

from qttt.game.rules import LEVELS, Rules
from qttt.solver.probe import is_solved
from qttt.solver.tables import read_table, table_path
from tests.support.cli_runs import AtOnce, refusal, run, run_json

SOLVED = [level.number for level in LEVELS if is_solved(Rules(level))]


@pytest.mark.parametrize("level", SOLVED)
def test_the_best_first_move_is_worth_what_the_game_is(level: int) -> None:
    report = run_json("solve", "--level", str(level))
    moves = report["first_moves"]
    assert report["level"] == level
    assert moves[0]["value"] == pytest.approx(report["value"], abs=1e-11)
    values = [row["value"] for row in moves]
    assert values == pytest.approx(sorted(values, reverse=True), abs=1e-11)
    for row in [report, *moves]:
        assert row["x"] + row["tie"] + row["o"] == pytest.approx(1)
        assert row["x"] - row["o"] == pytest.approx(row["value"])
        assert (row["value_fraction"] is None) == (level > 2)
    assert report["states"] > 800


@pytest.mark.parametrize(("level", "kinds"), [(0, 3), (1, 11), (2, 11), (3, 11), (4, 11), (5, 33)])
def test_there_is_one_first_move_of_each_kind(level: int, kinds: int) -> None:
    """Three squares and eight pairs differ; at Level 5 each is plain or with a switch on either side."""
    moves = [row["move"] for row in run_json("solve", "--level", str(level))["first_moves"]]
    assert len(set(moves)) == kinds


def test_level_1_for_people() -> None:
    done = run("solve", "--level", "1")
    assert (done.status, done.err) == (0, "")
    assert "Level 1 with best play by both: value +1.000000 = 1" in done.out
    assert "1+5" in done.out.split("first move")[1].split("\n")[1]


def test_level_5_says_what_infinite_play_matters() -> None:
    """The value is the same whoever infinite play is counted for; on seven kinds of board it is not."""
    report = run_json("solve", "--level", "5")
    assert report["lowest"] == pytest.approx(report["value"], abs=1e-12)
    assert report["highest"] == pytest.approx(report["value"], abs=1e-12)
    assert 0.0019 < report["widest"] < 0.002
    done = run("solve", "--level", "5")
    assert "Play that never ends counts as a tie" in done.out
    assert "by more than 0.0020." in done.out


def test_a_level_solved_anew_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "new.table"
    anew = run_json("solve", "--level", "0", "--recompute", "--out", str(path))
    stored = run_json("solve", "--level", "0")
    for key in ("value", "value_fraction", "states", "first_moves"):
        assert anew[key] == stored[key]
    assert len(read_table(path)) == len(read_table(table_path(Rules.of(0))))
    assert path.read_bytes().partition(b"\n")[2] == table_path(Rules.of(0)).read_bytes().partition(b"\n")[2]


def test_a_terminal_sees_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.cli.console.waiting.Timer", AtOnce)
    monkeypatch.setenv("TERM", "xterm")
    done = run("solve", "--level", "1", "--recompute", terminal=True)
    assert re.search(r"\d\d,\d{3} positions", done.err)


def test_what_makes_no_sense_is_refused() -> None:
    assert "--out saves a new table, so it needs --recompute" in refusal(
        "solve", "--level", "2", "--out", "x"
    )
    assert "from 0 to 5" in refusal("solve", "--level", "6")
    assert run_json("solve")["level"] == 2


def test_too_little_memory_is_said_before_it_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.solver.making.needs.available_memory", lambda: 100.0)
    message = refusal("solve", "--level", "2", "--recompute")
    assert "solving Level 2 takes 200 MB of memory; 100 MB are free" in message


def test_without_numba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    message = refusal("solve", "--level", "3", "--recompute")
    assert "needs the extra 'solve': pip install 'tiqtaqtoe[solve]'" in message
