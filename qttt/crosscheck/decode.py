"""Counts from anywhere held against the dice: bits become boards, and these are compared with the exact odds.

The circuit was exported with what its bits mean (`qttt.observation.exports`) and run by somebody else. Of the
device nothing is known, so the verdict is that of exact circuits: the shots that count must be distributed
as the dice say. What is impossible is thrown away first and counted by its kind, as on our own devices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qttt.crosscheck.check import SIGNIFICANCE, TESTS, failing_fraction
from qttt.errors import UsageError
from qttt.game.odds import distance
from qttt.observation.devices import DecodedShots, read_shots
from qttt.observation.exports import Export
from qttt.observation.samples import MAX_SHOTS
from qttt.stats import binomial_p_value, p_value

if TYPE_CHECKING:
    import numpy as np

    from circuits.decoding import Shots
    from circuits.measurement import Readout


@dataclass(frozen=True)
class DecodedCounts:
    """What counts say of a board.

    Attributes:
        export: the circuit that they are of.
        shots: the shots, decoded, with the exact odds.
        p_value: of the shots that count, if these odds are right (Monte Carlo).
        herald_p_value: of the number of failed heralds, if the exact fraction of them is right.
    """

    export: Export
    shots: DecodedShots
    p_value: float
    herald_p_value: float

    @property
    def ok(self) -> bool | None:
        """Whether the shots that count agree with the dice, and say something; None if none counts."""
        if not self.shots.decoded.kept:
            return None
        return self.shots.noise is None and min(self.p_value, self.herald_p_value) > SIGNIFICANCE / TESTS

    @property
    def tvd(self) -> float:
        """Total variation distance of the shots that count from the exact odds; 1 if none counts."""
        decoded = self.shots.decoded
        if not decoded.kept:
            return 1.0
        shares = {board: number / decoded.kept for board, number in decoded.counts().items()}
        return distance(shares, self.shots.odds)

    def to_json(self) -> dict[str, Any]:
        """The object that ``qttt decode --json`` prints."""
        decoded = self.shots.decoded
        return {
            "level": self.export.record.level.number,
            "mode": str(self.export.mode),
            "shots": len(decoded.index),
            "kept": decoded.kept,
            "illegal": decoded.illegal,
            "herald_failed": decoded.herald_failed,
            "kinds": dict(sorted(decoded.illegal_kinds.items())),
            "boards": decoded.counts(),
            "odds": dict(self.shots.odds),
            "tvd": self.tvd,
            "p_value": self.p_value,
            "herald_p_value": self.herald_p_value,
            "threshold": SIGNIFICANCE / TESTS,
            "noise": self.shots.noise,
            "ok": self.ok,
        }


def decode_counts(export: Export, counts: object, rng: "np.random.Generator") -> DecodedCounts:
    """Turn counts into boards, and hold them against the dice.

    Args:
        export: what the bits of the circuit mean.
        counts: what `read_counts` takes.
        rng: draws samples of the exact odds, for the p-value.

    Raises:
        UsageError: the counts are not those of the circuit.
        RecordError: the game of the export cannot be replayed.
    """
    shots = read_counts(counts, export.readout)
    game = export.record.game()
    # The circuit prepares the whole board, also where its positions have been observed.
    state = game.states[-2] if game.state.positions is not None else game.state
    found = read_shots(state, export.mode, export.readout, shots)
    decoded = found.decoded
    failing = failing_fraction(state) if export.readout.heralds else 0.0
    return DecodedCounts(
        export,
        found,
        p_value(decoded.counts(), found.odds, rng, threshold=SIGNIFICANCE / TESTS),
        binomial_p_value(decoded.herald_failed, len(shots), failing),
    )


def read_counts(data: object, readout: "Readout") -> "Shots":
    """Read how often a circuit gave which bits, as providers write it.

    Bits are in Qiskit's order: in a register the first is rightmost, and the first register (``pos``) is the
    rightmost. A key has the registers apart (``"01 10"``) or joined (``"0110"``), in binary, or joined in
    hexadecimal (``"0x6"``).

    Args:
        data: an object of keys and how often each was read, a list with the key of every shot, or an object
            of registers (``pos``, ``mark``, ``flag``), each with such a list; also inside an object
            ``counts``.
        readout: what the bits of the circuit mean.

    Returns:
        The shots; those of counts are in no order that means anything.

    Raises:
        UsageError: it is none of these, another circuit's, or of no shot or too many.
    """
    import numpy as np

    from circuits.decoding import Shots
    from circuits.measurement import REGISTER_NAMES, Bit

    if isinstance(data, Mapping) and len(data) == 1 and (inner := data.get("counts")) is not None:
        data = inner
    sources = (readout.occupancy, readout.symbol)
    widths = [sum(isinstance(source, Bit) for source in row) for row in sources] + [len(readout.heralds)]
    registers = {name: width for name, width in zip(REGISTER_NAMES, widths, strict=True) if width}
    if isinstance(data, Mapping) and data and data.keys() <= set(REGISTER_NAMES):
        data = _joined(data, registers)
    if isinstance(data, Sequence) and not isinstance(data, str):
        keys, numbers = list(data), [1] * len(data)
    elif isinstance(data, Mapping):
        keys, numbers = list(data), list(data.values())
    else:
        raise UsageError("counts are an object of keys and numbers, or a list with the key of every shot")
    for key, number in zip(keys, numbers, strict=True):
        # By exact type: in Python true is an int.
        if type(number) is not int or number < 0:
            raise UsageError(
                f"counts say {str(number)[:40]} of {str(key)[:40]!r}, and not how often it was read"
            )
    if not 1 <= sum(numbers) <= MAX_SHOTS:
        raise UsageError(f"counts are of 1 to {MAX_SHOTS:,} shots, not of {sum(numbers):,}")
    rows = np.array([_bits(key, registers) for key in keys], dtype=np.bool_).reshape(len(keys), sum(widths))
    first, second = widths[0], widths[0] + widths[1]
    rows = np.repeat(rows, numbers, axis=0)
    return Shots(rows[:, :first], rows[:, first:second], rows[:, second:])


def _joined(data: Mapping[str, Any], registers: dict[str, int]) -> object:
    """Counts, or the keys of shots, of registers that stand apart."""
    if any(isinstance(bits, Mapping) for bits in data.values()) and len(registers) > 1:
        raise UsageError(
            "counts of each register alone do not say which of them were read together: give the bits shot "
            'by shot, {"pos": ["01", …], "mark": ["10", …]} (get_bitstrings() of each register)'
        )
    if data.keys() != registers.keys():
        raise UsageError(f"the circuit has the registers {_listed(registers)}, the counts {_listed(data)}")
    if isinstance(alone := next(iter(data.values())), Mapping):
        return alone
    if any(not isinstance(bits, list) for bits in data.values()) or len(set(map(len, data.values()))) != 1:
        raise UsageError("the registers of the counts are not lists of one length, an entry a shot")
    parts = [
        ["".join(map(str, map(int, _bits(key, {name: registers[name]})[::-1]))) for key in data[name]]
        for name in reversed(registers)
    ]
    return [" ".join(shot) for shot in zip(*parts, strict=True)]


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(names) or "(none)"


def _bits(key: object, registers: dict[str, int]) -> list[bool]:
    """The bits of a key, those of the first register first, and in a register the first bit first."""
    width = sum(registers.values())
    named = f"the key {str(key)[:60]!r} of the counts"
    if not isinstance(key, str):
        raise UsageError(f"{named} is no text of bits")
    text = key.strip()
    if text[:2].lower() == "0x":
        try:
            number = int(text, 16)
        except ValueError:
            raise UsageError(f"{named} is not hexadecimal") from None
        if number >> width:
            raise UsageError(f"{named} has more than the {width} bits that the circuit reads")
        text = f"{number:0{width}b}" if width else ""
    groups = text.split()
    if len(groups) > 1 and [len(group) for group in groups] != [*registers.values()][::-1]:
        sizes = " and ".join(f"{size} of {name}" for name, size in reversed(registers.items()))
        raise UsageError(f"{named} is not the circuit's: it reads {sizes}, in this order")
    joined = "".join(groups)
    if len(joined) != width or set(joined) - {"0", "1"}:
        raise UsageError(f"{named} is not the circuit's: it reads {width} bits, each 0 or 1")
    return [bit == "1" for bit in reversed(joined)]
