"""Do these counts come from that distribution? An honest p-value, however small the cells are.

The usual chi-square table is an approximation for large cells; boards of small probability make it reject two
to six times too often. The p-value here is Monte Carlo: the same statistic on samples that do come from the
distribution. By construction it is at most α in a fraction of at most α of true samples.

With N samples the p-value is at least 1 / (N + 1). To be compared with a threshold it has to go below that,
so whoever compares says which threshold it is, and N + 1 is then twice its inverse. Most p-values are
large, and known well enough much sooner: samples are drawn in stages, and those after a stage only if fewer
than ``_FEW`` of its samples were as extreme as the counts. That keeps the promise for every α: where the
p-value is at most α, so is that of the first stage whose bound for going on lies below α, or of the last
stage, and each stage alone is a Monte-Carlo test.
"""

from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

REPLICATES = 1999
_CHUNK = 500
_RESOLUTION = 2
_FEW = 20
_STAGE = 6


def p_value(
    counts: Mapping[str, int],
    probabilities: Mapping[str, float],
    rng: "np.random.Generator",
    replicates: int = REPLICATES,
    threshold: float | None = None,
) -> float:
    """Monte-Carlo p-value of Pearson's chi-square statistic.

    Args:
        counts: how often each outcome was seen.
        probabilities: the distribution it is held against.
        rng: draws the samples of the true distribution.
        replicates: how many; the smallest p-value is 1 / (replicates + 1).
        threshold: what the p-value will be compared with. A small one is then told by more samples, so that
            the smallest p-value is half the threshold.

    Returns:
        The p-value; 0 if an outcome of probability zero was seen, 1 if nothing was.
    """
    return joint_p_value([(counts, probabilities)], rng, replicates, threshold)


def joint_p_value(
    tables: Sequence[tuple[Mapping[str, int], Mapping[str, float]]],
    rng: "np.random.Generator",
    replicates: int = REPLICATES,
    threshold: float | None = None,
) -> float:
    """Monte-Carlo p-value of the sum of Pearson's statistics of independent samples; see `p_value`.

    Args:
        tables: the counts of each sample, and the distribution that they are held against.
        rng: draws the samples of the true distributions.
        replicates: how many of each.
        threshold: what the p-value will be compared with.
    """
    import numpy as np

    samples = []
    statistic = 0.0
    for counts, probabilities in tables:
        total = sum(counts.values())
        if any(number and probabilities.get(outcome, 0.0) <= 0 for outcome, number in counts.items()):
            return 0.0
        outcomes = [outcome for outcome, p in probabilities.items() if p > 0]
        if not total or len(outcomes) < 2:
            continue
        p = np.array([probabilities[outcome] for outcome in outcomes])
        p /= p.sum()
        expected = total * p
        seen = np.array([counts.get(outcome, 0) for outcome in outcomes])
        # Σ (n − e)² / e is Σ n² / e less the total, and this form needs no difference of large arrays.
        statistic += float((seen**2 / expected).sum())
        samples.append((total, p, expected))
    if not samples:
        return 1.0
    rng = independent_generator(rng)
    last = replicates if threshold is None else max(replicates, ceil(_RESOLUTION / threshold) - 1)
    extreme = drawn = 0
    stage = replicates
    while True:
        while drawn < stage:
            size = min(_CHUNK, stage - drawn)
            drawn_statistics = np.zeros(size)
            for total, p, expected in samples:
                draws = rng.multinomial(total, p, size=size)
                drawn_statistics += (draws**2 / expected).sum(axis=1)
            extreme += int((drawn_statistics >= statistic * (1 - 1e-12)).sum())
            drawn += size
        if drawn >= last or extreme >= _FEW:
            return (extreme + 1) / (drawn + 1)
        stage = min(_STAGE * (drawn + 1) - 1, last)


def independent_generator(rng: "np.random.Generator") -> "np.random.Generator":
    """A generator of its own for methods other than ``random()``, at the price of one number.

    Their streams may change from one numpy version to the next. Taken from here they leave the stream of the
    game as it is, so that a seed goes on giving the same game; only the last digits of a p-value may change.
    """
    import numpy as np

    return np.random.default_rng(int(rng.random() * 2**53))


def binomial_p_value(successes: int, trials: int, probability: float) -> float:
    """Exact two-sided p-value of a count of successes; 1 without trials."""
    if not trials:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(successes, trials, min(max(probability, 0.0), 1.0)).pvalue)


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share.

    It keeps its promise for shares near 0 and 1 and for few trials, where the share plus or minus standard
    errors does not (E. B. Wilson, J. Am. Stat. Assoc. 22, 209, 1927).

    Args:
        successes: how often it happened.
        trials: out of how many; with none the interval says nothing.
        confidence: how likely the interval is to hold the true share.

    Returns:
        Lower and upper end, 0 to 1.
    """
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = successes / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    reach = z * sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    return low, 1.0 if successes == trials else min(1.0, middle + reach)


def clopper_pearson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """The exact interval for a share, whatever it is (Clopper and Pearson, Biometrika 26, 404, 1934).

    Args:
        successes: how often it happened.
        trials: out of how many; with none the interval says nothing.
        confidence: how likely the interval is, at least, to hold the true share.

    Returns:
        Lower and upper end, 0 to 1; each alone errs with at most half of what is left of the confidence.
    """
    from scipy.stats import beta

    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, successes, trials - successes + 1)) if successes else 0.0
    high = float(beta.ppf(1 - tail, successes + 1, trials - successes)) if successes < trials else 1.0
    return low, high


def mean_interval(
    total: float, squares: float, trials: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """A mean with its normal interval, from sums.

    Args:
        total: the sum of the observed numbers.
        squares: the sum of their squares.
        trials: how many there were, at least one.
        confidence: how likely the interval is to hold the true mean.

    Returns:
        The mean, and the lower and upper end.
    """
    mean = total / trials
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    reach = z * sqrt(max(0.0, squares / trials - mean * mean) / trials)
    return mean, mean - reach, mean + reach
