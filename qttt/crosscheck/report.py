"""What a cross-check found: a report of each mode, and of a record as the reports of its modes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from qttt.game.symbols import Mode, Symbol
from qttt.observation.samples import Sample
from qttt.tabletop.rolls import Rolls

TOLERANCE = 1e-9
"""Exact distributions must agree at least so closely."""


@dataclass(frozen=True, slots=True)
class SquareCheck:
    """One symbol in one square.

    Attributes:
        square: 1 to 9.
        symbol: X or O.
        dice: what the dice in the square promise, the sum of |value| / 4; None where the values need the
            renormalisation of a half-cancel, or tell nothing of this mode.
        exact: the exact probability.
        measured: the measured frequency.
        low: lower end of the frequency's 99 % confidence interval.
        high: its upper end.
        rolled: the probability by the d6 roll tables, where the shots were rolled by them.
    """

    square: int
    symbol: Symbol
    dice: float | None
    exact: float
    measured: float
    low: float
    high: float
    rolled: float | None = None


@dataclass(frozen=True, slots=True)
class RollCheck:
    """How far d6 rolls are from the exact odds in one independent part of the board.

    Attributes:
        squares: the squares of the part.
        distance: total variation distance, 0 to 1.
        configurations: what the dice in each of these squares say, for example ``half-cancelled``.
        by_square: the distance of each of these squares alone, of what it holds: X, O or nothing.
    """

    squares: tuple[int, ...]
    distance: float
    configurations: tuple[str, ...]
    by_square: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EventCheck:
    """Something that a group of squares of a device's shots shows, among those in which it is possible.

    Attributes:
        name: in words, for example ``X in 5``.
        exact: its exact probability.
        expected: its probability if the device errs exactly as it reports.
        lowest: what that is at least on an honest device.
        highest: what it is at most.
        measured: its frequency.
        low: lower end of the frequency's 99 % confidence interval.
        high: its upper end.
        p_value: of its count, on the honest device that suits it best.
        threshold: a p-value of at most this fails.
        detectable: the smallest bias of the exact probability that would have failed with 95 % probability
            if the device errs as it reports; None if no bias is large enough.
    """

    name: str
    exact: float
    expected: float
    lowest: float
    highest: float
    measured: float
    low: float
    high: float
    p_value: float
    threshold: float
    detectable: float | None

    @property
    def ok(self) -> bool:
        """Whether it happens as often as on some honest device."""
        return self.p_value > self.threshold


@dataclass(frozen=True, slots=True)
class GroupCheck:
    """A root of a board in a device's shots, or several that the compiled circuit connects.

    Attributes:
        squares: its squares.
        impossible: the fraction of shots that are impossible in these squares.
        impossible_expected: the same if the device errs exactly as it reports.
        impossible_highest: the same on the worst honest device.
        events: what it shows.
    """

    squares: tuple[int, ...]
    impossible: float
    impossible_expected: float
    impossible_highest: float
    events: tuple[EventCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether every event happens as often as on some honest device."""
        return all(event.ok for event in self.events)


@dataclass(frozen=True)
class DeviceVerdict:
    """How the shots of a device compare with what it should give; see `qttt.crosscheck.by_device`.

    Attributes:
        ok: no limit is exceeded and no event fails; None if there is no possible shot, and that is within the
            limits, or if the device does not report its errors, so that there are no limits.
        impossible: the fraction of shots that are impossible.
        predicted: the fraction of shots with a fault, as the device reports its errors; None if it does not.
        impossible_expected: the fraction of impossible shots, as it reports them; None if it does not.
        impossible_limit: what ``impossible`` may be at most.
        tvd_before: total variation distance from the exact odds before any shot is thrown away.
        tvd_after: the same after post-selection.
        tvd_limit: what ``tvd_after`` may be at most.
        tvd_mitigated: the same after readout mitigation and post-selection; None if it was not asked for.
        kinds: the impossible shots by the kind of fault.
        p_value: of the shots if the device errs exactly as it reports; None if it does not report its errors.
        groups: the comparison root by root.
        tvd_mitigated_interval: the 99 % interval of ``tvd_mitigated``.
        mitigated_with: ``equal`` if 0 and 1 were taken to be misread equally often, else ``unequal``.
    """

    ok: bool | None
    impossible: float
    predicted: float | None
    impossible_expected: float | None
    impossible_limit: float
    tvd_before: float
    tvd_after: float
    tvd_limit: float
    tvd_mitigated: float | None
    kinds: dict[str, int]
    p_value: float | None = None
    groups: tuple[GroupCheck, ...] = ()
    tvd_mitigated_interval: tuple[float, float] | None = None
    mitigated_with: str | None = None

    @property
    def detectable(self) -> float | None:
        """The smallest bias that would have been caught in any event, with 95 % probability.

        None if there is an event in which none would, or no event at all.
        """
        found = [event.detectable for group in self.groups for event in group.events]
        known = [bias for bias in found if bias is not None]
        return max(known) if known and len(known) == len(found) else None

    def to_json(self) -> dict[str, Any]:
        """The verdict as ``qttt check --json`` prints it."""
        return {**asdict(self), "detectable": self.detectable}

    @property
    def excess(self) -> float:
        """By how much one of the limits is exceeded, an event's p-value included; below 0 if none is."""
        events = [event.threshold - event.p_value for group in self.groups for event in group.events]
        return max(self.impossible - self.impossible_limit, self.tvd_after - self.tvd_limit, *events)


@dataclass(frozen=True, slots=True)
class ModeCheck:
    """What a cross-check of one mode found.

    Attributes:
        distances: total variation distance of each two of ``dice``, ``moves`` and ``lean``, exactly.
        sampled_tvd: total variation distance between the shots that count and the distribution.
        p_value: of the shots that count, if the distribution is right (Monte Carlo).
        impossible: boards that were drawn although their probability is zero, with how often.
        herald_expected: the exact fraction of shots whose herald fires.
        herald_p_value: of the number of failed heralds, if that fraction is right.
        sample: the shots.
        squares: the comparison square by square.
        rolls: the distance of d6 rolls, part by part; only parts where there is one.
        backend: who drew the shots.
        mode: the mode of observation.
        threshold: a p-value of at most this says that the shots do not agree.
        exact_ok: the exact part agrees, whatever the shots say.
        rolled_by: the distribution that ``sampled_tvd`` and ``p_value`` hold the shots against: the exact
            odds, or those of the d6 roll tables if the shots were rolled by them.
        device: how the shots of a device with noise are judged; None for a backend without.
    """

    distances: Mapping[str, float]
    sampled_tvd: float
    p_value: float
    impossible: Mapping[str, int]
    herald_expected: float
    herald_p_value: float
    sample: Sample
    squares: tuple[SquareCheck, ...]
    rolls: tuple[RollCheck, ...]
    backend: str
    mode: Mode
    threshold: float
    exact_ok: bool
    rolled_by: Rolls
    device: DeviceVerdict | None = None

    @property
    def ok(self) -> bool | None:
        """Whether everything agrees: exactly, in support, and statistically.

        None if nothing speaks against it, but no shot counts, so that the shots say nothing for it either.
        """
        if not self.exact_ok:
            return False
        if self.device is not None:
            return self.device.ok
        if self.sample.illegal or self.impossible or min(self.p_value, self.herald_p_value) <= self.threshold:
            return False
        return True if self.sample.kept else None

    @property
    def exact_tvd(self) -> float:
        """The largest exact distance between any two roads."""
        return max(self.distances.values())

    def to_json(self) -> dict[str, Any]:
        """The report as ``qttt check --json`` prints it of one mode."""
        return {
            "ok": self.ok,
            "exact_tvd": self.exact_tvd,
            "sampled_tvd": self.sampled_tvd,
            "p_value": self.p_value,
            "illegal": self.sample.illegal,
            "herald_failed": self.sample.herald_failed,
            "kept": self.sample.kept,
            "shots": self.sample.shots,
            "squares": [asdict(row) for row in self.squares],
            "backend": self.backend,
            "mode": str(self.mode),
            "distances": dict(self.distances),
            "impossible": dict(self.impossible),
            "herald_expected": self.herald_expected,
            "herald_p_value": self.herald_p_value,
            "threshold": self.threshold,
            "rolled_by": str(self.rolled_by),
            "rolls": [asdict(row) for row in self.rolls],
            **({} if self.device is None else {"device": self.device.to_json()}),
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a cross-check of a record found: the checks of its modes.

    Attributes:
        modes: the check of each mode that was looked at, at least one.
        unresolved: faults that would leave all these distributions as they are, in words; see
            `qttt.crosscheck.blindspots`.
    """

    modes: tuple[ModeCheck, ...]
    unresolved: tuple[str, ...] = ()

    @property
    def ok(self) -> bool | None:
        """Whether every mode agrees: False if one does not, else None if one has no shot that counts."""
        return agreement(each.ok for each in self.modes)

    @property
    def exact_tvd(self) -> float:
        """The largest exact distance between any two roads in any mode."""
        return max(each.exact_tvd for each in self.modes)

    @property
    def sampled_tvd(self) -> float:
        """The largest distance of the shots that count from the distribution, of any mode."""
        return max(each.sampled_tvd for each in self.modes)

    @property
    def p_value(self) -> float:
        """The smallest p-value of the shots that count, of any mode: as it is, not corrected."""
        return min(each.p_value for each in self.modes)

    @property
    def threshold(self) -> float:
        """A p-value of at most this fails the check: corrected for the number of p-values."""
        return min(each.threshold for each in self.modes)

    def to_json(self) -> dict[str, Any]:
        """The report as ``qttt check --json`` prints it.

        With several modes ``modes`` has the report of each. Beside it distances and p-values are the worst of
        them, counts their sums, rows of all of them say their mode, and ``device`` is the verdict that comes
        nearest to its limits, or exceeds them most.
        """
        reports = {str(one.mode): one.to_json() for one in self.modes}
        found = dict(next(iter(reports.values())))
        if len(reports) > 1:
            each = tuple(reports.values())
            impossible = Counter[str]()
            for report in each:
                impossible.update(report["impossible"])
            found |= {
                "ok": self.ok,
                **{key: max(one[key] for one in each) for key in ("exact_tvd", "sampled_tvd")},
                **{key: min(one[key] for one in each) for key in ("p_value", "herald_p_value")},
                **{
                    key: sum(one[key] for one in each)
                    for key in ("illegal", "herald_failed", "kept", "shots")
                },
                "distances": {
                    pair: max(one["distances"][pair] for one in each) for pair in found["distances"]
                },
                "impossible": dict(impossible),
                **{
                    key: [{**row, "mode": mode} for mode, one in reports.items() for row in one[key]]
                    for key in ("squares", "rolls")
                },
                "mode": None,
                "modes": reports,
            }
            verdicts = [one.device for one in self.modes if one.device is not None]
            if verdicts:
                found["device"] = max(verdicts, key=lambda verdict: verdict.excess).to_json()
        return {**found, "unresolved": list(self.unresolved)}


def agreement(verdicts: Iterable[bool | None]) -> bool | None:
    """One verdict of several: False if one is False, else None if one is None, else True."""
    said = tuple(verdicts)
    return False if False in said else None if None in said else True
