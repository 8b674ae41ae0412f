"""Solve a level from the rules alone, and make its table."""

import platform
import time
from collections.abc import Callable
from pathlib import Path

from qttt.levels import LEVELS
from qttt.solver.search import Search
from qttt.solver.tables import Table, pack_table, unpack_table

#: The levels that this module can solve.
SOLVABLE = (0, 1, 2)


def solve_level(level: int, progress: Callable[[str], None] | None = None) -> bytes:
    """Solve a level from the rules alone.

    Args:
        level: one of ``SOLVABLE``.
        progress: told in a few words how far it is.

    Returns:
        The content of the level's table (``tables.unpack_table`` reads it).
    """
    started = time.perf_counter()
    report = (lambda count: progress(f"{count:,} positions")) if progress else None
    search = Search(LEVELS[level], progress=report)
    search.value((), 0)
    about = {
        "level": level,
        "states": len(search.known) + len(search.full),
        "least_empty": 1,
        "error": 0.0,
        "made_by": f"qttt solve --level {level} --recompute",
        "python": platform.python_version(),
        "seconds": round(time.perf_counter() - started, 1),
    }
    return pack_table(search.known, about)


def solved_table(level: int, progress: Callable[[str], None] | None = None) -> Table:
    """Solve a level from the rules alone; the table as read back from its file's content."""
    return unpack_table(solve_level(level, progress), Path(f"level{level}.table"))
