"""Solve a level from the rules alone, and make its table."""

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qttt.errors import UsageError
from qttt.game.rules import Rules
from qttt.solver.boards import Pair
from qttt.solver.making.openings import openings
from qttt.solver.search import FIRST_INEXACT, MARGIN, Search
from qttt.solver.tables import pack_table

Progress = Callable[[str], None]
#: Positions with at least so many empty squares are stored; the rest of a phase is searched when asked for.
LEAST_EMPTY = {0: 1, 1: 1, 2: 1, 3: 4, 4: 4, 5: 4}
#: Memory that solving a level takes, in MB, as measured and rounded up.
MEMORY = {0: 50, 1: 60, 2: 200, 3: 600, 4: 600, 5: 5000}
#: What values of Levels 3 to 5 may be off by: 1e-12, as they are chains of at most a few hundred sums of
#: doubles between 0 and 1, and ``tables.STORED_ERROR`` in the file.
ERROR = 3e-12


def solve_level(rules: Rules, progress: Progress | None = None) -> bytes:
    """Solve a level with its options from the rules alone.

    Args:
        rules: Levels 3 to 5 take compiled code, which needs the extra ``solve``.
        progress: told in a few words how far it is.

    Returns:
        The content of the level's table (``tables.unpack_table`` reads it).

    Raises:
        UsageError: the extra ``solve`` is not installed, or there is too little memory.
    """
    level, options = rules.level.number, str(rules.options)
    check_memory(str(rules), MEMORY[level])
    started = time.perf_counter()
    solve = _solve_exactly if level < FIRST_INEXACT else _solve_compiled
    positions, about = solve(rules, progress)
    return pack_table(
        positions,
        {
            "level": level,
            **({"options": options} if options else {}),
            "least_empty": LEAST_EMPTY[level],
            **about,
            "made_by": f"qttt solve --level {level} {f'--options {options} ' if options else ''}--recompute",
            "python": platform.python_version(),
            "seconds": round(time.perf_counter() - started, 1),
        },
    )


def check_memory(what: str, needed: int) -> None:
    """Refuse to solve something in too little memory.

    Raises:
        UsageError: fewer than the needed MB are free.
    """
    free = available_memory()
    if free is not None and free < needed:
        raise UsageError(f"solving {what} takes {needed} MB of memory; {free:.0f} MB are free")


def numba_version(what: str) -> str:
    """The version of Numba, which compiles what solves something.

    Raises:
        UsageError: the extra ``solve`` is not installed.
    """
    try:
        import numba
    except ImportError as error:
        raise UsageError(
            f"solving {what} anew needs the extra 'solve': pip install 'tiqtaqtoe[solve]'"
        ) from error
    return str(numba.__version__)


def available_memory() -> float | None:
    """Memory that can be had without swapping, in MB; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError, AttributeError):
        return None


def _solve_exactly(rules: Rules, progress: Progress | None) -> tuple[dict[bytes, Pair], dict[str, Any]]:
    report = (lambda count: progress(f"{count:,} positions")) if progress else None
    search = Search(rules, progress=report)
    search.value((), 0)
    return search.known, {"states": len(search.known) + len(search.full), "error": 0.0}


def _solve_compiled(rules: Rules, progress: Progress | None) -> tuple[dict[bytes, Pair], dict[str, Any]]:
    version = numba_version(str(rules))
    import numpy as np

    from qttt.solver.making.compiled.solution import Solver

    least = LEAST_EMPTY[rules.level.number]
    solver = Solver(rules, MARGIN, least, progress=progress)
    solver.solve()
    about: dict[str, Any] = {"states": solver.states, "error": ERROR, "numba": version}
    if rules.level.observed_in_play:
        # How much it matters that infinite play is a tie: win it for one player, then for the other.
        bounds = Solver(rules, MARGIN, 9, bounds=True, progress=progress, first=solver.first)
        bounds.solve()
        about["lowest"], about["highest"] = bounds.position((), 0, (0, 0))
        about["widest"] = float(np.max(bounds.boards[:, 1] - bounds.boards[:, 0]))
        about["rounds"] = max(solver.rounds.values())
    positions = {}
    for key, place in openings(rules, least, solver.fewest_pieces).items():
        positions[key] = solver.position(place.blocks, place.turn, place.switches)
    return positions, about
