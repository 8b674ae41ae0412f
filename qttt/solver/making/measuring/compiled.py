"""Level 1 with ``measure-turn``, in compiled code: every state once, its value kept.

At this level a piece is certain, or is in two halves. Measuring a certain piece changes nothing but whose
turn it is: it is a pass, and each such piece is good for one between observations. Which piece is spent makes
no difference, so that a count of passes stands for all of them. An empty square or a half may have been
measured before; that is its mark.

A state is packed into five numbers: what each square holds (three bits a square), where the other half of
each half is (four bits a square), the marks (one bit a square), the passes, and whose turn it is.
"""

import numpy as np

from qttt.solver.blocks import SYMMETRIES
from qttt.solver.making.compiled.jit import Floats, Ints, compiled

#: What a square holds; of ``CERTAIN`` and ``HALF`` X's, and O's by one more.
EMPTY, CERTAIN, HALF = 0, 1, 3
#: Slots of the memory, a power of two: three quarters of it can be used, and there are 10.04 million states.
SLOTS = 1 << 24
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
    least = -1
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
        if least < 0 or code < least:
            least = code
    return least


@compiled
def _slot(key: int, keys: Ints) -> int:
    """Where a key is kept, or could be."""
    mask = keys.size - 1
    place = (key ^ key >> 29) * 0x1B873593CC9E2D51
    place = (place ^ place >> 32) & mask
    while keys[place] != FREE and keys[place] != key:
        place = (place + 1) & mask
    return place


State = tuple[int, int, int, int, int]
#: Keys; values and ties beside them; results of boards; the stack; [states kept, height of the stack];
#: whether a classical move is allowed only where no superposition is.
Memory = tuple[Ints, Floats, Floats, Ints, Ints, bool]
Pair = tuple[float, float]
#: The result of a board with which play goes on.
GOES_ON = 2.0
_UNKNOWN = (0.0, 0.0)
_NONE_YET = (-2.0, 2.0)
_STACK = 1 << 15


@compiled
def _known(state: State, memory: Memory) -> Pair:
    """The kept value of a state; if there is none, the state is put on the stack, to be valued first."""
    keys, pairs, _, stack, counts, _ = memory
    kinds, links, marks, passes, turn = state
    key = state_key(kinds, links, marks, passes, turn)
    slot = _slot(key, keys)
    if keys[slot] == key:
        return pairs[slot, 0], pairs[slot, 1]
    if counts[1] == stack.shape[0]:
        raise MemoryError
    stack[counts[1]] = state
    counts[1] += 1
    return _UNKNOWN


@compiled
def _preferred(first: Pair, second: Pair) -> Pair:
    """The greater value, and of equal ones the one with fewer ties; every value is exact."""
    if second[0] > first[0] or (second[0] == first[0] and second[1] < first[1]):
        return second
    return first


@compiled
def _turned(pair: Pair) -> Pair:
    """A value as the other player sees it."""
    return -pair[0], pair[1]


@compiled
def _placing(state: State, memory: Memory) -> Pair:
    """The best value that a move gives."""
    kinds, links, marks, passes, turn = state
    best = _NONE_YET
    empty = 0
    for a in range(9):
        empty += (kinds >> 3 * a) & 7 == EMPTY
    for a in range(9):
        if (kinds >> 3 * a) & 7 != EMPTY:
            continue
        for b in range(a + 1, 9):
            if (kinds >> 3 * b) & 7 == EMPTY:
                placed = kinds | (HALF + turn) << 3 * a | (HALF + turn) << 3 * b
                linked = links | b << 4 * a | a << 4 * b
                after = (placed, linked, marks, passes, 1 - turn)
                best = _preferred(best, _turned(_known(after, memory)))
        if memory[5] and empty > 1:
            continue
        # A certain piece in a square that may still be measured is one more pass.
        fresh = 1 - ((marks >> a) & 1)
        placed = kinds | (CERTAIN + turn) << 3 * a
        after = (placed, links, marks & ~(1 << a), passes + fresh, 1 - turn)
        best = _preferred(best, _turned(_known(after, memory)))
    return best


@compiled
def _measuring(state: State, memory: Memory) -> Pair:
    """The best value that measuring a square gives."""
    kinds, links, marks, passes, turn = state
    best = _NONE_YET
    if passes:
        after = (kinds, links, marks, passes - 1, 1 - turn)
        best = _turned(_known(after, memory))
    for a in range(9):
        kind = (kinds >> 3 * a) & 7
        if kind < HALF or (marks >> a) & 1:
            continue
        b = (links >> 4 * a) & 15
        sure = kind - HALF + CERTAIN
        bare = kinds & ~(7 << 3 * a) & ~(7 << 3 * b)
        left = links & ~(15 << 4 * a) & ~(15 << 4 * b)
        # In a: then b is empty, and keeps its mark. Else certain in b, and a is empty and marked.
        here = _known((bare | sure << 3 * a, left, marks, passes, 1 - turn), memory)
        fresh = 1 - ((marks >> b) & 1)
        marked = (marks | 1 << a) & ~(1 << b)
        there = _known((bare | sure << 3 * b, left, marked, passes + fresh, 1 - turn), memory)
        best = _preferred(best, (-(here[0] + there[0]) / 2, (here[1] + there[1]) / 2))
    return best


@compiled
def _observing(state: State, memory: Memory) -> Pair:
    """What a full board is worth to the player who moves next if play goes on."""
    kinds, links, _, _, turn = state
    verdicts = memory[2]
    pieces = 0
    for a in range(9):
        if (kinds >> 3 * a) & 7 >= HALF and a < (links >> 4 * a) & 15:
            pieces += 1
    value, tie = 0.0, 0.0
    for choice in range(1 << pieces):
        board, number, place = 0, 0, 0
        for a in range(9):
            kind, where = (kinds >> 3 * a) & 7, a
            if kind >= HALF:
                b = (links >> 4 * a) & 15
                if b < a:
                    continue
                where = b if (choice >> place) & 1 else a
                place += 1
                kind += CERTAIN - HALF
            board |= kind << 3 * where
            number += (1 + ((kind - CERTAIN) ^ turn)) * _THREES[where]
        result = verdicts[number, 0], verdicts[number, 1]
        if result[0] == GOES_ON:
            result = _known((board, 0, 0, 0, turn), memory)
        value += result[0]
        tie += result[1]
    return value / (1 << pieces), tie / (1 << pieces)


@compiled
def find_value(state: State, memory: Memory) -> Pair:
    """The value of a state to the player to move, and the probability of a tie, by best play of both.

    Args:
        state: what each square holds; the square of the other half, for each half; the marks; the passes; and
            whose turn it is, 0 for X and 1 for O: on a full board, who moves next if play goes on.
        memory: as ``new_memory`` makes it; everything that is found stays there.

    Raises:
        MemoryError: there are more states than it has room for.
    """
    keys, pairs, _, stack, counts, _ = memory
    found = _known(state, memory)
    while counts[1]:
        height = counts[1]
        kinds, links, marks, passes, turn = stack[height - 1]
        top = (kinds, links, marks, passes, turn)
        key = state_key(kinds, links, marks, passes, turn)
        if keys[_slot(key, keys)] == key:
            counts[1] -= 1
            continue
        full = True
        for a in range(9):
            if (kinds >> 3 * a) & 7 == EMPTY:
                full = False
        if full:
            found = _observing(top, memory)
        else:
            found = _preferred(_placing(top, memory), _measuring(top, memory))
        if counts[1] > height:
            # It depends on states without a value yet: these come first.
            continue
        counts[1] -= 1
        slot = _slot(key, keys)
        keys[slot] = key
        pairs[slot, 0], pairs[slot, 1] = found
        counts[0] += 1
        if 4 * counts[0] > 3 * keys.size:
            raise MemoryError
    return _known(state, memory)


def new_memory(verdicts: Floats, quantum_only: bool, slots: int = SLOTS) -> Memory:
    """A memory without any value.

    Args:
        verdicts: for each board number (``solver.boards``) the result to the player to move, ``GOES_ON``
            where play goes on, and the probability of a tie.
        quantum_only: no classical move while a superposition is legal.
        slots: a power of two; three quarters of it can be kept.
    """
    return (
        np.full(slots, FREE, dtype=np.int64),
        np.zeros((slots, 2)),
        verdicts,
        np.zeros((_STACK, 5), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        quantum_only,
    )


def empty_counts(keys: Ints) -> Ints:
    """How many empty squares the state of each key has."""
    rest, covered = keys.copy(), np.zeros_like(keys)
    for _ in range(9):
        digit = rest % _BASE
        rest //= _BASE
        covered += (digit > 1).astype(np.int64) + (digit > 3)
    return 9 - covered


def unpacked(key: int) -> tuple[list[tuple[int, ...]], list[int], int, int]:
    """Read a key of ``state_key`` again: one of the states that share it, the player to move being X.

    Args:
        key: the key.

    Returns:
        The squares of each piece, counted from 0; whose each is, 0 for X and 1 for O; the marks; the passes.
    """
    pieces: list[tuple[int, ...]] = []
    owners, marks = [], 0
    for square in range(9):
        key, digit = divmod(key, _BASE)
        if digit == 1:
            marks |= 1 << square
        elif digit in (2, 3):
            pieces.append((square,))
            owners.append(digit - 2)
        elif digit:
            rest, far = divmod(digit - 4, 8)
            owner, both = divmod(rest, 4)
            pieces.append((square, far + 1))
            owners.append(owner)
            marks |= (both >> 1) << square | (both & 1) << (far + 1)
    return pieces, owners, marks, key
