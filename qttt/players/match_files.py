"""The games of a match in a file, one a line as they are finished, so that a stopped match can go on.

The first line says who plays, by which rules and with which seed; every further line is a game. Lines are
JSON objects. A file that a match has gone on with is the same, byte by byte, as one written without a stop.

Nothing that a file says is believed. The moves of every game are replayed, and what else its line says must
follow from them. Every line ends with a hash of itself and of the hash before it: one that is changed, taken
out or put in breaks the chain. (Whoever computes all later hashes anew can make another chain, and games
missing at the end are those of a match that was stopped.) Older files have no hashes; they go on without.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from circuits.errors import CircuitsError
from circuits.opening import open_regular
from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.symbols import Symbol
from qttt.observation.observers import named_in_file
from qttt.players.matches import Match, Played
from qttt.records.record import Record
from qttt.storage import MAX_BYTES, FileError

UNCHAINED, CHAINED = 1, 2
"""The formats: lines without hashes, as older versions wrote them, and with."""


class MatchFileError(QtttError):
    """A file that is not the record of this match.

    Attributes:
        path: the file.
        line: 1-based line of what is wrong, 0 if it has no place.
        reason: what is wrong.
    """

    def __init__(self, path: Path, line: int, reason: str) -> None:
        """Name the file, the line and the reason."""
        self.path = path
        self.line = line
        self.reason = reason
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path} {reason}")


@dataclass(slots=True)
class Chain:
    """Lines of a file, each hashed together with those before it.

    Attributes:
        chained: False for the lines of older files, without hashes.
        last: the hash of the line before, in hexadecimal digits; empty at the beginning.
    """

    chained: bool = True
    last: str = ""

    def line(self, entry: dict[str, Any]) -> bytes:
        """The next line, with its line feed.

        Args:
            entry: what it says, without the hash.
        """
        text = json.dumps(entry, ensure_ascii=False)
        if self.chained:
            self.last = hashlib.sha256(f"{self.last}{text}".encode()).hexdigest()
            text = json.dumps({**entry, "hash": self.last}, ensure_ascii=False)
        return f"{text}\n".encode()


@dataclass(frozen=True, slots=True)
class MatchGames:
    """What a match's file holds, replayed.

    Attributes:
        match: the match.
        played: its games.
        chain: where the next line goes on.
        kept: how many bytes the whole lines have.
        cut: there are more: a line that was being written when the program was stopped.
    """

    match: Match
    played: list[Played]
    chain: Chain
    kept: int
    cut: bool


class MatchFile:
    """A match's file, opened to add games.

    Attributes:
        path: where it is.
        played: the games that it already held.
        chained: its lines have hashes.
    """

    def __init__(self, path: Path, match: Match, notify: Callable[[int, int], None] | None = None) -> None:
        """Open a file, or begin one.

        Args:
            path: where it is, or will be.
            match: the match whose games it holds.
            notify: told how many games of how many in the file are replayed.

        Raises:
            MatchFileError: it holds something else, another match, or games that were changed.
            FileError: it cannot be read or written.
        """
        self.path = path
        self.played: list[Played] = []
        self._chain, kept = Chain(), 0
        first = self._chain.line(match_header(match))
        if not _begins(path, match):
            found = read_match(path, notify)
            if found.match != match:
                raise MatchFileError(path, 0, "holds the games of another match, and is left as it is")
            self.played, self._chain, kept = found.played, found.chain, found.kept
        self.chained = self._chain.chained
        try:
            new = not path.exists()
            # Without a buffer, which would try again later to write what a full disk did not take.
            self._file = open(path, "x+b" if new else "r+b", 0, opener=open_regular)  # noqa: SIM115
            try:
                self._file.truncate(kept)
                self._file.seek(kept)
                if not kept:
                    self._write(first)
            except BaseException:
                self._file.close()
                if new:
                    path.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise _unwritable(path, error) from error

    def add(self, played: Played) -> None:
        """Add a game; it is on its way to the disk when this returns.

        Raises:
            FileError: it cannot be written.
        """
        try:
            self._write(self._chain.line(played_line(played)))
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _write(self, line: bytes) -> None:
        """Add a line, or nothing: what a full disk has taken of it is removed."""
        place = self._file.tell()
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(place)
            self._file.seek(place)
            raise

    def __enter__(self) -> Self:
        """The open file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, everything on the disk."""
        os.fsync(self._file.fileno())
        self._file.close()


def match_lines(match: Match, games: Iterable[Played], *, chained: bool = True) -> Iterator[bytes]:
    """The lines of a match's file, as `MatchFile` writes them."""
    chain = Chain(chained)
    yield chain.line(match_header(match, chained=chained))
    for played in games:
        yield chain.line(played_line(played))


def match_header(match: Match, *, chained: bool = True) -> dict[str, Any]:
    """The first line of a match's file, without its hash."""
    return {
        "format": CHAINED if chained else UNCHAINED,
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
    """The line of a game, without its hash."""
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
    line = _beginning(path, MAX_BYTES)
    return _match(path, line)[0] if line else None


def read_match(path: Path, notify: Callable[[int, int], None] | None = None) -> MatchGames:
    """Read a match's file, and replay every game in it.

    Args:
        path: where it is.
        notify: told how many games of how many are replayed, after each.

    Raises:
        MatchFileError: it holds something else, or a line says what does not follow from the moves of its
            game, or does not follow the lines before it.
        FileError: it cannot be read.
    """
    try:
        with open(path, "rb", opener=open_regular) as file:
            content = file.read()
    except OSError as error:
        raise _unreadable(path, error) from error
    first, *lines = content.splitlines(keepends=True) or [b""]
    match, chain = _match(path, first)
    _follow(path, 1, first, chain, match_header(match, chained=chain.chained))
    cut = bool(lines) and not lines[-1].endswith(b"\n")
    if cut:
        lines.pop()
    played: list[Played] = []
    kept = len(first)
    for line in lines:
        try:
            game = _replayed(match, len(played), line)
        except QtttError as error:
            raise MatchFileError(path, len(played) + 2, str(error)) from error
        _follow(path, len(played) + 2, line, chain, played_line(game))
        played.append(game)
        kept += len(line)
        if notify is not None:
            notify(len(played), len(lines))
    return MatchGames(match, played, chain, kept, cut)


def _match(path: Path, line: bytes) -> tuple[Match, Chain]:
    """The match that a first line tells of, and the chain that may begin with it."""
    try:
        entry = json.loads(line)
        chained = {CHAINED: True, UNCHAINED: False}[entry["format"]]
        match = Match(
            str(entry["x"]),
            str(entry["o"]),
            Rules.of(entry["level"], entry["options"]),
            int(entry["seed"]),
            Symbol(entry["first"]),
            bool(entry["alternate"]),
            named_in_file(str(entry["backend"])),
        )
    except MALFORMED as error:
        raise MatchFileError(path, 0, "does not hold the games of a match, and is left as it is") from error
    except (UsageError, CircuitsError) as error:
        raise MatchFileError(path, 1, str(error)) from error
    return match, Chain(chained)


def _follow(path: Path, number: int, line: bytes, chain: Chain, entry: dict[str, Any]) -> None:
    """Hold a line against the one that a match would have written there."""
    if line != chain.line(entry):
        reason = "this is not what a match writes"
        if chain.chained:
            reason = "its hash does not follow: this line or one before it was changed"
        raise MatchFileError(path, number, reason)


def _replayed(match: Match, number: int, line: bytes) -> Played:
    """The game on a line, if everything that the line says follows from the moves.

    Raises:
        QtttError: it does not, and why.
    """
    try:
        entry = json.loads(line)
        said = Played(
            int(entry["game"]),
            Symbol(entry["first"]),
            Result(entry["result"]),
            int(entry["observations"]),
            str(entry["record"]),
        )
    except MALFORMED as error:
        raise UsageError("this is no game of a match; the file is left as it is") from error
    if said.number != number:
        raise UsageError(f"game {number} should be here, and {said.number} is")
    game = Record.parse(said.record).game()
    if game.rules != match.rules:
        raise UsageError("the game was played by other rules than those of the match")
    if game.first is not match.starts(number):
        raise UsageError(f"{game.first} starts in the record, and {match.starts(number)} does in the match")
    # Computers agree on no draws and do not resign.
    if game.settlement or not game.over:
        raise UsageError("the moves do not come to the end of the game")
    true = Played.of(match, number, game)
    for name in ("first", "result", "observations"):
        if getattr(said, name) != getattr(true, name):
            raise UsageError(f"{name} is {getattr(said, name)} here, and {getattr(true, name)} by the moves")
    if said.record != true.record:
        raise UsageError("the record is not as this match writes it")
    return true


def _begins(path: Path, match: Match) -> bool:
    """Whether there is no file, nothing in it, or a first line of the match that was cut short."""
    firsts = [next(match_lines(match, (), chained=chained)) for chained in (True, False)]
    found = _beginning(path, max(map(len, firsts)))
    return any(found != first and first.startswith(found) for first in firsts)


def _beginning(path: Path, most: int) -> bytes:
    """The first line of a file, as far as so many bytes; empty if there is no file."""
    try:
        if not path.exists():
            return b""
        with open(path, "rb", opener=open_regular) as file:
            return file.readline(most)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> FileError:
    return FileError(path, f"cannot read {path}: {error.strerror}")


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(path, f"cannot write the games to {path}: {error.strerror}")
