"""What stands on disk when a job cannot be sent, and what is said of it when it can."""

from dataclasses import fields
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation import devices
from qttt.observation.job_file import Pending
from qttt.observation.job_runs import _ended, fetch, receive, send
from qttt.records.record import Record
from qttt.storage import FileError

pytestmark = pytest.mark.ibm


def test_a_job_is_sent_again_only_if_that_is_said_and_prepares_the_whole_board_by_default() -> None:
    assert signature(fetch).parameters["again"].default is None
    plain = {one.name: one.default for one in fields(Pending) if one.name in ("collapsed", "encoding")}
    assert plain == {"collapsed": False, "encoding": "masked"}
    assert devices.DEFAULT_SHOTS == 1024  # notation.md


def test_a_job_that_cannot_be_read_has_not_ended(tmp_path: Path) -> None:
    """Nothing is let go that may still be under way."""
    path = tmp_path / "a.job"
    assert not _ended(None) and not _ended(path)
    path.write_text("no job")
    assert not _ended(path)


def test_where_the_record_cannot_be_marked_no_job_file_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from circuits.backends.progress import Progress

    monkeypatch.setattr(devices, "SEEDS", 1)
    game, observer, notes = Game(1), devices.open_device("fake_manila"), list[Progress]()
    game.play("1+2")
    plan = observer.plan(game, [Mode.STANDARD], 10)
    seed = devices.draw_seed(np.random.default_rng(1))
    record = tmp_path / "game.qttt"
    record.write_text("5\n")
    pending = Pending(Record.of(game), record, tmp_path / "game.job", None)
    with pytest.raises(FileError, match="has come to hold something else"):
        send(observer, plan, pending, seed, notes.append)
    assert list(tmp_path.iterdir()) == [record]
    assert record.read_text() == "5\n"
    assert not notes
    # Where nothing has to survive, nothing is written, and no way to resume is named.
    sent, handle = send(observer, plan, Pending(Record.of(game), None, None, None), seed, notes.append)
    (shots,) = receive(sent, handle, notes.append)
    assert len(shots.pos) == 10
    assert not [note for note in notes if "--resume" in note.detail]
    assert list(tmp_path.iterdir()) == [record]
    # Where it has, it is.
    record.unlink()
    send(observer, plan, pending, seed, notes.append)
    assert [note for note in notes if f"--resume {tmp_path / 'game.job'}" in note.detail]
    assert "Job" in record.read_text()
