"""Signals that end a program, taken as Ctrl-C where there is something to keep."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Ended(KeyboardInterrupt):
    """The window was closed, or the machine is shut down: nothing can be asked any more."""


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Take a closed window (SIGHUP) and a shutdown (SIGTERM) as Ctrl-C, so that what there is is kept."""

    def interrupt(_number: int, _frame: object) -> None:
        raise Ended

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


@contextmanager
def first_ctrl_c(act: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C do something of its own, which may raise; the next ones interrupt as ever."""

    def first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        act()

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
