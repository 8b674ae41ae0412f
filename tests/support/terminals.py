"""Programs in terminals of their own."""

import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence
from fcntl import ioctl
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which a program that has not ended is killed."""

ANSWER = 60.0
"""Seconds in which a program in a conversation answers, on a machine that does much else."""

_WHERE_IS_THE_CURSOR = b"\x1b[6n"


def in_terminal(
    argv: Sequence[str],
    typed: bytes,
    *,
    wait_for: bytes = b"",
    columns: int = 80,
    term: str = "xterm-256color",
) -> tuple[int, str]:
    """Run ``qttt`` in a terminal of its own, type, and read all that it writes.

    Args:
        argv: its arguments.
        typed: what is typed.
        wait_for: it is typed once the program has written this.
        columns: how wide the terminal is.
        term: its kind.

    Returns:
        The program's exit status and what it wrote; minus the signal's number if it had to be killed.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM=term, PYTHONPATH=str(ROOT), COLUMNS="", LINES="")
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, [sys.executable, "-m", "qttt", *argv])
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    seen = b""
    deadline = time.monotonic() + PATIENCE
    waiting = True
    while True:
        if waiting and wait_for in seen:
            os.write(terminal, typed)
            waiting = False
        if not select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
            os.kill(pid, signal.SIGKILL)
            break
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
        if _WHERE_IS_THE_CURSOR in part:
            # prompt_toolkit asks, and waits for the answer.
            os.write(terminal, b"\x1b[1;1R")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), seen.decode()


class Conversation:
    """``qttt`` in a terminal of its own, asked and answered bit by bit.

    Attributes:
        seen: all that it has written.
    """

    def __init__(
        self, *argv: str, columns: int = 80, rows: int = 24, term: str = "xterm-256color", **environment: str
    ) -> None:
        """Start it."""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.update(TERM=term, PYTHONPATH=str(ROOT), COLUMNS="", LINES="", **environment)
            time.sleep(0.05)  # Until the terminal has its size.
            os.execv(sys.executable, [sys.executable, "-m", "qttt", *argv])
        self.resize(columns, rows)
        self.seen = ""
        self._read_until = 0

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a person who drags its window does."""
        ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, typed: str) -> None:
        """Type; ``\\x03`` is Ctrl-C and ``\\x04`` Ctrl-D."""
        os.write(self.terminal, typed.encode())

    def until(self, wanted: str) -> str:
        """Read on until something is written; what was written since the last time, escapes left out.

        Raises:
            AssertionError: it has not come in ``ANSWER`` seconds, or the program has ended.
        """
        deadline = time.monotonic() + ANSWER
        while wanted not in plain(self.seen[self._read_until :]):
            left = max(0.0, deadline - time.monotonic())
            assert left and self._read(left), f"{wanted!r} did not come:\n{plain(self.seen)}"
        part = plain(self.seen[self._read_until :])
        self._read_until = len(self.seen)
        return part

    def end(self) -> tuple[int, str]:
        """Wait for the end; the exit status, and what was written since the last time."""
        while self._read(ANSWER):
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status), plain(self.seen[self._read_until :])

    def _read(self, seconds: float) -> bool:
        if not select.select([self.terminal], [], [], seconds)[0]:
            os.kill(self.pid, signal.SIGKILL)
            return False
        try:
            part = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.seen += part.decode(errors="replace")
        if _WHERE_IS_THE_CURSOR in part:
            os.write(self.terminal, b"\x1b[1;1R")
        return bool(part)


def plain(text: str) -> str:
    """What a terminal was told to show, without its escapes and with line feeds alone."""
    return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])", "", text).replace("\r", "")
