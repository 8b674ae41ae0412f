"""What a noisy device should give of a board: its exact odds, and what the reported errors make of them.

The board is a product of roots, and so are its circuit and the errors. For each *group*, a root or several
that the compiled circuit connects, this says how often each of its patterns is to be expected, how often an
impossible one, and between which ends that may lie on an honest device (`circuits.backends.noise`). The
circuit gives the effect of the errors alone: the odds that they act on are those of the dice.

A device is held against that by *events*: that a square is filled, that it holds X or O, that the group has
one pattern, among the shots in which the group is possible. Each is a count with a binomial distribution, the
chance of which lies between two ends. An event's p-value is that of the end that suits it best.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import log, prod, sqrt
from typing import TYPE_CHECKING

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.odds import Odds, RootOdds, distance
from qttt.game.symbols import Mode
from qttt.observation.devices import DeviceObserver

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from qiskit.circuit import QuantumCircuit

    from circuits.backends.noise import NoisyPart, ReportedErrors
    from circuits.decoding import Shots
    from circuits.measurement import Readout

    Vector = npt.NDArray[np.float64]

SLACK = 1.1
"""Causes of error are added up; together they may do a little more than that."""

POWER = 0.95
"""How likely the bias that a verdict names is to be caught."""

_MOST_BITS = 16


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a group of squares may show.

    Attributes:
        name: in words.
        patterns: the patterns in which it happens.
        exact: its exact probability.
        expected: its probability among possible shots, if the device errs exactly as it reports.
        low: what that is at least on an honest device.
        high: what it is at most.
        response: how much of a bias of the exact probability is seen through errors of reading.
    """

    name: str
    patterns: frozenset[str]
    exact: float
    expected: float
    low: float
    high: float
    response: float

    def p_value(self, seen: int, shots: int) -> float:
        """How rare a count at least so far off is on the honest device that it suits best."""
        from scipy.stats import binom

        over, under = float(binom.sf(seen - 1, shots, self.high)), float(binom.cdf(seen, shots, self.low))
        return min(1.0, 2 * min(over, under))

    def detectable(self, shots: int, threshold: float) -> float | None:
        """The smallest bias of the exact probability that is caught with the probability ``POWER``.

        Args:
            shots: the possible shots of the group.
            threshold: the p-value that a fault has at most.

        Returns:
            A difference of probabilities that is caught upwards and downwards, wherever there is room for it,
            on a device that errs as it reports; None if no bias is.
        """
        from scipy.stats import beta, binom

        found = []
        if not shots or self.response <= 0:
            return None
        # The first counts that fail.
        most = int(binom.isf(threshold / 2, shots, self.high)) + 1
        least = int(binom.ppf(threshold / 2, shots, self.low))
        least -= bool(binom.cdf(least, shots, self.low) > threshold / 2)
        if most <= shots:
            needed = float(beta.ppf(POWER, most, shots - most + 1))
            found.append(((needed - self.expected) / self.response, 1 - self.exact))
        if least >= 0:
            needed = float(beta.ppf(1 - POWER, least + 1, shots - least))
            found.append(((self.expected - needed) / self.response, self.exact))
        room = [bias for bias, most_bias in found if bias <= most_bias]
        return max(room, default=None)


@dataclass(frozen=True, slots=True)
class Group:
    """A root, or several that the compiled circuit connects.

    Attributes:
        squares: its squares.
        shares: the expected probability of each possible pattern of them; the rest of 1 is impossible.
        impossible: the expected probability of an impossible pattern.
        impossible_high: what that is at most on an honest device.
        events: what can be told of it.
        bits: the register and index of the bits from which it is read.
        classes: for each reading of these bits, the first bit slowest, the place of its pattern in
            ``shares``, or their number if it is impossible.
    """

    squares: tuple[int, ...]
    shares: Mapping[str, float]
    impossible: float
    impossible_high: float
    events: tuple[Event, ...]
    bits: tuple[tuple[str, int], ...] = field(repr=False)
    classes: "npt.NDArray[np.intp]" = field(repr=False)

    def counts(self, shots: "Shots") -> dict[str, int]:
        """How often each possible pattern was read; under the empty name, how often an impossible one."""
        import numpy as np

        key = np.zeros(len(shots), dtype=np.intp)
        for register, index in self.bits:
            key = 2 * key + getattr(shots, register)[:, index]
        numbers = np.bincount(self.classes[key], minlength=len(self.shares) + 1)
        return dict(zip((*self.shares, ""), map(int, numbers), strict=True))

    @property
    def given_possible(self) -> RootOdds:
        """The expected odds of its patterns among its possible shots."""
        total = sum(self.shares.values())
        return RootOdds(self.squares, tuple((pattern, p / total) for pattern, p in self.shares.items()))

    @property
    def spread(self) -> float:
        """How far its odds on an honest device may be from the expected ones, as a distance at most."""
        single = {event.patterns: event for event in self.events}
        every = frozenset(self.shares)
        total = 0.0
        for pattern in self.shares:
            # Of two patterns one event stands for both.
            event = single.get(frozenset({pattern})) or single.get(every - {pattern})
            if event is not None:
                total += max(event.high - event.expected, event.expected - event.low)
        return total / 2


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a device should give of a board.

    Attributes:
        groups: what is read from its bits.
        certain: the roots of which nothing is read, by their exact odds.
        fixed: the symbols observed before.
    """

    groups: tuple[Group, ...]
    certain: tuple[RootOdds, ...]
    fixed: str

    @property
    def possible(self) -> float:
        """The expected probability of a possible board."""
        return prod(1 - group.impossible for group in self.groups)

    @property
    def impossible_high(self) -> float:
        """The probability of an impossible board on the worst honest device."""
        return 1 - prod(1 - group.impossible_high for group in self.groups)

    def odds(self) -> Odds:
        """The expected odds of the board among possible shots."""
        return Odds((*(group.given_possible for group in self.groups), *self.certain), self.fixed)

    def distance_limit(self, exact: Mapping[str, float], shots: int, threshold: float) -> float:
        """What the distance of so many possible shots from the exact odds is at most.

        The expected distance, what an honest device may add to it, and what chance does: its mean is at most
        half the sum of the deviations of the frequencies, and by McDiarmid's inequality it is rarely more.
        """
        expected = self.odds().outcomes()
        chance = sum(sqrt(max(0.0, p * (1 - p)) / shots) for p in expected.values()) / 2
        chance += sqrt(log(1 / threshold) / (2 * shots))
        spread = sum(group.spread for group in self.groups)
        return min(1.0, distance(expected, exact) + spread + chance)


def expectation(
    odds: Odds,
    circuit: "QuantumCircuit",
    readout: "Readout",
    errors: "ReportedErrors",
    *,
    ranges: bool = True,
) -> Expectation:
    """Say what a device should give of a board.

    Args:
        odds: its exact odds.
        circuit: the compiled circuit.
        readout: how to read its bits.
        errors: what the device reports of it.
        ranges: what an honest device may give is wanted too; otherwise the ends are what is expected.

    Raises:
        UsageError: more of the board hangs together in the circuit than can be reckoned with.
    """
    from circuits.backends.noise import noisy_parts
    from circuits.errors import BackendUsageError

    try:
        parts = noisy_parts(circuit, errors, ranges=ranges)
    except BackendUsageError as error:
        raise UsageError(str(error)) from error
    groups, certain = [], []
    for roots, own in _together(odds.components, parts, readout):
        if own:
            groups.append(_Reckoning(roots, own, readout).group())
        else:
            certain += roots
    return Expectation(tuple(groups), tuple(certain), odds.fixed)


def expect_on_device(game: Game, mode: Mode, observer: DeviceObserver) -> Expectation:
    """Compile a game's present board for a device, and say what this should give; nothing is sent.

    Args:
        game: a game at any moment.
        mode: the mode of observation.
        observer: the device.

    Raises:
        UsageError: the device does not report its errors, or does not take the circuit; or the level does not
            have the mode.
        ServiceError: the account or the service failed.
    """
    (item,) = observer.plan(game, [mode], 1).prepared.circuits
    errors = observer.backend.reported_errors(item.circuit)
    if errors is None or item.readout is None:
        raise UsageError(
            f"{observer.name} does not report all of its errors, so nothing can be expected of it"
        )
    return expectation(game.state.odds(mode), item.circuit, item.readout, errors, ranges=False)


def _together(
    roots: Sequence[RootOdds], parts: "Sequence[NoisyPart]", readout: "Readout"
) -> "list[tuple[list[RootOdds], list[NoisyPart]]]":
    """Roots with the parts of the circuit that they are read from; those that share a part together."""
    from circuits.measurement import POSITIONS, SYMBOLS, Bit

    of = {bit: number for number, part in enumerate(parts) for bit in part.bits}
    found: list[tuple[list[RootOdds], set[int]]] = []
    for root in roots:
        sources = [
            (name, source.index)
            for square in root.squares
            for name, source in (
                (POSITIONS, readout.occupancy[square - 1]),
                (SYMBOLS, readout.symbol[square - 1]),
            )
            if isinstance(source, Bit)
        ]
        here, own = [root], {of[source] for source in sources if source in of}
        for entry in [entry for entry in found if entry[1] & own]:
            found.remove(entry)
            here, own = entry[0] + here, own | entry[1]
        found.append((here, own))
    return [(here, [parts[number] for number in sorted(own)]) for here, own in found]


class _Reckoning:
    """The patterns of one group, and what the errors make of their odds."""

    def __init__(self, roots: "Sequence[RootOdds]", parts: "Sequence[NoisyPart]", readout: "Readout") -> None:
        import numpy as np

        from circuits.decoding import Shots, decode

        self.parts = parts
        self.squares = tuple(square for root in roots for square in root.squares)
        self.exact = {"": 1.0}
        for root in roots:
            self.exact = {
                before + pattern: weight * p
                for before, weight in self.exact.items()
                for pattern, p in root.patterns
                if p > 0
            }
        self.bits = tuple(bit for part in parts for bit in part.bits)
        if len(self.bits) > _MOST_BITS:
            raise UsageError(
                f"{len(self.bits)} bits hang together in the circuit, too many for an expectation"
            )
        rows = np.arange(2 ** len(self.bits))
        widths = {"pos": _width(readout.occupancy), "mark": _width(readout.symbol)}
        widths["flag"] = len(readout.heralds)
        bits = {name: np.zeros((len(rows), width), dtype=np.bool_) for name, width in widths.items()}
        for place, (register, index) in enumerate(reversed(self.bits)):
            bits[register][:, index] = rows >> place & 1
        decoded = decode(readout, Shots(bits["pos"], bits["mark"], bits["flag"]))
        place_of = {pattern: place for place, pattern in enumerate(self.exact)}
        known = [
            place_of.get("".join(board[square - 1] for square in self.squares), len(place_of))
            for board in decoded.boards
        ]
        # A reading that makes no board has a negative index.
        self.classes = np.array([*known, len(place_of)])[np.maximum(decoded.index, -1)]
        self.classes[decoded.index < 0] = len(place_of)

    def group(self) -> Group:
        import numpy as np

        exact = np.array([*self.exact.values(), 0.0])
        ideal = self._classed([part.ideal for part in self.parts])
        whole = [part.reported for part in self.parts]

        def with_errors(distributions: "Sequence[Vector]") -> "Vector":
            changed = np.clip(exact + self._classed(distributions) - ideal, 0.0, None)
            return np.asarray(changed / changed.sum())

        reported = with_errors(whole)
        ends = [
            [with_errors([*whole[:number], end, *whole[number + 1 :]]) for end in cause]
            for number, part in enumerate(self.parts)
            for cause in part.ranges
        ]
        impossible = float(reported[-1])
        more = sum(max(0.0, *(float(end[-1]) - impossible for end in cause)) for cause in ends)
        return Group(
            squares=self.squares,
            shares=dict(zip(self.exact, map(float, reported), strict=False)),
            impossible=impossible,
            impossible_high=min(1.0, impossible + SLACK * more),
            events=tuple(self._event(*event, reported, ends) for event in self._events()),
            bits=self.bits,
            classes=self.classes,
        )

    def _classed(self, distributions: "Iterable[Vector]") -> "Vector":
        """The probabilities of the patterns, and of an impossible one at the end."""
        import numpy as np

        joint = reduce(np.multiply.outer, distributions).ravel()
        return np.bincount(self.classes, weights=joint, minlength=len(self.exact) + 1)

    def _events(self) -> list[tuple[str, frozenset[str]]]:
        """What may be told of the group, each event or its opposite once, those of one square first."""
        every = frozenset(self.exact)
        named = [
            (name, frozenset(pattern for pattern in every if pattern[place] in cells))
            for place, square in enumerate(self.squares)
            for name, cells in (
                (f"{square} is filled", "XO"),
                (f"X in {square}", "X"),
                (f"O in {square}", "O"),
            )
        ]
        where = ", ".join(map(str, self.squares))
        named += [(f"{pattern} in {where}", frozenset({pattern})) for pattern in self.exact]
        seen: set[frozenset[str]] = set()
        events = []
        for name, patterns in named:
            if patterns and patterns != every and not {patterns, every - patterns} & seen:
                seen.add(patterns)
                events.append((name, patterns))
        return events

    def _event(
        self, name: str, patterns: frozenset[str], reported: "Vector", ends: "list[list[Vector]]"
    ) -> Event:
        import numpy as np

        inside = np.array([*(pattern in patterns for pattern in self.exact), False])

        def share(vector: "Vector") -> float:
            return float(vector[inside].sum() / vector[:-1].sum())

        expected = share(reported)
        moved = [[share(end) - expected for end in cause] for cause in ends]
        exact = sum(p for pattern, p in self.exact.items() if pattern in patterns)
        return Event(
            name,
            patterns,
            exact,
            expected,
            max(0.0, expected + SLACK * sum(min(0.0, *moves) for moves in moved)),
            min(1.0, expected + SLACK * sum(max(0.0, *moves) for moves in moved)),
            self._response(inside),
        )

    def _response(self, inside: "npt.NDArray[np.bool_]") -> float:
        """How far an event's share moves, read with errors, if its exact probability moves by 1."""
        import numpy as np

        from circuits.backends.noise import misread

        joint = reduce(np.multiply.outer, (part.ideal for part in self.parts))
        readings = [pair for part in self.parts for pair in part.readings]
        chosen = inside[self.classes].reshape(joint.shape)
        weight = float(joint[chosen].sum())
        if not 0 < weight < 1:
            return 0.0
        slope = np.where(chosen, joint / weight, -joint / (1 - weight))
        before, change = (
            np.bincount(self.classes, weights=misread(one, readings).ravel(), minlength=len(inside))
            for one in (joint, slope)
        )
        possible = before[:-1].sum()
        share = before[inside].sum() / possible
        return float((change[inside].sum() - share * change[:-1].sum()) / possible)


def _width(sources: "Iterable[object]") -> int:
    from circuits.measurement import Bit

    return 1 + max((source.index for source in sources if isinstance(source, Bit)), default=-1)
