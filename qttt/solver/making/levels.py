"""Solve a level from the rules alone, and make its table."""

import platform
import time
from collections.abc import Callable
from typing import Any

from qttt.errors import UsageError
from qttt.game.rules import Rules
from qttt.solver.blocks import code_of, filled_squares
from qttt.solver.boards import Pair, board_blocks, verdict
from qttt.solver.making.measuring.making import solve_measuring
from qttt.solver.making.needs import check_memory, numba_version
from qttt.solver.making.openings import openings
from qttt.solver.search import FIRST_INEXACT, MARGIN, Search, position_key
from qttt.solver.tables import pack_table

Progress = Callable[[str], None]
#: Positions with at least so many empty squares are stored; the rest of a phase is searched when asked for.
LEAST_EMPTY = 4
#: The levels whose positions are all stored, where no option is on.
STORED_WHOLE = range(3)
#: Memory that solving a level takes, in MB, as measured and rounded up.
MEMORY = {0: 50, 1: 60, 2: 200, 3: 600, 4: 600, 5: 5000}
#: Options that no table is made for, and why.
UNSOLVABLE = {
    "view": "makes squares that no other rules have, and the solver does not know them",
    "view-switches": "multiplies the positions of Level 5, which fill the memory as it is",
    "max-observations": "makes every observation phase a game of its own",
}
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
        UsageError: an option that cannot be solved, the extra ``solve`` is not installed, or there is too
            little memory.
    """
    level, options = rules.level.number, str(rules.options)
    check_solvable(rules)
    if rules.options.measure_turn:
        return solve_measuring(rules, progress)
    check_memory(str(rules), MEMORY[level])
    started = time.perf_counter()
    solve = _solve_exactly if level < FIRST_INEXACT else _solve_compiled
    least = 1 if level in STORED_WHOLE and not options else LEAST_EMPTY
    positions, about = solve(rules, least, progress)
    return pack_table(
        positions,
        {
            "level": level,
            **({"options": options} if options else {}),
            "least_empty": least,
            **about,
            "made_by": f"qttt solve --level {level} {f'--options {options} ' if options else ''}--recompute",
            "python": platform.python_version(),
            "seconds": round(time.perf_counter() - started, 1),
        },
    )


def check_solvable(rules: Rules) -> None:
    """Refuse options that no table is made for.

    Raises:
        UsageError: with the option and the reason.
    """
    for name in str(rules.options).split(","):
        if reason := UNSOLVABLE.get(name.partition("=")[0]):
            raise UsageError(f"{rules} cannot be solved: {name} {reason}")


def _solve_exactly(
    rules: Rules, least: int, progress: Progress | None
) -> tuple[dict[bytes, Pair], dict[str, Any]]:
    report = (lambda count: progress(f"{count:,} positions")) if progress else None
    search = Search(rules, progress=report)
    search.value((), 0)
    boards = {
        position_key(code_of(board_blocks(number, rules.level), 0), (0, 0), rules.level): pair
        for number, pair in search.boards.items()
        if verdict(number, rules) is None
    }
    kept = {key: pair for key, pair in search.known.items() if 9 - filled_squares(key) >= least}
    return kept | boards, {
        "states": len(search.known) + len(search.full),
        "error": 0.0,
    }


def _solve_compiled(
    rules: Rules, least: int, progress: Progress | None
) -> tuple[dict[bytes, Pair], dict[str, Any]]:
    version = numba_version(str(rules))
    import numpy as np

    from qttt.solver.making.compiled.solution import Solver

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
