"""An observer that is made when it is first needed: the simulator's libraries take longer than all else."""

from collections.abc import Callable
from functools import cached_property

from qttt.observation.observers import Observer


class Loading:
    """Who observes the board, made when it is first needed.

    Not in a thread beside the prompt: Qiskit's compiled parts end the process with a segmentation fault if
    they are used while another thread still imports them.
    """

    def __init__(self, make: Callable[[], Observer]) -> None:
        """Take what makes the observer."""
        self._make = make

    @cached_property
    def observer(self) -> Observer:
        """The observer.

        Raises:
            UsageError: it cannot be used.
            CircuitsError: its backend cannot be used.
        """
        return self._make()
