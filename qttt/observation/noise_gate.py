"""Whether a device says anything of a board: the gate before a result goes into a record.

On a device that errs in nearly every shot, the few boards that look possible are made by its errors. Two
questions keep such boards out of a record.

*Before anything is sent:* is there a faultless shot to hope for? A fraction of ``LEAST_FAULTLESS`` must be,
going by the errors that the device reports.

*Once the shots are there:* do they say more than bits read at random? Let p be the exact odds of a board, u
its odds if every measured bit were a fair coin, and s the fraction of shots that come from p, the others
coming from u. Every shot speaks, impossible ones included: they have p = 0. The *gain* is the logarithm of
the likelihood of all shots at the best s, over that at s = 0:

    gain = max over s of the sum over shots of log(1 + s (p/u - 1))

As many faultless shots would gain n times the sum of p log(p/u) on average. A tenth of that must be there;
where a tenth is more than a likelihood ratio of ``CONVINCING`` to one, that ratio is enough, but never less
than a hundredth. From many shots of random bits a gain like that comes once in thousands of jobs. A few
shots can prove little, and little is asked of them.

Where every reading is equally likely (``5 6`` in rotated mode) p is u: nothing can be gained, nothing is
asked, and random bits are the right answer. But the bits of a stuck qubit are not random, and wrong there
as well. So the distance of the shots that count from the exact odds, less what chance alone makes of it
(one exact sample in a thousand has more at most: its mean and McDiarmid's inequality), may be that of
random bits of which the impossible ones are thrown away, or ``FARTHEST`` if that is more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING, Final

from qttt.errors import ServiceError
from qttt.game.odds import distance
from qttt.observation.samples import Sample

if TYPE_CHECKING:
    from circuits.measurement import Readout, Source

LEAST_FAULTLESS: Final = 0.01
"""The predicted probability of a shot without a fault that a job must have to be sent."""

CONVINCING: Final = 1000.0
"""The likelihood ratio over random bits that is enough where shots can give more."""

SHARE_OF_FEW: Final = 0.1
"""The fraction of the gain of faultless shots that is enough where it is less than ``CONVINCING``."""

SHARE_OF_MANY: Final = 0.01
"""The fraction of that gain that there must be, however many shots there are."""

FARTHEST: Final = 0.25
"""The distance from the exact odds that shots may have beyond chance, even where random bits have less."""

_FALSE_ALARMS: Final = 0.001
_STEPS: Final = 60


class NoiseError(ServiceError):
    """A device says, or would say, nothing of the board. What was paid for is kept."""


def predicted_noise(device: str, faultless: Iterable[float | None]) -> str | None:
    """Why a job is not worth sending, in a clause; None if it is.

    Args:
        device: who reports its errors.
        faultless: the probability of a shot without a fault that they predict for each circuit.
    """
    # Where a device reports no errors nothing is predicted, and its shots alone speak.
    least = min((known for known in faultless if known is not None), default=1.0)
    if least >= LEAST_FAULTLESS:
        return None
    few = "next to none" if least < 1e-4 else f"{100 * least:.2f} %"
    return (
        f"going by the errors that {device} reports, {few} of the shots are without a fault, "
        f"and for a result {100 * LEAST_FAULTLESS:.0f} % have to be"
    )


def noise_in(sample: Sample, odds: Mapping[str, float], readout: "Readout") -> str | None:
    """Why shots say nothing of the board, in a clause; None if they do, or none counts.

    Args:
        sample: all shots of one circuit.
        odds: the exact odds of the boards.
        readout: how the circuit's bits are read.
    """
    odds = {board: p for board, p in odds.items() if p > 0}
    counts = {board: number for board, number in sample.counts().items() if board in odds}
    kept, shots = sum(counts.values()), sample.kept + sample.illegal
    if not kept:
        return None
    uniform = random_odds(readout)
    possible = sum(uniform[board] for board in odds)
    faultless = shots * sum(p * log(p / uniform[board]) for board, p in odds.items())
    enough = min(SHARE_OF_FEW * faultless, max(log(CONVINCING), SHARE_OF_MANY * faultless))
    seen = {board: (number, odds[board] / uniform[board]) for board, number in counts.items()}
    # Where p is u, rounding makes differences of both signs.
    if gain(seen, shots - kept) < enough - 1e-9:
        return (
            f"the shots say no more than bits read at random: {kept:,} of {shots:,} are possible, and of "
            f"random ones about {shots * possible:,.0f} would be"
        )
    by_chance = {board: uniform[board] / possible for board in odds}
    far, random = distance({board: n / kept for board, n in counts.items()}, odds), distance(by_chance, odds)
    chance = sum(sqrt(p * max(0.0, 1 - p) / kept) for p in odds.values()) / 2
    if far - chance - sqrt(log(1 / _FALSE_ALARMS) / (2 * kept)) > max(FARTHEST, random):
        return (
            f"the shots that count have a distance of {far:.2f} from the exact odds, and bits read at random "
            f"have {random:.2f}"
        )
    return None


@lru_cache(maxsize=64)
def random_odds(readout: "Readout") -> dict[str, float]:
    """The odds of every board if each measured bit were a fair coin and no herald fired.

    Readings that make no board have the rest of the probability.
    """
    import numpy as np

    from circuits.decoding import Shots, decode

    # Only bits that are read are counted: a job's file from elsewhere may name any.
    occupancy, first = _counted(readout.occupancy)
    symbol, second = _counted(readout.symbol)
    numbers = np.arange(2 ** (first + second))[:, np.newaxis]
    bits = (numbers >> np.arange(first + second) & 1).astype(np.bool_)
    none = np.zeros((len(bits), 0), dtype=np.bool_)
    every = decode(
        replace(readout, occupancy=occupancy, symbol=symbol, heralds=()),
        Shots(bits[:, :first], bits[:, first:], none),
    )
    return {board: number / len(bits) for board, number in every.counts().items()}


def _counted(sources: "tuple[Source, ...]") -> "tuple[tuple[Source, ...], int]":
    """The same sources with their bits numbered from 0 without gaps, and how many bits these are."""
    from circuits.measurement import Bit

    bits = sorted({source.index for source in sources if isinstance(source, Bit)})
    return tuple(Bit(bits.index(one.index)) if isinstance(one, Bit) else one for one in sources), len(bits)


def gain(seen: Mapping[str, tuple[int, float]], impossible: int) -> float:
    """The log likelihood ratio of exact shots with the best share of random bits over random bits alone.

    Args:
        seen: for every board seen, how often, and how much likelier it is in exact shots than in random bits.
        impossible: how many shots no exact one can be.
    """
    terms = [(number, ratio - 1) for number, ratio in seen.values()] + [(impossible, -1.0)]
    low, high = 0.0, 1 - 1e-12
    for _ in range(_STEPS):
        share = (low + high) / 2
        rising = sum(number * excess / (1 + share * excess) for number, excess in terms) > 0
        low, high = (share, high) if rising else (low, share)
    return sum(number * log(1 + low * excess) for number, excess in terms)
