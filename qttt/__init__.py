"""TiqTaqToe: quantum tic-tac-toe with dice, every move a circuit.

Importing this package loads neither Qiskit nor Matplotlib.

Raises:
    ImportError: another distribution's package ``circuits`` stands in front of this project's.
    SystemExit: the same in this project's own command line, which ends with one line and status 2.
"""

import os as _os
import sys as _sys

import circuits as _circuits


def _is_the_command_line() -> bool:
    """Whether this process is ``python -m qttt`` or the script ``qttt``."""
    started = _sys.argv[0] if _sys.argv else ""
    if started == "-m":  # As long as Python is looking for the module; its name stands before what follows.
        (named,) = _sys.orig_argv[-len(_sys.argv) :][:1] or [""]
        # Other options may stand before it in the same word: -Bmqttt.
        return "qttt" in (named, named.partition("m")[2] if named.startswith("-") else "")
    return _os.path.basename(started).lower() in {"qttt", "qttt.exe", "qttt-script.py"}


if getattr(_circuits, "CIRCUITS_OF", None) != "tiqtaqtoe":
    _hidden = (
        f"the package 'circuits' at {getattr(_circuits, '__file__', None) or 'an unknown place'} belongs to "
        "another distribution and hides TiqTaqToe's own; uninstall it, or install tiqtaqtoe in a virtual "
        "environment of its own"
    )
    if _is_the_command_line():
        if _sys.stderr is not None:
            _sys.stderr.write(f"qttt: error: {_hidden}\n")
        raise SystemExit(2)
    raise ImportError(_hidden)
