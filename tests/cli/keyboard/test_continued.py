"""Games that stop and go on: who began, what a killed process has kept, what is shown, when to draw."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from qttt.game.outcomes import Positions
from qttt.game.result import Result
from qttt.records.files import load_record
from qttt.records.record import Record
from tests.support.cli_runs import refusal, run

ROOT = Path(__file__).parents[3]
PROMPT = b"which mode of observation? "
CORNER = "┌───────────┬"
BACKENDS = ("aer", "dice")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# Who began


@pytest.mark.parametrize("content", ["5\n", '[Level "2"]\n\n5 5*6\n'])
def test_a_game_that_x_began_is_not_made_o_s(content: str) -> None:
    Path("game.qttt").write_text(content)
    assert refusal("play", "game.qttt", "--first", "O", stdin="1\n") == "--first O: X began this game"
    assert Path("game.qttt").read_text() == content


def test_who_begins_may_be_said_where_nobody_has_or_it_is_true() -> None:
    Path("new.qttt").write_text('[Level "1"]\n')
    assert "O places □4r in 1" in run("play", "new.qttt", "--first", "O", stdin="1\nquit\n").out
    assert load_record("new.qttt").headers["First"] == "O"
    for flags in (["--first", "O"], []):
        assert "O places □4g in 3" in run("play", "new.qttt", *flags, stdin="2\n3\nundo\nundo\nquit\n").out
    assert [str(event) for event in load_record("new.qttt").events] == ["1"]
    Path("begun.qttt").write_text("5\n")
    assert "O places □4r in 1" in run("play", "begun.qttt", "--first", "X", stdin="1\nquit\n").out
    assert [str(event) for event in load_record("begun.qttt").events] == ["5", "1"]


# Stopped at the question for the mode


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("level", ["4", "5"])
def test_a_game_that_waits_for_its_mode_shows_the_board_once(backend: str, level: str) -> None:
    positions = "1 2 3 4 5 6 7 8+9 =p:#######.#"
    Path("game.qttt").write_text(f'[Level "{level}"]\n\n{positions}\n')
    shown = run("play", "game.qttt", "--backend", backend).out
    assert shown.count(CORNER) == 1
    assert shown.count("The positions are observed, and O chooses the mode.") == 1
    assert shown.count("empty") == 1, "what was found empty is marked"
    assert "rolls first" not in shown, "nobody rolls for positions that are known"
    # The board comes before the question, not after it.
    assert shown.index(CORNER) < shown.index("which mode of observation?")
    over = "1 2 3 4 5 6 8 7 9 =XOXOXOOXX"
    Path("over.qttt").write_text(f'[Level "0"]\n\n{over}\n')
    assert run("play", "over.qttt").out.count(CORNER) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_positions_that_were_seen_are_on_disk_before_the_mode_is_asked(backend: str, tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    argv = ["play", "--level", "4", "--backend", backend, "--seed", "1", "--record", str(file)]
    program = subprocess.Popen(
        [sys.executable, "-m", "qttt", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert program.stdin is not None and program.stdout is not None
    patience = threading.Timer(60, program.kill)
    patience.start()
    try:
        program.stdin.write(b"1\n2\n3\n4\n5\n6\n7\n8+9\n")
        program.stdin.flush()
        seen = b""
        while PROMPT not in seen:
            part = os.read(program.stdout.fileno(), 65536)
            assert part, f"it ended before the question: {seen.decode()}"
            seen += part
    finally:
        program.kill()
        patience.cancel()
        program.communicate()
    record = load_record(file)
    assert isinstance(record.events[-1], Positions)
    assert len(record.events) == 9


# Games without an end


def level_5_game(observations: int) -> str:
    """A game of so many observations that all leave X and O without a line, and then moves to the next."""
    boards = ("=X.O..XO.X", "=.X.XO..OX")
    moves = ("1-2 3-5 6-4 7-8", "2-1 5-3 4-6 8-7")
    phases = ["1+2 3+4 5+6 7+8 9"]
    for number in range(observations):
        phases += [boards[number % 2], moves[number % 2]]
    return " ".join(phases)


@pytest.mark.parametrize(("observed", "reminded"), [(3, False), (4, True), (5, False), (9, True)])
def test_every_fifth_observation_without_an_end_reminds_of_the_draw(observed: int, reminded: bool) -> None:
    text = f'[Level "5"]\n\n{level_5_game(observed)}\n'
    # Three boards in four have no line; the seed draws one of them.
    assert Record.parse(text).game().state.result_odds()[Result.CONTINUE] == 0.75
    Path("game.qttt").write_text(text)
    shown = run("play", "game.qttt", "--seed", "2", stdin="standard\nquit\n").out
    state = load_record("game.qttt").game().state
    assert (state.observations, state.result) == (observed + 1, Result.CONTINUE)
    said = f"After {observed + 1} observations nobody leads, and this level can go on for ever"
    assert (said in shown) is reminded
    assert ("'offer-draw' offers a draw" in shown) is reminded
