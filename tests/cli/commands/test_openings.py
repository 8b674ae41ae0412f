"""``qttt openings``: the choices of an opening as a table and as JSON."""

import pytest

from qttt.game import Game
from tests.support.cli_runs import refusal, run, run_json


def test_the_choices_after_a_line_as_json() -> None:
    found = run_json("openings", "1 5", "--level", "0")
    assert (found["level"], found["line"], found["value"]) == (0, "1 5", 0.0)
    assert sorted(token for row in found["choices"] for token in row["class"]) == sorted(
        map(str, Game(0).play("1 5").legal_moves())
    )
    row = found["choices"][0]
    assert list(row) == ["token", "class", "value", "X", "tie", "O", "best", "visits"]
    assert row["X"] + row["tie"] + row["O"] == pytest.approx(1)
    assert sum(one["visits"] for one in run_json("openings")["choices"]) == pytest.approx(1)


def test_the_table_marks_the_best_and_says_what_is_left_out() -> None:
    text = run("openings", "--level", "2").out
    assert "Level 2, from the start: worth +0.1250 to X" in text
    assert "* 1 " in text and "  5 " in text
    assert "--all" not in text
    many = run("openings", "1+3 1*2", "--level", "5").out
    assert "more choices: --all shows them." in many
    assert len(run("openings", "1+3 1*2", "--level", "5", "--all").out.splitlines()) > len(many.splitlines())


def test_a_record_with_headers_is_a_line_too() -> None:
    assert run_json("openings", '[Level "1"] [X "human"] 1+5')["level"] == 1
    assert "an opening is made of moves" in refusal(
        "openings", "1 2 3 4 5 6 7 8 9 =XOXOXOXOX", "--level", "1"
    )
    assert "is not solved" in refusal("openings", "--options", "measure-turn")
