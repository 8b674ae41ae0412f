"""The rule of thumb is the one that was fitted, with the numbers that fit best."""

import numpy as np
import pytest

from qttt.game.symbols import Symbol
from qttt.players import evaluation
from qttt.players.evaluation import TIE, estimate
from qttt.solver.blocks import blocks_of
from tests.benchmarks.evaluation_fit import LEVELS, POSITIONS, features, fitted, predicted, random_states


@pytest.mark.parametrize("level", [2, 3, 4, 5])
def test_the_estimate_is_what_the_fit_assumes(level: int) -> None:
    rows = evaluation.TWO_MODES if level > 3 else evaluation.ONE_MODE
    counts = set()
    for state in random_states(level, 150, np.random.default_rng(level)):
        empty = state.position.empty_squares
        blocks = blocks_of(state.position.standard())
        value, tie = estimate(blocks, empty, int(state.turn is Symbol.O), state.rules.level)
        row = np.array(rows[min(len(empty), 8) - 1])
        assert value == pytest.approx(predicted(row, np.array([features(state)]), two_modes=level > 3)[0])
        assert tie == pytest.approx(TIE * (1 - abs(value)))
        counts.add(len(empty))
    assert counts == set(range(1, 10))


@pytest.mark.slow
@pytest.mark.parametrize("name", LEVELS)
def test_the_numbers_are_those_that_fit_best(name: str) -> None:
    rows, error, tie = fitted(LEVELS[name], POSITIONS, two_modes=name == "TWO_MODES")
    assert getattr(evaluation, name) == pytest.approx(rows, abs=0.006)
    assert error < 0.2
    assert tie == pytest.approx(TIE, abs=0.04)
