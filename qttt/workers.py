"""Worker processes that end with whoever started them, however that ends.

The parent alone holds the writing end of a pipe, into which nothing is ever written. In every worker a thread
waits at the other end. It comes to the end of the file when the parent closes the pipe, and when the system
does because the parent is dead, and then the worker ends at once, whatever it is at.
"""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import ParamSpec, TypeVar

from qttt.errors import ServiceError

P = ParamSpec("P")
T = TypeVar("T")

# What a shell or a terminal sends to all processes of a command; Windows has no SIGHUP.
_SIGNALS = {number for name in ("SIGINT", "SIGHUP", "SIGTERM") if (number := getattr(signal, name, None))}


def usable_cores() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def processes(jobs: int) -> Iterator[Executor | None]:
    """An executor with so many processes; None for a single job, which is done right here.

    When the block is left the processes end, and with them what is unfinished. They end as well when this
    process dies, by SIGKILL too; they do not hold its standard output open, and leave interrupts to it.

    Args:
        jobs: how many processes, at least 1.

    Raises:
        ServiceError: a process was ended by somebody else.
    """
    if jobs == 1:
        yield None
        return
    fill_standard_streams()
    # Started afresh, the processes share no threads with this one, nor the end of the pipe that it holds.
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    # This starts the standard library's process that tidies up behind all of them, which must outlive them.
    with signals_wait():
        executor = _Workers(jobs, context, begin_worker, (watched,))
    try:
        yield executor
    except BrokenExecutor as error:
        raise ServiceError("a worker process was ended from outside, perhaps for want of memory") from error
    finally:
        held.close()
        executor.shutdown(wait=True, cancel_futures=True)
        watched.close()


class _Workers(ProcessPoolExecutor):
    """Starts its processes, which it does when there is work, where no signal comes in between.

    An interrupt halfway would leave a process without its task. The new process has the signals blocked, so
    that none ends it with a traceback before it has begun.
    """

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        with signals_wait():
            return super().submit(task, *args, **kwargs)


@contextmanager
def signals_wait() -> Iterator[None]:
    """Let signals wait while a process is started: it begins with them blocked, until `begin_worker`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    old = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def begin_worker(parent: Connection) -> None:
    """What a worker does first.

    Args:
        parent: the end of the pipe whose other end the parent alone holds.
    """
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    for number in _SIGNALS - {signal.SIGTERM}:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    os.close(null)


def _end_with(parent: Connection) -> None:
    parent.poll(None)
    os._exit(1)


def fill_standard_streams() -> None:
    """Open what of 0, 1 and 2 is closed, so that no pipe gets a number that a worker takes for a stream."""
    while (null := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(null, True)
    os.close(null)
