"""Several observations that wait in one job: a job costs two quantum seconds before its first shot.

Each record has its header ``Job`` and goes on by itself once the job is done; `qttt.observation.job_file`
says what the job's file keeps of them.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from qttt.errors import QtttError, UsageError
from qttt.observation.job_file import Pending, find_all
from qttt.observation.job_runs import BATCH, PendingJob, free_file

if TYPE_CHECKING:
    from circuits.backends.job_store import Job


@dataclass(frozen=True)
class Batch(PendingJob):
    """Observations whose one job was, or will be, sent.

    Attributes:
        games: each of them, with the circuits of the job that are its own.
        path: the job's file.
        sent: the job, as far as it is known.
    """

    kind: ClassVar[str] = BATCH

    games: tuple[Pending, ...]
    path: Path | None
    sent: "Job | None" = None

    def with_job(self, job: "Job") -> Self:
        """The same with what is now known of the job."""
        return replace(self, sent=job, games=tuple(game.with_job(job) for game in self.games))

    def payload(self) -> dict[str, Any]:
        """What the job's file keeps besides the job."""
        return {"games": [{**game.payload(), "circuits": game.circuits} for game in self.games]}

    def keep(self) -> None:
        """Save every record with its header ``Job``, or none.

        Raises:
            FileError: one cannot be saved, or its file has come to hold something else.
        """
        kept: list[Pending] = []
        try:
            for game in self.games:
                game.keep()
                kept.append(game)
        except QtttError:
            for game in kept:
                # The first problem is told, whatever becomes of the rest.
                with suppress(QtttError):
                    game.settle()
            raise

    def settle(self) -> None:
        """Save every record without the header: nothing is waited for any more.

        Raises:
            FileError: one could not be saved; the others are.
        """
        problems = []
        for game in self.games:
            try:
                game.settle()
            except QtttError as error:
                problems.append(error)
        if problems:
            raise problems[0]


def find_batch(path: Path) -> Batch:
    """Find the observations that wait for a job of several games, by its file.

    Raises:
        UsageError: it is no such job, or none waits for it any more.
        QtttError: a file cannot be read.
    """
    games = find_all(path)
    if not games:
        raise UsageError(f"no game waits for the job in {path} any more")
    return Batch(tuple(games), path, games[0].sent)


def free_batch_path(files: list[Path]) -> Path:
    """Where the job's file of several games goes: beside their records, else in the current folder.

    Raises:
        UsageError: the records lie in several folders, or one stands there twice.
    """
    folders = {file.parent.resolve(): file.parent for file in files}
    if len(folders) > 1:
        raise UsageError(
            "the records of one job lie in one folder, and these in "
            + " and ".join(map(str, folders.values()))
        )
    names = [file.name for file in files]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{twice} is named twice: a game is observed once")
    return free_file(None, "", "submit", next(iter(folders.values()), Path()))
