"""The cross-check on a device with noise: what the shots should look like if only the reported errors occur.

On a device some shots are impossible, and those that are left are not distributed exactly. Both have limits
that follow from the errors which the device reports, and the verdict is whether they are kept:

* *Impossible shots.* Let e be the probability that a shot has a fault, from the reported error of every gate
  and measurement. Not every fault makes an impossible board, so at most e of the shots should be impossible.
  The limit is ``FACTOR`` × e, because reported rates leave things out (idle times, neighbours, drift), and
  three standard deviations.
* *Distance after post-selection.* The faultless shots, at least 1 − ``FACTOR`` × e of all, have the exact
  distribution. If k of all shots are kept, at most u = 1 − (1 − ``FACTOR`` × e) / k of them are faulty, and
  these shift the distribution by at most u. The limit is u and what chance alone does to so few shots (the
  distance that one sample in a thousand of the exact distribution exceeds).

A p-value would be no verdict here: with enough shots every device fails it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qttt.crosscheck import DEFAULT_SHOTS, CheckReport, check
from qttt.devices import DeviceObserver, Plan, Reading, read_shots
from qttt.game import Game
from qttt.goodness import apart
from qttt.impossible import impossible_boards
from qttt.observation import DiceObserver, Observer
from qttt.odds import distance
from qttt.rolls import Rolls
from qttt.samples import Sample, service_errors
from qttt.state import State
from qttt.symbols import Mode

if TYPE_CHECKING:
    import numpy as np

    from circuits.backends.ibm_mitigation import ReadoutErrors
    from circuits.backends.progress import Notify
    from circuits.decoding import Shots
    from circuits.measurement import Readout

FACTOR = 1.5
"""By how much a device may be worse than it reports."""

DEVIATIONS = 3.0
"""How many standard deviations the count of impossible shots may exceed its limit."""

QUANTILE = 0.999
_REPLICATES = 2000


@dataclass(frozen=True)
class DeviceVerdict:
    """How the shots of a device compare with what its reported errors predict.

    Attributes:
        ok: neither limit is exceeded, and some shots are possible.
        impossible: the fraction of shots that are impossible.
        predicted: the fraction of shots with a fault, as the device reports its errors.
        impossible_limit: what ``impossible`` may be at most.
        tvd_before: total variation distance from the exact odds before any shot is thrown away.
        tvd_after: the same after post-selection.
        tvd_limit: what ``tvd_after`` may be at most.
        tvd_mitigated: the same after readout mitigation and post-selection; None if it was not asked for.
        kinds: the impossible shots by the kind of fault.
    """

    ok: bool
    impossible: float
    predicted: float
    impossible_limit: float
    tvd_before: float
    tvd_after: float
    tvd_limit: float
    tvd_mitigated: float | None
    kinds: dict[str, int]


class _Drawn:
    """An observer that has looked already."""

    def __init__(self, name: str, sample: Sample) -> None:
        self.name = name
        self._sample = sample

    def sample(self, game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Sample:
        return self._sample

    def draw(self, game: Game, mode: Mode, rng: "np.random.Generator") -> Sample:
        raise NotImplementedError("it has looked already")


def judged(
    game: Game,
    mode: Mode,
    observer: Observer,
    rng: "np.random.Generator",
    shots: int = DEFAULT_SHOTS,
) -> CheckReport:
    """Cross-check a game by whoever observes it: a device with noise in its own way, others by p-values.

    Args:
        game: a game at any moment.
        mode: standard or rotated.
        observer: who draws the shots.
        rng: where random numbers come from.
        shots: how many shots.

    Raises:
        UsageError: as ``check`` and ``check_on_device``, or a real device whose use nobody agreed to.
        ServiceError: the backend failed.
    """
    if not isinstance(observer, DeviceObserver):
        rolls = observer.rolls if isinstance(observer, DiceObserver) else Rolls.EXACT
        return check(game, mode, observer, rng, shots=shots, rolls=rolls)
    observer.agree()
    return check_on_device(game, mode, observer, observer.plan(game, [mode], shots), rng)


@dataclass(frozen=True)
class Prediction:
    """What a device reports of a circuit's errors, from before the job is sent.

    It is kept with the job: when the shots come, the device may report other errors, or be gone.

    Attributes:
        faulty: the probability that a shot has a fault.
        readout: for each bit, the probabilities of reading 1 for 0 and 0 for 1; None unless the distribution
            is to be corrected for them.
    """

    faulty: float
    readout: "ReadoutErrors | None" = None


def predict(observer: DeviceObserver, plan: Plan, *, mitigated: bool = False) -> Prediction:
    """What the device's errors predict for a plan of one circuit.

    Args:
        observer: the device.
        plan: its plan.
        mitigated: the distribution will be corrected for faulty measurements (extra ``mitigation``).

    Raises:
        UsageError: mitigation is asked for and not installed, or the device reports no errors.
    """
    faulty = 1 - plan.prepared.cost.circuits[0].faultless
    if not mitigated:
        return Prediction(faulty)
    from circuits.backends.ibm_mitigation import readout_errors

    (item,) = plan.prepared.circuits
    with service_errors():
        return Prediction(faulty, readout_errors(item.circuit, observer.backend.device))


def check_on_device(
    game: Game,
    mode: Mode,
    observer: DeviceObserver,
    plan: Plan,
    rng: "np.random.Generator",
    *,
    mitigated: bool = False,
    notify: "Notify | None" = None,
) -> CheckReport:
    """Run the cross-check with the shots of a device.

    Args:
        game: a game at any moment.
        mode: standard or rotated.
        observer: the device.
        plan: its plan for this mode alone.
        rng: where random numbers come from.
        mitigated: also correct the distribution for faulty measurements (extra ``mitigation``).
        notify: told what happens.

    Raises:
        UsageError: mitigation is asked for and not installed, or the device reports no errors.
        ServiceError: the job failed.
    """
    prediction = predict(observer, plan, mitigated=mitigated)
    (shots,) = observer.run(plan, rng, notify)
    (item,) = plan.prepared.circuits
    assert item.readout is not None
    return check_shots(game, mode, observer.name, item.readout, shots, prediction, rng)


def check_shots(
    game: Game,
    mode: Mode,
    device: str,
    readout: "Readout",
    shots: "Shots",
    prediction: Prediction,
    rng: "np.random.Generator",
) -> CheckReport:
    """The cross-check with shots that a device has given.

    Args:
        game: a game at any moment.
        mode: the mode that the circuit reads.
        device: who gave the shots.
        readout: how to read their bits.
        shots: the bits.
        prediction: what the device's errors predict.
        rng: where random numbers come from.

    Raises:
        UsageError: the shots are not of this readout, or mitigation is not installed.
    """
    mode = Mode.named(mode)
    with service_errors():
        reading = read_shots(game.state, mode, readout, shots)
    report = check(game, mode, _Drawn(device, reading.sample()), rng)
    odds = game.state.odds(mode).outcomes()
    corrected = None
    if prediction.readout is not None:
        corrected = distance(_mitigated(game.state, mode, readout, shots, prediction.readout), odds)
    verdict = judge(reading, odds, prediction.faulty, rng, corrected)
    return replace(report, ok=report.exact_ok and verdict.ok, device=verdict)


def judge(
    reading: Reading,
    odds: Mapping[str, float],
    predicted: float,
    rng: "np.random.Generator",
    tvd_mitigated: float | None = None,
) -> DeviceVerdict:
    """Hold the shots of a device against what its errors predict.

    Args:
        reading: the shots.
        odds: the exact distribution.
        predicted: the probability that a shot has a fault.
        rng: draws samples of the exact distribution.
        tvd_mitigated: the distance after mitigation, if there is one.
    """
    sample = reading.sample()
    shots, kept = sample.shots, sample.kept
    faulty = min(1.0, FACTOR * predicted)
    impossible = sample.illegal / shots
    limit = min(1.0, faulty + DEVIATIONS * float((faulty * (1 - faulty) / shots) ** 0.5))
    raw = {board: number / shots for board, number in reading.raw.items()}
    after = distance({board: n / kept for board, n in sample.counts().items()}, odds) if kept else 1.0
    undetected = max(0.0, 1 - (1 - faulty) / (kept / shots)) if kept else 1.0
    tvd_limit = min(1.0, undetected + _chance_distance(odds, kept, rng)) if kept else 1.0
    return DeviceVerdict(
        ok=kept > 0 and impossible <= limit and after <= tvd_limit,
        impossible=impossible,
        predicted=predicted,
        impossible_limit=limit,
        tvd_before=distance(raw, odds),
        tvd_after=after,
        tvd_limit=tvd_limit,
        tvd_mitigated=tvd_mitigated,
        kinds=dict(sorted(sample.kinds.items())),
    )


def _chance_distance(odds: Mapping[str, float], shots: int, rng: "np.random.Generator") -> float:
    """The distance from the exact odds that all but one in a thousand exact samples keep."""
    import numpy as np

    p = np.array(list(odds.values()))
    p /= p.sum()
    samples = apart(rng).multinomial(shots, p, size=_REPLICATES) / shots
    return float(np.quantile(np.abs(samples - p).sum(axis=1) / 2, QUANTILE))


def _mitigated(
    state: State, mode: Mode, readout: "Readout", shots: "Shots", errors: "ReadoutErrors"
) -> dict[str, float]:
    """The distribution of possible boards after readout mitigation."""
    import numpy as np

    from circuits.backends import ibm_mitigation
    from circuits.decoding import Shots, decode, reject

    with service_errors():
        found = ibm_mitigation.mitigate(shots, errors)
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
