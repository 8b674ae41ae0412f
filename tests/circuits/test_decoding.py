"""Bits to boards, against a loop that does it one shot at a time."""

from collections import Counter

import numpy as np
import pytest

from circuits.decoding import HERALD_FAILED, ILLEGAL, SYMBOL_ON_EMPTY, Bits, Decoded, Shots, decode, reject
from circuits.errors import DecodingError
from circuits.measurement import Bit, Known, Readout, Source

SEED = 20_260_101


def shots(rows: list[str]) -> Shots:
    """Write shots as 'pos mark flag' in bits, bit 0 first."""
    columns = zip(*(row.split(" ") for row in rows), strict=True)
    return Shots(*(np.array([[bit == "1" for bit in word] for word in words]) for words in columns))


def random_shots(number: int, bits: tuple[int, int, int], rng: np.random.Generator) -> Shots:
    """Make shots whose heralds fire seldom."""
    pos, mark, flag = (rng.random((number, width)) for width in bits)
    return Shots(pos < 0.7, mark < 0.3, flag < 0.1)


def one_by_one(readout: Readout, bits: Shots) -> list[str | int]:
    """Decode without any array arithmetic."""

    def value(source: Source, row: Bits) -> bool:
        return source.value if isinstance(source, Known) else bool(row[source.index])

    found: list[str | int] = []
    for pos, mark, flag in zip(bits.pos, bits.mark, bits.flag, strict=True):
        board, wrong = "", False
        for occupancy, symbol in zip(readout.occupancy, readout.symbol, strict=True):
            full, second = value(occupancy, pos), value(symbol, mark)
            board += ("O" if second else "X") if full else "."
            wrong |= second and not full and isinstance(symbol, Bit) and not readout.masked
        found.append(HERALD_FAILED if flag.any() else ILLEGAL if wrong else board)
    return found


READOUT = Readout(
    (Bit(0), Bit(1), Known(True), Known(False), *map(Bit, (2, 3, 4, 5)), Known(True)),
    (Bit(5), Bit(4), Known(True), Known(True), *map(Bit, (3, 2, 1, 0, 6))),
    (2, 7),
)


@pytest.mark.parametrize("masked", [False, True])
def test_against_one_shot_at_a_time(masked: bool) -> None:
    """Every shot, in order, and all the numbers."""
    readout = Readout(READOUT.occupancy, READOUT.symbol, READOUT.heralds, masked)
    bits = random_shots(3000, (6, 7, 2), np.random.default_rng(SEED))
    expected = one_by_one(readout, bits)
    decoded = decode(readout, bits)
    assert [decoded.boards[i] if i >= 0 else int(i) for i in decoded.index] == expected
    boards = Counter(board for board in expected if isinstance(board, str))
    assert decoded.boards == tuple(sorted(boards))
    assert decoded.counts() == boards
    assert decoded.kept == boards.total()
    assert decoded.herald_failed == expected.count(HERALD_FAILED) > 0
    assert decoded.illegal == expected.count(ILLEGAL)
    assert (decoded.illegal > 0) != masked
    assert decoded.illegal_kinds == ({} if masked else {SYMBOL_ON_EMPTY: decoded.illegal})
    assert decoded.first() == next(board for board in expected if isinstance(board, str))
    assert decoded.kept + decoded.illegal + decoded.herald_failed == len(bits)


TWO = Readout((Bit(0), Bit(1), *[Known(False)] * 7), (Bit(0), Bit(1), *[Known(False)] * 7), (1,))


def test_a_shot_is_counted_once_heralds_first() -> None:
    """An illegal shot whose herald fired counts as a herald's."""
    decoded = decode(TWO, shots(["10 01 1", "10 01 0", "01 01 0", "10 00 0", "01 01 0"]))
    assert decoded.index.tolist() == [HERALD_FAILED, ILLEGAL, 0, 1, 0]
    assert decoded.boards == (".O.......", "X........")
    assert decoded.counts() == {".O.......": 2, "X........": 1}
    assert decoded.first() == ".O......."


def test_no_shots_and_no_bits() -> None:
    """A known board needs no bits, and no shots give no board."""
    nothing = decode(TWO, shots(["10 00 0"])[:0])
    assert (nothing.boards, nothing.kept, nothing.first()) == ((), 0, None)
    known = Readout((Known(True),) * 9, (Known(False),) * 9)
    decoded = decode(known, Shots.from_registers({}, 3))
    assert decoded.counts() == {"XXXXXXXXX": 3}
    assert decode(TWO, shots(["10 00 1"])).first() is None


def test_reject_moves_boards_to_illegal() -> None:
    """The caller's kinds are added to the one known here; failures stay what they were."""
    decoded = decode(TWO, shots(["11 00 0", "10 00 0", "10 01 0", "11 00 1", "11 01 0", "11 00 0"]))
    left = reject(decoded, {"XX.......": "two pieces of one", "XO.......": "parity", "OO.......": "parity"})
    assert left.index.tolist() == [ILLEGAL, 0, ILLEGAL, HERALD_FAILED, ILLEGAL, ILLEGAL]
    assert left.boards == ("X........",)
    assert left.illegal_kinds == {SYMBOL_ON_EMPTY: 1, "two pieces of one": 2, "parity": 1}
    assert left.illegal == sum(left.illegal_kinds.values())
    assert (left.first(), left.kept, left.herald_failed) == ("X........", 1, 1)
    assert decoded.illegal_kinds == {SYMBOL_ON_EMPTY: 1}, "the original must not change"


def test_concatenate_keeps_the_order() -> None:
    """Runs of one circuit are joined one after the other."""
    parts = [shots(["10 00 0", "01 00 0"]), shots(["11 00 0"])]
    joined = Shots.concatenate(parts)
    assert joined.pos.tolist() == [[True, False], [False, True], [True, True]]
    assert len(joined) == 3
    with pytest.raises(DecodingError, match="there are no shots to join"):
        Shots.concatenate([])
    with pytest.raises(DecodingError, match="shots of different circuits cannot be joined"):
        Shots.concatenate([parts[0], shots(["1 00 0"])])


def test_bits_that_do_not_fit() -> None:
    """The message names the register and how many bits it has: one too many is wrong as well."""
    for bits, register, number in (
        ("1 00 0", "pos", 1),
        ("111 00 0", "pos", 3),
        ("00 000 0", "mark", 3),
        ("00 0 0", "mark", 1),
    ):
        with pytest.raises(DecodingError, match=f"reads 2 bits of {register}, and its shots have {number}$"):
            decode(TWO, shots([bits]))
    certain = Readout((Known(True),) * 9, (Known(False),) * 9)
    with pytest.raises(DecodingError, match=r"reads 0 bits of mark, and its shots have 1$"):
        decode(certain, Shots(np.zeros((2, 0), bool), np.zeros((2, 1), bool), np.zeros((2, 0), bool)))
    with pytest.raises(DecodingError, match=r"the registers pos, mark, flag, not 'meas'$"):
        Shots.from_registers({"pos": np.zeros((2, 1), bool), "meas": np.zeros((2, 9), bool)}, 2)
    with pytest.raises(DecodingError, match="a readout has 1 heralds, its shots 2"):
        decode(TWO, shots(["11 00 00"]))
    with pytest.raises(DecodingError, match="need three"):
        Shots(np.zeros((2, 1), bool), np.zeros((3, 1), bool), np.zeros((2, 0), bool))


def test_more_bits_than_a_machine_word() -> None:
    readout = Readout((Known(False),) * 8 + (Bit(69),), (Known(False),) * 8 + (Bit(69),), masked=True)
    pos = np.zeros((2, 70), dtype=np.bool_)
    pos[1, 69] = True
    none = np.zeros((2, 0), dtype=np.bool_)
    assert decode(readout, Shots(pos, pos, none)).boards == ("." * 9, "." * 8 + "O")


def test_shots_that_did_not_count_stay_so_when_boards_are_rejected() -> None:
    """The two marks are the last places of the table that `reject` looks shots up in."""
    assert (HERALD_FAILED, ILLEGAL) == (-1, -2)
    boards = (".X.......", "O........", "X........")
    decoded = Decoded(boards, np.array([2, ILLEGAL, HERALD_FAILED, 1, 0, ILLEGAL]), {"earlier": 2})
    after = reject(decoded, {"O........": "impossible", "OOO......": "never seen"})
    assert after.boards == (".X.......", "X........")
    assert after.index.tolist() == [1, ILLEGAL, HERALD_FAILED, ILLEGAL, 0, ILLEGAL]
    assert (after.kept, after.illegal, after.herald_failed) == (2, 3, 1)
    assert after.illegal_kinds == {"earlier": 2, "impossible": 1}
