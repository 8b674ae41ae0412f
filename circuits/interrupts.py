"""Ctrl-C while a library works: held back until its call is over, and answered then."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold SIGINT back until the block ends, then let the handler have it that was there before.

    Compiled libraries turn an interrupt into errors of their own, and a thread that one of them has started
    goes on without whoever waited for it. A block is therefore to take about a second at most. Outside the
    main thread, which alone gets signals, and where nothing in Python handles them, nothing is changed.

    Raises:
        KeyboardInterrupt: at the end of the block, if the signal came within it and the handler is Python's
            own; whatever the block itself raised is its context.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    seen: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: seen.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if seen:
            handler(signal.SIGINT, seen[-1])
