"""Every option that has a table: values against the game's own states, without blocks, symmetry or tables."""

from random import Random

import pytest

from examples.best_play.fairest import fairest
from examples.best_play.variants import endless, solved_variants, wanted
from qttt.game.rules import Rules
from qttt.game.squares import EMPTY
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.solver.blocks import code_of
from qttt.solver.boards import BOARDS, board_blocks, board_text, classes, verdict
from qttt.solver.probe import is_solved, prober_for
from qttt.solver.search import position_key
from qttt.solver.tables import FOLDER, table_for, table_path
from tests.support.solver_brute import Brute, Pair, random_state

SHIPPED = [rules for rules in wanted() if (FOLDER / table_path(rules).name).is_file()]
WITH_OPTIONS = [rules for rules in SHIPPED if str(rules.options) and is_solved(rules)]
#: To how many empty squares brute force goes, by level.
MOST_EMPTY = {0: 4, 1: 2, 2: 2, 3: 1, 4: 1}


def by_table(state: State) -> Pair | None:
    found = prober_for(state.rules).value(state)
    return found.value, found.tie


@pytest.mark.parametrize("rules", WITH_OPTIONS, ids=str)
def test_brute_force_gives_the_same_values(rules: Rules) -> None:
    """Below Level 3 to the end of the game, from there on to the end of the phase."""
    rng, brute = Random(str(rules)), Brute(by_table if rules.level.number > 2 else None)
    error = table_for(rules).about["error"]
    for _ in range(4):
        state = random_state(rules, MOST_EMPTY[rules.level.number], rng, phases=2)
        assert by_table(state) == pytest.approx(brute.value(state), abs=error or 0.0), state


@pytest.mark.parametrize("rules", WITH_OPTIONS, ids=str)
def test_boards_that_play_goes_on_with_are_worth_their_best_move(rules: Rules) -> None:
    """A board is in the table; what its moves lead to is searched."""
    prober, table, start = prober_for(rules), table_for(rules), State(rules)
    # At Level 0 no observation leaves a square empty.
    going_on = []
    for number, *_ in classes():
        key = position_key(code_of(board_blocks(number, rules.level), 0), (0, 0), rules.level)
        if board_text(number).count(EMPTY) in (2, 3) and table.get(key):
            going_on.append(number)
    assert len(going_on) >= 20 or rules.level.number == 0
    for number in Random(7).sample(going_on, min(len(going_on), 3 if rules.level.number > 2 else 10)):
        board = start.position.observed_as(board_text(number), in_play=False)
        state = State(rules, board, observations=1)
        best = max(value.for_player(state.turn) for value in prober.move_values(state).values())
        assert best == pytest.approx(prober.value(state).value, abs=table.about["error"] + 1e-12)


@pytest.mark.parametrize("rules", WITH_OPTIONS, ids=str)
def test_the_page_says_what_the_tables_say(rules: Rules) -> None:
    said = {variant.rules: variant for variant in solved_variants()}[rules]
    value = prober_for(rules).value(State(rules))
    assert (said.value, said.x, said.tie, said.o) == (value.value, value.x, value.tie, value.o)
    assert said.sha256 == table_for(rules).about["sha256"]
    other = prober_for(rules).value(State(rules, turn=Symbol.O))
    assert (other.value, other.tie) == (-value.value, value.tie)


def test_every_variant_up_to_level_4_is_solved() -> None:
    known = {variant.rules for variant in solved_variants()}
    assert {rules for rules in wanted() if not rules.level.observed_in_play} <= known


def test_with_no_ties_a_board_with_equal_lines_is_worth_nothing_and_no_tie() -> None:
    """Observed in rotated mode, it gives every board with equal odds: the sum over all of them is 0."""
    board = "XOXXOOOXX"
    number = sum((1 if cell == "X" else 2) * 3**place for place, cell in enumerate(board))
    assert verdict(number, Rules.of(5)) == (0.0, 1.0)
    assert verdict(number, Rules.of(5, "no-ties")) == (0.0, 0.0)
    full = [verdict(n, Rules.of(5, "no-ties")) for n in range(BOARDS) if EMPTY not in board_text(n)]
    assert len(full) == 512
    assert sum(pair[0] for pair in full if pair) == 0


@pytest.mark.slow
def test_whether_best_play_ends_is_seen_in_games() -> None:
    said = {variant.rules: variant.endless for variant in solved_variants()}
    assert said[Rules.of(5)] == endless(Rules.of(5)) == 0
    assert all((said[rules] is None) == (rules.level.number < 5) for rules in said)
    assert not fairest(5).endless
