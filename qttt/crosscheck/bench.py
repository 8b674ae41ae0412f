"""How well a chip plays: a suite of boards, observed again and again, and what is left of them.

Each board of ``SUITE`` is observed on a device in every mode and every style of circuit, ``REPEATS`` times,
each time compiled with other seeds: chance in the compiler is as much a part of what a player gets as chance
in the shots. Of each observation the *score* is

    100 × (fraction of possible shots) × (1 − distance of these from the exact odds, beyond that of chance)

A perfect chip has 100. A device's score is the mean over all of these. Intervals are Student's at 95 %, from
the repeats. Beside what is found stands what the device's reported errors predict (`qttt.crosscheck.noise`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import product
from math import isfinite, sqrt
from statistics import fmean, stdev
from typing import Any, Final
from zlib import crc32

from qttt.crosscheck.noise import expectation
from qttt.errors import MALFORMED, UsageError
from qttt.game.game import Game
from qttt.game.odds import distance
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import Style
from qttt.observation.devices import DeviceObserver, readings_of

SUITE: Final = "1"
"""The name of the suite; figures of different suites are not compared."""

BOARDS: Final = (
    (4, "X", "1+3 1*2 9 3*4 5+6 7+8"),
    (4, "O", "5+7 1+3 1*2 5*6 3*4 8 8*9"),
    (4, "X", "1+3 4+6 4*5 1*2 7+8 9"),
    (4, "X", "1+3 5+7 5*6 1*2 7*8 3*4 9"),
    (4, "X", "1+3 1-2 5 5*6 4+7 7*8 9"),
    (5, "X", "5~ 1+3 1*2 4+6 7 8+9"),
)
"""Level, who starts, and the moves: all kinds of roots, and the four boards of the study of lean circuits."""

STYLES: Final = (Style.LEAN, Style.COHERENT)
"""The styles of circuits that are compared."""

REPEATS: Final = 4
CONFIDENCE: Final = 0.95
DEFAULT_SHOTS: Final = 1024
_CHANCE_SAMPLES: Final = 200


@dataclass(frozen=True, slots=True)
class Trial:
    """One board of the suite in one mode and one style.

    Attributes:
        level: of the game.
        first: who starts it.
        record: its moves.
        mode: of observation.
        style: of the circuit.
    """

    level: int
    first: str
    record: str
    mode: str
    style: str

    @property
    def game(self) -> Game:
        """The game, waiting for its observation."""
        game = Game(self.level, first=Symbol(self.first))
        game.play(self.record)
        return game


TRIALS: Final = tuple(
    Trial(*board, str(mode), str(style)) for board, mode, style in product(BOARDS, Mode, STYLES)
)


@dataclass(frozen=True, slots=True)
class Run:
    """One observation of a trial.

    Attributes:
        two_qubit_gates: of the compiled circuit.
        impossible: the fraction of impossible shots.
        predicted_impossible: the same by the reported errors; None if they are not reported.
        tvd_before: the distance from the exact odds before impossible shots are thrown away.
        tvd_after: the same afterwards; 1 if none is left.
        predicted_tvd_after: the same by the reported errors, without chance.
        chance_tvd: the mean distance of as many shots of the exact odds.
        score: 0 to 100.
        predicted_score: by the reported errors.
    """

    two_qubit_gates: int
    impossible: float
    predicted_impossible: float | None
    tvd_before: float
    tvd_after: float
    predicted_tvd_after: float | None
    chance_tvd: float
    score: float
    predicted_score: float | None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Run":
        """Read what `asdict` made.

        Raises:
            ValueError: a value is no finite number.
        """
        values = {field.name: data[field.name] for field in fields(cls)}
        for name, value in values.items():
            known = value is None and name.startswith("predicted")
            if not known and (type(value) not in (int, float) or not isfinite(value)):
                raise ValueError(f"{name} is no number")
        return cls(**values)


@dataclass(frozen=True, slots=True)
class DeviceResult:
    """What was found of one device.

    Attributes:
        backend: its name.
        snapshot: the date of its reported errors, ISO 8601, if it is simulated here from them; else None.
        runs: for each trial that is done, its repeats.
    """

    backend: str
    snapshot: str | None
    runs: Mapping[Trial, tuple[Run, ...]]

    @property
    def score(self) -> float:
        """The mean score of all runs."""
        return fmean(run.score for runs in self.runs.values() for run in runs)

    @property
    def score_interval(self) -> tuple[float, float]:
        """Its interval, from the repeats of the whole suite."""
        repeats = zip(*self.runs.values(), strict=True)
        return interval([fmean(run.score for run in repeat) for repeat in repeats], 0, 100)

    @property
    def predicted_score(self) -> float | None:
        """What the reported errors predict; None if they are not reported."""
        found = [run.predicted_score for runs in self.runs.values() for run in runs]
        known = [score for score in found if score is not None]
        return fmean(known) if len(known) == len(found) else None

    def to_json(self) -> dict[str, Any]:
        """The device as ``qttt bench --json`` prints it."""
        return {
            "backend": self.backend,
            "snapshot": self.snapshot,
            "score": self.score,
            "score_interval": list(self.score_interval),
            "predicted_score": self.predicted_score,
            "boards": [_row(trial, runs) for trial, runs in self.runs.items()],
        }


def _row(trial: Trial, runs: Sequence[Run]) -> dict[str, Any]:
    def mean(name: str) -> float | None:
        values = [getattr(run, name) for run in runs]
        return None if None in values else fmean(values)

    def ends(name: str, most: float) -> list[float]:
        return list(interval([getattr(run, name) for run in runs], 0, most))

    return {
        **asdict(trial),
        **{field.name: mean(field.name) for field in fields(Run)},
        "impossible_interval": ends("impossible", 1),
        "tvd_after_interval": ends("tvd_after", 1),
        "score_interval": ends("score", 100),
    }


def interval(values: Sequence[float], least: float, most: float) -> tuple[float, float]:
    """Student's interval of a mean at ``CONFIDENCE``, within what is possible.

    Args:
        values: at least two numbers.
        least: what the mean is at least.
        most: what it is at most.
    """
    from scipy.stats import t

    reach = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return max(least, fmean(values) - reach), min(most, fmean(values) + reach)


def run_trial(trial: Trial, observer: DeviceObserver, shots: int, seed: int) -> tuple[Run, ...]:
    """Observe one trial on a device that is simulated here.

    Args:
        trial: what to observe.
        observer: the device.
        shots: of each repeat.
        seed: equal seeds give equal runs, whatever was run before.

    Raises:
        UsageError: the device does not take the circuit.
        ServiceError: it failed.
    """
    import numpy as np

    from circuits.backends.plans import SEEDS

    game, mode = trial.game, Mode(trial.mode)
    odds = game.state.odds(mode)
    exact = odds.outcomes()
    p = np.array(list(exact.values()))
    p /= p.sum()
    encoding = Style(trial.style).encoding()
    observed = DeviceObserver(observer.backend, encoding=encoding, options=observer.options)
    found = []
    for repeat in range(REPEATS):
        key = crc32(f"{observer.name} {trial}".encode())
        rng = np.random.default_rng([seed, key, repeat])
        plan = observed.plan(game, [mode], shots, first_seed=repeat * SEEDS)
        (item,), (cost,) = plan.prepared.circuits, plan.prepared.cost.circuits
        reading = readings_of(game.state, plan, observed.run(plan, rng))[mode]
        sample = reading.sample()
        kept = sample.kept / shots
        after, chance = 1.0, 0.0
        if sample.kept:
            after = distance({board: n / sample.kept for board, n in sample.counts().items()}, exact)
            draws = rng.multinomial(sample.kept, p, size=_CHANCE_SAMPLES) / sample.kept
            chance = float(np.abs(draws - p).sum(axis=1).mean() / 2)
        errors = None if cost.faultless is None else observer.backend.reported_errors(item.circuit)
        possible = far = None
        if errors is not None and item.readout is not None:
            expected = expectation(odds, item.circuit, item.readout, errors, ranges=False)
            possible, far = expected.possible, distance(expected.odds().outcomes(), exact)
        found.append(
            Run(
                two_qubit_gates=cost.two_qubit_gates,
                impossible=sample.illegal / shots,
                predicted_impossible=None if possible is None else 1 - possible,
                tvd_before=distance({board: n / shots for board, n in reading.raw.items()}, exact),
                tvd_after=after,
                predicted_tvd_after=far,
                chance_tvd=chance,
                score=100 * kept * (1 - max(0.0, after - chance)),
                predicted_score=None if possible is None or far is None else 100 * possible * (1 - far),
            )
        )
    return tuple(found)


class Findings:
    """What is done of a benchmark, so that it can go on later.

    Attributes:
        shots: of each observation.
        seed: of all of them.
    """

    def __init__(self, shots: int, seed: int) -> None:
        """Begin with nothing."""
        self.shots, self.seed = shots, seed
        self._done: dict[tuple[str, str | None], dict[Trial, tuple[Run, ...]]] = {}

    def runs(self, backend: str, snapshot: str | None) -> dict[Trial, tuple[Run, ...]]:
        """What is done on a device with the errors of a snapshot; it may be added to."""
        return self._done.setdefault((backend, snapshot), {})

    def to_json(self) -> dict[str, Any]:
        """All of it as a plain dictionary."""
        return {
            "format": "qttt bench",
            "suite": SUITE,
            "shots": self.shots,
            "seed": self.seed,
            "devices": [
                {
                    "backend": backend,
                    "snapshot": snapshot,
                    "runs": [
                        {**asdict(trial), "repeats": [asdict(run) for run in runs]}
                        for trial, runs in done.items()
                    ],
                }
                for (backend, snapshot), done in self._done.items()
            ],
        }

    @classmethod
    def from_json(cls, data: Any, shots: int, seed: int) -> "Findings":
        """Read what `to_json` wrote.

        Raises:
            UsageError: it is something else, or of another suite, seed or number of shots.
        """
        try:
            if data["format"] != "qttt bench":
                raise UsageError("it is no benchmark")
            told = (data["suite"], data["shots"], data["seed"])
            if told != (SUITE, shots, seed):
                raise UsageError(
                    f"it has suite {told[0]}, {told[1]} shots and seed {told[2]}, and asked for are suite "
                    f"{SUITE}, {shots} shots and seed {seed}"
                )
            found = cls(shots, seed)
            for device in data["devices"]:
                done = found.runs(str(device["backend"]), device["snapshot"])
                for row in device["runs"]:
                    trial = Trial(**{field.name: row[field.name] for field in fields(Trial)})
                    runs = tuple(Run.from_json(one) for one in row["repeats"])
                    if trial not in TRIALS or len(runs) != REPEATS:
                        raise UsageError("a board of it is not of the suite")
                    done[trial] = runs
        except MALFORMED as error:
            raise UsageError(f"it is damaged: {error!r}") from error
        return found


def run_suite(
    observer: DeviceObserver, findings: Findings, done: Callable[[], None] = lambda: None
) -> DeviceResult:
    """Observe every trial of the suite that a findings does not have yet.

    Args:
        observer: a device that is simulated here.
        findings: what is done; every trial is added to it.
        done: told after each trial, so that the findings can be kept.

    Raises:
        UsageError: the device does not take a circuit.
        ServiceError: it failed.
    """
    calibrated = observer.backend.describe().calibrated
    snapshot = None if calibrated is None else calibrated.date().isoformat()
    runs = findings.runs(observer.name, snapshot)
    for trial in TRIALS:
        if trial not in runs:
            runs[trial] = run_trial(trial, observer, findings.shots, findings.seed)
        done()
    return DeviceResult(observer.name, snapshot, {trial: runs[trial] for trial in TRIALS})


def bench_report(results: Iterable[DeviceResult], shots: int, seed: int) -> dict[str, Any]:
    """The object that ``qttt bench --json`` prints; the snapshot's date is that of all devices, or null."""
    devices = [result.to_json() for result in results]
    dates = {device["snapshot"] for device in devices}
    return {
        "suite": SUITE,
        "snapshot": dates.pop() if len(dates) == 1 else None,
        "shots": shots,
        "seed": seed,
        "devices": devices,
    }
