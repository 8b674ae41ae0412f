"""Confidence intervals for counted games."""

from math import sqrt
from statistics import NormalDist


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
