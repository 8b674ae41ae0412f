"""The cross-check on a device with noise: what the shots should look like if only the reported errors occur.

On a device some shots are impossible, and those that are left are not distributed exactly. Both have limits
that follow from the errors which the device reports, and the verdict is whether they are kept:

* *Impossible shots.* Let e be the probability that a shot has a fault, from the reported error of every gate
  and measurement. Not every fault makes an impossible board, so at most e of the shots should be impossible.
  The limit is ``FACTOR`` × e, because reported rates leave things out (idle times, neighbours, drift), and
  what chance alone does to so few shots.
* *Distance after post-selection.* The faultless shots, at least 1 − ``FACTOR`` × e of all, have the exact
  distribution. If k of all shots are kept, at most u = 1 − (1 − ``FACTOR`` × e) / k of them are faulty, and
  these shift the distribution by at most u. The limit is u and what chance alone does to so few shots.

What chance does is a limit of its own, which true shots exceed with at most the probability
``SIGNIFICANCE`` / (limits of the check), for two limits a mode: of the number of impossible shots by the
binomial distribution, of the distance by samples of the exact one, enough of them to tell so small a
probability. So a device that errs no more than that fails at most once in 1 / ``SIGNIFICANCE`` checks.

A p-value would be no verdict here: with enough shots every device fails it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from qttt.crosscheck.blindspots import unresolved
from qttt.crosscheck.check import (
    DEFAULT_SHOTS,
    SIGNIFICANCE,
    TESTS,
    check,
    check_mode,
    modes_to_check,
    threshold_of,
)
from qttt.crosscheck.report import CheckReport, DeviceVerdict, ModeCheck
from qttt.game.game import Game
from qttt.game.odds import distance
from qttt.game.state import State
from qttt.game.symbols import Mode
from qttt.observation.devices import DecodedShots, DeviceObserver, Plan, read_shots
from qttt.observation.faults import impossible_boards
from qttt.observation.observers import DiceObserver, Observer
from qttt.observation.samples import Sample
from qttt.stats import independent_generator
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    import numpy as np

    from circuits.backends.base import ReadoutErrors
    from circuits.backends.progress import Notify
    from circuits.decoding import Shots
    from circuits.measurement import Readout

FACTOR = 1.5
"""By how much a device may be worse than it reports."""

_RESOLUTION = 4
"""How many of the samples of a distance lie above its limit."""

_CHUNK = 500


class _Drawn:
    """An observer that has looked already."""

    def __init__(self, name: str, sample: Sample) -> None:
        self.name = name
        self._sample = sample

    def sample(self, game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Sample:
        return self._sample

    def draw(self, game: Game, mode: Mode, rng: "np.random.Generator") -> Sample:
        raise NotImplementedError("it has looked already")


def check_by_observer(
    game: Game,
    mode: Mode | None,
    observer: Observer,
    rng: "np.random.Generator",
    shots: int = DEFAULT_SHOTS,
) -> CheckReport:
    """Cross-check a game by whoever observes it: a device with noise in its own way, others by p-values.

    Args:
        game: a game at any moment.
        mode: None for every mode that the position has, else the only one to look at.
        observer: who draws the shots.
        rng: where random numbers come from.
        shots: how many shots in each mode.

    Raises:
        UsageError: as ``check`` and ``check_on_device``, or a real device whose use nobody agreed to.
        ServiceError: the backend failed.
    """
    if not isinstance(observer, DeviceObserver):
        rolls = observer.rolls if isinstance(observer, DiceObserver) else Rolls.EXACT
        return check(game, mode, observer, rng, shots=shots, rolls=rolls)
    observer.agree()
    return check_on_device(game, observer, observer.plan(game, modes_to_check(game, mode), shots), rng)


@dataclass(frozen=True)
class Prediction:
    """What a device reports of a circuit's errors, from before the job is sent.

    It is kept with the job: when the shots come, the device may report other errors, or be gone.

    Attributes:
        faulty: the probability that a shot has a fault; None if the device reports no errors.
        readout: for each bit, the probabilities of reading 1 for 0 and 0 for 1; None unless the distribution
            is to be corrected for them.
    """

    faulty: float | None
    readout: "ReadoutErrors | None" = None


def predict(observer: DeviceObserver, plan: Plan, *, mitigated: bool = False) -> tuple[Prediction, ...]:
    """What the device's errors predict for each circuit of a plan.

    Args:
        observer: the device.
        plan: its plan.
        mitigated: the distributions will be corrected for faulty measurements (extra ``mitigation``).

    Raises:
        UsageError: mitigation is asked for and not installed, or the device reports no errors.
    """
    known = [cost.faultless for cost in plan.prepared.cost.circuits]
    faulty = [None if faultless is None else 1 - faultless for faultless in known]
    if not mitigated:
        return tuple(map(Prediction, faulty))
    return tuple(
        Prediction(chance, observer.backend.readout_errors(item.circuit))
        for chance, item in zip(faulty, plan.prepared.circuits, strict=True)
    )


def check_on_device(
    game: Game,
    observer: DeviceObserver,
    plan: Plan,
    rng: "np.random.Generator",
    *,
    mitigated: bool = False,
    notify: "Notify | None" = None,
) -> CheckReport:
    """Check a record with the shots of a device, all modes in one job.

    Args:
        game: a game at any moment.
        observer: the device.
        plan: its plan for the modes to look at.
        rng: where random numbers come from.
        mitigated: also correct the distributions for faulty measurements (extra ``mitigation``).
        notify: told what happens.

    Raises:
        UsageError: mitigation is asked for and not installed, or the device reports no errors.
        ServiceError: the job failed.
    """
    predictions = dict(zip(plan.modes, predict(observer, plan, mitigated=mitigated), strict=True))
    runs = observer.run(plan, rng, notify)
    readouts = [item.readout for item in plan.prepared.circuits]
    return check_runs(game, observer.name, predictions, readouts, runs, rng)


def check_runs(
    game: Game,
    device: str,
    predictions: Mapping[Mode, Prediction],
    readouts: "Sequence[Readout | None]",
    runs: "Sequence[Shots]",
    rng: "np.random.Generator",
) -> CheckReport:
    """Check a record with shots that a device has given.

    Args:
        game: a game at any moment.
        device: who gave the shots.
        predictions: what the device's errors predict for the circuit of each mode, in their order.
        readouts: how to read the bits of each circuit.
        runs: the bits of each circuit.
        rng: where random numbers come from.

    Raises:
        UsageError: the shots are not of these readouts, or mitigation is not installed.
    """
    threshold = threshold_of(len(predictions))
    modes = []
    for (mode, prediction), readout, shots in zip(predictions.items(), readouts, runs, strict=True):
        assert readout is not None
        modes.append(check_shots(game, mode, device, readout, shots, prediction, rng, threshold))
    return CheckReport(tuple(modes), unresolved(game, tuple(predictions)))


def check_shots(
    game: Game,
    mode: Mode,
    device: str,
    readout: "Readout",
    shots: "Shots",
    prediction: Prediction,
    rng: "np.random.Generator",
    threshold: float = SIGNIFICANCE / TESTS,
) -> ModeCheck:
    """Check a mode with shots that a device has given.

    Args:
        game: a game at any moment.
        mode: the mode that the circuit reads.
        device: who gave the shots.
        readout: how to read their bits.
        shots: the bits.
        prediction: what the device's errors predict.
        rng: where random numbers come from.
        threshold: how probable it may be that true shots exceed a limit.

    Raises:
        UsageError: the shots are not of this readout, or mitigation is not installed.
    """
    mode = Mode.named(mode)
    reading = read_shots(game.state, mode, readout, shots)
    report = check_mode(game, mode, _Drawn(device, reading.sample()), rng, threshold=threshold)
    odds = game.state.odds(mode).outcomes()
    corrected = None
    if prediction.readout is not None:
        corrected = distance(_mitigated(game.state, mode, readout, shots, prediction.readout), odds)
    return replace(
        report, device=judge(reading, odds, prediction.faulty, rng, corrected, threshold=threshold)
    )


def judge(
    reading: DecodedShots,
    odds: Mapping[str, float],
    predicted: float | None,
    rng: "np.random.Generator",
    tvd_mitigated: float | None = None,
    *,
    threshold: float = SIGNIFICANCE / TESTS,
) -> DeviceVerdict:
    """Hold the shots of a device against what its errors predict.

    Args:
        reading: the shots.
        odds: the exact distribution.
        predicted: the probability that a shot has a fault, or None if nothing predicts it: then there is no
            limit, and no verdict.
        rng: draws samples of the exact distribution.
        tvd_mitigated: the distance after mitigation, if there is one.
        threshold: how probable it may be that true shots exceed a limit, for each of the two limits.
    """
    from scipy.stats import binom

    sample = reading.sample()
    shots, kept = sample.shots, sample.kept
    faulty = 1.0 if predicted is None else min(1.0, FACTOR * predicted)
    impossible = sample.illegal / shots
    limit = float(binom.isf(threshold, shots, faulty)) / shots
    raw = {board: number / shots for board, number in reading.raw.items()}
    after = tvd_limit = 1.0
    if kept:
        after = distance({board: n / kept for board, n in sample.counts().items()}, odds)
        undetected = max(0.0, 1 - (1 - faulty) / (kept / shots))
        tvd_limit = min(1.0, undetected + _chance_distance(odds, kept, rng, threshold))
    within = impossible <= limit and after <= tvd_limit
    return DeviceVerdict(
        ok=None if within and (not kept or predicted is None) else within,
        impossible=impossible,
        predicted=predicted,
        impossible_limit=limit,
        tvd_before=distance(raw, odds),
        tvd_after=after,
        tvd_limit=tvd_limit,
        tvd_mitigated=tvd_mitigated,
        kinds=dict(sorted(sample.kinds.items())),
    )


def _chance_distance(
    odds: Mapping[str, float], shots: int, rng: "np.random.Generator", threshold: float
) -> float:
    """The distance from the exact odds that an exact sample exceeds with at most a given probability.

    Of N samples and one more, each is equally likely to be the k-th farthest: it is farther than the k-th of
    the N with probability k / (N + 1) at most.
    """
    import numpy as np

    p = np.array(list(odds.values()))
    p /= p.sum()
    rng = independent_generator(rng)
    number = ceil(_RESOLUTION / threshold) - 1
    gaps = np.empty(number)
    for done in range(0, number, _CHUNK):
        part = gaps[done : done + _CHUNK]
        part[:] = np.abs(rng.multinomial(shots, p, size=len(part)) / shots - p).sum(axis=1) / 2
    # Equal distances differ by their rounding.
    return float(np.partition(gaps, -_RESOLUTION)[-_RESOLUTION]) + 1e-12


def _mitigated(
    state: State, mode: Mode, readout: "Readout", shots: "Shots", errors: "ReadoutErrors"
) -> dict[str, float]:
    """The distribution of possible boards after readout mitigation."""
    import numpy as np

    from circuits.backends import mitigation
    from circuits.decoding import Shots, decode, reject

    found = mitigation.mitigate(shots, errors)
    rows = np.array([[bit == "1" for bit in bits] for bits in found], dtype=np.bool_)
    first, second = shots.pos.shape[1], shots.pos.shape[1] + shots.mark.shape[1]
    decoded = decode(readout, Shots(rows[:, :first], rows[:, first:second], rows[:, second:]))
    position = state.position.standard()
    faults = impossible_boards(decoded.boards, position, mode)
    possible = reject(decoded, {board: str(fault) for board, fault in faults.items()})
    weights: dict[str, float] = {}
    for number, probability in zip(possible.index.tolist(), found.values(), strict=True):
        if number >= 0:
            board = possible.boards[number]
            weights[board] = weights.get(board, 0.0) + probability
    total = sum(weights.values())
    return {board: weight / total for board, weight in weights.items()} if total else {}
