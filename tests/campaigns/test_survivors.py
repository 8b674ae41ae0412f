"""Tests that kill what mutation testing found alive; each says which change it notices."""

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from circuits.decoding import HERALD_FAILED, ILLEGAL, Decoded, reject
from qttt.errors import UsageError
from qttt.game.adjustment import symbol_weights
from qttt.game.dice import die_of
from qttt.game.game import Game, parse_event
from qttt.game.odds import RootOdds, distance, observation_odds
from qttt.game.outcomes import Measurement, filled_squares
from qttt.game.position import START
from qttt.game.roots import Attack, Root, Site, kept_fraction, read_roots, rotated
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.game.surds import ONE, SQRT_HALF, ZERO, Surd
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.questions import Asks
from qttt.tabletop.rolls import measure_by_rolls, table_of, throw
from qttt.tabletop.table import lay_out


def test_an_entangled_site_is_named_by_the_smaller_of_its_squares() -> None:
    """Physics does not care, but the order of squares in every table and drawing follows from it."""
    for moves in ("2 2*5", "5 5*2"):
        game = Game(2)
        game.play(moves)
        (root,) = read_roots(game.state.position)
        assert root == Root(Symbol.X, (Site(2, attack=Attack.ENTANGLED, target=5),))
        assert root.squares == (2, 5)

    for moves in ("1+3 1*2", "2+3 2*1"):
        game = Game(2)
        game.play(moves)
        (root,) = read_roots(game.state.position)
        assert root.sites == (Site(1, attack=Attack.ENTANGLED, target=2), Site(3))


def test_the_shape_of_a_root_has_squares_of_its_own() -> None:
    attacked, free = Site(4, attack=Attack.CANCELLED, target=2, twisted=True), Site(8, rotated=True)
    root = Root(Symbol.O, (attacked, free))
    assert root.squares == (4, 2, 8)
    assert root.shape() == Root(
        Symbol.O, (Site(1, attack=Attack.CANCELLED, target=2, twisted=True), Site(3, rotated=True))
    )
    assert Root(Symbol.O, (free, attacked)).shape().squares == (1, 2, 3)
    assert Root(Symbol.X, (Site(6),)).shape() == Root(Symbol.X, (Site(1),))


def test_roots_come_by_their_smallest_site() -> None:
    game = Game(3)
    game.play("2+9 5 1+8 3+7")
    assert [root.squares for root in read_roots(game.state.position)] == [(1, 8), (2, 9), (3, 7), (5,)]


def test_a_rotation_turns_symbols_and_leaves_what_is_empty() -> None:
    state = {"X.": ONE, ".O": SQRT_HALF}
    half = SQRT_HALF * SQRT_HALF
    turned = rotated(state, (0, 1))
    assert turned == {"X.": SQRT_HALF, "O.": SQRT_HALF, ".X": half, ".O": -half}
    assert rotated(turned, range(2)) == {**state, "O.": ZERO, ".X": ZERO}


def test_half_cancelling_keeps_the_fractions_of_the_physics() -> None:
    """One half-cancel keeps 81.5 % of the shots, two on one root 63.1 % (physics.md); else all are kept."""
    fractions = []
    for moves in ("1", "1 1*2", "1+3", "1+3 1*2", "1+3 1-2", "1+3 1-2 9 3-4"):
        game = Game(3)
        game.play(moves)
        fractions.append(float(kept_fraction(read_roots(game.state.position)[0])))
    assert fractions == pytest.approx([1, 1, 1, 1, 0.815, 0.631], abs=5e-4)


class Constant:
    """Always the same number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def test_a_number_beyond_the_rounded_sum_draws_the_last_pattern() -> None:
    """Probabilities are floats, and ten of them may add up to a little less than 1."""
    component = RootOdds((1,), ((".", 0.25), ("O", 0.25), ("X", 0.5 - 1e-12)))
    assert [component.draw(Constant(number)) for number in (0.0, 0.2499, 0.25, 0.9)] == [".", ".", "O", "X"]
    assert component.draw(Constant(1 - 2**-53)) == "X"


def test_a_drawn_chance_is_yes_below_it_only() -> None:
    """3.318 % is drawn, since no d6 gives it; the number itself is the first that means no."""
    game = Game(3)
    game.play("1+3 1-2")
    question = next(asked for asked in table_of(game.state).questions if not asked.d6_is_exact)
    chance = float(question.chance)
    answers = [throw(question, Constant(number)).yes for number in (0.0, chance - 1e-9, chance, 0.5)]
    assert answers == [True, True, False, False]


def test_pushing_an_event_returns_the_state_after_it() -> None:
    game = Game(2)
    assert game.push(parse_event("5")) is game.state
    assert game.state.turn is Symbol.O


def test_a_table_has_the_modes_that_are_given_else_those_of_the_level() -> None:
    for level, modes in ((3, (Mode.STANDARD,)), (4, tuple(Mode))):
        assert lay_out(START, Rules.of(level), Symbol.X).modes == modes
    assert lay_out(START, Rules.of(5), Symbol.X, (Mode.ROTATED,)).modes == (Mode.ROTATED,)


def test_shots_that_did_not_count_stay_so_when_boards_are_rejected() -> None:
    """The two marks are the last places of the table that `reject` looks shots up in."""
    assert (HERALD_FAILED, ILLEGAL) == (-1, -2)
    boards = (".X.......", "O........", "X........")
    decoded = Decoded(boards, np.array([2, ILLEGAL, HERALD_FAILED, 1, 0, ILLEGAL]), {"earlier": 2})
    after = reject(decoded, {"O........": "impossible", "OOO......": "never seen"})
    assert after.boards == (".X.......", "X........")
    assert after.index.tolist() == [1, ILLEGAL, HERALD_FAILED, ILLEGAL, 0, ILLEGAL]
    assert (after.kept, after.illegal, after.herald_failed) == (2, 3, 1)
    assert after.illegal_kinds == {"earlier": 2, "impossible": 1}


def test_surds_are_a_field() -> None:
    numbers = [Surd(Fraction(1, 3), Fraction(-2, 5)), Surd(Fraction(-7), Fraction(1, 2)), SQRT_HALF, ONE]
    for a in numbers:
        for b in numbers:
            assert float(a + b) == pytest.approx(float(a) + float(b), rel=1e-15)
            assert float(a - b) == pytest.approx(float(a) - float(b), rel=1e-14)
            assert float(a * b) == pytest.approx(float(a) * float(b), rel=1e-14)
            assert a / b * b == a
            assert a - b + b == a
            assert a + -a == ZERO
    assert Surd(Fraction(1, 2)) == SQRT_HALF * SQRT_HALF
    assert [bool(number) for number in (ZERO, ONE, SQRT_HALF)] == [False, True, True]
    assert float(SQRT_HALF) == sqrt(0.5)


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


@pytest.mark.parametrize(
    ("values", "standard", "along"),
    [
        ((2, 2), 0.5, 1.0),  # plus
        ((2, -2), 0.5, 0.0),  # minus
        ((1, 1), 0.5, 1.0),  # plus-superposition
        ((1, -1), 0.5, 0.0),  # minus-superposition
        ((2, 1), 2 / 3, (1 + sqrt(0.5)) ** 2 / 3),  # target of a half-cancel (physics.md)
        ((1, -2), 1 / 3, (1 - sqrt(0.5)) ** 2 / 3),
        ((4, None), 1.0, 0.5),
        ((None, 4), 0.0, 0.5),
    ],
)
def test_the_chance_of_x_in_a_filled_square(
    values: tuple[int | None, int | None], standard: float, along: float
) -> None:
    """In the rotated mode X is the plus."""
    dice = tuple(die_of(s, 0, value) for s, value in zip(Symbol, values, strict=True) if value is not None)
    for mode, expected in ((Mode.STANDARD, standard), (Mode.ROTATED, along)):
        weights = symbol_weights(dice, mode)
        assert float(weights[Symbol.X] / (weights[Symbol.X] + weights[Symbol.O])) == pytest.approx(expected)


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


def test_a_square_is_measured_by_rolls_until_somebody_finds_a_piece_or_nobody_can() -> None:
    """Faces below 1/6 are a 1, an odd face and a no; from 1/6 on they are a 2 and a yes."""
    game = Game(2, "measure-turn")
    game.play("1+2 1*3 5")
    # X's half has 1 left in its square, and so the attacker is asked about first.
    no, yes = Constant(0.0), Constant(0.2)
    for square, rng, cell, answers in ((1, yes, "O", [True]), (5, no, "X", []), (2, no, ".", [False])):
        event, rolls = measure_by_rolls(game.state, square, rng)
        assert (event, [roll.yes for roll in rolls]) == (Measurement(square, cell), answers)
    # After the attacker's no, X's die there has doubled and is asked about in turn.
    event, rolls = measure_by_rolls(game.state, 1, no)
    assert event.cell == "."
    assert [(roll.question.asker, roll.yes) for roll in rolls] == [("O", False), ("X", False)]


def test_a_position_is_observed_as_at_the_table_unless_told_otherwise() -> None:
    game = Game(5)
    game.play("~1+3 1*2")
    usual, physical = (
        observation_odds(replace(game.state.position, physical=way)).outcomes() for way in (False, True)
    )
    assert observation_odds(game.state.position).outcomes() == usual
    assert distance(usual, physical) > 0.1
