"""Signals that end a program, taken as Ctrl-C where there is something to keep."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Take a closed window (SIGHUP) and a shutdown (SIGTERM) as Ctrl-C, so that what there is is kept."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    old = {}
    # Handlers can be set in the main thread only; whoever ignores a signal, as nohup does, goes on doing so.
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGHUP", "SIGTERM"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                old[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
