"""TiqTaqToe: quantum tic-tac-toe with dice, every move a circuit.

Importing this package loads neither Qiskit nor Matplotlib.

Raises:
    ImportError: another distribution's package ``circuits`` stands in front of this project's.
"""

import circuits as _circuits

if getattr(_circuits, "CIRCUITS_OF", None) != "tiqtaqtoe":
    raise ImportError(
        f"the package 'circuits' at {getattr(_circuits, '__file__', None) or 'an unknown place'} belongs to "
        "another distribution and hides TiqTaqToe's own; uninstall it, or install tiqtaqtoe in a virtual "
        "environment of its own"
    )
