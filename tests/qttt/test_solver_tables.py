"""Table files: written and read without loss, and refused when they are not what was written."""

from pathlib import Path

import pytest

from qttt.levels import LEVELS
from qttt.rules import Rules
from qttt.solver.probe import is_solved
from qttt.solver.tables import TableError, pack_table, read_table, shipped_table, table_path, unpack_table

POSITIONS = {b"abc": (0.5, 0.25), b"aab": (-1.0, 0.0), b"zzz": (0.1, 0.7)}
ABOUT = {"level": 2, "least_empty": 1, "states": 3}
SOLVED = [level.number for level in LEVELS if is_solved(Rules(level))]


def test_what_is_written_is_read() -> None:
    table = unpack_table(pack_table(POSITIONS, ABOUT), Path("t"))
    assert dict(table.items()) == POSITIONS
    assert [table.get(key) for key in POSITIONS] == list(POSITIONS.values())
    assert [table.get(key) for key in (b"aaa", b"abd", b"zzzz", b"\xff\xff\xff")] == [None] * 4
    assert table.about["states"] == 3
    assert len(table) == 3


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "level2.table"
    content = pack_table(POSITIONS, ABOUT)
    head, _, _ = content.partition(b"\n")
    other = pack_table(POSITIONS | {b"abc": (0.5, 0.26)}, ABOUT).partition(b"\n")[2]
    for bad, reason in (
        (content[:-9], "is damaged"),
        (head + b"\n" + other, "checksum"),
        (content.replace(b'"format": 1', b'"format": 9'), "has format 9, and this program reads 1"),
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
    table = shipped_table(level)
    assert table_path(level).stat().st_size < 2_000_000
    assert table.about["level"] == level
    assert table.about["made_by"] == f"qttt solve --level {level} --recompute"
    assert table.about["states"] >= len(table) > 0
    assert table.about["seconds"] > 0


def test_every_level_is_solved() -> None:
    assert SOLVED == [0, 1, 2, 3, 4, 5]
