"""Where records come from, and how they go back to disk."""

import codecs
import errno
import io
import os
import shlex
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from qttt.errors import QtttError, RecordError
from qttt.records.files import (
    load_record,
    names_file,
    read_record,
    save_new_record,
    save_record,
    start_record,
)
from qttt.records.record import Record
from qttt.storage import MAX_BYTES, FileError, read_file, save_file


@pytest.mark.parametrize(
    "argument",
    [
        "",
        " ",
        "5",
        "1. 5 5*6",
        "~1+2~ =p:##.##.#.# =r:XO.XXO.OX ?5=X",
        '[X "Ada, \\"A\\""] 5',
        "{any: $thing} 5",
        "rsp",
    ],
)
def test_what_is_a_record(argument: str) -> None:
    assert not names_file(argument)


@pytest.mark.parametrize(
    "argument", ["game.qttt", "./5", "5 x", "[Level 5] 5", "5\u0665", "{open", "", "a b"][:-2]
)
def test_what_is_a_file_name(argument: str) -> None:
    assert names_file(argument)


def test_a_dash_is_standard_input() -> None:
    assert not names_file("-")
    assert read_record("-", io.StringIO("5 6")) == Record.parse("5 6")
    binary = io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf5\r\n6"), encoding="ascii")
    assert read_record("-", binary) == Record.parse("5 6")
    junk = io.TextIOWrapper(io.BytesIO(b"5\n {\xff}"))
    with pytest.raises(RecordError, match="line 2, column 3: the byte 0xFF is not UTF-8 text"):
        read_record("-", junk)


class Endless(io.RawIOBase):
    """A stream that never ends; it fails the test if somebody tries to read all of it."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self.given = getattr(self, "given", 0) + len(buffer)
        assert self.given < 4 * MAX_BYTES
        buffer[:] = b" " * len(buffer)
        return len(buffer)


def test_an_endless_standard_input_is_refused() -> None:
    with pytest.raises(RecordError, match="more than 1,048,576 bytes"):
        read_record("-", io.TextIOWrapper(io.BufferedReader(Endless())))


def test_a_record_of_the_most_bytes_is_read_from_standard_input_and_of_one_more_is_not() -> None:
    filled = "5 {" + "x" * (MAX_BYTES - 4) + "}"
    for stream in (io.StringIO, lambda text: io.TextIOWrapper(io.BytesIO(text.encode()))):
        assert str(read_record("-", stream(filled)).events[0]) == "5"
        with pytest.raises(RecordError, match="standard input has more than"):
            read_record("-", stream(filled + "\n"))


def test_a_standard_input_that_fails_is_said_so() -> None:
    class Broken(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(FileError, match="cannot read standard input: input/output error"):
        read_record("-", Broken())


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    file.write_bytes(b"")
    assert read_record(str(file)) == Record()
    assert read_record(str(file)).game().events == ()
    file.write_text('[X "Ad\u00e1"]\n5', encoding="utf-8")
    assert read_record(str(file)).headers == {"X": "Ad\u00e1"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\x00", "line 1, column 1: a record is text"),
        (b"5 5*6\x00", "line 1, column 6: a record is text, and the character U+0000"),
        (b"5\n6 \xc3(", "line 2, column 3: the byte 0xC3 is not UTF-8"),
        (b"5 \xff\xfe", "line 1, column 3: the byte 0xFF is not UTF-8"),
        (b"\0", "line 1, column 1: a record is text"),
        (b"\0\0\0\0", "line 1, column 1: a record is text"),
        ("5 6".encode("utf-16") + b"\0", "this begins as UTF-16 text and is damaged at byte 9"),
        (b"\xff\xfe\0\xd8", "this begins as UTF-16 text and is damaged at byte 3"),
        ("5 6".encode("utf-16-le"), "this seems to be UTF-16 text without a byte-order mark"),
        ("{△ □} 5*6 7".encode("utf-16-le"), "this seems to be UTF-16 text without a byte-order mark"),
        ("{é} 5*6".encode("utf-16-be"), "this seems to be UTF-16 text without a byte-order mark"),
        (b"[Level 2]", "line 1, column 1: this header cannot be read"),
    ],
)
def test_files_that_are_no_records(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "junk.qttt"
    file.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        load_record(file)
    assert str(caught.value).startswith(reason)
    assert file.read_bytes() == content


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_record_whose_encoding_its_first_bytes_say(tmp_path: Path, encoding: str) -> None:
    text = '[X "Adá"]\r\n\r\n5 {😀} 5*6'
    file = tmp_path / "game.qttt"
    for content in (text.encode(encoding), codecs.BOM_UTF16_BE + text.encode("utf-16-be")):
        file.write_bytes(content)
        assert load_record(file) == Record.parse(text)
        assert read_record("-", io.TextIOWrapper(io.BytesIO(content))) == Record.parse(text)


@pytest.mark.skipif(shutil.which("iconv") is None, reason="needs iconv")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_way_out_of_utf_16_is_one(tmp_path: Path, encoding: str) -> None:
    old, new = tmp_path / "old.qttt", tmp_path / "new.qttt"
    old.write_bytes('[X "Adá"] 5 5*6'.encode(encoding))
    with pytest.raises(RecordError, match=r"convert it by iconv .* OLD > NEW$") as caught:
        load_record(old)
    command = str(caught.value).partition("convert it by ")[2]
    filled = command.replace("OLD", shlex.quote(str(old))).replace("NEW", shlex.quote(str(new)))
    subprocess.run(filled, shell=True, check=True)
    assert load_record(new) == Record.parse('[X "Adá"] 5 5*6')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read '.*missing\.qttt': no such file or folder$"):
        read_record(str(tmp_path / "missing.qttt"))
    with pytest.raises(FileError, match="is a directory"):
        read_record(str(tmp_path))
    with pytest.raises(FileError, match="file name too long"):
        read_record("x" * 5000)
    with pytest.raises(FileError, match=r"^cannot read '': the name is empty$"):
        load_record("")


def test_a_record_with_a_slip_is_not_just_a_missing_file() -> None:
    with pytest.raises(FileError, match=r"no such file or folder; and as a record .* cannot read '5x6'"):
        read_record("5 5x6")
    with pytest.raises(FileError, match=r"and as a record .* header cannot be read"):
        read_record("[Level 5] 5")


def test_a_file_whose_name_looks_like_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("10").write_text("7")
    with pytest.raises(QtttError, match=r"cannot read '10': .*\(for the file of this name write \./10\)"):
        read_record("10")
    assert read_record("./10") == Record.parse("7")


def test_large_files_are_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "large.qttt"
    with file.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(FileError, match="has 100,000,000 bytes, and 1,048,576 are the most"):
        load_record(file)
    file.write_bytes(b" " * MAX_BYTES)
    assert load_record(file) == Record()
    with pytest.raises(FileError, match="more than 1,048,576 bytes"):
        read_file("/dev/zero")


def test_pipes_can_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("5 6"))
    writer.start()
    assert load_record(pipe) == Record.parse("5 6")
    writer.join()


def test_saving_round_trips(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    record = Record.parse('[X "\u00c1da"] {note} 5 6')
    save_record(file, record)
    assert load_record(file) == record
    assert file.read_bytes().endswith(b"6\n")
    save_record(file, Record())
    assert file.read_bytes() == b""
    assert os.listdir(tmp_path) == ["game.qttt"]


def test_saving_keeps_permissions_and_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("real")
    save_file(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_new_files_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save_file(tmp_path / "new", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_dangling_link_gets_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    save_file(tmp_path / "link", "x")
    assert (tmp_path / "target").read_text() == "x"


def test_devices_are_written_to_and_never_replaced() -> None:
    save_file("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(FileError, match="cannot save '/dev/full': no space left on device"):
        save_file("/dev/full", "x")


@pytest.mark.parametrize("fault", ["fsync", "replace"])
def test_a_failed_save_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    file = tmp_path / "game.qttt"
    file.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, fault, fail)
    with pytest.raises(FileError, match=r"cannot save '.*game\.qttt': no space left on device"):
        save_file(file, "new")
    monkeypatch.undo()
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["game.qttt"]


def test_an_interrupted_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.qttt"
    file.write_text("old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_file(file, "new")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["game.qttt"]


def test_files_that_must_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.qttt"
    file.write_text("old")
    # Root may write anywhere, so the question is answered for it.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(FileError, match="permission denied"):
        save_file(file, "new")
    assert file.read_text() == "old"
    monkeypatch.undo()
    with pytest.raises(FileError, match="no such file or folder"):
        save_file(tmp_path / "no folder" / "game.qttt", "new")
    with pytest.raises(FileError, match="is a directory"):
        save_file(tmp_path, "new")
    with pytest.raises(FileError, match=r"^cannot save '': the name is empty$"):
        save_file("", "new")


def test_nobody_gets_the_same_file_for_a_new_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.strftime", lambda form: form.replace("%Y%m%d-%H%M%S", "20261130-120000"))
    assert [save_new_record(Record()) for _ in range(3)] == [
        "game-20261130-120000.qttt",
        "game-20261130-120000-2.qttt",
        "game-20261130-120000-3.qttt",
    ]
    for number in range(4, 1000):
        Path(f"game-20261130-120000-{number}.qttt").touch()
    with pytest.raises(FileError, match="all names like it are taken"):
        save_new_record(Record())
    monkeypatch.chdir("/proc/self")
    with pytest.raises(FileError, match=r"cannot save 'game-20261130-120000\.qttt': "):
        save_new_record(Record())


def test_a_game_begins_in_a_file_that_holds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    file.write_bytes(b"5")
    with pytest.raises(FileError, match="holds something already"):
        start_record(file, Record.parse("6"))
    file.write_bytes(b"")
    start_record(file, Record.parse("5"))
    with pytest.raises(FileError, match="holds something already"):
        start_record(file, Record.parse("6"))
    assert load_record(file) == Record.parse("5")
