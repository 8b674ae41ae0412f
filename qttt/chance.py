"""Where random numbers come from: always a generator that the caller passes in."""

from typing import Protocol


class Uniform(Protocol):
    """Anything that draws uniform floats: ``numpy.random.Generator`` or ``random.Random``.

    Nothing else is ever asked of it, because the stream of ``random()`` is stable from version to version.
    """

    def random(self) -> float:
        """The next number in [0, 1)."""
        ...
