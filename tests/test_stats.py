"""Statistics hold to values worked out elsewhere: by hand, in textbooks, by scipy."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from qttt.stats import binomial_p_value, independent_generator, mean_interval, p_value, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "confidence"), [(0, 7, 0.95), (7, 7, 0.95), (1, 20, 0.95), (37, 90, 0.99)]
)
def test_wilson_s_interval(successes: int, trials: int, confidence: float) -> None:
    theirs = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert wilson(successes, trials, confidence) == pytest.approx((theirs.low, theirs.high))
    assert (wilson(successes, trials, confidence)[0] == 0) == (successes == 0)
    assert (wilson(successes, trials, confidence)[1] == 1) == (successes == trials)


def test_no_trials_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert binomial_p_value(0, 0, 0.5) == 1.0


def test_the_interval_of_a_mean() -> None:
    # Of 1, 1/2, 0 and 0: mean 3/8, variance (1 + 1/4) / 4 − 9/64 = 11/64.
    mean, low, high = mean_interval(1.5, 1.25, 4)
    reach = 1.959963984540054 * (11 / 64 / 4) ** 0.5
    assert (mean, low, high) == pytest.approx((0.375, 0.375 - reach, 0.375 + reach))
    # Rounding may leave a variance below 0.
    assert mean_interval(0.3, 0.03 - 1e-18, 3) == pytest.approx((0.1, 0.1, 0.1))
    assert mean_interval(-1, 1, 1, 0.5) == (-1, -1, -1)
    # Half of a normal distribution lies within 0.674490 standard deviations.
    assert mean_interval(2, 4, 8, 0.5)[2] - 0.25 == pytest.approx(0.674490 * (0.4375 / 8) ** 0.5, abs=1e-6)


@pytest.mark.parametrize(("probability", "expected"), [(0.5, 22 / 1024), (1.0 + 1e-12, 0.0), (-1e-12, 0.0)])
def test_the_exact_test_of_a_share(probability: float, expected: float) -> None:
    # One of ten: 1 + 10 ways on either side; probabilities that rounding took out of 0 to 1 are taken back.
    assert binomial_p_value(1, 10, probability) == pytest.approx(expected)


def test_the_p_value_of_large_cells_is_the_table_s() -> None:
    counts, shares = {"a": 520, "b": 255, "c": 225}, {"a": 0.5, "b": 0.25, "c": 0.25, "d": 0.0}
    table = chisquare([520, 255, 225], [500, 250, 250]).pvalue
    assert p_value(counts, shares, np.random.default_rng(1), 20_000) == pytest.approx(table, abs=0.01)
    # Probabilities count by their ratios alone.
    doubled = {name: 2 * share for name, share in shares.items()}
    assert p_value(counts, doubled, np.random.default_rng(1)) == p_value(
        counts, shares, np.random.default_rng(1)
    )


def test_the_p_value_of_small_cells_is_the_exact_one() -> None:
    # Of three throws all heads or all tails in a quarter; nothing is as likely as two and one.
    shares = {"heads": 0.5, "tails": 0.5}
    exact = p_value({"heads": 3}, shares, np.random.default_rng(1), 20_000)
    assert exact == pytest.approx(0.25, abs=0.015)
    assert p_value({"heads": 2, "tails": 1}, shares, np.random.default_rng(1)) == 1.0


def test_what_no_throw_can_decide() -> None:
    rng = np.random.default_rng(1)
    assert p_value({}, {"a": 0.5, "b": 0.5}, rng) == 1.0
    assert p_value({"a": 0}, {"a": 0.5, "b": 0.5}, rng) == 1.0
    assert p_value({"a": 9}, {"a": 1.0, "b": 0.0}, rng) == 1.0
    # An outcome that cannot be, or that nobody has heard of; one that was not seen does no harm.
    assert p_value({"a": 9, "b": 1}, {"a": 1.0, "b": 0.0}, rng) == 0.0
    assert p_value({"a": 9, "c": 1}, {"a": 0.5, "b": 0.5}, rng) == 0.0
    assert p_value({"a": 1, "b": 1, "c": 0}, {"a": 0.5, "b": 0.5}, rng) == 1.0


@pytest.mark.parametrize(
    ("threshold", "smallest"), [(None, 1 / 2000), (0.01, 1 / 2000), (1e-3, 1 / 2000), (1e-4, 1 / 20_000)]
)
def test_the_smallest_p_value_is_half_the_threshold(threshold: float | None, smallest: float) -> None:
    """The docstring's: one more sample than their number, as many as the threshold asks for."""
    rng = np.random.default_rng(1)
    assert p_value({"a": 200, "b": 40}, {"a": 0.5, "b": 0.5}, rng, threshold=threshold) == smallest


def test_samples_that_are_as_extreme_end_the_search_early() -> None:
    """A p-value of a few in a hundred is told by the first stage, whatever the threshold."""
    shares = {"heads": 0.5, "tails": 0.5}
    found = p_value({"heads": 61, "tails": 39}, shares, np.random.default_rng(1), threshold=1e-5)
    assert found == p_value({"heads": 61, "tails": 39}, shares, np.random.default_rng(1))
    assert found * 2000 == pytest.approx(round(found * 2000))


def test_a_generator_of_its_own_costs_one_number() -> None:
    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    mine = independent_generator(rng)
    assert mine.random() == np.random.default_rng(int(same.random() * 2**53)).random()
    assert rng.random() == same.random()
