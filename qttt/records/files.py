"""Where a record comes from: an argument, standard input or a file; and its way back to a file."""

import codecs
import os
import re
import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from qttt.errors import QtttError, RecordError
from qttt.game.moves import SIGNS
from qttt.records.merge import merged
from qttt.records.record import Record
from qttt.records.text import COMMENT_PATTERN, HEADER_PATTERN
from qttt.storage import MAX_BYTES, FileError, read_file, save_file, save_new_file, unreadable_input

STANDARD_INPUT = "-"
# Nothing but the characters of tokens and move numbers, white space, headers and comments (notation.md).
_RECORD_TEXT = re.compile(rf"(?:[0-9{SIGNS}~=XO.#:rsp?\s]|{HEADER_PATTERN}|{COMMENT_PATTERN})*+", re.ASCII)
_MEANT_AS_RECORD = re.compile(r"\s*[0-9~=?\[{]", re.ASCII)


# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


class RecordChangedError(FileError):
    """A file has come to hold something else than the game that is to be saved; it is as it was."""


def names_file(argument: str) -> bool:
    """Whether a RECORD argument is a file name rather than ``-`` or a record itself."""
    return argument != STANDARD_INPUT and not _RECORD_TEXT.fullmatch(argument)


def read_record(argument: str, stdin: TextIO | None = None) -> Record:
    """Read the record that a RECORD argument means (notation.md, "Commands").

    Args:
        argument: ``-`` for standard input; a record, if the text is made of nothing but token characters,
            white space, headers and comments; else a file name.
        stdin: standard input; None for the process's own.

    Raises:
        RecordError: text that is no record.
        FileError: a file, or the standard input, that cannot be read.
    """
    if argument == STANDARD_INPUT:
        return Record.parse(_read_stdin(sys.stdin if stdin is None else stdin))
    if not names_file(argument):
        try:
            return Record.parse(argument)
        except RecordError as error:
            # Unlike Path.exists this takes any text, one too long for a file name too.
            if os.path.exists(argument):
                hint = f" (for the file of this name write ./{argument})"
                raise QtttError(f"{error}{hint}") from error
            raise
    try:
        return load_record(argument)
    except FileError as error:
        if isinstance(error.__cause__, OSError) and _MEANT_AS_RECORD.match(argument):
            raise FileError(argument, f"{error}; {_why_no_record(argument)}") from error
        raise


def load_record(path: str | Path) -> Record:
    """Read a record from a file; an empty file is the start of a game.

    Raises:
        FileError: the file cannot be read or is larger than a record may be.
        RecordError: its content is no record.
    """
    return Record.parse(_decode(read_file(path)))


def save_record(path: str | Path, record: Record) -> None:
    """Save a record, whole or not at all.

    Raises:
        FileError: it cannot be saved; an old file is as it was.
    """
    save_file(path, _file_text(record))


def save_over(path: str | Path, record: Record, known: Record) -> Record:
    """Save a record over an earlier moment of the same game; what came into the file meanwhile survives.

    Args:
        path: the file. Missing or empty, it gets the record as it is.
        record: the record to be saved.
        known: what the file held when we looked last (``qttt.records.merge``).

    Returns:
        What was saved: the record with the headers and comments that another program has added.

    Raises:
        RecordChangedError: the file holds something else; its message has the record.
        FileError: it cannot be saved; an old file is as it was.
    """
    if os.path.isfile(path) and os.path.getsize(path):
        try:
            whole = merged(record, load_record(path), known)
        except RecordError:
            whole = None
        if whole is None:
            text = " ".join(str(record).split())
            raise RecordChangedError(
                path, f"{path} has come to hold something else and is not written over; the record is: {text}"
            )
        record = whole
    save_record(path, record)
    return record


def start_record(path: str | Path, record: Record) -> None:
    """Save the record of a game that begins, before the first move is made.

    Raises:
        FileError: it cannot be saved, or the file holds something already.
    """
    try:
        used = os.path.getsize(path) > 0
    except OSError:
        used = False
    if used:
        name = shlex.quote(str(path))
        raise FileError(
            path, f"{name} holds something already: go on with it by 'qttt play {name}', or name another file"
        )
    save_record(path, record)


def save_new_record(record: Record, names: Iterable[Path] | None = None) -> str:
    """Save a record under a name that nobody has, whole or not at all.

    Args:
        record: what is saved.
        names: names in the order of preference; None for the time, with a number if that is taken.

    Returns:
        The file's name.

    Raises:
        FileError: it cannot be saved; no file is left behind.
    """
    return str(save_new_file(_timely() if names is None else names, _file_text(record)))


def _timely() -> Iterator[Path]:
    stem = time.strftime("game-%Y%m%d-%H%M%S")
    return (Path(f"{stem}{suffix}.qttt") for suffix in ("", *(f"-{number}" for number in range(2, 1000))))


def _file_text(record: Record) -> str:
    text = str(record)
    return f"{text}\n" if text else ""


def _read_stdin(stdin: TextIO | None) -> str:
    if stdin is None:
        raise FileError(STANDARD_INPUT, "cannot read standard input: it is closed")
    buffer = getattr(stdin, "buffer", None)
    try:
        content = stdin.read(MAX_BYTES + 1) if buffer is None else buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable_input(error) from error
    if len(content) > MAX_BYTES:
        raise RecordError(f"standard input has more than {MAX_BYTES:,} bytes, the most for a record")
    return content if isinstance(content, str) else _decode(content)


def _decode(content: bytes) -> str:
    """Read a record's text: UTF-8, or what a byte-order mark names, as Windows programs write it."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError as error:
                reason = f"this begins as {encoding} text and is damaged at byte {error.start + 1:,}"
                raise RecordError(f"{reason}: save it as UTF-8") from error
    # Without the mark it is a guess, which the user has to make: nearly every character of a record has one
    # byte 0 in UTF-16.
    halves = {"LE": content[1::2], "BE": content[::2]}
    empty = [order for order, half in halves.items() if half.count(0) * 2 > len(half)]
    if len(empty) == 1 and len(content) > 1:
        raise RecordError(
            "this seems to be UTF-16 text without a byte-order mark, and a record is UTF-8: convert it by "
            f"iconv -f UTF-16{empty[0]} -t UTF-8 OLD > NEW"
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        raise RecordError(f"the byte 0x{content[error.start]:02X} is not UTF-8 text", line, column) from error


def _why_no_record(argument: str) -> str:
    try:
        Record.parse(argument)
    except RecordError as error:
        return f"and as a record it cannot be read: {error}"
    return "and as a record it has characters that no token has"
