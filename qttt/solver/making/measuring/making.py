"""Solve the option ``measure-turn`` from the rules alone, and make the tables that ship.

A level's table holds every board with which play goes on after an observation, and at Level 1 every position
with many empty squares. Level 2 has too many positions before the first observation, about a billion.
"""

import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.solver.blocks import BLOCKS, LONE, OBSERVED, Block, number_of
from qttt.solver.boards import Pair, board_blocks
from qttt.solver.making.measuring.boards import BoardValues
from qttt.solver.making.needs import check_memory, numba_version
from qttt.solver.measuring.tables import LEAST_EMPTY, SOLVED_LEVEL, going_on, key_of
from qttt.solver.tables import pack_table

#: Memory that solving it takes, in MB, as measured and rounded up.
MEMORY = 700
_CHUNK = 1 << 20
Progress = Callable[[str], None]


def solve_measuring(rules: Rules, progress: Progress | None = None) -> bytes:
    """Solve a level with the option ``measure-turn``, Level 2 from the first observation on.

    Args:
        rules: Level 1 or 2 and its options, ``measure-turn`` among them; at Level 1 compiled code does
            most of it, which needs the extra ``solve``.
        progress: told in a few words how far it is.

    Returns:
        The content of the table.

    Raises:
        UsageError: the extra ``solve`` is not installed, or there is too little memory.
    """
    started = time.perf_counter()
    level = rules.level.number
    boards = BoardValues(rules, progress)
    positions: dict[bytes, Pair] = {}
    for images in going_on(rules):
        positions[key_of(board_blocks(images[0], rules.level), 0)] = boards.board_value(images[0])
    about: dict[str, Any] = {
        "level": level,
        "options": str(rules.options),
        "boards": len(positions),
        "least_empty": LEAST_EMPTY if level == SOLVED_LEVEL else len(SQUARES) + 1,
        "states": sum(boards.positions.values()),
        "error": 0.0,
    }
    if level == SOLVED_LEVEL:
        opening, states, version = _opening(boards, progress)
        positions |= opening
        about |= {"states": states, "numba": version}
    return pack_table(
        positions,
        {
            **about,
            "made_by": f"qttt solve --level {level} --options {rules.options} --recompute",
            "python": platform.python_version(),
            "seconds": round(time.perf_counter() - started, 1),
        },
    )


def _opening(boards: BoardValues, progress: Progress | None) -> tuple[dict[bytes, Pair], int, str]:
    """Values at Level 1 of the game and of its first moves, how many states it took, and Numba's version."""
    what = str(boards.rules)
    check_memory(what, MEMORY)
    version = numba_version(what)
    from qttt.solver.making.measuring.compiled import find_value, new_memory

    if progress:
        progress("the first phase")
    memory = new_memory(
        np.where(np.isnan(boards.values), 0.0, boards.values), boards.rules.options.quantum_only
    )
    find_value(packed((), 0), memory)
    if progress:
        progress("the table")
    return kept_positions(memory[0], memory[1]), int(memory[4][0]), version


def kept_positions(keys: NDArray[np.int64], pairs: NDArray[np.float64]) -> dict[bytes, Pair]:
    """The positions with ``LEAST_EMPTY`` empty squares or more, by the table's keys.

    Args:
        keys: those of the compiled code's memory; a slot that is free counts as covered all over.
        pairs: values and tie probabilities beside them.
    """
    from qttt.solver.making.measuring.compiled import empty_counts, unpacked

    found = {}
    many = [
        start + np.flatnonzero(empty_counts(keys[start : start + _CHUNK]) >= LEAST_EMPTY)
        for start in range(0, len(keys), _CHUNK)
    ]
    for place in np.concatenate(many).tolist():
        pieces, owners, marks, passes = unpacked(int(keys[place]))
        blocks = []
        for squares, owner in zip(pieces, owners, strict=True):
            kind = "hh" if len(squares) == 2 else LONE if passes else OBSERVED
            passes -= kind == LONE
            blocks.append(number_of(Block(kind, tuple(square + 1 for square in squares), owner)))
        found[key_of(tuple(blocks), 0, marks)] = float(pairs[place, 0]), float(pairs[place, 1])
    return found


def packed(blocks: tuple[int, ...], turn: int, marks: int = 0) -> tuple[int, int, int, int, int]:
    """A position of Level 1 as the compiled code wants it.

    Args:
        blocks: its blocks.
        turn: whose turn it is, 0 for X and 1 for O.
        marks: the squares that may not be measured any more.
    """
    from qttt.solver.making.measuring.compiled import CERTAIN, HALF

    kinds = links = passes = certain = 0
    for number in blocks:
        block = BLOCKS[number]
        places = [square - 1 for square in block.squares]
        if block.kind in (LONE, OBSERVED):
            kinds |= (CERTAIN + block.symbol) << 3 * places[0]
            certain |= 1 << places[0]
            passes += block.kind == LONE and not marks >> places[0] & 1
        else:
            for place, other in zip(places, reversed(places), strict=True):
                kinds |= (HALF + block.symbol) << 3 * place
                links |= other << 4 * place
    return kinds, links, marks & ~certain, passes, turn
