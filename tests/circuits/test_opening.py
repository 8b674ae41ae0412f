"""Files that may be pipes: nobody is waited for for ever."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from circuits.opening import open_regular, open_to_write, read_at_most


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    return path


def write(path: str, content: bytes) -> None:
    with open(path, "wb", opener=open_to_write) as file:
        file.write(content)


def test_a_pipe_that_nobody_opens_at_its_other_end(pipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("circuits.opening.PATIENCE", 0.1)
    with pytest.raises(OSError, match="a pipe that nobody writes to"):
        read_at_most(pipe, 10)
    with pytest.raises(OSError, match="a pipe that nobody reads"):
        write(pipe, b"5")


def test_a_writer_may_come_late_and_take_its_time(pipe: str) -> None:
    def dawdle() -> None:
        time.sleep(0.2)
        with open(pipe, "wb", 0) as file:
            for part in (b"5 ", b"5*6"):
                # Longer than anybody is waited for is tested in test_surroundings.
                time.sleep(0.2)
                file.write(part)

    writer = threading.Thread(target=dawdle)
    writer.start()
    assert read_at_most(pipe, 10) == b"5 5*6"
    writer.join()


def test_a_writer_that_says_nothing(pipe: str) -> None:
    writer = threading.Thread(target=lambda: open(pipe, "wb").close())
    writer.start()
    assert read_at_most(pipe, 10) == b""
    writer.join()


def test_a_reader_gets_more_than_a_pipe_holds(pipe: str) -> None:
    content, got = b"0123456789" * 50_000, []
    reader = threading.Thread(target=lambda: got.append(Path(pipe).read_bytes()))
    reader.start()
    write(pipe, content)
    reader.join()
    assert got == [content]


def test_no_more_is_read_than_asked_for(pipe: str, tmp_path: Path) -> None:
    writer = threading.Thread(target=lambda: subprocess.run(["sh", "-c", f"printf 0123456789 > {pipe}"]))
    writer.start()
    assert read_at_most(pipe, 4) == b"0123"
    writer.join()
    (tmp_path / "file").write_bytes(b"0123456789")
    assert read_at_most(tmp_path / "file", 4) == b"0123"
    assert read_at_most("/dev/zero", 4) == bytes(4)
    assert read_at_most("/dev/null", 4) == b""


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="the system names no open files")
def test_a_pipe_without_a_name() -> None:
    """As the shell makes one for ``<(...)``: without a writer it is at its end at once."""
    reading, writing = os.pipe()
    os.write(writing, b"5")
    os.close(writing)
    assert read_at_most(f"/dev/fd/{reading}", 10) == b"5"
    assert read_at_most(f"/dev/fd/{reading}", 10) == b""
    os.close(reading)


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_what_is_no_regular_file(pipe: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path in (pipe, tmp_path / "socket", "/dev/null", tmp_path):
            with pytest.raises(OSError):
                open_regular(str(path), os.O_RDWR)
        with pytest.raises(OSError):
            read_at_most(tmp_path / "socket", 10)
        with pytest.raises(OSError):
            write(str(tmp_path / "socket"), b"5")
    with open(tmp_path / "file", "x+b", opener=open_regular) as file:
        file.write(b"5")
    assert (tmp_path / "file").read_bytes() == b"5"
