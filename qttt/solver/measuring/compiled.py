"""Level 1 with ``measure-turn``, in compiled code: a recursion that keeps every value it finds.

At this level a piece is certain, or is in two halves. Measuring a certain piece changes nothing but whose turn
it is: it is a pass, and each such piece is good for one between observations. Which piece is spent makes no
difference, so that a count of passes stands for all of them. An empty square or a half may have been measured
before; that is its mark.

A state is packed into five numbers: what each square holds (three bits a square), where the other half of
each half is (four bits a square), the marks (one bit a square), the passes, and whose turn it is.
"""

from typing import Any

import numba
import numpy as np

from qttt.solver.blocks import SYMMETRIES
from qttt.solver.compiled.jit import Floats, Ints, compiled

#: What a square holds; of ``CERTAIN`` and ``HALF`` X's, and O's by one more.
EMPTY, CERTAIN, HALF = 0, 1, 3
#: Slots of the memory: a power of two, more than twice the 11.7 million states that there may be at the most.
SLOTS = 1 << 25
FREE = -1

_BASE = 68
_IMAGES = np.array(SYMMETRIES, dtype=np.int64)[:, 1:] - 1
_POWERS = np.array([_BASE**square for square in range(9)], dtype=np.int64)
_PASS = _BASE**9
_THREES = np.array([3**square for square in range(9)], dtype=np.int64)


@compiled
def state_key(kinds: int, links: int, marks: int, passes: int, turn: int) -> int:
    """The number that a state shares with its images under the symmetries and the exchange of the players.

    Every block has a digit at its smallest square: 0 empty, 1 empty and marked, 2 and 3 certain, and from 4
    on two halves, by whose they are, both marks, and the other square. The passes come last.
    """
    least = np.int64(0)
    for image in range(8):
        code = passes * _PASS
        for square in range(9):
            kind = (kinds >> 3 * square) & 7
            place = _IMAGES[image, square]
            mark = (marks >> square) & 1
            if kind == EMPTY:
                code += mark * _POWERS[place]
            elif kind < HALF:
                code += (2 + ((kind - CERTAIN) ^ turn)) * _POWERS[place]
            else:
                other = (links >> 4 * square) & 15
                far = _IMAGES[image, other]
                if place < far:
                    owner = (kind - HALF) ^ turn
                    both = 2 * mark + ((marks >> other) & 1)
                    code += (3 + 8 * (4 * owner + both) + far) * _POWERS[place]
        if image == 0 or code < least:
            least = code
    return least


@compiled
def _slot(key: int, keys: Ints) -> int:
    """Where a key is kept, or could be."""
    mask = keys.size - 1
    place = (key ^ (key >> 29)) * np.int64(0x1B873593CC9E2D51)
    place = (place ^ (place >> 32)) & mask
    while keys[place] != FREE and keys[place] != key:
        place = (place + 1) & mask
    return place


_SIGNATURE = "UniTuple(f8,2)(i8,i8,i8,i8,i8,i8[::1],f8[:,::1],f8[:,::1],i8[::1])"


def _recursive(function: Any) -> Any:
    return numba.njit(_SIGNATURE, cache=True)(function)


@_recursive
def best_value(
    kinds: int,
    links: int,
    marks: int,
    passes: int,
    turn: int,
    keys: Ints,
    pairs: Floats,
    verdicts: Floats,
    counts: Ints,
) -> tuple[float, float]:
    """The value of a state to the player to move, and the probability of a tie.

    Args:
        kinds: what each square holds.
        links: the square of the other half, for each half.
        marks: empty squares and halves that have been measured since the last observation.
        passes: certain pieces that may still be measured.
        turn: whose turn it is, 0 for X and 1 for O; on a full board, who moves next if play goes on.
        keys: the memory's keys, ``FREE`` where there is none yet.
        pairs: values and tie probabilities kept with the keys.
        verdicts: for each board number, as in ``solver.boards``, the result to the player to move and the
            probability of a tie; a result of 2 where the game goes on.
        counts: [states kept, states that the memory could not keep], counted up.
    """
    key = state_key(kinds, links, marks, passes, turn)
    place = _slot(key, keys)
    if keys[place] == key:
        return pairs[place, 0], pairs[place, 1]
    best, least = -2.0, 2.0
    open_squares = 0
    for a in range(9):
        if (kinds >> 3 * a) & 7 != EMPTY:
            continue
        open_squares += 1
        # A certain piece; one that may be measured is another pass.
        fresh = 1 - ((marks >> a) & 1)
        value, tie = best_value(
            kinds | (CERTAIN + turn) << 3 * a,
            links,
            marks & ~(1 << a),
            passes + fresh,
            1 - turn,
            keys,
            pairs,
            verdicts,
            counts,
        )
        if -value > best or (-value == best and tie < least):
            best, least = -value, tie
        for b in range(a + 1, 9):
            if (kinds >> 3 * b) & 7 != EMPTY:
                continue
            value, tie = best_value(
                kinds | (HALF + turn) << 3 * a | (HALF + turn) << 3 * b,
                links | b << 4 * a | a << 4 * b,
                marks,
                passes,
                1 - turn,
                keys,
                pairs,
                verdicts,
                counts,
            )
            if -value > best or (-value == best and tie < least):
                best, least = -value, tie
    if open_squares == 0:
        best, least = _observed_value(kinds, links, turn, keys, pairs, verdicts, counts)
    else:
        if passes:
            value, tie = best_value(
                kinds, links, marks, passes - 1, 1 - turn, keys, pairs, verdicts, counts
            )
            if -value > best or (-value == best and tie < least):
                best, least = -value, tie
        for a in range(9):
            kind = (kinds >> 3 * a) & 7
            if kind < HALF or (marks >> a) & 1:
                continue
            b = (links >> 4 * a) & 15
            bare = kinds & ~(7 << 3 * a) & ~(7 << 3 * b)
            unlinked = links & ~(15 << 4 * a) & ~(15 << 4 * b)
            sure = kind - HALF + CERTAIN
            # Found in a: b is empty, and its own mark stays.
            here = best_value(
                bare | sure << 3 * a,
                unlinked,
                marks,
                passes,
                1 - turn,
                keys,
                pairs,
                verdicts,
                counts,
            )
            # Not there: certain in b, and a is empty and marked.
            fresh = 1 - ((marks >> b) & 1)
            there = best_value(
                bare | sure << 3 * b,
                unlinked,
                (marks | 1 << a) & ~(1 << b),
                passes + fresh,
                1 - turn,
                keys,
                pairs,
                verdicts,
                counts,
            )
            value = -(here[0] + there[0]) / 2
            tie = (here[1] + there[1]) / 2
            if value > best or (value == best and tie < least):
                best, least = value, tie
    if 2 * counts[0] >= keys.size:
        counts[1] += 1
        return best, least
    place = _slot(key, keys)
    keys[place] = key
    pairs[place, 0], pairs[place, 1] = best, least
    counts[0] += 1
    return best, least


@_recursive
def _placeholder(
    kinds: int,
    links: int,
    marks: int,
    passes: int,
    turn: int,
    keys: Ints,
    pairs: Floats,
    verdicts: Floats,
    counts: Ints,
) -> tuple[float, float]:
    return 0.0, 0.0
