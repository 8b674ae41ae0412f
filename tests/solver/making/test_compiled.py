"""The compiled solver (extra ``solve``) against the search in plain Python, which shares no move with it."""

from random import Random

import pytest

pytest.importorskip("numba")

from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.solver.blocks import blocks_of
from qttt.solver.boards import BOARDS, verdicts
from qttt.solver.making.compiled.solution import Solver
from qttt.solver.making.openings import openings
from qttt.solver.places import Place
from qttt.solver.probe import prober_for
from qttt.solver.search import MARGIN, Search
from qttt.solver.tables import table_for
from tests.support.solver_brute import random_state

pytestmark = pytest.mark.slow


def where(place: Place) -> tuple[tuple[int, ...], int, tuple[int, int]]:
    return place.blocks, place.turn, place.switches


@pytest.fixture(scope="module")
def level_2() -> Solver:
    solver = Solver(Rules.of(2), 0.0, 2)
    solver.solve()
    return solver


def test_level_2_is_the_same_to_the_bit(level_2: Solver) -> None:
    search = Search(Rules.of(2), table_for(Rules.of(2)))
    for key, place in openings(Rules.of(2), 3, level_2.fewest_pieces).items():
        assert level_2.position(*where(place)) == search.value(*where(place)), key


def test_no_board_has_fewer_pieces_than_said(level_2: Solver) -> None:
    """Five pieces are the fewest that fill nine squares at Level 2: four superpositions and one more."""
    assert level_2.fewest_pieces == 5


@pytest.mark.parametrize("level", [3, 4])
def test_a_fresh_solution_is_the_shipped_one(level: int) -> None:
    solver = Solver(Rules.of(level), MARGIN, 6)
    solver.solve()
    table = table_for(Rules.of(level))
    assert solver.states == table.about["states"]
    search = Search(Rules.of(level), table)
    for place in openings(Rules.of(level), 6, solver.fewest_pieces).values():
        assert solver.position(*where(place)) == pytest.approx(
            search.value(*where(place)), abs=table.about["error"]
        )
    # Boards end the game as the rules say.
    for number in range(BOARDS):
        pair = verdicts(Rules.of(level))[number]
        assert pair is None or tuple(solver.boards[number]) == pair


def test_positions_are_found_whoever_is_to_move(level_2: Solver) -> None:
    rng, start = Random(8), State(Rules.of(2))
    assert level_2.position((), 0, (0, 0)) == (0.125, 0.0)
    for _ in range(200):
        state = random_state(start.rules, 6, rng)
        if len(state.position.empty_squares) >= 2:
            turn = int(state.turn == "O")
            pair = level_2.position(blocks_of(state.position), turn, (0, 0))
            assert pair[0] * state.turn.sign == prober_for(state.rules).value(state).value
