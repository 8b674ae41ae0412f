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


class BackendUsageError(CircuitsError):
    """A backend was asked for something it cannot do, such as zero shots (exit status 2)."""


class UnknownBackendError(CircuitsError):
    """No backend has the name that was asked for, or its optional dependency is missing (exit status 2)."""


class CircuitShapeError(CircuitsError, ValueError):
    """A circuit is not what the work needs, such as gates with fixed angles, followed by measurements."""


class DrawingError(CircuitsError, ValueError):
    """A drawing cannot be made as asked: an unknown format, or a width that is too small."""
