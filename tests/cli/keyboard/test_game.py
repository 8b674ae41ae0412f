"""The keyboard game, played through a pipe."""

import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from qttt.cli.commands import COMMANDS
from qttt.cli.keyboard.game import ASIDES, WORDS, KeyboardGame, game_points
from qttt.cli.main import main
from qttt.game import Game
from qttt.game.result import Result
from qttt.game.symbols import Symbol
from qttt.records.files import load_record
from qttt.records.record import Record
from tests.support.cli_runs import play, run


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_level_0_is_ordinary_tic_tac_toe_decided_on_a_full_board() -> None:
    shown = play("1\n2\n3\n4\n5\n6\n8\n7\n9\n", "--level", "0")
    assert "The game is over: X wins" in shown
    assert "X has 1 line, O has 0 lines." in shown
    # Three in a row after seven moves decide nothing before the board is full.
    early = play("1\n2\n4\n5\n7\n", "--level", "0")
    assert "O> \n" in early
    assert "X wins" not in early


def test_a_seed_repeats_the_game(tmp_path: Path) -> None:
    typed = "1+2\n3+4\n5+6\n7+8\n9\n"
    one = play(typed, "--seed", "5", "--backend", "aer", "--record", "one.qttt")
    play(typed, "--seed", "5", "--backend", "aer", "--record", "two.qttt")
    assert Path("one.qttt").read_bytes() == Path("two.qttt").read_bytes()
    record = load_record("one.qttt")
    assert record.headers["Seed"] == "5"
    assert record.headers["Backend"] == "aer"
    assert "Measured on aer, 18 qubits in use" in one
    others = {
        Path(f"{n}.qttt").read_text()
        for n in range(8)
        if play(typed, "--seed", str(n), "--record", f"{n}.qttt")
    }
    assert len({text.split("=")[1] for text in others}) > 1


def test_an_illegal_move_says_which_rule_forbids_it_and_the_turn_stays() -> None:
    shown = play("5\n5\n4*6\n5-6\nhello\n5*6\nquit\n", "--level", "2")
    assert "5 by O is not allowed: square 5 must be empty" in shown
    assert "4*6 by O is not allowed: square 4 is empty" in shown
    assert "5-6 by O is not allowed: cancelling moves start at Level 3" in shown
    assert "cannot read 'hello'" in shown
    assert "O entangles with X's piece in 5" in shown


def test_the_words_at_the_prompt() -> None:
    shown = play(
        "help\nhelp moves\n5\nmoves\ndice\nodds\ncircuit\ncheck\nundo\nundo\nquit\n",
        "--level",
        "2",
        "--seed",
        "1",
    )
    there = {entry.name for entry in COMMANDS}
    for word in WORDS:
        assert word in shown or (word in ASIDES and word not in there)
    assert "superposition: your piece in 1 and 3 at once" in shown
    assert "5*1" in shown
    assert "occ 5" in shown
    assert "Everything agrees." in shown
    assert "5 is taken back." in shown
    assert "no move has been made yet" in shown
    assert set(ASIDES) < {name.split()[0] for name in WORDS}


def test_words_take_the_arguments_of_the_command_line() -> None:
    asked = "odds --mode rotated\ncircuit --style lean --format stats\nodds --mode sideways\nodds 'x\n"
    shown = play(f"1+3\n1-2\n{asked}quit\n", "--level", "4")
    assert "56.35 %" in shown
    assert "two-qubit gates" in shown
    assert "sideways" in shown
    assert "cannot read" in shown


def test_undo_does_not_pass_an_observation() -> None:
    shown = play("1+2\n3+4\n5+6\n7+8\n9\nundo\nquit\n", "--level", "1", "--seed", "4")
    assert "an observation cannot be taken back" in shown


def test_the_end_of_the_input_keeps_the_record_and_says_where() -> None:
    shown = play("5\n5*6\n", "--seed", "4")
    (kept,) = Path().glob("game-*.qttt")
    assert f"The record is kept in {kept}; go on with: qttt play {kept}" in shown
    assert [str(event) for event in load_record(kept).events] == ["5", "5*6"]
    again = play("9\n", str(kept))
    assert [str(event) for event in load_record(kept).events] == ["5", "5*6", "9"]
    assert "X to move" in again


def test_nothing_is_kept_of_nothing() -> None:
    assert "nothing to keep" in play("")
    assert not list(Path().iterdir())


def test_the_record_is_saved_after_every_move() -> None:
    play("5\nsave other.qttt\n5*6\nquit\n", "--record", "game.qttt")
    assert [str(event) for event in load_record("game.qttt").events] == ["5"]
    assert [str(event) for event in load_record("other.qttt").events] == ["5", "5*6"]


def test_ctrl_c_keeps_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.TextIOWrapper):
        def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
            line = super().readline(size)
            if not line:
                raise KeyboardInterrupt
            return line

    out = io.StringIO()
    assert (
        main(
            ["play", "--record", "game.qttt"],
            stdin=Interrupted(io.BytesIO(b"5\n")),
            stdout=out,
            stderr=io.StringIO(),
        )
        == 130
    )
    assert "kept in game.qttt" in out.getvalue()
    assert [str(event) for event in load_record("game.qttt").events] == ["5"]


def test_the_mode_is_chosen_after_the_positions_and_never_rolled_again() -> None:
    typed = "1\n2\n3\n4\n5\n6\n7\n8+9\n"
    stopped = play(f"{typed}", "--level", "4", "--record", "game.qttt", "--seed", "2")
    assert "O, which mode of observation?" in stopped
    events = [str(event) for event in load_record("game.qttt").events]
    assert events[-1].startswith("=p:")
    shown = play("sideways\nhelp\nundo\ndraw\nsave 'with space.qttt'\nodds\nrotated\n", "game.qttt")
    assert "'sideways' is no mode" in shown
    assert "an observation cannot be taken back" in shown
    assert "a draw is offered on a turn" in shown
    assert "plus reads X" in shown
    again = [str(event) for event in load_record("with space.qttt").events]
    assert [str(event) for event in load_record("game.qttt").events] == events
    assert again[: len(events)] == events
    assert again[-1].startswith("=r:")
    pattern = "".join("." if cell == "." else "#" for cell in again[-1][3:])
    assert events[-1] == f"=p:{pattern}"


@pytest.mark.parametrize("rolls", ["exact", "d6"])
def test_dice_are_rolled_before_the_players_eyes(rolls: str) -> None:
    typed = "1+3\n1-2\n4\n5\n6\n7\n8\n9\nrotated\n"
    shown = play(
        typed, "--level", "4", "--backend", "dice", "--rolls", rolls, "--record", "g.qttt", "--seed", "1"
    )
    assert "rolls first" in shown
    assert "points at" in shown
    assert "Every remaining square will hold a piece" in shown
    tokens = [str(event) for event in load_record("g.qttt").events]
    assert any(token.startswith("=p:") for token in tokens)
    assert any(token.startswith("=r:") for token in tokens)


def test_a_draw_needs_both_players() -> None:
    refused = play("5\noffer-draw\nno\nquit\n", "--record", "a.qttt", "--level", "5")
    assert "O offers X a draw. Does X agree?" in refused
    assert "the game goes on" in refused
    agreed = play("5\noffer-draw\nyes\n", "--record", "b.qttt", "--level", "5")
    assert "the players agreed on a draw" in agreed
    assert load_record("b.qttt").headers["Result"] == "tie"
    assert load_record("b.qttt").game().over


@pytest.mark.parametrize("backend", ["aer", "dice"])
def test_an_observation_says_that_the_view_goes_back(backend: str) -> None:
    words = ("--level", "5", "--backend", backend, "--record", "game.qttt")
    moves = "1\n2\n3\n4\n5\n6\n7\n8\n"
    back, seen = "For the observation the view goes back to standard.", ", seen in the standard view:"
    shown = play(f"~{moves}9\n", *words)
    assert shown.index("Rotated view. The board is full") < shown.index(back) < shown.index(seen)
    # Gone on with, it is in the standard view already.
    assert back not in play("", "game.qttt")
    standard = play(f"{moves}9\n", *words[:-2])
    assert back not in standard and seen in standard
    below = play(f"{moves}9\n", "--level", "4", "--backend", backend)
    assert "which mode" in below and "view" not in below


def test_a_match_adds_points_and_alternates_who_starts() -> None:
    game = "1\n2\n3\n4\n5\n6\n8\n7\n9\n"
    shown = play(game * 2, "--level", "0", "--games", "2", "--record", "match.qttt")
    assert "Game 1 of 2; X starts." in shown
    assert "Game 2 of 2; O starts." in shown
    assert "Points so far: X 1, O 1." in shown
    assert "The match is drawn." in shown
    assert load_record("match-2.qttt").headers["First"] == "O"


def test_every_game_of_a_match_repeats_from_its_own_seed() -> None:
    words = ("--level", "1", "--x", "random", "--o", "random", "--seed", "11")
    play("", *words, "--games", "3", "--record", "match.qttt")
    records = [load_record(f"match-{number}.qttt") for number in (1, 2, 3)]
    assert [record.headers["Seed"] for record in records] == ["11", "12", "13"]
    assert len({record.events for record in records}) == 3
    play("", *words[:-1], "12", "--first", "O", "--record", "again.qttt")
    assert load_record("again.qttt").events == records[1].events


def test_in_a_match_with_tally_the_lines_are_added_up() -> None:
    typed = "1\n2\n3\n4\n5\n6\n7\n8\n9\n" + "1\n2\n3\n4\n5\n6\n8\n7\n9\n"
    shown = play(typed, "--level", "0", "--games", "2", "--options", "tally")
    assert "Points so far: X 2, O 0." in shown
    assert "Points so far: X 2, O 1." in shown
    assert "X wins the match." in shown


def test_an_agreed_draw_is_worth_nothing_whatever_lines_there_are() -> None:
    game = Game(5, "tally")
    game.play("1 5 2 6 3+4 7 8 9 =XXX.OOOXO")
    assert not game.over
    game.drawn = True
    assert game_points(game) == {Symbol.X: 0, Symbol.O: 0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.qttt"], "missing.qttt"),
        (["--level", "7"], "level '7' does not exist"),
        (["--options", "no-ties"], "option no-ties needs Level 5"),
        (["--backend", "abacus"], "abacus"),
        (["--rolls", "d6", "--backend", "aer"], "goes with the backend 'dice'"),
        (["--games", "0"], "from 1 to 1000"),
        (["--demo", "game.qttt"], "--demo plays one game of its own"),
        (["--first", "Z"], "the players are 'X' and 'O'"),
    ],
)
def test_bad_arguments(words: list[str], message: str) -> None:
    shown = play("", *words, status=2)
    assert message in shown
    assert shown.count("qttt: error:") == 1


def test_a_finished_game_is_shown_and_done() -> None:
    Path("done.qttt").write_text('[Level "0"]\n\n1 2 3 4 5 6 8 7 9 =XOXOXOOXX\n')
    assert "The game is over" in play("", "done.qttt")


def test_ascii_and_pipes_have_no_colour() -> None:
    shown = play("5\n5*6\nquit\n", "--ascii")
    assert shown.isascii()
    assert "\x1b[" not in play("5\n5*6\nquit\n")


def test_the_demonstration_repeats_and_agrees() -> None:
    one, two = play("", "--demo"), play("", "--demo")
    assert one == two
    assert "Gates of 'X superposes'" in one
    assert "half-entangles" in one
    assert "DIFFERS" not in one
    assert "X wins" in one
    five = play("", "--demo", "--level", "5", "--seed", "3", "--record", "five.qttt")
    assert "chooses the" in five
    assert load_record("five.qttt").game().over


def test_a_given_generator_is_used() -> None:
    def run(seed: int) -> str:
        out = io.StringIO()
        typed = io.StringIO("1+2\n3+4\n5+6\n7+8\n9\n")
        main(["play"], stdin=typed, stdout=out, stderr=io.StringIO(), rng=np.random.default_rng(seed))
        return out.getvalue().partition("The record")[0]

    assert run(1) == run(1)
    assert "Read in standard mode" in run(1)


def test_stdin_of_the_process_is_only_used_when_it_is_the_sessions() -> None:
    assert sys.stdin is not None
    play("quit\n")


@pytest.mark.parametrize("backend", ["aer", "dice"])
def test_a_turn_may_be_spent_on_measuring_a_square(backend: str) -> None:
    typed = "1+3\n?2\n?1\nmoves\nundo\n?1\nquit\n"
    words = ["--options", "measure-turn", "--level", "2", "--backend", backend, "--record", "m.qttt"]
    shown = play(typed, *words, "--seed", "1")
    assert "?2 by O is not allowed" in shown
    assert "Square 1 " in shown
    assert "cannot be taken back" in shown
    record = load_record("m.qttt")
    assert str(record.events[1]).startswith("?1=")
    assert "measure-turn" in play("5\n?5\nquit\n", "--level", "2")


def test_a_game_goes_on_with_the_observer_and_the_seed_of_its_record() -> None:
    words = ["--level", "1", "--backend", "dice", "--rolls", "d6", "--seed", "9", "--record", "one.qttt"]
    play("1+2\n3\n", *words)
    Path("two.qttt").write_bytes(Path("one.qttt").read_bytes())
    rest = "4\n5\n6\n7\n8\n9\n"
    one, two = play(rest, "one.qttt"), play(rest, "two.qttt")
    assert one == two.replace("two.qttt", "one.qttt")
    assert "rolls first" in one
    headers = load_record("one.qttt").headers
    assert (headers["Backend"], headers["Rolls"], headers["Seed"]) == ("dice", "d6", "9")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "4"], '--seed 4 contradicts the record\'s header [Seed "3"]'),
        (["--backend", "aer"], '--backend aer contradicts the record\'s header [Backend "dice"]'),
        (["--view", "physical", "--level", "2"], "--level 2 contradicts"),
        (["--view", "tabletop"], "--view tabletop contradicts the options of the record"),
    ],
)
def test_a_flag_may_not_contradict_a_header(words: list[str], message: str) -> None:
    headers = '[Level "5"]\n[Options "view=physical"]\n[Backend "dice"]\n[Seed "3"]\n'
    Path("game.qttt").write_text(f"{headers}\n5\n")
    assert message in play("", "game.qttt", *words, status=2)
    assert Path("game.qttt").read_text() == f"{headers}\n5\n"


def test_view_stands_in_for_the_option() -> None:
    play("quit\n", "--level", "5", "--view", "physical", "--record", "game.qttt")
    assert load_record("game.qttt").rules.options.physical_view


def test_a_record_that_cannot_be_written_is_refused_before_the_first_move() -> None:
    shown = play("1\n2\n", "--record", "no/such/folder/game.qttt", status=2)
    assert "cannot save" in shown
    assert "X places" not in shown


def test_a_file_that_holds_something_is_not_written_over() -> None:
    Path("old.qttt").write_text("5 5\n")
    assert "go on with it by 'qttt play old.qttt'" in play("1\n", "--record", "old.qttt", status=2)
    assert Path("old.qttt").read_text() == "5 5\n"
    Path("empty.qttt").touch()
    play("1\nquit\n", "--record", "empty.qttt")
    assert [str(event) for event in load_record("empty.qttt").events] == ["1"]


def test_a_game_that_is_saved_by_name_writes_over_no_other() -> None:
    Path("old.qttt").write_text("5 5*6\n")
    Path("notes.txt").write_text("milk\n")
    shown = play("5\n1\nsave old.qttt\nsave notes.txt\nquit\n", "--record", "new.qttt")
    assert "old.qttt holds something else already: name another file" in shown
    assert "notes.txt holds something else already" in shown
    assert (Path("old.qttt").read_text(), Path("notes.txt").read_text()) == ("5 5*6\n", "milk\n")
    assert "kept in new.qttt" in shown


def test_a_move_is_taken_back_in_the_file_that_holds_it() -> None:
    shown = play("5\n1\nsave a.qttt\nundo\n2\nquit\n")
    assert "kept in a.qttt" in shown and "changed" not in shown
    assert [str(event) for event in load_record("a.qttt").events] == ["5", "2"]
    # The same after going on with it: what was read is what may be written over.
    shown = play("undo\n3\nsave a.qttt\nquit\n", "a.qttt")
    assert "kept in a.qttt" in shown and "changed" not in shown
    assert [str(event) for event in load_record("a.qttt").events] == ["5", "3"]


def test_a_finished_game_without_a_file_prints_its_record() -> None:
    shown = play("1\n2\n3\n4\n5\n6\n8\n7\n9\n", "--level", "0")
    assert Record.parse(shown[shown.index("[Level") :]).game().result is Result.X


def test_a_stopped_match_says_how_it_stands() -> None:
    game = "1\n2\n3\n4\n5\n6\n8\n7\n9\n"
    shown = play(f"{game}5\nquit\n", "--level", "0", "--games", "2")
    assert "The match stops in game 2 of 2: X 1, O 0" in shown


def test_one_move_at_a_time() -> None:
    assert "one move at a time" in play("5 5*6\nquit\n")


@pytest.mark.parametrize("before", ["", "1\n2\n3\n4\n5\n6\n7\n8+9\n"], ids=["move", "mode"])
@pytest.mark.parametrize("line", ["x" * 5000, "5 " * 2500 + "5", "odds " + "x" * 4900, "save '" + "x" * 4900])
def test_a_long_line_is_not_printed_back(line: str, before: str) -> None:
    shown = play(f"{before}{line}\nquit\n", "--level", "4")
    # The transcript has what was typed; the answer begins as that does, and is short.
    (answer,) = shown.split(line)[1:]
    assert line[-10:-5] in answer and "…" in answer
    assert max(map(len, answer.split("\n"))) < 250


@pytest.mark.parametrize("asked", ["why", "odds --rolls nonsense", "check --shots 0", "circuit --out"])
def test_a_senseless_question_for_the_mode_does_not_end_the_game(asked: str) -> None:
    moves = "5 1 2 8 3 7 4 6 9".replace(" ", "\n")
    done = run(
        "play", "--level", "4", "--backend", "dice", "--seed", "1", stdin=f"{moves}\n{asked}\nstandard\n"
    )
    assert (done.status, done.err) == (0, "")
    assert done.out.count("which mode of observation?") == 2
    assert "wins" in done.out or "tie" in done.out


def test_bytes_that_are_no_text_at_the_prompt_are_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = io.TextIOWrapper(io.BytesIO(b"5\nundo\xff\xff\n6\n"), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    assert main(["play", "--backend", "dice"], stdin=typed, stdout=out, stderr=err) == 0
    assert err.getvalue() == ""
    assert "cannot read 'undo\ufffd\ufffd'" in out.getvalue()
    (kept,) = tmp_path.iterdir()
    assert [str(event) for event in load_record(kept).events] == ["5", "6"]


def test_a_line_without_end_comes_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("play", "--backend", "dice", stdin="x" * 25_000)
    assert done.status == 0
    assert done.out.count("cannot read") == 3


def test_a_fault_of_the_program_does_not_lose_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    real = KeyboardGame.show_board

    def faulty(keyboard: KeyboardGame) -> None:
        if len(keyboard.game.events) == 2:
            raise RuntimeError("a fault")
        real(keyboard)

    monkeypatch.setattr(KeyboardGame, "show_board", faulty)
    done = run("play", "--backend", "dice", stdin="5\n6\n7\n")
    assert done.status == 3
    assert "a fault of the program" in done.err
    (kept,) = tmp_path.iterdir()
    assert [str(event) for event in load_record(kept).events] == ["5", "6"]


def test_explain_says_what_the_last_move_gave_away() -> None:
    shown = " ".join(play("5\n1+3\nexplain\nquit\n", "--level", "2", "--no-keep").split())
    assert "1+3: mistake, it gives 0.2188 away against 5*1" in shown
    assert "5: inaccuracy" not in shown and "5: best" not in shown
    unsolved = " ".join(play("5\n1+3\nexplain\nquit\n", "--level", "5", "--options", "view=physical").split())
    assert "1+3: by the estimate of a search, mistake" in unsolved


def test_new_begins_another_game_and_rematch_lets_the_other_start() -> None:
    shown = play("5\nnew\n1\nrematch\n2\nrematch\n3\nresign\nrematch\nquit\n", "--level", "1")
    kept = sorted(Path().glob("game-*.qttt"), key=lambda path: (len(path.name), path.name))
    records = [load_record(path) for path in kept]
    # The one that was resigned is over, and printed.
    assert [(str(r.first), [str(event) for event in r.events]) for r in records] == [
        ("X", ["5"]),
        ("X", ["1"]),
        ("O", ["2"]),
    ]
    assert '[Resigned "O"]\n[Result "X"]\n\n1. 3' in shown
    assert shown.rstrip().endswith("No move was made, so there is nothing to keep.")
    assert "O> quit" in shown


def test_after_the_end_another_game_begins_with_its_own_file_and_seed() -> None:
    typed = "1\n2\n3\n4\n5\n6\n8\n7\n9\n"
    play(f"{typed}rematch\n5\nquit\n", "--level", "0", "--record", "g.qttt", "--seed", "7", "--eval")
    first, second = load_record("g.qttt"), load_record("g-2.qttt")
    assert (first.headers["Result"], first.headers["Seed"], str(first.first)) == ("X", "7", "X")
    assert (second.headers["Seed"], str(second.first), len(second.events)) == ("8", "O", 1)


def test_a_game_of_a_match_is_not_left_for_a_new_one() -> None:
    shown = play("5\nnew\nrematch\nquit\n", "--games", "2")
    assert shown.count("this is a game of a match: the next one comes after it; resign gives it up") == 2


def test_how_the_players_stand_is_exact_or_said_to_be_estimated() -> None:
    bar = r"X \d+ % \[█*[▉-▏]? *\] O \d+ %, tie \d+ %"
    solved = play("5\nquit\n", "--level", "2", "--eval")
    assert len(re.findall(f"{bar}$", solved, re.MULTILINE)) == 2
    # 56.25 % and 43.75 % without a tie: +0.125 to X, as solve says.
    assert "X 55 %" in solved or "X 56 %" in solved
    for words in (("--options", "measure-turn"), ("--level", "5", "--options", "max-observations=3")):
        shown = play("5\neval\n1\nnew\nquit\n", "--eval", *words)
        # Before it is switched off, and off it stays in the next game.
        assert len(re.findall(rf"{bar} \(estimated\)$", shown, re.MULTILINE)) == 2
        assert "How the players stand is shown no more." in shown
    asked = play("eval\n1+3\nquit\n", "--options", "measure-turn")
    assert len(re.findall(rf"{bar} \(estimated\)$", asked, re.MULTILINE)) == 2


@pytest.mark.parametrize(("options", "there"), [("", True), ("measure-turn", False)])
def test_openings_are_named_where_there_are_any(options: str, there: bool) -> None:
    shown = play("help\n1+3\nopenings\nreview\nquit\n", "--options", options)
    assert ("what other openings are worth" in shown) is there
    assert ("nothing is better" in shown) is there
    assert ("is not solved: no table holds for it" in shown) is not there
    assert ("(some are estimates of a search)" in shown) is not there
    assert "accuracy" in shown


def test_the_board_is_not_told_before_its_squares_are() -> None:
    shown = play("1+2\n3+4\n5+6\n7+8\n9\n", "--level", "1", "--seed", "4", "--record", "g.qttt")
    board = str(load_record("g.qttt").events[5]).removeprefix("=")
    told = shown.partition("Read in standard mode:\n")[2]
    assert board not in shown and told.startswith("  ")
    known = play("1\n2\n3\n4\n5\n6\n8\n7\n9\n", "--level", "0")
    assert "Read in standard mode:\n  what every square holds was known\n" in known


def test_what_was_nearly_meant_is_said_where_the_level_has_it() -> None:
    assert "cannot read '1 3'. Did you mean 1+3, one piece in both squares?" in play("1 3\n", "--level", "1")
    assert "one move at a time" in play("1 3\n", "--level", "0")
    assert "one move at a time" in play("1. 3\n", "--level", "1")
    for level, there in (("1", False), ("2", True)):
        assert ("to whom it is open" in play("help\n", "--level", level)) is there


def test_more_moves_than_there_are_cannot_be_taken_back_and_none_is() -> None:
    shown = play("1\n2\n3\nundo 5\nundo 3\nundo 2\nquit\n", "--level", "0", "--record", "g.qttt")
    assert "undo 5 is not allowed: only 3 moves can be taken back" in shown
    assert "1 and 2 and 3 are taken back." in shown
    assert "undo is not allowed: no move has been made yet" in shown
    against = play("1+2\nundo 3\nundo\nquit\n", "--level", "1", "--o", "easy", "--seed", "1")
    assert "only one move can be taken back" in against and "1+2 and" in against


def test_after_the_end_the_game_is_looked_back_on() -> None:
    typed = "1\n2\n3\n4\n5\n6\n8\n7\n9\nreview\nexplain\nwhy\nodds\nundo\n5\nrevew\nquit\n"
    after = play(typed, "--level", "0").partition("over> review\n")[2]
    for said in (
        "accuracy",
        "Luck: P(X wins) − P(O wins) goes from +1.0000",
        "9 by X: ",
        "If the board were observed now",
        "over> undo\nthe game is over: new begins another\n",
        "over> 5\nthe game is over: new begins another\n",
        "the game is over: cannot read 'revew' (did you mean review?)",
        "this is its last phase, as it stood before its observation",
    ):
        assert said in after
        after = after.partition(said)[2]
