"""Odds: marginals, conditions, distances and draws of one distribution."""

from dataclasses import replace

import pytest

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.odds import RootOdds, distance, observation_odds
from qttt.game.outcomes import filled_squares
from qttt.game.squares import SQUARES
from tests.support.chance import Constant


def test_a_number_beyond_the_rounded_sum_draws_the_last_pattern() -> None:
    """Probabilities are floats, and ten of them may add up to a little less than 1."""
    component = RootOdds((1,), ((".", 0.25), ("O", 0.25), ("X", 0.5 - 1e-12)))
    assert [component.draw(Constant(number)) for number in (0.0, 0.2499, 0.25, 0.9)] == [".", ".", "O", "X"]
    assert component.draw(Constant(1 - 2**-53)) == "X"


@pytest.mark.parametrize("moves", ["1+3 1-2 5 5*6", "1 2 3+4 3*7 2-8"])
def test_the_odds_of_squares_are_the_marginals_of_the_boards(moves: str) -> None:
    game = Game(4)
    game.play(moves)
    position = replace(game.state.position, observed="........X")
    odds = observation_odds(position)
    boards = odds.outcomes()
    assert sum(boards.values()) == pytest.approx(1)
    assert list(boards) == sorted(boards)
    for board, probability in boards.items():
        assert odds.probability(board) == pytest.approx(probability)
        assert odds.probability("O" + board[1:]) == pytest.approx(boards.get("O" + board[1:], 0.0))
        assert odds.probability(board[:8] + "O") == odds.probability(board[:8] + ".") == 0.0
    for square in SQUARES:
        for cell, probability in odds.square(square).items():
            expected = sum(p for board, p in boards.items() if board[square - 1] == cell)
            assert probability == pytest.approx(expected, abs=1e-15)
    # Once the positions are known, what is left keeps its proportions.
    for filled, probability in odds.positions().items():
        kept = {board: p for board, p in boards.items() if filled_squares(board) == filled}
        assert probability == pytest.approx(sum(kept.values()))
        given = odds.given(filled)
        assert given.outcomes() == pytest.approx({board: p / probability for board, p in kept.items()})
    for impossible in ("." * 9, "#" * 9):
        with pytest.raises(UsageError, match="impossible"):
            odds.given(impossible)


def test_the_distance_of_distributions_is_half_of_the_differences() -> None:
    assert distance({"a": 0.75, "b": 0.25}, {"b": 0.5, "c": 0.5}) == 0.75
    assert distance({"a": 1.0}, {"a": 1.0}) == 0.0
    assert distance({"a": 1.0}, {"b": 1.0}) == 1.0


def test_a_position_is_observed_as_at_the_table_unless_told_otherwise() -> None:
    game = Game(5)
    game.play("~1+3 1*2")
    usual, physical = (
        observation_odds(replace(game.state.position, physical=way)).outcomes() for way in (False, True)
    )
    assert observation_odds(game.state.position).outcomes() == usual
    assert distance(usual, physical) > 0.1
