"""Opening files that may be pipes or devices, never waiting for ever.

Whoever opens a named pipe (FIFO) waits until somebody opens its other end, and that may be never. Here the
wait ends after `PATIENCE`. Once there is somebody, reading and writing take as long as they do with any pipe.

Only the standard library is used.
"""

import errno
import os
import stat
import time
from typing import Final

PATIENCE: Final = 2.0
"""Seconds until a named pipe that nobody opens at its other end is given up."""

_PAUSE: Final = 0.01
_NOT_WAITING: Final = getattr(os, "O_NONBLOCK", 0)  # Windows has neither this nor named pipes among files.


def read_at_most(path: str | os.PathLike[str], most: int) -> bytes:
    """Read the beginning of a file, a pipe or a device.

    Args:
        path: its name.
        most: how many bytes are read at most.

    Raises:
        OSError: it cannot be read, or is a named pipe that nobody writes to.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        begun = _first_bytes(file.fileno(), most) if _is_named_pipe(path, file.fileno()) else b""
        _wait_from_now_on(file.fileno())
        return begun + file.read(most - len(begun))


def open_to_write(path: str, flags: int) -> int:
    """Open a pipe or a device for writing; an opener for `open`.

    Raises:
        OSError: it cannot be opened, or is a named pipe that nobody reads.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = _open_at_once(path, flags)
            break
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(os.stat(path).st_mode):
                raise
            if time.monotonic() > deadline:
                raise OSError(errno.ENXIO, "it is a pipe that nobody reads", path) from error
            time.sleep(_PAUSE)
    _wait_from_now_on(descriptor)
    return descriptor


def open_regular(path: str, flags: int) -> int:
    """Open a file that can be read again and written in its midst; an opener for `open`.

    Raises:
        OSError: it cannot be opened, or is a folder, a pipe or a device.
    """
    descriptor = _open_at_once(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is a pipe, a device or a folder, and must be a file", path)
    return descriptor


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | _NOT_WAITING, 0o666)


def _wait_from_now_on(descriptor: int) -> None:
    if _NOT_WAITING:
        os.set_blocking(descriptor, True)


def _is_named_pipe(path: str | os.PathLike[str], descriptor: int) -> bool:
    # The pipes of the shell's <(...) have no name of their own: without a writer they are at their end.
    return stat.S_ISFIFO(os.fstat(descriptor).st_mode) and os.path.exists(os.path.realpath(path))


def _first_bytes(descriptor: int, most: int) -> bytes:
    """The first bytes of a named pipe, or none as soon as somebody has it open who has written none yet."""
    import select

    if not hasattr(select, "poll"):  # Windows, which has no named pipes among files.
        return b""
    came = select.poll()
    came.register(descriptor, select.POLLHUP)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            # With nobody at the other end this is the pipe's end, else it would have to wait.
            begun = os.read(descriptor, most)
        except BlockingIOError:
            return b""
        if begun or came.poll(0):  # A writer has come, and may have left already.
            return begun
        if time.monotonic() > deadline:
            raise OSError(errno.ENXIO, "it is a pipe that nobody writes to")
        time.sleep(_PAUSE)
