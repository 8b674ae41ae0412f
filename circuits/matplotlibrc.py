"""Matplotlib with settings of our own, so that pictures are equal whatever the settings of the user are.

Matplotlib keeps one set of settings for the whole process, `matplotlib.rcParams`, which it fills from files
and variables of the user. Changing it for a picture (`matplotlib.rc_context`) would show in every other
thread, and would undo what another thread sets meanwhile. Here the thread that draws sees settings of its own
in their place; everyone else goes on with the user's, which are never written.
"""

import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from circuits.errors import DrawingError

if TYPE_CHECKING:
    from matplotlib import RcParams

_OWN: Final[dict[Any, str]] = {
    "backend": "agg",
    "svg.hashsalt": "tiqtaqtoe",  # Else the names inside an SVG are random.
}
"""Our settings, beside Matplotlib's own defaults."""

# One picture at a time: Matplotlib's reader of formulas has one state for all threads.
_LOCK: Final = threading.RLock()
# A fork waits for the end of the picture: in the child nobody would be left to end it.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)

_drawing: "tuple[int, RcParams] | None" = None
"""The thread that draws, and its settings."""


@contextmanager
def own_settings() -> Iterator[None]:
    """Let this thread use Matplotlib with settings of ours; the user's are neither read nor written.

    One thread at a time is inside, others wait; within itself it may be used again. Import Matplotlib inside
    only: what it has to say about the user's files and folders then goes to the handlers of logging that the
    user set up, and nowhere if there are none.

    Raises:
        DrawingError: Matplotlib cannot start, because of a settings file that it cannot read for example.
    """
    global _drawing
    with _LOCK, _kept_quiet() as said:
        if _drawing is not None:
            yield
            return
        _start(said)
        from matplotlib import rcParams, rcParamsDefault

        own = rcParamsDefault.copy()
        for key, value in _OWN.items():
            own._set(key, value)
        before = type(rcParams)
        _drawing = threading.get_ident(), own
        rcParams.__class__ = _divided()
        try:
            yield
        finally:
            rcParams.__class__ = before
            _drawing = None


class _Collector(logging.Handler):
    """What was said; Python writes to standard error only where there is no handler."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@contextmanager
def _kept_quiet() -> Iterator[list[str]]:
    collector = _Collector()
    logger = logging.getLogger("matplotlib")
    logger.addHandler(collector)
    try:
        yield collector.said
    finally:
        logger.removeHandler(collector)


def _start(said: list[str]) -> None:
    """Import Matplotlib as the user would, but pass over a backend in `MPLBACKEND` that it does not know."""
    if "matplotlib" in sys.modules:
        return
    # A notebook sets it for all that it starts, and the backend may exist only where the notebook runs.
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib

        if backend:
            with suppress(ValueError):
                matplotlib.rcParams["backend"] = backend
    except ImportError:
        raise
    except Exception as error:
        # Of a file that is no text only what was said before the error has the name.
        reason = said[-1] if said and isinstance(error, UnicodeError) else " ".join(str(error).split())
        raise DrawingError(f"Matplotlib, which draws this picture, cannot start: {reason}") from error
    finally:
        if backend is not None:
            os.environ["MPLBACKEND"] = backend


@cache
def _divided() -> "type[RcParams]":
    import matplotlib
    from matplotlib import RcParams

    def seen(settings: RcParams) -> RcParams:
        """The settings that stand for these in this thread."""
        drawing = _drawing  # Once only: it may end while another thread is here.
        if drawing and drawing[0] == threading.get_ident() and settings is matplotlib.rcParams:
            return drawing[1]
        return settings

    class DividedRcParams(RcParams):
        """The user's settings, in whose place the thread that draws sees ours."""

        # All other methods go through these three.
        def _get(self, key: Any) -> Any:
            return dict.__getitem__(seen(self), key)

        def _set(self, key: Any, val: Any) -> None:
            dict.__setitem__(seen(self), key, val)

        def _update_raw(self, other_params: Any) -> None:
            dict.update(seen(self), dict(dict.items(other_params)))

    return DividedRcParams
