"""What is typed at the prompt, as notation has it."""

import pytest

from qttt.cli.keyboard.spelling import in_notation, joined, swapped, unknown
from tests.support.games import game_of


@pytest.mark.parametrize(
    ("typed", "token"),
    [
        ("1 + 3", "1+3"),
        ("5×6", "5*6"),
        ("5\N{MINUS SIGN}6", "5-6"),
        ("5 \N{EN DASH} 6~", "5-6~"),
        ("~ 5 x 6", "~5*6"),
        ("? 5", "?5"),
        ("5 6", "5 6"),
        ("hello × x", "hello × x"),
    ],
)
def test_a_move_is_read_as_it_was_meant(typed: str, token: str) -> None:
    assert in_notation(typed) == token


def test_an_attack_the_other_way_round_is_named() -> None:
    state = game_of("5").state
    assert swapped("6*5", state) == "5*6"
    assert swapped("6*7", state) is None
    assert swapped("1+3", state) is None


def test_an_unknown_word_says_what_was_nearly_meant() -> None:
    assert "did you mean resign?" in unknown("resgin", ["help", "resign"])
    assert "did you mean" not in unknown("xyzzy", ["help", "resign"])


def test_two_squares_side_by_side_are_meant_as_one_piece_in_both() -> None:
    assert [joined(typed) for typed in ("1 3", " 9,2", "5 and 6", "5&6")] == ["1+3", "9+2", "5+6", "5+6"]
    assert [joined(typed) for typed in ("1 1", "1 3 5", "5", "1. 3", "5 and")] == [None] * 5
