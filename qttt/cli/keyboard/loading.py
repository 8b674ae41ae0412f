"""An observer that is loaded while the players think: the simulator's libraries take longer than all else."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread

from qttt.observation.observers import Observer


class Loading:
    """Who observes the board, made when it is first needed, or before in a thread of its own."""

    def __init__(self, make: Callable[[], Observer]) -> None:
        """Take what makes the observer."""
        self._make = make
        self._made: Future[Observer] = Future()
        self._begun = False

    def begin(self) -> None:
        """Load it from now on, while other things happen."""
        if not self._begun:
            self._begun = True
            Thread(target=self._load, name="observer").start()

    def _load(self) -> None:
        try:
            self._made.set_result(self._make())
        except BaseException as error:
            self._made.set_exception(error)

    @property
    def observer(self) -> Observer:
        """The observer, waited for if need be.

        Raises:
            UsageError: it cannot be used.
            CircuitsError: its backend cannot be used.
        """
        if not self._begun:
            self._begun = True
            self._load()
        return self._made.result()
