"""Squares rotated while their dice stayed (option ``view=physical``): what is said, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from qttt.display.text import ASCII, draw_legend
from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.tabletop.questions import Question
from qttt.tabletop.rolls import roll_step, table_of, throw
from tests.support.cli_runs import refusal, run, run_json

# The same dice in the same view, and two states: only in the first were the four squares rotated.
ROTATED = ("dice", "~3+4 3*2 5 4-1~", "--level", "5", "--view", "physical")
PLAIN = ("dice", "3+4 3*2~ 5~ 4-1", "--level", "5", "--view", "physical")
UNSEEN = "rotated although the dice do not show it"


def played(record: str, options: str = "view=physical") -> Game:
    game = Game(5, options)
    game.play(record)
    return game


def test_equal_dice_of_unequal_states_are_told_apart() -> None:
    rotated, plain = run_json(*ROTATED), run_json(*PLAIN)
    assert (rotated.pop("rotated_unseen"), plain.pop("rotated_unseen")) == ([1, 2, 3, 4], [])
    assert rotated == plain


def test_people_read_it_beside_each_square_and_below_the_board() -> None:
    shown = run(*ROTATED).out.split("\n")
    assert f"{UNSEEN} (view=physical): 1, 2, 3, 4" in shown
    table = shown[next(n for n, line in enumerate(shown) if line.startswith("square")) :]
    assert [line[0] for line in table if line.endswith(f", {UNSEEN}")] == ["1", "2", "3", "4"]
    assert UNSEEN not in run(*PLAIN).out
    # Read as at the table, the switch changed nothing there.
    assert run_json(*ROTATED[:-1], "tabletop")["rotated_unseen"] == []


def test_the_legend_says_it_where_the_board_is_shown() -> None:
    position = played("~3+4 3*2 5 4-1~").state.position
    assert draw_legend(position, ASCII).plain.split("\n")[1:] == [f"{UNSEEN} (view=physical): 1, 2, 3, 4"]
    assert "\n" not in draw_legend(played("~3+4 3*2 5 4-1~", "").state.position).plain
    assert "\n" not in draw_legend(played("3+4 3*2~ 5~ 4-1").state.position).plain


def asked(game: Game, mode: Mode) -> list[Question]:
    """What is asked of the squares that are filled, when the mode is chosen and every answer is no."""
    _, table = roll_step(table_of(game.state), np.random.default_rng(1))
    table = table.choose(mode)
    questions = []
    while not table.done:
        questions.append(table.next_question())
        table = table.answer(questions[-1], yes=False)
    return questions


def test_the_questions_of_the_dice_say_it() -> None:
    # X is alone in 1, and the switch back left a plus there, which the rotated mode reads for certain.
    game = played("5~ 1+3 1*2 4 6 7 8 9 =p:#.#######")
    (question,) = (question for question in asked(game, Mode.STANDARD) if question.square == 1)
    assert str(question) == f"X points at 1, {UNSEEN}: is this square mine? (even means yes)"
    thrown = throw(question, np.random.default_rng(1))
    assert str(thrown).startswith(str(question))
    assert 1 not in {question.square for question in asked(game, Mode.ROTATED)}
    tabletop = played("5~ 1+3 1*2 4 6 7 8 9 =p:#.#######", "")
    assert not any(UNSEEN in str(question) for mode in Mode for question in asked(tabletop, mode))


@pytest.mark.parametrize("demonstration", [(), ("--demo",)])
@pytest.mark.parametrize("view", [("--options", "view=physical"), ("--view", "physical")])
def test_d6_rolls_are_refused_before_the_first_move(
    demonstration: tuple[str, ...], view: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "game.qttt"
    words = ("play", "--level", "5", *view, *demonstration, "--record", str(file))
    reason = refusal(*words, "--rolls", "d6", stdin="1\nquit\n")
    assert reason.startswith("d6 rolls do not go with the option view=physical")
    assert not file.exists()
    # The same dice rolled exactly do.
    assert run(*words, "--backend", "dice", "--seed", "1", stdin="1\nquit\n").status == 0
    assert file.exists()
