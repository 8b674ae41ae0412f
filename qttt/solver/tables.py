"""The solver's tables: values of positions in a compact file, checksummed, with how it was made.

A file is a line of JSON and a compressed payload. The payload holds the keys in ascending order, then the
values, then the tie probabilities, each column byte by byte (first bytes first), which compresses best. The
keys are those of ``search.position_key``.
"""

import hashlib
import json
import lzma
import sys
from array import array
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from qttt.errors import MALFORMED, QtttError
from qttt.solver.boards import Pair

FORMAT = 1
_MOST_BYTES = 1 << 26
# A dictionary of 1 MiB packs as well as one of 64, in a fiftieth of the memory.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 20}]
FOLDER = Path(__file__).with_name("tables")


class TableError(QtttError):
    """A table of the solver is missing, damaged, or of another version.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        """Name the file and the reason."""
        self.path = path
        super().__init__(
            f"the solver's table {path.name} {reason}; qttt solve --recompute solves the level anew"
        )


class Table:
    """Values of positions, looked up by key.

    Attributes:
        about: the first line of the file: level, counts, stated error, and how it was made.
        least_empty: positions with at least so many empty squares are all in the table.
    """

    def __init__(
        self, about: dict[str, Any], keys: bytes, values: "array[float]", ties: "array[float]"
    ) -> None:
        """Take the columns as they are in the file: keys of equal width, ascending."""
        self.about = about
        self.least_empty = int(about["least_empty"])
        self._width = int(about["key_bytes"])
        self._keys, self._values, self._ties = keys, values, ties

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> Pair | None:
        """The value and tie probability of a position, or None if the table does not hold it."""
        keys, width = self._keys, self._width
        low, high = 0, len(self._values)
        while low < high:
            middle = (low + high) // 2
            if keys[middle * width : middle * width + width] < key:
                low = middle + 1
            else:
                high = middle
        if keys[low * width : low * width + width] != key:
            return None
        return self._values[low], self._ties[low]

    def items(self) -> list[tuple[bytes, Pair]]:
        """Every key with its value, ascending."""
        width = self._width
        keys = [self._keys[place : place + width] for place in range(0, len(self._keys), width)]
        return list(zip(keys, zip(self._values, self._ties, strict=True), strict=True))


def table_path(level: int) -> Path:
    """Where the table of a level is shipped."""
    return FOLDER / f"level{level}.table"


def pack_table(positions: Mapping[bytes, Pair], about: Mapping[str, Any]) -> bytes:
    """A table as a file's content.

    Args:
        positions: value and tie probability by key; the keys have one length.
        about: what the first line says beside the format, the counts and the checksum; ``level`` and
            ``least_empty`` must be there.
    """
    keys = sorted(positions)
    width = len(keys[0])
    columns = [b"".join(keys)]
    columns += [_little(array("d", (positions[key][index] for key in keys))) for index in (0, 1)]
    payload = b"".join(_transposed(column, size) for column, size in zip(columns, (width, 8, 8), strict=True))
    line = {
        "format": FORMAT,
        **about,
        "positions": len(keys),
        "key_bytes": width,
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(line).encode() + b"\n" + lzma.compress(payload, filters=_FILTERS)


def unpack_table(content: bytes, path: Path) -> Table:
    """Read a file's content and verify its checksum.

    Args:
        content: what ``pack_table`` made.
        path: the file, for error messages.

    Raises:
        TableError: it is damaged, or another version wrote it.
    """
    line, _, packed = content.partition(b"\n")
    try:
        about = json.loads(line)
        if about["format"] != FORMAT:
            raise TableError(path, f"has format {str(about['format'])[:20]}, and this program reads {FORMAT}")
        count, width = int(about["positions"]), int(about["key_bytes"])
        int(about["least_empty"])
        checksum = about["sha256"]
        size = count * (width + 16)
        if min(count, width) < 0 or size > _MOST_BYTES:
            raise TableError(path, "is damaged")
        # No more than is announced: a few bytes of lzma can stand for gigabytes.
        decompressor = lzma.LZMADecompressor(memlimit=2 * _MOST_BYTES)
        payload = decompressor.decompress(packed, size + 1)
    except (*MALFORMED, EOFError, lzma.LZMAError) as error:
        raise TableError(path, "is damaged") from error
    if hashlib.sha256(payload).hexdigest() != checksum or len(payload) != size or not decompressor.eof:
        raise TableError(path, "is damaged: its checksum does not fit")
    cut = count * width
    values, ties = (_doubles(payload[start : start + 8 * count]) for start in (cut, cut + 8 * count))
    return Table(about, _untransposed(payload[:cut], width), values, ties)


def read_table(path: Path) -> Table:
    """Read a table file.

    Raises:
        TableError: there is none, it is damaged, or another version wrote it.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TableError(path, f"cannot be read ({error.strerror})") from error
    return unpack_table(content, path)


@cache
def shipped_table(level: int) -> Table:
    """The table of a level that comes with the package, read once.

    Raises:
        TableError: it cannot be used.
    """
    return read_table(table_path(level))


def _transposed(column: bytes, width: int) -> bytes:
    return b"".join(column[index::width] for index in range(width))


def _untransposed(column: bytes, width: int) -> bytes:
    count = len(column) // width
    plain = bytearray(len(column))
    for index in range(width):
        plain[index::width] = column[index * count : (index + 1) * count]
    return bytes(plain)


def _little(numbers: "array[float]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _doubles(column: bytes) -> "array[float]":
    numbers = array("d", _untransposed(column, 8))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
