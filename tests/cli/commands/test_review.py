"""``qttt review``: its JSON, what people read, pages and pictures; ``--at`` and ``--phase``: any moment."""

import io
import json
from pathlib import Path

import pytest

from qttt.cli.main import main
from qttt.players.review import MARKS, review
from qttt.records.record import Record
from qttt.teaching.guide.review import EXAMPLE
from qttt.teaching.lesson.building import make_lesson
from tests.support.cli_runs import Terminal, refusal, run, run_json

FULL = "1 5 2 6 3+4 7 8 9"
ENDED = f"{FULL} =XXX.OOOXO"
TWO_PHASES = '[Level "4"] 4 2+9 9*1 4-3 7 7-6 5 5*8 =p:#.#.##.## =r:O.O.XO.OX 2+7'


def test_the_object_has_every_key_and_the_sum_is_the_result() -> None:
    found = run_json("review", EXAMPLE)
    assert list(found) == ["level", "start", "result", "exact", "doubt", "events", "players"]
    assert (found["level"], found["start"], found["result"], found["exact"]) == (2, 0.125, "O", True)
    keys = {"n", "token", "kind", "player", "before", "after", "best", "best_value", "loss", "mark", "chance"}
    for event in found["events"]:
        assert event.keys() >= keys | {"luck"}
        absent = ("chance", "luck") if event["kind"] == "choice" else ("best", "best_value", "loss", "mark")
        assert all(event[key] is None for key in absent)
    lost = {player: side["lost"] for player, side in found["players"].items()}
    luck = found["players"]["X"]["luck"]
    assert found["start"] - lost["X"] + lost["O"] + luck == pytest.approx(-1, abs=1e-12)
    assert found["players"]["O"]["luck"] == -luck
    assert found["events"][-1]["chance"] == 1 / 32


def test_an_unfinished_game_and_one_that_o_began() -> None:
    found = run_json("review", "5 5*6", "--first", "O")
    assert (found["result"], found["start"]) == ("*", -0.125)
    assert [event["player"] for event in found["events"]] == ["O", "X"]
    empty = run_json("review", "", "--level", "0")
    assert (empty["events"], empty["players"]["X"]["accuracy"]) == ([], None)


def test_a_rotated_observation_without_positions_is_three_events_of_one_number() -> None:
    at_once = TWO_PHASES.replace("=p:#.#.##.## ", "")
    found = [event for event in run_json("review", at_once)["events"] if event["n"] == 9]
    assert [event["kind"] for event in found] == ["chance", "choice", "chance"]
    assert {event["token"] for event in found} == {"=r:O.O.XO.OX"}
    assert found[1]["best"] in ("standard", "rotated")
    assert found[0]["chance"] * found[2]["chance"] == pytest.approx(0.125)


def test_people_read_marks_losses_and_luck_also_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = run("review", EXAMPLE).out
    for words in ("(exact)", "blunder", "9*3", "0.3438", "3.13 %", "-1.3516", "75.75 %"):
        assert words in text
    monkeypatch.setenv("COLUMNS", "34")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    assert main(["review", EXAMPLE], stdin=io.StringIO(), stdout=out, stderr=io.StringIO()) == 0
    narrow = out.getvalue()
    assert "\x1b" not in narrow
    assert max(map(len, narrow.splitlines())) <= 34
    for words in ("blunder", "9*3", "0.3438", "-1.3516"):
        assert words in narrow
    assert "estimates" in run("review", "5 1+3", "--options", "measure-turn").out


@pytest.mark.parametrize(
    ("name", "start"), [("a.html", b"<!doctype html>"), ("a.svg", b"<svg"), ("a.pdf", b"%PDF")]
)
def test_pages_and_pictures(tmp_path: Path, name: str, start: bytes) -> None:
    path = tmp_path / name
    done = run("review", f'[X "<b>&"] [O "Bo"] {EXAMPLE}', "--out", str(path))
    assert (done.status, done.out) == (0, f"Wrote {path}.\n")
    content = path.read_bytes()
    assert content.startswith(start)
    if name.endswith("pdf"):
        return
    assert b"<b>" not in content
    assert b"&lt;b&gt;&amp; against Bo" in content
    # The picture says in words what it shows, faults with their sign.
    assert b"3+6?? +0.344" in content
    assert (b"75.75" in content) is name.endswith("html")


def test_other_pages_are_refused_before_anything_is_read() -> None:
    assert refusal("review", "no such file", "--out", "a.png") == (
        "--out a.png: the name must end with .html, .svg or .pdf"
    )


def test_the_help_states_thresholds_and_formula() -> None:
    text = " ".join(run("review", "--help").out.split())
    for mark, most in MARKS[1:-1]:
        assert f"up to {most:g} {mark}" in text
    assert "2^(-loss/0.1)" in text


def test_lessons_have_the_marks_of_the_review() -> None:
    lesson = make_lesson(Record.parse(EXAMPLE), shots=20)
    looked_back = review(Record.parse(EXAMPLE).game())
    for step, entry in zip(lesson.steps, looked_back.entries, strict=True):
        (said,) = step.judgements
        assert (entry.mark or "Luck") in said
        assert f"{entry.after:+.4f}" in said or not entry.loss
    assert "3+6: blunder, it gives 0.3438 away against 9*3" in " ".join(
        run("explain", EXAMPLE, "--shots", "20").out.split()
    )
    assert make_lesson(Record.parse("5"), shots=20).steps[-1].judgements == ()


def test_lessons_call_the_marks_of_a_search_estimates() -> None:
    """Level 1 with measure-turn is won for X from the middle on, whatever a short search may think."""
    record = Record.parse('[Level "1"]\n[Options "measure-turn"]\n5 2+7 1+9 ?1=X')
    assert not review(record.game()).exact
    steps = make_lesson(record, shots=20).steps
    said = [one for step in steps for one in step.judgements]
    assert len(said) == 5
    assert all("by the estimate of a search" in one for one in said)


# --at and --phase


@pytest.mark.parametrize("command", ["odds", "dice", "moves", "advise"])
def test_a_moment_is_the_record_that_ends_there(command: str) -> None:
    for n in (0, 3, 8):
        there = run_json(command, ENDED, "--level", "1", "--at", str(n))
        record = " ".join(ENDED.split()[:n])
        assert there == {**run_json(command, record, "--level", "1"), "at": n}
    assert "at" not in run_json(command, ENDED, "--level", "1")
    last = run_json(command, ENDED, "--level", "1", "--phase", "last")
    assert last == run_json(command, ENDED, "--level", "1", "--phase", "1")
    assert last["at"] == 8


def test_a_phase_ends_before_its_positions() -> None:
    assert run_json("odds", TWO_PHASES, "--phase", "1")["at"] == 8
    assert run_json("odds", TWO_PHASES.replace("=p:#.#.##.## ", ""), "--phase", "last")["at"] == 8
    assert run_json("odds", TWO_PHASES.partition(" =r")[0], "--phase", "last")["at"] == 8


def test_circuits_checks_observations_and_pictures_of_a_moment(tmp_path: Path) -> None:
    level = ("--level", "1")
    stats = run_json("circuit", ENDED, *level, "--phase", "1")
    assert stats == {**run_json("circuit", FULL, *level), "at": 8}
    checked = run_json("check", ENDED, *level, "--at", "5", "--seed", "1", "--shots", "50")
    assert checked["at"] == 5
    seen = run_json("observe", ENDED, *level, "--phase", "last", "--backend", "dice", "--seed", "7")
    assert seen["at"] == 8
    assert "Result" in Record.parse(seen["record"]).headers or seen["result"] == "continue"
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    assert run("draw", ENDED, *level, "--at", "5", "--out", str(one)).status == 0
    assert run("draw", "1 5 2 6 3+4", *level, "--out", str(other)).status == 0
    assert one.read_bytes() == other.read_bytes()


def test_an_observation_of_an_earlier_moment_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.qttt"
    path.write_text(f'[Level "1"]\n\n{ENDED}\n')
    before = path.read_bytes()
    run_json("observe", str(path), "--phase", "1", "--backend", "dice", "--seed", "3")
    done = run("observe", str(path), "--phase", "1", "--backend", "dice", "--seed", "3", "--save", str(path))
    assert done.status != 0 or path.read_bytes() == before
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--at", "10"), "--at 10: the record has 9 events"),
        (("--phase", "2"), "--phase 2: the record has 1 observed phase"),
        (("--at", "2", "--phase", "1"), "argument --phase: not allowed with argument --at"),
    ],
)
def test_moments_that_are_none_are_refused(words: tuple[str, ...], said: str) -> None:
    for command in ("odds", "moves", "check"):
        assert refusal(command, ENDED, "--level", "1", *words) == said
    assert refusal("odds", "5 1", "--phase", "last") == "--phase last: the record has no observed phases"
    assert "--at and --resume do not go together" in refusal("check", "--resume", "x.job", "--at", "0")


def test_an_ended_game_shows_its_last_phase_and_says_so(tmp_path: Path) -> None:
    level = ("--level", "1")
    for command in (("odds",), ("circuit",), ("check", "--seed", "1", "--shots", "50")):
        done = run(*command, ENDED, *level)
        assert "stood before its observation" in done.err
        assert done.out == run(*command, FULL, *level).out
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    assert (
        "stood before" in run("draw", ENDED, *level, "--what", "odds", "--seed", "1", "--out", str(one)).err
    )
    run("draw", FULL, *level, "--what", "odds", "--seed", "1", "--out", str(other))
    assert one.read_bytes() == other.read_bytes()
    # A game that goes on, or a moment that was asked for, is shown as it is.
    assert run("odds", FULL, *level).err == ""
    assert "The game is over" in run("odds", ENDED, *level, "--at", "9").out
    assert json.loads(run("odds", ENDED, *level, "--json").out)["outcomes"] == {"XXX.OOOXO": 1.0}


def test_how_a_game_ended_off_the_board_is_said_everywhere(tmp_path: Path) -> None:
    for header, words, token in (
        ('[Resigned "X"]', "X resigned, and O wins", "resign"),
        ('[Timeout "X"]', "X ran out of time, and O wins", "timeout"),
        ('[Result "tie"]', "the players agreed on a draw", "draw"),
    ):
        record = f"{header} 5 5*6"
        assert f"The game is over: {words}." in run("review", record).out
        found = run_json("review", record)
        assert found["result"] == ("tie" if token == "draw" else "O")
        assert [event["token"] for event in found["events"]] == ["5", "5*6", token]
        path = tmp_path / f"{token}.html"
        run("review", record, "--out", str(path))
        assert words in path.read_text() and f"<td>{token}</td>" in path.read_text()
        assert words[1:] in run("explain", record, "--shots", "20").out
        assert words in run("odds", record).out + run("odds", record).err
    assert run_json("odds", '[Timeout "O"] 5')["result"]["X"] == 1
