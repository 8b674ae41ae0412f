"""What a backend is: something that takes measured circuits and gives bits.

A third party adds a backend by writing a class with these two members; it needs to know nothing of the game.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from qiskit.circuit import QuantumCircuit

from circuits.decoding import Shots


@runtime_checkable
class Backend(Protocol):
    """A machine or a simulator that runs circuits."""

    @property
    def name(self) -> str:
        """The name by which `get_backend` finds it."""
        ...

    def run(self, circuits: Sequence[QuantumCircuit], shots: int, rng: np.random.Generator) -> list[Shots]:
        """Run every circuit and return its bits.

        Args:
            circuits: measured circuits whose classical registers are among `pos`, `mark` and `flag`.
            shots: how often each of them runs, at least once.
            rng: where seeds come from; equal states of it give equal shots, on backends that can be seeded.

        Returns:
            One `Shots` a circuit, in the order given, each of `shots` rows in the order measured.

        Raises:
            BackendUsageError: the request makes no sense, such as fewer than one shot.
            BackendError: the backend failed.
        """
        ...
