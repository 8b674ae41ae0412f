"""The keyboard game with computer players: turns, reasons, undo, draws, and an end to endless games."""

from pathlib import Path

import pytest

from qttt.game.outcomes import Observation
from qttt.players.choices import MAX_OBSERVATIONS
from qttt.records.files import load_record
from tests.support.cli_runs import play


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_computer_answers_and_says_why() -> None:
    shown = play("5\nwhy\nundo\n1\nwhy\nquit\n", "--o", "perfect", "--level", "2", "--seed", "1")
    assert "O (perfect) plays " in shown
    reason = shown.split("X> why\n")[1].splitlines()[0]
    assert " by perfect: It " in reason
    assert "X's best reply is then" in reason
    # After undo and another move, the reason is that of the move that stands.
    again = shown.split("X> why\n")[2].splitlines()[0]
    assert again != reason
    assert again.split()[0] == shown.split("O (perfect) plays ")[2].split(".")[0]


def test_the_reason_of_a_person_s_move_is_what_it_is_worth() -> None:
    assert "no move has been made yet" in play("why\nquit\n", "--o", "easy")
    assert "5 by X: It builds on" in play("5\nwhy\nquit\n", "--level", "2")


def test_explain_explains_the_last_move_alone() -> None:
    shown = play("5\n5*6\nexplain\nquit\n", "--level", "2").split("X> explain\n")[1]
    assert "2. O 5*6" in shown or "5*6" in shown.splitlines()[0]
    assert "1. " not in shown
    assert "Amplitudes after" in shown


def test_a_computer_that_starts_moves_first() -> None:
    shown = play("quit\n", "--x", "greedy", "--seed", "2")
    assert shown.index("X (greedy) plays") < shown.index("O> ")


def test_undo_takes_the_computer_s_answer_back_too() -> None:
    play("5\nundo\n1+3\nquit\n", "--o", "random", "--record", "game.qttt", "--seed", "4")
    events = [str(event) for event in load_record("game.qttt").events]
    assert events[0] == "1+3"
    assert len(events) == 2
    # The computer's opening alone is nobody's to take back.
    shown = play("undo\nquit\n", "--x", "random", "--record", "other.qttt", "--seed", "4")
    assert "no move has been made yet" in shown
    assert len(load_record("other.qttt").events) == 1


def test_a_draw_is_taken_by_a_computer_that_does_not_stand_better() -> None:
    shown = play("offer-draw\n", "--o", "perfect", "--level", "0", "--record", "drawn.qttt")
    assert "O (perfect) agrees." in shown
    assert load_record("drawn.qttt").headers["Result"] == "tie"
    # At Level 1 X wins for certain, and knows it.
    shown = play("offer-draw\nquit\n", "--x", "perfect", "--level", "1")
    assert "X (perfect) thinks that it stands better." in shown
    assert "No draw; the game goes on." in shown


def test_the_record_says_who_plays_and_a_continued_game_has_the_same_players() -> None:
    play("5\nquit\n", "--o", "greedy", "--record", "game.qttt", "--seed", "1")
    assert load_record("game.qttt").headers["O"] == "greedy"
    assert "O (greedy) plays" in play("1\nquit\n", "game.qttt") + play("2\n3\nquit\n", "game.qttt")
    shown = play("", "game.qttt", "--o", "hard", status=2)
    assert '--o hard contradicts the record\'s header [O "greedy"]' in shown


def test_computers_play_by_themselves_and_a_seed_repeats_them() -> None:
    words = ("--x", "greedy", "--o", "medium", "--level", "4", "--backend", "dice", "--seed", "9")
    one = play("", *words, "--record", "one.qttt")
    play("", *words, "--record", "two.qttt")
    assert "chooses the" in one
    assert "The game is over" in one
    assert Path("one.qttt").read_text() == Path("two.qttt").read_text()


def test_a_game_of_computers_that_could_go_on_for_ever_is_given_an_end() -> None:
    words = ("--x", "random", "--o", "random", "--backend", "dice", "--seed", "5", "--record")
    play("", "--level", "5", *words, "game.qttt")
    record = load_record("game.qttt")
    assert record.rules.options.max_observations == MAX_OBSERVATIONS == 50
    play("", "--level", "5", "--options", "max-observations=2", *words, "other.qttt")
    record = load_record("other.qttt")
    assert record.rules.options.max_observations == 2
    assert sum(isinstance(event, Observation) for event in record.events) <= 2
    play("quit\n", "--level", "5", "--x", "random", "--record", "person.qttt")
    assert load_record("person.qttt").rules.options.max_observations is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--x", "nobody"), "player 'nobody' does not exist"),
        (("--o", "perfect", "--options", "measure-turn"), "player 'perfect' needs solved rules"),
        (("--demo", "--x", "hard"), "--demo makes random moves"),
    ],
)
def test_players_that_cannot_play_are_refused(words: tuple[str, ...], message: str) -> None:
    assert message in play("", *words, status=2)


def test_a_measured_square_is_a_computer_s_move_too() -> None:
    shown = play("", "--options", "measure-turn", "--x", "random", "--o", "random", "--seed", "3")
    assert "plays ?" in shown
    assert "The game is over" in shown
