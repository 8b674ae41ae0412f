"""Everything that `circuits` raises on purpose, as one tree."""


class CircuitsError(Exception):
    """Base of every error that this package raises on purpose; the message is one line, fit to be shown."""


class SquareError(CircuitsError, ValueError):
    """A square outside 1..9, one square where two are needed, or a symbol that is neither X nor O."""


class DecodingError(CircuitsError, ValueError):
    """A readout and the bits it should read do not fit together, or a stored readout is damaged."""


class BackendError(CircuitsError):
    """A backend or a service behind it failed; nothing was wrong with the request (exit status 3)."""


class UnreachableError(BackendError):
    """A service did not answer, so it is not known whether the request arrived (exit status 3)."""


class NeverArrivedError(BackendError):
    """A job never reached the service, which has been asked; nothing was charged (exit status 3)."""


class SimulationKilledError(BackendError):
    """The process of a simulation was killed; the job can be run again (exit status 3)."""


class BackendUsageError(CircuitsError):
    """A backend was asked for something it cannot do, such as zero shots (exit status 2)."""


class UnknownBackendError(CircuitsError):
    """No backend has the name that was asked for, or its optional dependency is missing (exit status 2)."""


class NoSuchBackendError(UnknownBackendError):
    """Nobody offers a backend of that name.

    Attributes:
        name: the name.
        known: names, or families of names, that there are.
        problems: a line for whatever might have offered it and cannot be used.
    """

    def __init__(self, name: str, known: tuple[str, ...], problems: tuple[str, ...] = ()) -> None:
        """Name what there is."""
        self.name = name
        self.known = known
        self.problems = problems
        said = f"{', '.join(known[:-1])} or {known[-1]}"
        also = "".join(f"; {problem}" for problem in problems)
        super().__init__(f"there is no backend {name!r}: try {said}{also}")

    def with_known(self, *names: str) -> "NoSuchBackendError":
        """Return the same with names that the caller knows besides, after the first."""
        return NoSuchBackendError(self.name, (self.known[0], *names, *self.known[1:]), self.problems)


class CircuitShapeError(CircuitsError, ValueError):
    """A circuit is not what the work needs, such as gates with fixed angles, followed by measurements."""


class DrawingError(CircuitsError, ValueError):
    """A drawing cannot be made as asked: an unknown format, or a width that is too small."""


def one_line(text: object) -> str:
    """Return a text, or the message of an error, on one line of at most 400 characters fit to be shown."""
    shown = str(text) or type(text).__name__
    line = " ".join("".join(char if char.isprintable() else " " for char in shown).split())
    return line if len(line) <= 400 else line[:397] + "…"
