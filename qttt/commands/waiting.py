"""Something to look at while a command works: on a terminal, and only where it takes over a second."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from qttt.commands.session import Session

PATIENCE = 1.0
"""Seconds until something is shown."""


@contextmanager
def waiting(session: Session, words: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Show on standard error what a command is at, if it is at it for long; nothing where nobody looks.

    What is shown goes away at the end. Nothing else may be written in the meantime.

    Args:
        session: whose standard error it is.
        words: what is done, such as ``counting``.
        total: how many steps it takes; None if that is not known.

    Yields:
        What is to be called after each step.
    """
    if not session.stderr.isatty():
        yield lambda: None
        return
    shown = _Shown(session, words, total)
    timer = Timer(PATIENCE, shown.begin)
    timer.daemon = True
    timer.start()
    try:
        yield shown.step
    finally:
        timer.cancel()
        shown.end()


class _Shown:
    """A line that may appear at any moment until the work ends, and then no more."""

    def __init__(self, session: Session, words: str, total: int | None) -> None:
        self._session, self._words, self._total = session, words, total
        self._lock = Lock()
        self._done = 0
        self._over = False
        self._stop: Callable[[], None] = lambda: None
        self._tell: Callable[[int], None] = lambda _: None

    def begin(self) -> None:
        """Appear; called by the timer, in its own thread."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = [SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()]
        bar = Progress(
            *columns,
            *([] if self._total is None else [BarColumn()]),
            console=Console(file=self._session.stderr, markup=False, emoji=False, highlight=False),
            transient=True,
        )
        with self._lock:
            if not self._over:
                task = bar.add_task(self._words, total=self._total, completed=self._done)
                self._tell = lambda done: bar.update(task, completed=done)
                self._stop = bar.stop
                bar.start()

    def step(self) -> None:
        """Count a step of the work."""
        self._done += 1
        self._tell(self._done)

    def end(self) -> None:
        """Go away, or never appear."""
        with self._lock:
            self._over = True
            self._stop()
