"""What an explanation says of lines, chances and the other choices agrees with the values it was given."""

import pytest

from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.state import State
from qttt.game.symbols import Mode
from qttt.players import Choice, Look, choices
from qttt.players.explanations import chances, why
from qttt.players.strategies import solved_values
from qttt.solver.probe import Value
from tests.support.games import game_of


def explained(record: str, level: int, move: str, values: dict[str, float] | None = None) -> str:
    """The explanation of a move, every choice worth what is said here, else nothing."""

    def judge(asked: object) -> dict[Choice, Value]:
        return {choice: Value((values or {}).get(str(choice), 0.0), 0.0) for choice in choices(asked)}  # type: ignore[arg-type]

    return why(game_of(record, level).state, Move.parse(move), judge, compare=values is not None)


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (0.0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.0006, "0.1 %"),
        (0.002, "0.2 %"),
        (0.5, "50 %"),
        (0.9994, "99.9 %"),
        (0.9995, "> 99.9 %"),
        (0.9996, "> 99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_a_chance_is_never_rounded_to_never_or_always(x: float, said: str) -> None:
    tie = 1 - x
    assert chances(Value(x, tie)).startswith(f"X {said}, ")


def test_a_certain_piece_closes_a_line_on_which_the_opponent_stands() -> None:
    text = explained("1 5 2", 0, "3")
    assert "closes the top row to X" in text
    assert "less likely to get the top row" not in text
    # Nobody stands on the right column: it is not closed to X, whose it never was.
    assert "right column to X" not in text


def test_half_a_piece_makes_a_line_less_likely_and_does_not_close_it() -> None:
    text = explained("1+9 5 4", 2, "1*7")
    assert "makes X less likely to get the top row" in text
    # X's half in 1 may still be there with O's beside it in 7, which closes what goes through 7.
    assert "closes the bottom row and the left column to X" in text


def test_three_lines_are_named_at_most_those_that_gain_most() -> None:
    assert "builds on the top row, the left column and the diagonal 1-5-9" in explained("", 0, "1")
    four = explained("", 0, "5").split("builds on")[1].split(".")[0]
    assert sum(word in four for word in ("row", "column", "1-5-9", "3-5-7")) == 3


def test_half_a_piece_builds_on_its_line() -> None:
    # Half a piece is hardly more than an empty square, which is nearly an even fight.
    assert "builds on the top row and the left column" in explained("1 5", 1, "2+4")


@pytest.mark.parametrize(("level", "chooses"), [(3, False), (4, True)])
def test_the_mode_is_chosen_only_where_there_are_two(level: int, chooses: bool) -> None:
    text = explained("1 2 3 4 5 6 8 7", level, "9")
    assert ("X chooses the mode" in text) == chooses
    assert ("in rotated mode" in text) == chooses


def test_the_other_choices_are_compared_by_their_values() -> None:
    record = "1 5 9 3 7 4"
    legal = [str(move) for move in Game(0).play(record).legal_moves()]
    assert legal == ["2", "6", "8"]
    assert "Every other choice is worth the same." in explained(record, 0, "2", {})
    assert "One other choice is as good, 6 for example." in explained(record, 0, "2", {"8": -0.5})
    level = {"2": 0.5, "6": 0.5}
    assert "One other choice is as good, 6 for example." in explained(record, 0, "2", level)
    assert "The best other choice, 6, is worth 0.250 less to X." in (
        explained(record, 0, "2", {"2": 0.75, "6": 0.5})
    )
    assert "6 would be worth 0.500 more to X." in explained(record, 0, "2", {"6": 0.5})
    # Values are P(X wins) - P(O wins), so O wants them small.
    assert "2 would be worth 0.500 more to O." in explained("1 5 9 3 7", 0, "4", {"2": -0.5})
    assert "There is no other choice." in explained("1 2 3 4 5 6 8 7", 0, "9", {})


def test_a_look_is_explained_by_what_it_may_find() -> None:
    state = game_of("1+3 5 2", 1, "measure-turn").state

    def level(asked: State) -> dict[Choice, Value]:
        return dict.fromkeys(choices(asked), Value(0.0, 0.0))

    text = why(state, Look(1), level)
    assert "Square 1 is looked at: " in text and "X 50 %" in text and "empty 50 %" in text


def test_the_last_diagonal_counts_too() -> None:
    assert "closes the diagonal 3-5-7 to X" in explained("5 1 7", 0, "3")
    text = explained("3+9 1 5", 2, "3*8")
    assert "less likely to get" in text and "3-5-7" in text


def test_a_mode_is_explained_by_its_chances() -> None:
    state = game_of("1+3 1-2 9 3-4 5 6 7 8 =p:.#..#####", 4).state
    values = solved_values(state)
    text = why(state, Mode.ROTATED, lambda _: values)
    assert text.startswith(f"Read in rotated mode: {chances(values[Mode.ROTATED])}.")
