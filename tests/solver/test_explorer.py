"""Openings: every choice once, with the solver's value, and as probable as two perfect players make it."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.moves import Move
from qttt.players import get_player
from qttt.solver.explorer import explore
from qttt.solver.probe import UnsolvedError, prober_for


@pytest.mark.parametrize(
    ("level", "line"), [(0, ""), (1, "1+5"), (2, "1 5"), (3, "2 5 4"), (4, "1 5"), (5, "")]
)
def test_every_move_is_in_one_class_and_has_its_value(level: int, line: str) -> None:
    game = Game(level)
    moves = [Move.parse(token) for token in line.split()]
    found = explore(moves, game)
    state = Game(level).play(line).state
    listed = [move for choice in found.choices for move in choice.moves]
    assert sorted(listed, key=lambda move: move.order) == state.legal_moves()
    prober = prober_for(game.rules)
    for choice in found.choices:
        for move in choice.moves:
            assert prober.value(state.child(move)).value == pytest.approx(choice.value.value, abs=1e-9)
    assert found.value.value == pytest.approx(prober.value(state).value, abs=1e-9)
    signed = [choice.value.for_player(state.turn) for choice in found.choices]
    assert all(one >= other - 1e-9 for one, other in pairwise(signed))


def test_the_first_moves_of_level_0_are_three_by_symmetry() -> None:
    choices = explore([], Game(0)).choices
    assert [tuple(map(str, choice.moves)) for choice in choices] == [tuple("1379"), tuple("2468"), ("5",)]
    assert [choice.visits for choice in choices] == [pytest.approx(n / 9) for n in (4, 4, 1)]


def test_visits_are_how_often_two_perfect_players_come_there() -> None:
    perfect, rng = get_player("perfect", Game(0).rules), np.random.default_rng(4)
    seen: Counter[int] = Counter()
    for _ in range(3000):
        game = Game(0)
        for _ in range(2):
            game.push(perfect.choose(game.state, rng))  # type: ignore[arg-type]
        if str(game.events[0]) == "1":
            seen[game.events[1].squares[0]] += 1  # type: ignore[union-attr]
    # The corner is chosen once in nine; its class arises four times as often.
    for choice in explore([Move.parse("1")], Game(0)).choices:
        share = sum(seen[move.squares[0]] for move in choice.moves) / 3000
        assert share * 4 == pytest.approx(choice.visits, abs=0.06)


def test_no_best_play_comes_behind_a_choice_that_is_not_best() -> None:
    found = explore([Move.parse("5")], Game(2))
    assert [choice.visits for choice in found.choices] == [0.0] * len(found.choices)
    assert any(choice.best for choice in found.choices)


def test_what_is_no_opening_is_refused() -> None:
    with pytest.raises(UnsolvedError):
        explore([], Game(2, "measure-turn"))
    full = [Move.parse(token) for token in "123456789"]
    with pytest.raises(UsageError, match="the board is full"):
        explore(full, Game(0))
