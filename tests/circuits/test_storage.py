"""Files replaced as a whole, by processes that are killed, that go on at the same time, and that stumble."""

import fcntl
import os
import re
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from circuits import storage
from circuits.storage import remove_leftovers, replace_file


def child(work: Callable[[], object]) -> int:
    """Start work in a process of its own, which ends with status 0 if it succeeds."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return process


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_before(renaming_or_syncing: str, file: Path) -> Path:
    """Kill a process as it is about to rename (``replace``) or sync (``fsync``): the temporary it leaves."""

    def work() -> None:
        setattr(os, renaming_or_syncing, die)
        replace_file(file, b"never")

    before = set(file.parent.iterdir())
    assert ended(child(work)) == -signal.SIGKILL
    (left,) = set(file.parent.iterdir()) - before
    return left


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.qttt"
    path.write_bytes(b"old")
    return path


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_what_a_killed_process_leaves_goes_with_the_next_save_in_its_folder(file: Path, moment: str) -> None:
    left = killed_before(moment, file)
    assert file.read_bytes() == b"old"
    assert left.exists()
    other = file.with_name("other.qttt")
    replace_file(other, b"another file")
    assert sorted(file.parent.iterdir()) == [file, other]
    killed_before(moment, file)
    replace_file(file, b"new")
    assert sorted(file.parent.iterdir()) == [file, other]
    assert file.read_bytes() == b"new"


def test_leftovers_go_even_if_the_save_itself_fails(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed_before("replace", file)

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        replace_file(file, b"new")
    assert list(file.parent.iterdir()) == [file]
    assert file.read_bytes() == b"old"


def test_what_a_live_process_writes_is_left_alone(file: Path) -> None:
    """A process stops before it renames; others save the file; then it goes on."""
    waits, go = os.pipe()
    ready, at_rename = os.pipe()

    def work() -> None:
        rename = os.replace

        def slow(*names: str) -> None:
            os.write(at_rename, b".")
            os.read(waits, 1)
            rename(*names)

        os.replace = slow  # type: ignore[assignment]
        replace_file(file, b"the slow one")

    process = child(work)
    os.read(ready, 1)
    (beside,) = set(file.parent.iterdir()) - {file}
    assert remove_leftovers(file.parent) == 0
    for number in range(3):
        replace_file(file, b"quick %d" % number)
    assert beside.exists()
    assert file.read_bytes() == b"quick 2"
    os.write(go, b".")
    assert ended(process) == 0
    assert file.read_bytes() == b"the slow one"
    assert list(file.parent.iterdir()) == [file]
    for end in (waits, go, ready, at_rename):
        os.close(end)


def test_a_temporary_that_is_taken_for_left_over_before_it_is_locked_is_made_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []
    lock = fcntl.flock

    def late(descriptor: int, how: int) -> None:
        if not tries:
            tries.append(descriptor)
            assert remove_leftovers(file.parent) == 1
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    replace_file(file, b"new")
    assert tries
    assert file.read_bytes() == b"new"
    assert list(file.parent.iterdir()) == [file]


def test_a_temporary_that_somebody_is_just_removing_is_made_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its remover holds the lock when its writer comes to it."""
    made, lock = os.open, fcntl.flock
    held: list[int] = []

    def seen(path: str, flags: int, *more: int) -> int:
        descriptor = made(path, flags, *more)
        if flags & os.O_EXCL and not held:
            held.append(made(path, os.O_RDWR))
            lock(held[0], fcntl.LOCK_EX)
        return descriptor

    monkeypatch.setattr(os, "open", seen)
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert len(list(file.parent.iterdir())) == 2
    os.close(held[0])
    assert remove_leftovers(file.parent) == 1


def test_a_remover_that_comes_too_late_removes_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has found and opened a temporary; by the time it can lock it, that is the file itself."""
    lock = fcntl.flock
    locks: list[int] = []
    temporary = killed_before("replace", file)

    def late(descriptor: int, how: int) -> None:
        if not locks:
            os.replace(temporary, file)
        locks.append(descriptor)
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    assert remove_leftovers(file.parent) == 0
    assert locks
    assert file.read_bytes() == b"never"


def test_nothing_else_is_touched(file: Path) -> None:
    """Names that are only alike, links, pipes and folders with the very name, and somebody else's file."""
    assert re.fullmatch(r"\.qttt-[0-9a-f]{16}\.tmp", killed_before("replace", file).name)
    assert remove_leftovers(file.parent) == 1
    folder = file.parent
    precious = folder / "precious"
    precious.write_text("mine")
    alike = [
        folder / name
        for name in (
            ".qttt-.tmp",
            ".qttt-0123456789abcde.tmp",
            ".qttt-0123456789ABCDEF.tmp",
            "qttt-0123456789abcdef.tmp",
            ".qttt-0123456789abcdef.tmp.bak",
            f".qttt-{'0' * 16}-{'0' * 16}-{'0' * 16}.tmp",
        )
    ]
    for path in alike:
        path.write_text("not ours")
    link = folder / f".qttt-{'1' * 16}.tmp"
    link.symlink_to(precious)
    os.mkfifo(folder / f".qttt-{'2' * 16}.tmp")
    (folder / f".qttt-{'3' * 16}.tmp").mkdir()
    before = sorted(folder.iterdir())
    replace_file(file, b"new")
    assert sorted(folder.iterdir()) == before
    assert precious.read_text() == "mine"


def test_the_file_of_another_user_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = killed_before("replace", file)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert remove_leftovers(file.parent) == 0
    monkeypatch.undo()
    assert remove_leftovers(file.parent) == 1
    assert not left.exists()


def test_where_nothing_can_be_locked_files_are_saved_and_nothing_is_removed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = killed_before("replace", file)

    def none(*_: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert left.exists()


def test_many_writers_some_of_them_killed(file: Path) -> None:
    """Whole contents only, no writer disturbed by another, and nothing left after one more save."""

    def write(number: int) -> None:
        for count in range(60):
            replace_file(file, b"%d %d " % (number, count) * 2000)

    def write_and_die() -> None:
        threading.Timer(0.02, die).start()
        while True:
            replace_file(file, b"x" * 100_000)

    writers = [child(lambda number=number: write(number)) for number in range(3)]  # type: ignore[misc]
    for _ in range(8):
        assert ended(child(write_and_die)) == -signal.SIGKILL
        found = file.read_bytes()
        assert found in (b"old", b"x" * 100_000) or found == found[: len(found) // 2000] * 2000
    assert [ended(writer) for writer in writers] == [0, 0, 0]
    replace_file(file, b"last")
    assert list(file.parent.iterdir()) == [file]
    assert file.read_bytes() == b"last"


def test_the_longest_name_and_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "g" * 255
    killed_before("replace", tmp_path / name)
    replace_file(name, b"new")
    assert os.listdir() == [name]


def test_a_new_file_has_the_mode_asked_for_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    file = tmp_path / "a.job"
    replace_file(file, b"1", mode=0o600)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o640)
    replace_file(file, b"2", mode=0o600)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert storage.remove_leftovers(tmp_path / "no folder" / "a.job") == 0
