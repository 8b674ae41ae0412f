"""Imported by whatever needs the package ``circuits``: refuses another distribution's of the same name.

Raises:
    ImportError: on import, if somebody else's package stands first on the path.
"""

import circuits

if getattr(circuits, "CIRCUITS_OF", None) != "tiqtaqtoe":
    raise ImportError(
        f"the package 'circuits' at {getattr(circuits, '__file__', None) or 'an unknown place'} belongs to "
        "another distribution and hides TiqTaqToe's own; uninstall it, or install tiqtaqtoe in a virtual "
        "environment of its own"
    )
