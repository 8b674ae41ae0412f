"""Skeletons: positions without their symbols, so that one lookup serves all ways to deal the symbols out.

A skeleton is nine cells, six bits each, packed into one integer with square 1 in the highest bits. One-square
blocks have codes 1 to 4. Cells of larger blocks say their role, which of the (at most four) larger blocks
they belong to, numbered in the order of first appearance, and which half of the piece they are in, 0 for the
half that appears first. The canonical skeleton is the smallest of the eight that symmetries give.

Roots that have a symbol have a bit each, numbered in the order of first appearance: 0 for the player to move,
1 for the opponent. A *label* is a number made of these bits; values of a skeleton stand in arrays by label.
"""

from typing import NamedTuple

import numpy as np

from qttt.solver.blocks import SYMMETRIES
from qttt.solver.making.compiled.jit import Ints, compiled

EMPTY, LONE, ROTATED, CANCELLED, OBSERVED = range(5)
#: Roles of cells of larger blocks.
PAIR, HALF, ROTATED_HALF, ENTANGLED_HALF, INVADED, TARGET = range(6)
LARGE = 8
CELL_BITS = 6
#: ``PERMUTATIONS[g, s]`` is the square (from 0) whose cell moves to square s.
PERMUTATIONS = np.array([[image[square] - 1 for square in range(1, 10)] for image in SYMMETRIES], np.int64)
#: Source of a symbol bit: none, or the piece that the mover has just placed.
NO_BIT, FRESH = -1, -2


class MoveRules(NamedTuple):
    """What the rules say of moves, as compiled code reads it.

    Attributes:
        cancelling: cancelling moves exist.
        quantum_only: the option ``quantum-only``.
        entangled_once: the option ``no-double-entanglement``.
    """

    cancelling: bool
    quantum_only: bool
    entangled_once: bool


@compiled
def cell(role: int, block: int, half: int) -> int:
    """The code of a cell of a larger block."""
    return LARGE + role * 8 + block * 2 + half


@compiled
def unpack(key: int, cells: Ints) -> None:
    """Write the nine cells of a packed skeleton into an array."""
    for square in range(8, -1, -1):
        cells[square] = key & 63
        key >>= CELL_BITS


@compiled
def packed_image(cells: Ints, permutation: Ints) -> int:
    """The packed skeleton after a symmetry, its larger blocks numbered anew."""
    # Four entries of four bits: 0 for a block not met yet, else its new number plus 1, and 8 if halves swap.
    met = 0
    blocks = 0
    key = 0
    for square in range(9):
        code = cells[permutation[square]]
        if code >= LARGE:
            shift = ((code >> 1) & 3) * 4
            entry = (met >> shift) & 15
            if entry == 0:
                entry = 1 + blocks + 8 * (code & 1)
                blocks += 1
                met |= entry << shift
            code = (code & ~7) | (((entry & 7) - 1) << 1) | ((code & 1) ^ (entry >> 3))
        key = (key << CELL_BITS) | code
    return key


@compiled
def canonical_image(cells: Ints) -> tuple[int, int]:
    """The canonical skeleton, and the number of the symmetry that leads to it."""
    best = packed_image(cells, PERMUTATIONS[0])
    chosen = 0
    for index in range(1, 8):
        key = packed_image(cells, PERMUTATIONS[index])
        if key < best:
            best = key
            chosen = index
    return best, chosen


@compiled
def symbol_bits(cells: Ints, bits: Ints) -> int:
    """Write the symbol bit of each square's root (``NO_BIT``: none) and return how many bits there are."""
    count = 0
    met = 0
    for square in range(9):
        code = cells[square]
        bits[square] = NO_BIT
        if code >= LARGE:
            if (code - LARGE) >> 3 != PAIR:
                shift = ((code >> 1) & 3) * 4
                entry = (met >> shift) & 15
                if entry == 0:
                    count += 1
                    entry = count
                    met |= entry << shift
                bits[square] = entry - 1
        elif code != EMPTY and code != CANCELLED:
            bits[square] = count
            count += 1
    return count


@compiled
def turn_view(cells: Ints, turned: Ints) -> None:
    """Write the cells after a view switch: what is unattacked turns."""
    for square in range(9):
        code = cells[square]
        if code == LONE:
            code = ROTATED
        elif code == ROTATED:
            code = LONE
        elif code >= LARGE:
            role = (code - LARGE) >> 3
            if role == HALF:
                code += 8
            elif role == ROTATED_HALF:
                code -= 8
        turned[square] = code


@compiled
def free_block(cells: Ints) -> int:
    """The smallest number that no larger block has."""
    used = 0
    for square in range(9):
        if cells[square] >= LARGE:
            used |= 1 << ((cells[square] >> 1) & 3)
    block = 0
    while used >> block & 1:
        block += 1
    return block


@compiled
def _may_be_entangled(cells: Ints, square: int, rules: MoveRules) -> bool:
    """Whether an open cell may be entangled: with one option a piece may be so only once."""
    if rules.entangled_once and cells[square] >= LARGE:
        for other in range(9):
            code = cells[other]
            if (code - LARGE) >> 3 == ENTANGLED_HALF and (code ^ cells[square]) & 6 == 0:
                return False
    return True


@compiled
def _is_open(code: int) -> bool:
    return code == LONE or (code >= LARGE and (code - LARGE) >> 3 == HALF)


@compiled
def open_symbols(cells: Ints, bits: Ints, rules: MoveRules) -> int:
    """The symbol bits of what may be attacked, as one number: an opponent's bit in it is a legal attack."""
    found = 0
    for square in range(9):
        if _is_open(cells[square]) and (rules.cancelling or _may_be_entangled(cells, square, rules)):
            found |= 1 << bits[square]
    return found


@compiled
def list_moves(cells: Ints, rules: MoveRules, moves: Ints) -> int:
    """Write every move as (kind, square, square), attacks as if every open cell were the opponent's.

    Kinds are those of ``qttt.game.moves.Kind`` by number: classical, superposition, entangling, cancelling.
    With ``quantum-only`` a classical move is listed where it fills the last square: elsewhere a superposition
    is legal. Whether an attack is legal there depends on the symbols (``open_symbols``).
    """
    count = 0
    empty = 0
    for square in range(9):
        empty += cells[square] == EMPTY
    for first in range(9):
        code = cells[first]
        if code == EMPTY:
            if empty == 1 or not rules.quantum_only:
                moves[count, 0], moves[count, 1], moves[count, 2] = 0, first, first
                count += 1
            for second in range(first + 1, 9):
                if cells[second] == EMPTY:
                    moves[count, 0], moves[count, 1], moves[count, 2] = 1, first, second
                    count += 1
        elif _is_open(code):
            entangling = _may_be_entangled(cells, first, rules)
            for second in range(9):
                if cells[second] == EMPTY:
                    if entangling:
                        moves[count, 0], moves[count, 1], moves[count, 2] = 2, first, second
                        count += 1
                    if rules.cancelling:
                        moves[count, 0], moves[count, 1], moves[count, 2] = 3, first, second
                        count += 1
    return count


@compiled
def make_move(cells: Ints, bits: Ints, move: Ints, child: Ints, sources: Ints) -> None:
    """Write the cells after a move, and for each square the parent's bit that its symbol comes from."""
    for square in range(9):
        child[square] = cells[square]
        sources[square] = bits[square]
    kind, first, second = move[0], move[1], move[2]
    if kind == 0:
        child[first] = LONE
        sources[first] = FRESH
    elif kind == 1:
        block = free_block(cells)
        child[first] = cell(HALF, block, 0)
        child[second] = cell(HALF, block, 1)
        sources[first] = sources[second] = FRESH
    elif cells[first] == LONE:
        if kind == 2:
            child[first] = child[second] = cell(PAIR, free_block(cells), 0)
            sources[first] = NO_BIT
        else:
            child[first] = CANCELLED
            child[second] = ROTATED
            sources[first] = NO_BIT
            sources[second] = FRESH
    else:
        place = cells[first] & 7
        child[first] = LARGE + (ENTANGLED_HALF if kind == 2 else INVADED) * 8 + place
        child[second] = LARGE + (ENTANGLED_HALF if kind == 2 else TARGET) * 8 + place
        sources[second] = bits[first]


@compiled
def child_labels(
    key: int, permutation: Ints, sources: Ints, count: int, passes_turn: bool, scratch: Ints, labels: Ints
) -> None:
    """Write, for each label of the parent, the label of the child.

    Args:
        key: the canonical child.
        permutation: the symmetry that led to it.
        sources: the parent's bits by square, before that symmetry.
        count: how many bits the parent has.
        passes_turn: the other player is to move in the child, so every bit changes its meaning.
        scratch: two rows of nine integers.
        labels: room for ``2**count`` labels.
    """
    cells, bits = scratch[0], scratch[1]
    unpack(key, cells)
    symbol_bits(cells, bits)
    start = 0
    seen = 0
    for bit in range(count):
        labels[1 << bit] = 0
    for square in range(9):
        place = bits[square]
        if place != NO_BIT and not seen >> place & 1:
            seen |= 1 << place
            source = sources[permutation[square]]
            if source == FRESH:
                start += 1 << place
            else:
                labels[1 << source] = 1 << place
    if passes_turn:
        for bit in range(count):
            start += labels[1 << bit]
    labels[0] = start
    for bit in range(count):
        step = -labels[1 << bit] if passes_turn else labels[1 << bit]
        for label in range(1 << bit):
            labels[label | 1 << bit] = labels[label] + step
