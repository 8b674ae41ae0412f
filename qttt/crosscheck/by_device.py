"""The cross-check on a device with noise: shots held against what the device should give, errors included.

What it should give is the exact odds with the errors that the device reports (`qttt.crosscheck.noise`), and
between which ends every share may lie on an honest device (`circuits.backends.noise`). The verdict is whether

* *events*, such as X in 5, happen as often as on some honest device, group by group;
* *impossible shots* are no more than on the worst honest device;
* *the distance* of the shots that count from the exact odds is what these and chance can make of it. It sees
  what no group shows alone: roots that should be independent and are not.

True shots of an honest device break one of these with at most the probability ``SIGNIFICANCE`` a check of a
record: ``EVENTS``, ``IMPOSSIBLE`` and ``DISTANCE`` say how its part for one mode is shared out. Each event
is judged by itself, so that of each the smallest bias that would have been caught can be named.

The p-value of the verdict is another: of the shots on a device that errs *exactly* as it reports. It is
uniform on such a device, and no verdict, because with enough shots every real device fails it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qttt.crosscheck.blindspots import unresolved
from qttt.crosscheck.check import (
    CONFIDENCE,
    DEFAULT_SHOTS,
    SIGNIFICANCE,
    TESTS,
    check,
    check_mode,
    modes_to_check,
    threshold_of,
)
from qttt.crosscheck.noise import Expectation, Group, expectation
from qttt.crosscheck.report import CheckReport, DeviceVerdict, EventCheck, GroupCheck, ModeCheck
from qttt.game.game import Game
from qttt.game.odds import distance
from qttt.game.state import State
from qttt.game.symbols import Mode
from qttt.observation.devices import DecodedShots, DeviceObserver, Plan, read_shots
from qttt.observation.faults import impossible_boards
from qttt.observation.observers import DiceObserver, Observer
from qttt.observation.samples import Sample
from qttt.stats import independent_generator, joint_p_value, wilson
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    import numpy as np

    from circuits.backends.base import ReadoutErrors
    from circuits.backends.job_store import StoredCircuit
    from circuits.backends.noise import ReportedErrors
    from circuits.backends.progress import Notify
    from circuits.decoding import Shots
    from circuits.measurement import Readout

EVENTS, IMPOSSIBLE, DISTANCE = 0.8, 0.1, 0.1
"""How the probability of a false alarm in a mode is shared out; that of the events equally by groups, and in
a group by its events."""


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
        errors: all that is needed for what the circuit should give; None if the device does not report it.
    """

    faulty: float | None
    readout: "ReadoutErrors | None" = None
    errors: "ReportedErrors | None" = None


def predict(observer: DeviceObserver, plan: Plan, *, mitigated: bool = False) -> tuple[Prediction, ...]:
    """What the device's errors predict for each circuit of a plan.

    Args:
        observer: the device.
        plan: its plan.
        mitigated: the distributions will be corrected for faulty measurements (extra ``mitigation``).

    Raises:
        UsageError: mitigation is asked for and not installed, or the device reports no errors.
    """
    predictions = []
    for item, cost in zip(plan.prepared.circuits, plan.prepared.cost.circuits, strict=True):
        faulty = None if cost.faultless is None else 1 - cost.faultless
        readout = observer.backend.readout_errors(item.circuit) if mitigated else None
        errors = None if faulty is None else observer.backend.reported_errors(item.circuit)
        predictions.append(Prediction(faulty, readout, errors))
    return tuple(predictions)


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
    return check_runs(game, observer.name, predictions, plan.prepared.circuits, runs, rng)


def check_runs(
    game: Game,
    device: str,
    predictions: Mapping[Mode, Prediction],
    circuits: "Sequence[StoredCircuit]",
    runs: "Sequence[Shots]",
    rng: "np.random.Generator",
) -> CheckReport:
    """Check a record with shots that a device has given.

    Args:
        game: a game at any moment.
        device: who gave the shots.
        predictions: what the device's errors predict for the circuit of each mode, in their order.
        circuits: the compiled circuits, with how to read their bits.
        runs: the bits of each circuit.
        rng: where random numbers come from.

    Raises:
        UsageError: the shots are not of these readouts, or mitigation is not installed.
    """
    threshold = threshold_of(len(predictions))
    modes = []
    for (mode, prediction), circuit, shots in zip(predictions.items(), circuits, runs, strict=True):
        modes.append(check_shots(game, mode, device, circuit, shots, prediction, rng, threshold))
    return CheckReport(tuple(modes), unresolved(game, tuple(predictions)))


def check_shots(
    game: Game,
    mode: Mode,
    device: str,
    circuit: "StoredCircuit",
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
        circuit: the compiled circuit, with how to read its bits.
        shots: the bits.
        prediction: what the device's errors predict.
        rng: where random numbers come from.
        threshold: how probable it may be that true shots exceed a limit.

    Raises:
        UsageError: the shots are not of this readout, or mitigation is not installed.
    """
    mode, readout = Mode.named(mode), circuit.readout
    assert readout is not None
    reading = read_shots(game.state, mode, readout, shots)
    report = check_mode(game, mode, _Drawn(device, reading.sample()), rng, threshold=threshold)
    odds = game.state.odds(mode)
    expected = None
    if prediction.errors is not None:
        expected = expectation(odds, circuit.circuit, readout, prediction.errors)
    verdict = judge(reading, shots, odds.outcomes(), expected, rng, threshold=threshold)
    verdict = replace(verdict, predicted=prediction.faulty)
    if prediction.readout is not None:
        tvd, interval = _mitigated(game.state, mode, readout, shots, prediction.readout, rng)
        verdict = replace(
            verdict,
            tvd_mitigated=tvd,
            tvd_mitigated_interval=interval,
            mitigated_with="equal" if all(one == other for one, other in prediction.readout) else "unequal",
        )
    return replace(report, device=verdict)


def judge(
    reading: DecodedShots,
    shots: "Shots",
    odds: Mapping[str, float],
    expected: Expectation | None,
    rng: "np.random.Generator",
    *,
    threshold: float = SIGNIFICANCE / TESTS,
) -> DeviceVerdict:
    """Hold the shots of a device against what it should give.

    Args:
        reading: the shots.
        shots: their bits.
        odds: the exact distribution.
        expected: what the device should give, or None if it does not report its errors: then there is no
            limit, and no verdict.
        rng: draws samples of what is expected.
        threshold: half of the probability with which true shots of an honest device may fail in this mode.
    """
    from scipy.stats import binom

    allowed = TESTS * threshold
    sample = reading.sample()
    number, kept = sample.shots, sample.kept
    impossible = sample.illegal / number
    raw = {board: count / number for board, count in reading.raw.items()}
    after = distance({board: n / kept for board, n in sample.counts().items()}, odds) if kept else 1.0
    limit = tvd_limit = 1.0
    groups: tuple[GroupCheck, ...] = ()
    p = None
    if expected is not None:
        limit = float(binom.isf(IMPOSSIBLE * allowed, number, expected.impossible_high)) / number
        if kept:
            tvd_limit = expected.distance_limit(odds, kept, DISTANCE * allowed)
        several = [group for group in expected.groups if group.events]
        counts = {group.squares: group.counts(shots) for group in expected.groups}
        groups = tuple(
            _group_check(group, counts[group.squares], EVENTS * allowed / max(1, len(several)))
            for group in expected.groups
        )
        tables = [
            (counts[group.squares], {**group.shares, "": group.impossible}) for group in expected.groups
        ]
        p = joint_p_value(tables, rng)
    within = impossible <= limit and after <= tvd_limit and all(group.ok for group in groups)
    return DeviceVerdict(
        ok=None if within and (not kept or expected is None) else within,
        impossible=impossible,
        predicted=None,
        impossible_expected=None if expected is None else 1 - expected.possible,
        impossible_limit=limit,
        tvd_before=distance(raw, odds),
        tvd_after=after,
        tvd_limit=tvd_limit,
        tvd_mitigated=None,
        kinds=dict(sorted(sample.kinds.items())),
        p_value=p,
        groups=groups,
    )


def _group_check(group: Group, counts: Mapping[str, int], allowed: float) -> GroupCheck:
    """Hold the events of a group against the shots in which it is possible."""
    total = sum(counts.values())
    possible = total - counts[""]
    threshold = allowed / max(1, len(group.events))
    checks = []
    for event in group.events:
        seen = sum(counts[pattern] for pattern in event.patterns)
        low, high = wilson(seen, possible, CONFIDENCE)
        checks.append(
            EventCheck(
                name=event.name,
                exact=event.exact,
                expected=event.expected,
                lowest=event.low,
                highest=event.high,
                measured=seen / possible if possible else 0.0,
                low=low,
                high=high,
                p_value=event.p_value(seen, possible),
                threshold=threshold,
                detectable=event.detectable(possible, threshold),
            )
        )
    return GroupCheck(
        group.squares, counts[""] / total, group.impossible, group.impossible_high, tuple(checks)
    )


_RESAMPLES = 100


def _mitigated(
    state: State,
    mode: Mode,
    readout: "Readout",
    shots: "Shots",
    errors: "ReadoutErrors",
    rng: "np.random.Generator",
) -> tuple[float, tuple[float, float]]:
    """The distance of the possible boards after readout mitigation, and its interval.

    The interval is the basic one of the bootstrap, which takes off that chance makes distances larger.
    """
    import numpy as np

    odds = state.odds(mode).outcomes()
    found = distance(_corrected(state, mode, readout, shots, errors), odds)
    rng = independent_generator(rng)
    again = [
        distance(
            _corrected(state, mode, readout, shots[rng.integers(len(shots), size=len(shots))], errors), odds
        )
        for _ in range(_RESAMPLES)
    ]
    low, high = np.quantile(again, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return found, (max(0.0, 2 * found - float(high)), max(0.0, 2 * found - float(low)))


def _corrected(
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
