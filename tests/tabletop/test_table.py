"""The table before the first roll: its dice, and what may be asked."""

import pytest

from qttt.game.game import Game
from qttt.game.position import START
from qttt.game.rules import Rules
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.questions import Asks
from qttt.tabletop.rolls import table_of
from qttt.tabletop.table import lay_out


def test_a_table_has_the_modes_that_are_given_else_those_of_the_level() -> None:
    for level, modes in ((3, (Mode.STANDARD,)), (4, tuple(Mode))):
        assert lay_out(START, Rules.of(level), Symbol.X).modes == modes
    assert lay_out(START, Rules.of(5), Symbol.X, (Mode.ROTATED,)).modes == (Mode.ROTATED,)


@pytest.mark.parametrize(
    ("moves", "questions"),
    [
        # Of two half-cancelled squares the smaller is asked about first, and nothing else before it.
        ("1+3 1-2 9 3-4", [("X", (1,), Asks.MINE)]),
        # An entangled half is one question, about both of its squares.
        ("1+3 1*2", [("X", (1, 2), Asks.HALF), ("X", (3,), Asks.MINE)]),
        # Of a pair, each square may be asked about, by each player.
        ("1 1*2", [(asker, (square,), Asks.MINE) for square in (1, 2) for asker in "XO"]),
    ],
)
def test_what_may_be_asked_first(moves: str, questions: list[tuple[str, tuple[int, ...], Asks]]) -> None:
    game = Game(3)
    game.play(moves)
    asked = table_of(game.state).questions
    assert [(question.asker, question.squares, question.asks) for question in asked] == questions
    assert asked[0].square == 1


@pytest.mark.parametrize("targets", [(9, 8), (8, 9)])
def test_the_smaller_square_of_a_question_counts_for_the_order(targets: tuple[int, int]) -> None:
    game = Game(3)
    game.play(f"1+2 1*{targets[0]} 4 2*{targets[1]}")
    table = table_of(game.state)
    assert [question.squares for question in table.questions] == [(1, targets[0]), (2, targets[1])]
    assert table.next_question().squares == (1, targets[0])


def test_a_table_begins_as_the_board_stands() -> None:
    """Also with halves that were attacked in the rotated view and turned back physically (decision D5)."""
    game = Game(5, "view=physical")
    game.play("~1+3 1*2 9 8")
    standing = game.state.position.standard()
    table = table_of(game.state).position
    assert standing.twisted == table.twisted == {1, 2}
    assert (table.dice, table.view) == (standing.dice, standing.view)
