"""The solver's tables: values of positions in a compact file, checksummed, with how it was made.

A file is a line of JSON and a payload that is read as it stands: nothing is unpacked, so that a question is
answered at once. Positions are known by a hash of their key (that of ``search.position_key``). Its first bits
choose a bucket; the payload holds how many positions each bucket has, then for each position three more bytes
of its hash, then for each the number of its value in a list, and then that list. The maker sees to it that no
two positions of a table have equal hashes. A position that is not in the table may be taken for one that is,
with a chance of one in four millions; the solver asks for none.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import Any

from qttt.errors import MALFORMED, QtttError
from qttt.game.rules import Rules
from qttt.solver.boards import Pair
from qttt.storage import save_file, user_folder

FORMAT = 2
#: Values and tie probabilities are stored as multiples of this: dyadic ones as they are.
STEP = 2.0**-38
#: What a stored number may be off by.
STORED_ERROR = STEP / 2
#: Where the tables ship: a folder, or a place in a zip that the program runs from.
FOLDER = files("qttt.solver") / "tables"
_MOST_BUCKET_BITS = 24
_HASH_BYTES = 8
_PRINT_BYTES = 3
_NUMBER_BYTES = 5
_PAIR_BYTES = 2 * _NUMBER_BYTES
#: Positions a bucket, and buckets after which the place of the next is written down.
_BUCKET_SIZE = 4
_STRIDE = 64


class TableError(QtttError):
    """A table of the solver is missing, damaged, or of another version.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Traversable, reason: str) -> None:
        """Name the file and the reason."""
        self.path = path
        super().__init__(
            f"the solver's table {path.name} {reason}; qttt solve --recompute solves the level anew"
        )


class ValueTable:
    """Values of positions, looked up by key.

    Attributes:
        about: the first line of the file: level, counts, stated error, and how it was made.
        least_empty: positions with at least so many empty squares are all in the table.
    """

    def __init__(self, about: dict[str, Any], payload: bytes) -> None:
        """Take the first line and the payload of a file.

        Raises:
            ValueError: they do not fit together.
        """
        self.about = about
        self.least_empty = int(about["least_empty"])
        self._salt = int(about["salt"]).to_bytes(_HASH_BYTES, "little")
        self._length, pairs = int(about["positions"]), int(about["pairs"])
        bits, self._index_bytes = int(about["bucket_bits"]), int(about["index_bytes"])
        if min(self._length, pairs) < 0 or not 0 <= bits <= _MOST_BUCKET_BITS:
            raise ValueError(about)
        if not 1 <= self._index_bytes <= _HASH_BYTES:
            raise ValueError(about)
        self._shift = 8 * _HASH_BYTES - bits
        self._prints = 1 << bits
        self._indices = self._prints + _PRINT_BYTES * self._length
        self._pairs = self._indices + self._index_bytes * self._length
        if len(payload) != self._pairs + _PAIR_BYTES * pairs:
            raise ValueError(about)
        self._payload = payload
        self._starts = [0]
        for bucket in range(0, self._prints, _STRIDE):
            self._starts.append(self._starts[-1] + sum(payload[bucket : min(bucket + _STRIDE, self._prints)]))
        if self._starts[-1] != self._length:
            raise ValueError(about)

    def __len__(self) -> int:
        return self._length

    def get(self, key: bytes) -> Pair | None:
        """The value and tie probability of a position, or None if the table does not hold it."""
        payload = self._payload
        bucket, mark = _hashed(key, self._salt, self._shift)
        near = bucket - bucket % _STRIDE
        place = self._starts[near // _STRIDE] + sum(payload[near:bucket])
        for found in range(place, place + payload[bucket]):
            start = self._prints + _PRINT_BYTES * found
            if payload[start : start + _PRINT_BYTES] == mark:
                width = self._index_bytes
                start = self._indices + width * found
                index = int.from_bytes(payload[start : start + width], "little")
                start = self._pairs + _PAIR_BYTES * index
                value = payload[start : start + _NUMBER_BYTES]
                tie = payload[start + _NUMBER_BYTES : start + _PAIR_BYTES]
                return (
                    int.from_bytes(value, "little", signed=True) * STEP,
                    int.from_bytes(tie, "little", signed=True) * STEP,
                )
        return None


def _hashed(key: bytes, salt: bytes, shift: int) -> tuple[int, bytes]:
    """The bucket of a key, and the further bytes of its hash by which it is known there."""
    digest = hashlib.blake2b(key, digest_size=_HASH_BYTES, salt=salt).digest()
    return int.from_bytes(digest, "little") >> shift, digest[:_PRINT_BYTES]


def table_path(rules: Rules) -> Traversable:
    """Where the table of a level with its options is: it ships, or is in the user's folder once made."""
    name = "-".join([f"level{rules.level.number}", *filter(None, str(rules.options).split(","))]) + ".table"
    shipped = FOLDER / name
    return shipped if shipped.is_file() else user_folder("cache") / f"tables-{FORMAT}" / name


def pack_table(positions: Mapping[bytes, Pair], about: Mapping[str, Any]) -> bytes:
    """A table as a file's content.

    Args:
        positions: value and tie probability by key.
        about: what the first line says beside the format, the counts and the checksum; ``level`` and
            ``least_empty`` must be there.
    """
    bits = max(0, (len(positions) // _BUCKET_SIZE).bit_length() - 1)
    pairs = sorted({_stored(pair) for pair in positions.values()})
    index_bytes = max(1, (len(pairs).bit_length() + 7) // 8)
    salt, rows = _rows(positions, pairs, bits, 8 * index_bytes)
    counts, marks, indices = bytearray(1 << bits), bytearray(), bytearray()
    for row in rows:
        place, index = divmod(row, 1 << 8 * index_bytes)
        bucket, mark = divmod(place, 1 << 8 * _PRINT_BYTES)
        counts[bucket] += 1
        marks += mark.to_bytes(_PRINT_BYTES, "big")
        indices += index.to_bytes(index_bytes, "little")
    payload = b"".join((counts, marks, indices, *pairs))
    line = {
        "format": FORMAT,
        **about,
        "positions": len(positions),
        "pairs": len(pairs),
        "bucket_bits": bits,
        "index_bytes": index_bytes,
        "salt": salt,
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(line).encode() + b"\n" + payload


def _rows(
    positions: Mapping[bytes, Pair], pairs: list[bytes], bits: int, index_bits: int
) -> tuple[int, list[int]]:
    """The first salt with which no two keys have equal hashes, and a number for each position, ascending.

    The number is the bucket, then the further bytes of the hash, then the index of the value: it takes a good
    deal less memory than three would.
    """
    numbers = {pair: number for number, pair in enumerate(pairs)}
    salt = 0
    while True:
        seed, rows = salt.to_bytes(_HASH_BYTES, "little"), []
        for key, pair in positions.items():
            bucket, mark = _hashed(key, seed, 8 * _HASH_BYTES - bits)
            place = bucket << 8 * _PRINT_BYTES | int.from_bytes(mark, "big")
            rows.append(place << index_bits | numbers[_stored(pair)])
        rows.sort()
        if all(one >> index_bits != next_ >> index_bits for one, next_ in pairwise(rows)):
            return salt, rows
        salt += 1


def _stored(pair: Pair) -> bytes:
    return b"".join(round(number / STEP).to_bytes(_NUMBER_BYTES, "little", signed=True) for number in pair)


def unpack_table(content: bytes, path: Traversable) -> ValueTable:
    """Read a file's content and verify its checksum.

    Args:
        content: what ``pack_table`` made.
        path: the file, for error messages.

    Raises:
        TableError: it is damaged, or another version wrote it.
    """
    line, _, payload = content.partition(b"\n")
    try:
        about = json.loads(line)
        if about["format"] != FORMAT:
            raise TableError(path, f"has format {str(about['format'])[:20]}, and this program reads {FORMAT}")
        if hashlib.sha256(payload).hexdigest() != about["sha256"]:
            raise TableError(path, "is damaged: its checksum does not fit")
        return ValueTable(about, payload)
    except MALFORMED as error:
        raise TableError(path, "is damaged") from error


def read_table(path: Traversable) -> ValueTable:
    """Read a table file.

    Raises:
        TableError: there is none, it is damaged, or another version wrote it.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TableError(path, f"cannot be read ({error.strerror or 'no such file'})") from error
    return unpack_table(content, path)


def keep_table(rules: Rules, content: bytes) -> None:
    """Keep a table that does not ship in the user's folder, for all who ask for it later.

    Raises:
        FileError: it cannot be written.
    """
    path = table_path(rules)
    if isinstance(path, Path) and path != FOLDER / path.name:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        save_file(path, content)


@cache
def table_for(rules: Rules) -> ValueTable:
    """The table of a level with its options, read once.

    Raises:
        TableError: there is none, or it cannot be used.
    """
    return read_table(table_path(rules))
