"""Something to look at while a command works: on a terminal, and only where it takes over a second."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING

from qttt.cli.console.session import Session

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds until something is shown."""


@contextmanager
def waiting(session: Session, words: str, total: int | None = None) -> Iterator["Wait"]:
    """Show on standard error what a command is at, if it is at it for long; nothing where nobody looks.

    What is shown goes away at the end. Nothing else may be written in the meantime.

    Args:
        session: whose standard error it is.
        words: what is done, such as ``counting``.
        total: how many steps it takes; None if that is not known.

    Yields:
        What is told how far the work is.
    """
    wait = Wait(session, words, total)
    timer = Timer(PATIENCE, wait.show)
    timer.daemon = True
    if session.stderr.isatty():
        timer.start()
    try:
        yield wait
    finally:
        timer.cancel()
        wait.end()


class Wait:
    """A line that may appear at any moment until the work ends, and then no more."""

    def __init__(self, session: Session, words: str, total: int | None) -> None:
        """Begin to wait; see `waiting`."""
        self._session, self._words, self._total = session, words, total
        self._began = monotonic()
        self._lock = Lock()
        self._done = 0
        self._over = False
        self._bar: Progress | None = None

    def step(self) -> None:
        """Count a step of the work."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)

    def tell(self, words: str) -> None:
        """Say something else from now on."""
        self._words = words
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=words)

    def show(self) -> None:
        """Appear; called by the timer, in a thread of its own."""
        from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        from qttt.cli.console.console import SafeConsole

        console = SafeConsole(file=self._session.stderr)
        if console.is_dumb_terminal:
            return
        bar = Progress(
            # Of characters that every terminal has.
            SpinnerColumn("line"),
            TextColumn("{task.description}", markup=False),
            *([] if self._total is None else [MofNCompleteColumn()]),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        # Where nothing can be written the work goes on unseen.
        with self._lock, suppress(OSError):
            if not self._over:
                task = bar.add_task(self._words, total=self._total, completed=self._done)
                bar.tasks[0].start_time = self._began
                bar.update(task)
                self._bar = bar
                bar.start()

    def end(self) -> None:
        """Go away, or never appear."""
        with self._lock, suppress(OSError):
            self._over = True
            if self._bar is not None:
                self._bar.stop()
