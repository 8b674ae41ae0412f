"""From bits to boards: the one place where it happens.

A board is a string of nine characters, `X`, `O` or `.` for squares 1 to 9. A shot either gives a board or
does not count, for one of two reasons: a herald fired (`HERALD_FAILED`), or the bits say something that no
board can be (`ILLEGAL`). Heralds are looked at first, so that every shot is counted once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from circuits.errors import DecodingError
from circuits.measurement import REGISTER_NAMES, Bit, Known, Readout, Source

HERALD_FAILED: Final = -1
"""Index of a shot that does not count because a herald fired."""

ILLEGAL: Final = -2
"""Index of a shot that cannot have come from a faultless device."""

SYMBOL_ON_EMPTY: Final = "symbol on an empty square"
"""The one kind of illegal shot that can be told without knowing the game."""

_PLACES: Final = 3 ** np.arange(8, -1, -1)
_LETTERS: Final = np.array(list(".OX"))

Bits = npt.NDArray[np.bool_]
"""An array of bits of shape (shots, bits)."""


def _no_bits(shots: int) -> Bits:
    return np.zeros((shots, 0), dtype=np.bool_)


def _as_bits(register: str, given: object) -> Bits:
    array = np.asarray(given)
    if array.dtype == np.bool_:
        return array
    # The characters 0 and 1 would all count as true, and so would counts and probabilities.
    if array.dtype.kind not in "iu":
        raise DecodingError(f"the bits of {register} must be an array of bool, not of {array.dtype}")
    if (other := array[(array != 0) & (array != 1)]).size:
        raise DecodingError(f"the bits of {register} must be 0 or 1, not {other.flat[0]}")
    return array.astype(np.bool_)


@dataclass(frozen=True, eq=False)
class Shots:
    """The bits of a run, row i being shot i in the order measured.

    Attributes:
        pos: occupancies, shape (shots, bits of register `pos`).
        mark: symbols, shape (shots, bits of register `mark`).
        flag: heralds, shape (shots, bits of register `flag`).

    A register that the circuit does not have is an array of shape (shots, 0).

    Raises:
        DecodingError: they are no two-dimensional arrays of bool, or of integers 0 and 1, which become bool;
            or they have different numbers of shots.
    """

    pos: Bits
    mark: Bits
    flag: Bits

    def __post_init__(self) -> None:
        """Check bits and shapes."""
        for name in REGISTER_NAMES:
            object.__setattr__(self, name, _as_bits(name, getattr(self, name)))
        arrays = (self.pos, self.mark, self.flag)
        if any(array.ndim != 2 for array in arrays) or len({len(array) for array in arrays}) != 1:
            shapes = [array.shape for array in arrays]
            raise DecodingError(f"shots need three (shots, bits) arrays, not shapes {shapes}")

    def __len__(self) -> int:
        """Return the number of shots."""
        return len(self.pos)

    def __getitem__(self, rows: "slice | npt.NDArray[np.intp]") -> "Shots":
        """Return the shots of a slice, or those of some numbers, in that order."""
        return Shots(self.pos[rows], self.mark[rows], self.flag[rows])

    @classmethod
    def from_registers(cls, registers: Mapping[str, Bits], shots: int) -> "Shots":
        """Build shots from arrays by register name; registers that are absent have no bits.

        Raises:
            DecodingError: a register has another name than `pos`, `mark` and `flag`, or arrays do not fit.
        """
        if others := sorted(registers.keys() - set(REGISTER_NAMES)):
            raise DecodingError(f"shots have the registers {', '.join(REGISTER_NAMES)}, not {others[0]!r}")
        empty = _no_bits(shots)
        return cls(registers.get("pos", empty), registers.get("mark", empty), registers.get("flag", empty))

    @staticmethod
    def concatenate(parts: Iterable["Shots"]) -> "Shots":
        """Join runs of one circuit, in order.

        Raises:
            DecodingError: there is nothing to join, or the runs have different numbers of bits.
        """
        runs = tuple(parts)
        if not runs:
            raise DecodingError("there are no shots to join")
        if len({(run.pos.shape[1], run.mark.shape[1], run.flag.shape[1]) for run in runs}) != 1:
            raise DecodingError("shots of different circuits cannot be joined")
        return Shots(
            np.concatenate([run.pos for run in runs]),
            np.concatenate([run.mark for run in runs]),
            np.concatenate([run.flag for run in runs]),
        )


@dataclass(frozen=True, eq=False)
class Decoded:
    """What the shots say.

    Attributes:
        boards: the different boards seen, sorted.
        index: one number a shot, in the order measured: the place of its board in `boards`, or
            `HERALD_FAILED` or `ILLEGAL`.
        illegal_kinds: how many shots were illegal for which reason; the numbers add up to `illegal`.
    """

    boards: tuple[str, ...]
    index: npt.NDArray[np.int64]
    illegal_kinds: dict[str, int] = field(default_factory=dict)

    @property
    def herald_failed(self) -> int:
        """The number of shots in which a herald fired."""
        return int(np.count_nonzero(self.index == HERALD_FAILED))

    @property
    def illegal(self) -> int:
        """The number of shots that are known to be wrong."""
        return int(np.count_nonzero(self.index == ILLEGAL))

    @property
    def kept(self) -> int:
        """The number of shots that count."""
        return int(np.count_nonzero(self.index >= 0))

    def counts(self) -> dict[str, int]:
        """Return how often each board was seen, in the order of `boards`."""
        numbers = np.bincount(self.index[self.index >= 0], minlength=len(self.boards))
        return {board: int(number) for board, number in zip(self.boards, numbers, strict=True)}

    def first(self) -> str | None:
        """Return the board of the first shot that counts, in the order measured, or None if none does."""
        kept = self.index >= 0
        return self.boards[int(self.index[int(np.argmax(kept))])] if kept.any() else None


def _values(sources: tuple[Source, ...], bits: Bits, register: str) -> Bits:
    """Return what the sources say, shape (shots, sources)."""
    shots, width = bits.shape
    wanted = 1 + max((source.index for source in sources if isinstance(source, Bit)), default=-1)
    # Bits behind the last that is read are those of another circuit, and then all of them may be.
    if wanted != width:
        raise DecodingError(f"the readout reads {wanted} bits of {register}, and its shots have {width}")
    values = np.zeros((shots, len(sources)), dtype=np.bool_)
    for number, source in enumerate(sources):
        values[:, number] = source.value if isinstance(source, Known) else bits[:, source.index]
    return values


def decode(readout: Readout, shots: Shots) -> Decoded:
    """Turn bits into boards.

    Args:
        readout: how to read the bits.
        shots: the bits, of a circuit that the readout belongs to.

    Raises:
        DecodingError: a register of the shots has more bits or fewer than the readout reads, or another
            number of heralds.
    """
    if shots.flag.shape[1] != len(readout.heralds):
        raise DecodingError(f"a readout has {len(readout.heralds)} heralds, its shots {shots.flag.shape[1]}")
    occupied = _values(readout.occupancy, shots.pos, "pos")
    second = _values(readout.symbol, shots.mark, "mark")
    failed: Bits = np.asarray(shots.flag.any(axis=1))
    wrong = np.zeros(len(shots), dtype=np.bool_)
    if not readout.masked:
        # Only a symbol that was measured can be wrong: a known one of an empty square is never looked at.
        measured = np.array([isinstance(source, Bit) for source in readout.symbol])
        wrong = (second & measured & ~occupied).any(axis=1)
    # Digits in the order of the characters . < O < X, so that sorting numbers sorts boards.
    keys = np.zeros(len(shots), dtype=np.int64)
    for full, box in zip(occupied.T, second.T, strict=True):
        keys = 3 * keys + full * (2 - box.astype(np.int64))
    good = ~(failed | wrong)
    index = np.where(failed, HERALD_FAILED, ILLEGAL).astype(np.int64)
    seen, index[good] = np.unique(keys[good], return_inverse=True)
    letters = _LETTERS[(seen[:, np.newaxis] // _PLACES) % 3]
    boards = tuple(letters.view("U9")[:, 0].tolist())
    illegal = int(np.count_nonzero(index == ILLEGAL))
    return Decoded(boards, index, {SYMBOL_ON_EMPTY: illegal} if illegal else {})


def reject(decoded: Decoded, impossible: Mapping[str, str]) -> Decoded:
    """Move boards that cannot be to `ILLEGAL`.

    Args:
        decoded: what the shots say.
        impossible: boards that no faultless run gives, each with the kind of its fault; boards not seen are
            ignored.

    Returns:
        The same shots, without those boards, and with their kinds added to `illegal_kinds`.
    """
    kinds = dict(decoded.illegal_kinds)
    for board, number in decoded.counts().items():
        if board in impossible and number:
            kinds[impossible[board]] = kinds.get(impossible[board], 0) + number
    boards = tuple(board for board in decoded.boards if board not in impossible)
    place = {board: number for number, board in enumerate(boards)}
    # The two failures are the last two entries, so that indices -1 and -2 find themselves.
    moves = [*(place.get(board, ILLEGAL) for board in decoded.boards), ILLEGAL, HERALD_FAILED]
    moved = np.array(moves, dtype=np.int64)
    return Decoded(boards, moved[decoded.index], kinds)
