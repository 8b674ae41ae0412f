"""The keyboard game in a terminal of its own: Ctrl-C in its four places, sizes, colours, and leaving."""

import os
import re
import time
from pathlib import Path

import pytest

from qttt.records.files import load_record
from tests.support.terminals import Conversation


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_ctrl_c_clears_the_line_and_twice_it_leaves() -> None:
    game = Conversation("play", "--record", "game.qttt")
    game.until("X>")
    game.send("5*")
    game.until("5*")
    game.send("\x03")
    game.until("Ctrl-C again leaves; so does Ctrl-D.")
    game.send("7\r")
    game.until("O>")
    # A line between: it is the first again.
    game.send("\x03")
    game.until("Ctrl-C again leaves")
    game.send("\x03")
    status, said = game.end()
    assert status == 130
    assert "kept in game.qttt" in said
    assert [str(event) for event in load_record("game.qttt").events] == ["7"]


def test_ctrl_d_leaves_in_peace() -> None:
    game = Conversation("play", "--record", "game.qttt")
    game.until("X>")
    game.send("\x04")
    assert game.end()[0] == 0


def test_ctrl_c_stops_a_command_and_nothing_else() -> None:
    game = Conversation("play", "--record", "game.qttt", "--level", "5")
    game.until("X>")
    game.send("1+2\r")
    game.until("O>")
    game.send("check --shots 1000000\r")
    game.until("check --shots 1000000")
    time.sleep(1.5)
    game.send("\x03")
    game.until("Stopped.")
    game.send("3\r")
    game.until("X>")
    game.send("\x04")
    assert game.end()[0] == 0
    assert [str(event) for event in load_record("game.qttt").events] == ["1+2", "3"]


def test_ctrl_c_tells_a_computer_to_move_now() -> None:
    game = Conversation("play", "--o", "search:60", "--level", "5", "--record", "game.qttt")
    game.until("X>")
    game.send("1+2\r")
    game.until("move now")
    began = time.monotonic()
    game.send("\x03")
    game.until("O (search:60) plays")
    assert time.monotonic() - began < 10
    game.until("X>")
    game.send("q\r")
    assert game.end()[0] == 0
    assert len(load_record("game.qttt").events) == 2


def test_twice_while_a_computer_thinks_leaves() -> None:
    game = Conversation("play", "--o", "search:60", "--x", "search:60", "--level", "5")
    game.until("move now")
    game.send("\x03")
    game.until("X (search:60) plays")
    game.send("\x03")
    assert game.end()[0] == 130


@pytest.mark.parametrize(("columns", "rows"), [(34, 14), (80, 24)])
def test_nothing_is_wider_than_the_terminal(columns: int, rows: int) -> None:
    game = Conversation("play", "--level", "5", "--eval", columns=columns, rows=rows)
    shown = game.until("X>")
    assert shown.count("\n") <= rows
    answers = {
        "help": "Ctrl-D",
        "help moves": "bottom.",
        "1+3": "O to move",
        "board": "O to move",
        "5*": "cannot read",
        "hint": "It is",
        "why": "1+3 by X",
        "undo 4": "only one",
    }
    for typed, answer in answers.items():
        game.send(f"{typed}\r")
        shown += game.until(answer) + game.until(">")
    game.send("\x04")
    status, last = game.end()
    assert status == 0
    # The input line is the terminal's own; every other line was wrapped between words.
    lines = [line for line in (shown + last).split("\n") if ">" not in line]
    assert max(len(line.rstrip()) for line in lines if "game-" not in line) <= columns


def test_a_low_terminal_has_the_whole_board_in_sight() -> None:
    game = Conversation("play", "--level", "3", "--o", "easy", "--seed", "1", "--eval", columns=34, rows=14)
    game.until("X>")
    game.send("5\r")
    shown = game.until("(easy) plays") + game.until("X to move")
    assert "red" in shown
    # One line more for the prompt.
    assert shown.rpartition("┌")[2].count("\n") < 13
    game.until("X>")
    game.send("\x04")
    assert game.end()[0] == 0


def test_a_terminal_that_is_made_smaller_gets_the_small_board() -> None:
    game = Conversation("play", "--level", "1")
    assert "┌───────────┬" in game.until("X>")
    game.resize(34, 14)
    game.send("5\r")
    shown = game.until("O>")
    assert "┌───────┬───────┬───────┐" in shown
    game.send("\x04")
    assert game.end()[0] == 0


def test_no_color_has_no_colour_and_a_dumb_terminal_no_escapes() -> None:
    game = Conversation("play", "--level", "1", NO_COLOR="1")
    game.until("X>")
    board = game.seen.split("X>")[0]
    assert "│ 1 " in board and not re.search(r"\x1b\[[0-9;]*[1-9][0-9]*m", board.rpartition("┘")[0])
    game.send("\x04")
    game.end()
    game = Conversation("play", "--level", "1", term="dumb")
    game.until("X>")
    game.send("5\r")
    game.until("O>")
    # Python drops an interrupt in the midst of a weak reference's callback: let it wait for the line.
    time.sleep(0.5)
    game.send("\x03")
    game.until("Ctrl-C again leaves; so does Ctrl-D.\nO>")
    time.sleep(0.3)
    game.send("\x04")
    assert game.end()[0] == 0
    assert "\x1b[3" not in game.seen


def test_a_match_goes_on_from_its_score() -> None:
    game = Conversation("play", "--level", "0", "--games", "3", "--record", "match.qttt", "--fast")
    for square in "123456879":
        game.until(">")
        game.send(f"{square}\r")
    assert "Points so far: X 1, O 0." in game.until("over>")
    game.send("\r")
    game.until("Game 2 of 3; O starts.")
    game.until("O>")
    game.send("5\r")
    game.until("X>")
    game.send("\x03\x03")
    status, said = game.end()
    assert status == 130
    assert "The match stops in game 2 of 3: X 1, O 0 so far." in said
    again = Conversation("play", "match-2.qttt")
    assert "Points so far: X 1, O 0." in again.until("X>")
    again.send("resign\r")
    assert "Points so far: X 1, O 1." in again.until("over>")
    again.send("\r")
    assert "Game 3 of 3; X starts." in again.until("X>")
    again.send("resign\r")
    again.until("over>")
    again.send("\r")
    status, said = again.end()
    assert (status, "O wins the match." in said) == (0, True)


def test_the_observation_is_shown_square_by_square_and_at_once_if_asked() -> None:
    def played(*words: str) -> float:
        game = Conversation("play", "--level", "1", "--seed", "4", *words)
        for typed in ("1+2", "3+4", "5+6", "7+8", "9"):
            game.until(">")
            game.send(f"{typed}\r")
        game.until("Read in standard mode")
        began = time.monotonic()
        game.until("This board had a chance of 6.25 %.")
        taken = time.monotonic() - began
        game.until(">")
        game.send("\x04")
        assert game.end()[0] == 0
        return taken

    assert played() - played("--fast") > 1.0


def test_the_prompt_reviews_the_game_so_far_and_opens_others() -> None:
    game = Conversation("play", "--level", "1")
    game.until("X>")
    game.send("5\r")
    game.until("O>")
    game.send("review\r")
    said = game.until("accuracy")
    # 1+5 wins for certain at Level 1, and 5 gives half of that away.
    assert "blunder" in said and "1+5" in said
    game.until("O>")
    game.send("openings\r")
    said = game.until("nothing is better")
    assert "Level 1, after 5: worth +0.5000 to X" in said and "┌" not in said
    game.until("O>")
    game.send("\x04")
    assert game.end()[0] == 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say it there")
@pytest.mark.parametrize("words", [(), ("--level", "5", "--o", "hard")])
def test_the_first_board_comes_within_half_a_second_of_processor_time(words: tuple[str, ...]) -> None:
    seconds = []
    for _ in range(2):
        game = Conversation("play", *words)
        game.until(" to move")
        fields = Path(f"/proc/{game.pid}/stat").read_text().rpartition(")")[2].split()
        seconds.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        game.until("X>")
        game.send("\x04")
        assert game.end()[0] == 0
    # The second time, with warm caches.
    assert min(seconds) < 0.5


@pytest.mark.slow
def test_two_computers_pause_between_their_moves() -> None:
    Path("g.qttt").write_text('[Level "0"] 1 2 3 4 5 6')

    def played(*words: str) -> float:
        game = Conversation("play", "g.qttt", "--x", "easy", "--o", "easy", *words)
        game.until("X (easy) plays")
        began = time.monotonic()
        game.until("X (easy) plays")
        taken = time.monotonic() - began
        assert game.end()[0] == 0
        Path("g.qttt").write_text('[Level "0"] 1 2 3 4 5 6')
        return taken

    assert played() - played("--fast") > 1.5
