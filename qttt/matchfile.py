"""The games of a match in a file, one a line as they are finished, so that a stopped match can go on.

The first line says who plays, by which rules and with which seed; every further line is a game. Lines are
JSON objects. A file that a match has gone on with is the same, byte by byte, as one written without a stop.
"""

import json
import os
from pathlib import Path
from typing import Any, Self

from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.files import MAX_BYTES, FileError
from qttt.rules import Rules
from qttt.selfplay import Match, Played
from qttt.symbols import Symbol
from qttt.verdict import Result

FORMAT = 1


class MatchFileError(QtttError):
    """A file that is not the record of this match."""


class MatchFile:
    """A match's file, opened to add games.

    Attributes:
        path: where it is.
        played: the games that it already held.
    """

    def __init__(self, path: Path, match: Match) -> None:
        """Open a file, or begin one.

        Args:
            path: where it is, or will be.
            match: the match whose games it holds.

        Raises:
            MatchFileError: it holds something else, or another match.
            FileError: it cannot be read or written.
        """
        self.path = path
        first = _line(match_header(match))
        try:
            content = path.read_bytes() if path.exists() else b""
            self.played, kept = _read(path, content, first)
            self._file = path.open("r+b" if path.exists() else "w+b")
            self._file.truncate(kept)
            self._file.seek(kept)
            if not kept:
                self._write(first)
        except OSError as error:
            raise FileError(str(path), f"cannot write the games to {path}: {error.strerror}") from error

    def add(self, played: Played) -> None:
        """Add a game; it is on its way to the disk when this returns.

        Raises:
            FileError: it cannot be written.
        """
        try:
            self._write(_line(played_line(played)))
        except OSError as error:
            raise FileError(
                str(self.path), f"cannot write the games to {self.path}: {error.strerror}"
            ) from error

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def __enter__(self) -> Self:
        """The open file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, everything on the disk."""
        os.fsync(self._file.fileno())
        self._file.close()


def match_header(match: Match) -> dict[str, Any]:
    """The first line of a match's file."""
    return {
        "format": FORMAT,
        "x": match.x,
        "o": match.o,
        "level": match.rules.level.number,
        "options": str(match.rules.options),
        "first": str(match.first),
        "alternate": match.alternate,
        "backend": match.backend,
        "seed": match.seed,
    }


def played_line(played: Played) -> dict[str, Any]:
    """The line of a game."""
    return {
        "game": played.number,
        "first": str(played.first),
        "result": str(played.result),
        "observations": played.observations,
        "record": played.record,
    }


def match_of(path: Path) -> Match | None:
    """The match that a file belongs to; None if there is no such file, or nothing in it.

    Raises:
        MatchFileError: it holds something else.
        FileError: it cannot be read.
    """
    try:
        line = b""
        if path.exists():
            with path.open("rb") as file:
                line = file.readline(MAX_BYTES)
    except OSError as error:
        raise FileError(str(path), f"cannot read {path}: {error.strerror}") from error
    if not line:
        return None
    try:
        entry = json.loads(line)
        if entry["format"] != FORMAT:
            raise ValueError
        return Match(
            str(entry["x"]),
            str(entry["o"]),
            Rules.of(entry["level"], entry["options"]),
            int(entry["seed"]),
            Symbol(entry["first"]),
            bool(entry["alternate"]),
            str(entry["backend"]),
        )
    except (*MALFORMED, UsageError) as error:
        raise MatchFileError(f"{path} does not hold the games of a match, and is left as it is") from error


def _read(path: Path, content: bytes, first: bytes) -> tuple[list[Played], int]:
    """The games in a file, and how many of its bytes are whole lines."""
    if first.startswith(content):
        # Nothing, or a first line that was cut short.
        return [], len(content) if content == first else 0
    if not content.startswith(first):
        match_of(path)
        raise MatchFileError(f"{path} holds the games of another match, and is left as it is")
    played: list[Played] = []
    place = len(first)
    for line in content[place:].splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break  # The program was stopped while it wrote.
        try:
            entry = json.loads(line)
            game = Played(
                int(entry["game"]),
                Symbol(entry["first"]),
                Result(entry["result"]),
                int(entry["observations"]),
                str(entry["record"]),
            )
        except MALFORMED as error:
            raise MatchFileError(
                f"{path}, line {len(played) + 2}: this is no game of a match; the file is left as it is"
            ) from error
        if game.number != len(played):
            raise MatchFileError(
                f"{path}, line {len(played) + 2}: game {len(played)} should be here, and {game.number} is"
            )
        played.append(game)
        place += len(line)
    return played, place


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
