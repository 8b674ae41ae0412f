"""Observed boards and leaves: classes, results and averages."""

from itertools import product
from random import Random

import numpy as np
import pytest

from qttt.game.moves import Move
from qttt.game.result import decide
from qttt.game.rules import LEVELS, Rules
from qttt.game.state import Phase, State
from qttt.solver.blocks import BLOCKS, blocks_of, code_of
from qttt.solver.boards import BOARDS, averaged, board_blocks, board_text, classes, verdicts
from qttt.solver.expectation import Averages, Expectation, merged
from qttt.solver.making.openings import openings
from qttt.solver.search import Search, position_key
from tests.support.solver_brute import random_state


def test_classes_part_the_boards() -> None:
    numbers = sorted(number for images in classes() for number in images)
    assert numbers == list(range(BOARDS))
    # Burnside's count of 3 x 3 boards with three kinds of cell, over the eight symmetries.
    assert len(classes()) == 2862
    assert all(images[0] == min(images) for images in classes())


@pytest.mark.parametrize("level", range(6))
def test_every_board_has_the_result_that_the_rules_give(level: int) -> None:
    worth = {"X": (1.0, 0.0), "O": (-1.0, 0.0), "tie": (0.0, 1.0), "continue": None}
    for number in Random(level).sample(range(BOARDS), 2000):
        assert verdicts(Rules.of(level))[number] == worth[decide(board_text(number), Rules.of(level))]


def test_an_average_is_the_mean_over_its_symbols() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((BOARDS, 2))
    table = averaged(values)
    for _ in range(300):
        digits = rng.integers(0, 4, 9)
        choices = [(1, 2) if digit == 3 else (int(digit),) for digit in digits]
        boards = [sum(d * 3**i for i, d in enumerate(choice)) for choice in product(*choices)]
        number = sum(int(digit) << 2 * i for i, digit in enumerate(digits))
        assert table[number] == pytest.approx(values[boards].mean(axis=0), abs=1e-14)


def test_averages_are_those_of_all_boards_at_once() -> None:
    values = np.random.default_rng(2).random((BOARDS, 2))
    pairs = [(float(value), float(tie)) for value, tie in values]
    table, some = averaged(values), Averages(pairs.__getitem__)
    for number in (0, 4**9 - 1, *Random(2).sample(range(4**9), 400)):
        assert (some[number].real, some[number].imag) == pytest.approx(table[number], abs=1e-14)


def test_equally_likely_symbols_are_joined() -> None:
    shown: dict[tuple[int, ...], float] = {(1, 1): 0.25, (1, 2): 0.25, (2, 1): 0.2, (2, 2): 0.2, (0, 1): 0.1}
    assert merged(shown) == {(1, 3): 0.5, (2, 3): 0.4, (0, 1): 0.1}
    assert merged({(1, 2): 0.5, (2, 1): 0.5}) == {(1, 2): 0.5, (2, 1): 0.5}


@pytest.mark.parametrize("level", [3, 4, 5])
def test_leaves_are_the_odds_of_the_game(level: int) -> None:
    """The value of a full board, and of each mode after the positions, summed over ``State.odds``."""
    rng, values = Random(level), np.random.default_rng(level).uniform(-1, 1, (BOARDS, 2))
    pairs = [(float(a), float(b)) for a, b in values]
    leaves = Expectation(pairs.__getitem__, choice=level > 3, margin=0.0)
    found = 0
    while found < 40:
        state = random_state(Rules.of(level), 0, rng, phases=3)
        if state.phase is not Phase.OBSERVATION:
            continue
        found += 1
        turn = int(state.turn == "O")
        digits = {".": 0, state.turn: 1, state.turn.opponent: 2}
        blocks = blocks_of(state.position.standard())
        total = np.zeros(2)
        for filled, chance in state.odds().positions().items():
            means = []
            for mode in state.modes:
                boards = state.odds(mode).given(filled).outcomes()
                numbers = [sum(digits[cell] * 3**i for i, cell in enumerate(board)) for board in boards]
                means.append(np.array(list(boards.values())) @ values[numbers])
            total += chance * min(means, key=lambda mean: float(mean[0]))
            if level > 3:
                mask = sum(1 << i for i, mark in enumerate(filled) if mark == "#")
                assert leaves.modes(blocks, turn, mask) == pytest.approx(np.array(means), abs=1e-12)
        assert leaves.value(blocks, turn) == pytest.approx(total, abs=1e-12)


def test_boards_go_on_as_dice_or_as_observed_symbols() -> None:
    number = 1 + 2 * 3
    assert board_text(number) == "XO......."
    kinds = {level: [BLOCKS[n].kind for n in board_blocks(number, LEVELS[level])] for level in (4, 5)}
    assert kinds == {4: ["S", "S"], 5: ["L", "L"]}


def test_openings_hold_every_position_that_play_meets() -> None:
    rng = Random(1)
    for level in (3, 5):
        found = openings(Rules.of(level), 7, 1)
        for _ in range(60):
            state = random_state(Rules.of(level), 9, rng, phases=1)
            if len(state.position.empty_squares) >= 7:
                x, o = state.switched
                mine, theirs = (x, o) if state.turn == "X" else (o, x)
                code = code_of(blocks_of(state.position), int(state.turn == "O"))
                assert position_key(code, (mine, theirs), LEVELS[level]) in found


def test_levels_3_to_5_cannot_be_searched_without_a_table() -> None:
    state = State(Rules.of(3))
    for token in ("1+2", "3+4", "5+6", "7+8", "9"):
        state = state.child(Move.parse(token))
    with pytest.raises(ValueError, match="without a table only Levels 0 to 2"):
        Search(Rules.of(3)).value(blocks_of(state.position), 1)
