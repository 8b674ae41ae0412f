"""The games that somebody has played on this computer, each a record in a folder of the user's."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from qttt.errors import QtttError, UsageError
from qttt.game.symbols import Symbol
from qttt.records.files import load_record, save_new_record, save_record
from qttt.records.record import Record
from qttt.storage import FileError, user_folder

HUMAN = "human"
_SUFFIX = ".qttt"


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game in the library.

    Attributes:
        id: its name there: the time at which it began, and a number if several began then.
        path: its file.
        record: the game.
    """

    id: str
    path: Path
    record: Record

    @property
    def result(self) -> str:
        """``X``, ``O``, ``tie``, or ``*`` for a game that has not ended."""
        return self.record.result

    def player(self, symbol: Symbol) -> str:
        """Who plays a symbol, as the record's headers have it."""
        return self.record.headers.get(str(symbol), HUMAN)

    def summary(self) -> dict[str, object]:
        """Its line in ``qttt games --json``."""
        headers = self.record.headers
        return {
            "id": self.id,
            "date": headers.get("Date", ""),
            "level": self.record.level.number,
            "options": str(self.record.rules.options),
            "X": self.player(Symbol.X),
            "O": self.player(Symbol.O),
            "result": self.result,
            "events": len(self.record.events),
        }


class Library:
    """The kept games.

    Attributes:
        folder: where they are; it is made when the first one is kept.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take a folder, or the user's own."""
        self.folder = user_folder("data") / "games" if folder is None else folder

    def games(self) -> list[KeptGame]:
        """Every game that can be read, the oldest first; what is no record is passed over.

        Raises:
            FileError: the folder cannot be read.
        """
        found = []
        for path in self._paths():
            try:
                kept = KeptGame(path.stem, path, load_record(path))
                kept.summary()
            except (QtttError, ValueError):
                continue
            found.append(kept)
        return found

    def find(self, name: str) -> KeptGame:
        """The game of an id, of the only one that begins so, or with ``last`` the newest.

        Raises:
            UsageError: there is none, or more than one.
            QtttError: it cannot be read.
        """
        names = [path.stem for path in self._paths()]
        fitting = names[-1:] if name == "last" else [one for one in names if one == name]
        fitting = fitting or [one for one in names if name and one.startswith(name)]
        if len(fitting) != 1:
            many = f"{len(fitting)} games begin so" if fitting else "there is no such game"
            raise UsageError(f"{name!r}: {many} (qttt games lists them)")
        path = self.folder / f"{fitting[0]}{_SUFFIX}"
        return KeptGame(fitting[0], path, load_record(path))

    def _paths(self) -> list[Path]:
        """The files, in the order in which their games began; numbers count as numbers."""
        try:
            paths = list(self.folder.glob(f"*{_SUFFIX}"))
        except OSError as error:
            raise FileError(self.folder, f"cannot read {self.folder}: {error.strerror}") from error
        return sorted(paths, key=lambda path: ([int(n) for n in re.findall("[0-9]+", path.stem)], path.stem))

    def delete(self, name: str) -> KeptGame:
        """Remove a game for good.

        Returns:
            The game.

        Raises:
            UsageError: there is none, or more than one.
            FileError: its file cannot be removed.
        """
        kept = self.find(name)
        try:
            kept.path.unlink()
        except OSError as error:
            raise FileError(kept.path, f"cannot delete {kept.path}: {error.strerror}") from error
        return kept

    def holds(self, path: str | Path) -> bool:
        """Whether a file is a kept game's."""
        return Path(path).resolve().parent == self.folder.resolve()


@dataclass(slots=True)
class Keeper:
    """Keeps one game in a library as it is played: a copy beside whatever else the players save.

    A disk that is full or may not be written to never stops play: the first failure is kept in ``problem``
    and the next moment is tried anew.

    Attributes:
        library: where it is kept.
        path: its file, once a move has been kept.
        problem: why it could not be kept the last time; None if it could.
    """

    library: Library
    path: Path | None = None
    problem: FileError | None = field(default=None)

    def keep(self, record: Record) -> None:
        """Keep a moment of the game; before the first event there is nothing to keep."""
        if not record.events:
            return
        try:
            if self.path is None:
                self.library.folder.mkdir(parents=True, exist_ok=True)
                self.path = Path(save_new_record(record, self._names()))
            else:
                save_record(self.path, record)
            self.problem = None
        except FileError as error:
            self.problem = error
        except OSError as error:
            folder = self.library.folder
            self.problem = FileError(folder, f"cannot make the folder {folder}: {error.strerror}")

    def _names(self) -> Iterator[Path]:
        stem = time.strftime("%Y%m%d-%H%M%S")
        yield from (
            self.library.folder / f"{stem}{suffix}{_SUFFIX}"
            for suffix in ("", *(f"-{number}" for number in range(2, 1000)))
        )


def today() -> str:
    """The date as a record's header ``Date`` has it, for example ``2026-12-01``."""
    return time.strftime("%Y-%m-%d")
