"""Tests that kill what mutation testing found alive; each says which change it notices."""

import numpy as np

from circuits.decoding import HERALD_FAILED, ILLEGAL, Decoded, reject
from qttt.board import START
from qttt.game import Game, parse_event
from qttt.odds import Component
from qttt.rolls import table_of, throw
from qttt.roots import Attack, Root, Site, read_roots
from qttt.rules import Rules
from qttt.symbols import Mode, Symbol
from qttt.tabletop import lay_out


def test_an_entangled_site_is_named_by_the_smaller_of_its_squares() -> None:
    """Physics does not care, but the order of squares in every table and drawing follows from it."""
    for moves in ("2 2*5", "5 5*2"):
        game = Game(Rules.of(2))
        game.play(moves)
        (root,) = read_roots(game.state.position)
        assert root == Root(Symbol.X, (Site(2, attack=Attack.ENTANGLED, target=5),))
        assert root.squares == (2, 5)


class Constant:
    """Always the same number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def test_a_number_beyond_the_rounded_sum_draws_the_last_pattern() -> None:
    """Probabilities are floats, and ten of them may add up to a little less than 1."""
    component = Component((1,), ((".", 0.25), ("O", 0.25), ("X", 0.5 - 1e-12)))
    assert [component.draw(Constant(number)) for number in (0.0, 0.2499, 0.25, 0.9)] == [".", ".", "O", "X"]
    assert component.draw(Constant(1 - 2**-53)) == "X"


def test_a_drawn_chance_is_yes_below_it_only() -> None:
    """3.318 % is drawn, since no d6 gives it; the number itself is the first that means no."""
    game = Game(Rules.of(3))
    game.play("1+3 1-2")
    question = next(asked for asked in table_of(game.state).questions if not asked.d6_is_exact)
    chance = float(question.chance)
    answers = [throw(question, Constant(number)).yes for number in (0.0, chance - 1e-9, chance, 0.5)]
    assert answers == [True, True, False, False]


def test_pushing_an_event_returns_the_state_after_it() -> None:
    game = Game(Rules.of(2))
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
