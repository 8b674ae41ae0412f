"""Where random numbers come from: always a generator that the caller passes in."""

from typing import Final, Protocol

MAX_SEED: Final = 2**64 - 1
"""The largest seed of a generator: twenty digits, as many as a record's header takes."""


class Uniform(Protocol):
    """Anything that draws uniform floats: ``numpy.random.Generator`` or ``random.Random``.

    Nothing else is ever asked of it, because the stream of ``random()`` is stable from version to version.
    """

    def random(self) -> float:
        """The next number in [0, 1)."""
        ...
