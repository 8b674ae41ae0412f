"""Programs in terminals of their own."""

import os
import pty
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
