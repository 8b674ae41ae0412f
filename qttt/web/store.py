"""Where rooms are kept: one table of events that only ever grows, in a SQLite file."""

import os
import sqlite3
from pathlib import Path
from typing import Protocol

from qttt.storage import FileError

SCHEMA = 1
"""The version of the table, in the file's ``user_version``."""

_TABLE = """
CREATE TABLE IF NOT EXISTS event (
    room TEXT NOT NULL, n INTEGER NOT NULL, token TEXT NOT NULL, PRIMARY KEY (room, n)
) WITHOUT ROWID
"""


class Store(Protocol):
    """What keeps the events of rooms: number 0 is the record that a room begins with, then its log."""

    def append(self, room: str, n: int, token: str) -> None:
        """Keep one event for good before anybody is told of it.

        Args:
            room: the room's name; the empty one is the server's own.
            n: its number, the next one of the room.
            token: its text.

        Raises:
            FileError: it could not be kept, or that number is taken; what was there is as it was.
        """
        ...

    def load(self, room: str) -> list[str]:
        """All events of a room in order; none if there is no such room.

        Raises:
            FileError: they cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class SqliteStore:
    """A store in a file, which no other process can use at the same time."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            FileError: it cannot be made or read, another server has it, or it is of a later version.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # It holds the secret that all keys are made with.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise FileError(path, f"cannot open {path}: {(error.strerror or str(error)).lower()}") from error
        try:
            # Every statement is a transaction of its own.
            self._base = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
            try:
                self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._base.execute("PRAGMA journal_mode = WAL")
                self._base.execute("PRAGMA synchronous = FULL")
                (version,) = self._base.execute("PRAGMA user_version").fetchone()
                if version > SCHEMA:
                    raise FileError(path, f"{path} was written by a later version of this program")
                self._base.execute("BEGIN EXCLUSIVE")
                self._base.execute(_TABLE)
                self._base.execute(f"PRAGMA user_version = {SCHEMA}")
                self._base.execute("COMMIT")
            except BaseException:
                self._base.close()
                raise
        except sqlite3.Error as error:
            raise self._failed("open", error) from error

    def _failed(self, what: str, error: sqlite3.Error) -> FileError:
        reason = str(error)
        if "locked" in reason:
            reason = "another qttt serve uses it"
        return FileError(self.path, f"cannot {what} {self.path}: {reason}")

    def append(self, room: str, n: int, token: str) -> None:
        """Keep one event; it is on the disk when this returns."""
        try:
            self._base.execute("INSERT INTO event (room, n, token) VALUES (?, ?, ?)", (room, n, token))
        except sqlite3.Error as error:
            raise self._failed("write to", error) from error

    def load(self, room: str) -> list[str]:
        """All events of a room in order."""
        try:
            rows = self._base.execute("SELECT token FROM event WHERE room = ? ORDER BY n", (room,)).fetchall()
        except sqlite3.Error as error:
            raise self._failed("read", error) from error
        return [token for (token,) in rows]

    def close(self) -> None:
        """Close the file."""
        self._base.close()
