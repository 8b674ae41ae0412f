"""Table files: written and read without loss, and refused when they are not what was written."""

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from qttt.game.rules import LEVELS, Rules
from qttt.solver import tables
from qttt.solver.probe import is_solved
from qttt.solver.tables import (
    FORMAT,
    STORED_ERROR,
    TableError,
    pack_table,
    read_table,
    table_for,
    table_path,
    unpack_table,
)

POSITIONS = {b"abc": (0.5, 0.25), b"aab": (-1.0, 0.0), b"zzz": (0.1, 0.7)}
ABOUT = {"level": 2, "least_empty": 1, "states": 3}
SOLVED = [level.number for level in LEVELS if is_solved(Rules(level))]


def test_what_is_written_is_read() -> None:
    table = unpack_table(pack_table(POSITIONS, ABOUT), Path("t"))
    for key, pair in POSITIONS.items():
        assert table.get(key) == pytest.approx(pair, abs=STORED_ERROR)
    # What a double holds in few digits is stored as it is.
    assert [table.get(key) for key in (b"abc", b"aab")] == [(0.5, 0.25), (-1.0, 0.0)]
    assert [table.get(key) for key in (b"aaa", b"abd", b"zzzz", b"\xff\xff\xff")] == [None] * 4
    assert table.about["states"] == 3
    assert len(table) == 3


def test_many_positions_are_told_apart_and_others_are_not_there() -> None:
    rng = Random(4)
    positions = {rng.randbytes(23): (rng.uniform(-1, 1), rng.random()) for _ in range(20_000)}
    table = unpack_table(pack_table(positions, ABOUT), Path("t"))
    assert len(table) == len(positions)
    for key, pair in positions.items():
        assert table.get(key) == pytest.approx(pair, abs=STORED_ERROR)
    assert not any(table.get(rng.randbytes(23)) for _ in range(2000))


def test_positions_of_equal_hash_are_given_other_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With three bits of hash a position, most salts will not do."""
    real = tables._hashed

    def short(key: bytes, salt: bytes, shift: int) -> tuple[int, bytes]:
        bucket, mark = real(key, salt, shift)
        return bucket, bytes([mark[0] & 7, 0, 0])

    monkeypatch.setattr(tables, "_hashed", short)
    positions = {bytes([key]): (key / 8 - 1, 0.0) for key in range(6)}
    table = unpack_table(pack_table(positions, ABOUT), Path("t"))
    assert table.about["salt"] > 0
    assert {key: table.get(key) for key in positions} == positions


def test_a_table_may_be_empty() -> None:
    table = unpack_table(pack_table({}, ABOUT), Path("t"))
    assert (len(table), table.get(b"abc")) == (0, None)


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "level2.table"
    content = pack_table(POSITIONS, ABOUT)
    head, _, _ = content.partition(b"\n")
    other = pack_table(POSITIONS | {b"abc": (0.5, 0.26)}, ABOUT).partition(b"\n")[2]
    for bad, reason in (
        (content[:-9], "is damaged"),
        (head + b"\n" + other, "checksum"),
        (content.replace(b'"format": 2', b'"format": 9'), "has format 9, and this program reads 2"),
        (content.replace(b'"positions": 3', b'"positions": 2'), "is damaged"),
        (b"[]\n", "is damaged"),
        (b"", "is damaged"),
    ):
        path.write_bytes(bad)
        with pytest.raises(TableError, match=reason):
            read_table(path)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"level7\.table cannot be read"):
        read_table(tmp_path / "level7.table")


@pytest.mark.parametrize("level", SOLVED)
def test_shipped_tables_are_small_and_say_how_they_were_made(level: int) -> None:
    table = table_for(Rules.of(level))
    assert len(table_path(Rules.of(level)).read_bytes()) < 8_000_000
    assert table.about["level"] == level
    assert table.about["made_by"] == f"qttt solve --level {level} --recompute"
    assert table.about["states"] >= len(table) > 0
    assert table.about["seconds"] > 0


def test_every_level_is_solved() -> None:
    assert SOLVED == [0, 1, 2, 3, 4, 5]


def header(**changes: Any) -> bytes:
    line = {
        "format": FORMAT,
        "level": 1,
        "least_empty": 3,
        "positions": 0,
        "pairs": 0,
        "bucket_bits": 0,
        "index_bytes": 1,
        "salt": 0,
        "sha256": hashlib.sha256(bytes(1)).hexdigest(),
    }
    return json.dumps(
        {key: value for key, value in {**line, **changes}.items() if value is not None}
    ).encode()


ENTRIES = (
    "format",
    "least_empty",
    "positions",
    "pairs",
    "bucket_bits",
    "index_bytes",
    "salt",
    "sha256",
)


@pytest.mark.parametrize("key", ENTRIES)
def test_a_table_without_one_of_its_entries_is_damaged(key: str) -> None:
    with pytest.raises(TableError, match=r"some\.table is damaged; qttt solve --recompute"):
        unpack_table(header(**{key: None}) + b"\n" + bytes(1), Path("some.table"))


@pytest.mark.parametrize(
    "line",
    [
        *(b"[]", b"7", b"null", b'"x"', b"[" * 100_000),
        *(header(**{key: number}) for key in ENTRIES[2:6] for number in (-1, 10**18)),
        *(header(positions=5, pairs=-3), header(salt=10**30), header(index_bytes=0), header(least_empty="x")),
    ],
)
def test_a_table_whose_first_line_is_something_else_is_damaged(line: bytes) -> None:
    with pytest.raises(TableError, match="is damaged"):
        unpack_table(line + b"\n" + bytes(1), Path("some.table"))


def test_a_table_that_says_more_than_it_holds_is_refused() -> None:
    assert len(unpack_table(header() + b"\n" + bytes(1), Path("some.table"))) == 0
    content = pack_table({b"ab": (0.5, 0.0)}, {"level": 1, "least_empty": 3})
    assert unpack_table(content, Path("some.table")).get(b"ab") == (0.5, 0.0)
    for cut in (content[:-1], content + bytes(1), content.replace(b'"pairs": 1', b'"pairs": 9')):
        with pytest.raises(TableError, match="is damaged"):
            unpack_table(cut, Path("some.table"))
