"""Do these counts come from that distribution? An honest p-value, however small the cells are.

The usual chi-square table is an approximation for large cells; boards of small probability make it reject two
to six times too often. The p-value here is Monte Carlo: the same statistic on samples that do come from the
distribution. By construction it is at most α in a fraction of at most α of true samples.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

REPLICATES = 1999
_CHUNK = 500


def p_value(
    counts: Mapping[str, int],
    probabilities: Mapping[str, float],
    rng: "np.random.Generator",
    replicates: int = REPLICATES,
) -> float:
    """Monte-Carlo p-value of Pearson's chi-square statistic.

    Args:
        counts: how often each outcome was seen.
        probabilities: the distribution it is held against.
        rng: draws the samples of the true distribution.
        replicates: how many; the smallest p-value is 1 / (replicates + 1).

    Returns:
        The p-value; 0 if an outcome of probability zero was seen, 1 if nothing was.
    """
    import numpy as np

    total = sum(counts.values())
    if any(number and probabilities.get(outcome, 0.0) <= 0 for outcome, number in counts.items()):
        return 0.0
    outcomes = [outcome for outcome, p in probabilities.items() if p > 0]
    if not total or len(outcomes) < 2:
        return 1.0
    p = np.array([probabilities[outcome] for outcome in outcomes])
    p /= p.sum()
    expected = total * p
    seen = np.array([counts.get(outcome, 0) for outcome in outcomes])
    # Σ (n − e)² / e is Σ n² / e less the total, and this form needs no difference of large arrays.
    statistic = float((seen**2 / expected).sum())
    rng = apart(rng)
    extreme = 0
    for done in range(0, replicates, _CHUNK):
        draws = rng.multinomial(total, p, size=min(_CHUNK, replicates - done))
        extreme += int(((draws**2 / expected).sum(axis=1) >= statistic * (1 - 1e-12)).sum())
    return (extreme + 1) / (replicates + 1)


def apart(rng: "np.random.Generator") -> "np.random.Generator":
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
