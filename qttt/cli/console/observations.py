"""What is printed of an observation, whoever made it."""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from qttt.cli.console.session import Session
from qttt.display.status import lines_report
from qttt.game.game import Game
from qttt.game.outcomes import Observation
from qttt.records.files import RecordChangedError, names_file, save_over, save_record
from qttt.records.record import Record
from qttt.storage import FileError

if TYPE_CHECKING:
    from qttt.observation.samples import Sample


def save_where(file: str | None, record: Record, source: str | None) -> Record:
    """Save a record where ``--save`` says, if it does.

    What came into the file of the same game survives. Another game is written over only where ``--save``
    names another file than the one that the record was read from.

    Returns:
        What was saved, or the record.

    Raises:
        FileError: it cannot be saved; an old file is as it was.
    """
    if file is None:
        return record
    try:
        return save_outcome(file, record)
    except RecordChangedError:
        with suppress(OSError):
            if source is not None and names_file(source) and os.path.samefile(source, file):
                raise
        save_record(file, record)
        return record


def observe_report(game: Game, record: Record, sample: "Sample", backend: str) -> dict[str, Any]:
    """The object that ``qttt observe --json`` prints."""
    last = game.events[-1]
    assert isinstance(last, Observation)
    return {
        "level": game.rules.level.number,
        "board": last.board,
        "mode": str(last.mode),
        "backend": backend,
        "shots": sample.shots,
        "kept": sample.kept + sample.unused,
        "illegal": sample.illegal,
        "herald_failed": sample.herald_failed,
        "result": str(game.result),
        "record": str(record),
        "counts": sample.counts(),
        "lines": lines_report(last.board),
    }


def show_observation(
    game: Game, report: dict[str, Any], saved: str | None, session: Session, remarks: Sequence[str] = ()
) -> None:
    """Print the report of an observation for people, with remarks on how it came about."""
    from qttt.cli.console.tables import MOST_BOARDS, count_rows, left_out
    from qttt.display.status import ending
    from qttt.game.position import Position

    shots = "1 shot" if report["shots"] == 1 else f"{report['shots']:,} shots"
    counts = f"{report['kept']:,} of which {'counts' if report['kept'] == 1 else 'count'}"
    if report["illegal"] or report["herald_failed"]:
        counts += f" ({report['illegal']:,} illegal, {report['herald_failed']:,} with a failed herald)"
    session.show(
        f"Observed in {report['mode']} mode on {report['backend']}: {shots}, {counts}.",
        *remarks,
        session.board(Position(observed=report["board"])),
        f"{report['board']}: {ending(game.result, report['board'])}.",
    )
    if len(report["counts"]) > 1:
        session.show(
            "",
            count_rows(report["counts"], MOST_BOARDS),
            left_out(len(report["counts"]), MOST_BOARDS, "most frequent"),
        )
    session.show("")
    session.write(f"{report['record']}\n")
    if saved is not None:
        session.show("", f"Saved in {saved}.")


def save_outcome(file: str, record: Record) -> Record:
    """Save a record with what was just observed, which is not lost if that fails.

    Returns:
        What was saved: what came into the file of the same game survives.

    Raises:
        RecordChangedError: the file holds another game; the message has the record.
        FileError: it cannot be saved; the message has the record.
    """
    try:
        return save_over(file, record, record)
    except RecordChangedError:
        raise
    except FileError as error:
        text = " ".join(str(record).split())
        raise FileError(file, f"{error}; the record with what was observed is: {text}") from error
