"""Full boards: the exact expectation over an observation, for all labels of a skeleton at once.

Boards are numbered in base four, square 1 the lowest digit: 0 empty, 1 the symbol of the player to move, 2
the opponent's, 3 either with equal odds. The table of board values has the averages for digit 3, so that most
of an observation's randomness is looked up instead of summed.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from qttt.game.symbols import Mode
from qttt.solver.blocks import PAIR as PAIR_KIND
from qttt.solver.blocks import Block
from qttt.solver.expectation import merged, patterns
from qttt.solver.making.compiled.jit import Floats, Ints, compiled, compiled_parallel, prange
from qttt.solver.making.compiled.layers import Layer, spans
from qttt.solver.making.compiled.skeletons import (
    CANCELLED,
    HALF,
    LARGE,
    LONE,
    NO_BIT,
    PAIR,
    ROTATED,
    symbol_bits,
    unpack,
)

#: Kinds of split pieces by the letters of their halves, as in ``blocks``.
LETTERS = "hrec"
_MOST_GROUPS, _MOST_TERMS = 16, 16


class Patterns(NamedTuple):
    """What each kind of split piece may show, as arrays that compiled code reads.

    The first index is 4 × letter of one half + letter of the other (``LETTERS``), the smaller letter first;
    the pair has index ``len(LETTERS)**2``. A group is a choice of filled squares.

    Attributes:
        groups: how many groups a kind has.
        terms: by kind, group and mode, how many patterns there are.
        digits: by kind, group, mode, pattern and cell: what the cell shows, 1 meaning the root's own symbol.
        weights: by kind, group, mode and pattern: its probability.
    """

    groups: Ints
    terms: Ints
    digits: Ints
    weights: Floats


@cache
def split_patterns() -> Patterns:
    """Read the odds of each kind of block off ``qttt.game.roots``."""
    kinds = len(LETTERS) ** 2 + 1
    found = Patterns(
        np.zeros(kinds, np.int64),
        np.zeros((kinds, _MOST_GROUPS, 2), np.int64),
        np.zeros((kinds, _MOST_GROUPS, 2, _MOST_TERMS, 4), np.int64),
        np.zeros((kinds, _MOST_GROUPS, 2, _MOST_TERMS)),
    )
    _enter(found, kinds - 1, Block(PAIR_KIND, (1, 2), -1))
    for kind in ("hh", "he", "hc", "rr", "re", "rc", "ee", "ec", "cc"):
        size = sum(1 if letter in "hr" else 2 for letter in kind)
        number = len(LETTERS) * LETTERS.index(kind[0]) + LETTERS.index(kind[1])
        _enter(found, number, Block(kind, tuple(range(1, size + 1)), 0))
    return found


def _enter(found: Patterns, kind: int, block: Block) -> None:
    groups: dict[tuple[bool, ...], int] = {}
    for index, mode in enumerate(Mode):
        for digits, weight in merged(patterns(block, 0, mode)).items():
            group = groups.setdefault(tuple(digit > 0 for digit in digits), len(groups))
            term = found.terms[kind, group, index]
            found.digits[kind, group, index, term, : len(digits)] = digits
            found.weights[kind, group, index, term] = weight
            found.terms[kind, group, index] += 1
    found.groups[kind] = len(groups)


@compiled
def _components(cells: Ints, bits: Ints, kinds: Ints, places: Ints, owners: Ints) -> int:
    """Write the split pieces and pairs (kind, squares by pattern cell, symbol bit); return how many."""
    count = 0
    for first in range(9):
        code = cells[first]
        if code < LARGE:
            continue
        role = (code - LARGE) >> 3
        block = (code >> 1) & 3
        earlier = False
        for square in range(first):
            earlier = earlier or (cells[square] >= LARGE and (cells[square] >> 1) & 3 == block)
        if earlier:
            continue
        owners[count] = bits[first]
        if role == PAIR:
            kinds[count] = 16
            places[count, 0] = first
            for square in range(first + 1, 9):
                if cells[square] >= LARGE and (cells[square] >> 1) & 3 == block:
                    places[count, 1] = square
            count += 1
            continue
        # The letter of each half, then the halves in the order of the letters.
        letters = np.zeros(2, np.int64)
        for square in range(9):
            if cells[square] >= LARGE and (cells[square] >> 1) & 3 == block:
                letters[cells[square] & 1] = min(3, ((cells[square] - LARGE) >> 3) - HALF)
        start = 0 if letters[0] <= letters[1] else 1
        kinds[count] = 4 * letters[start] + letters[1 - start]
        filled = 0
        for step in range(2):
            half = start if step == 0 else 1 - start
            for square in range(9):
                if cells[square] < LARGE or (cells[square] >> 1) & 3 != block or cells[square] & 1 != half:
                    continue
                if letters[half] < 3:
                    places[count, filled] = square
                    filled += 1
                elif (cells[square] - LARGE) >> 3 == 4:
                    places[count, filled] = square
                else:
                    places[count, filled + 1] = square
            if letters[half] == 3:
                filled += 2
        count += 1
    return count


@compiled
def _add_terms(
    kinds: Ints,
    places: Ints,
    owners: Ints,
    count: int,
    chosen: Ints,
    mode: int,
    swing: Ints,
    base: int,
    size: int,
    shown: Patterns,
    table: Floats,
    numbers: Ints,
    sums: Floats,
) -> None:
    """Add, for each label, the weighted board values of one choice of filled squares in one mode."""
    term = np.zeros(4, np.int64)
    turned = np.empty(9, np.int64)
    while True:
        weight = 1.0
        start = base
        turned[:] = swing
        for index in range(count):
            kind, group = kinds[index], chosen[index]
            weight *= shown.weights[kind, group, mode, term[index]]
            for cell in range(4):
                digit = shown.digits[kind, group, mode, term[index], cell]
                if digit:
                    place = 2 * places[index, cell]
                    start += digit << place
                    if digit < 3 and owners[index] != NO_BIT:
                        turned[owners[index]] += (3 - 2 * digit) << place
        numbers[0] = start
        step = 1
        bit = 0
        while step < size:
            for label in range(step):
                numbers[step + label] = numbers[label] + turned[bit]
            step *= 2
            bit += 1
        for label in range(size):
            sums[label, 0] += weight * table[numbers[label], 0]
            sums[label, 1] += weight * table[numbers[label], 1]
        index = 0
        while index < count:
            term[index] += 1
            if term[index] < shown.terms[kinds[index], chosen[index], mode]:
                break
            term[index] = 0
            index += 1
        if index == count:
            return


@compiled
def _observe(
    key: int,
    choice: bool,
    bounds: bool,
    margin: float,
    shown: Patterns,
    table: Floats,
    values: Floats,
    ties: Floats,
    offset: int,
) -> None:
    cells, bits = np.empty(9, np.int64), np.empty(9, np.int64)
    kinds, owners = np.empty(4, np.int64), np.empty(4, np.int64)
    places = np.empty((4, 4), np.int64)
    unpack(key, cells)
    size = 1 << symbol_bits(cells, bits)
    count = _components(cells, bits, kinds, places, owners)
    # What single cells add to the board number in each mode, and how a symbol bit changes it.
    base = np.zeros(2, np.int64)
    swing = np.zeros((2, 9), np.int64)
    for square in range(9):
        code = cells[square]
        if code >= LARGE or code == CANCELLED:
            continue
        for mode in range(2):
            mixed = (code == LONE and mode == 1) or (code == ROTATED and mode == 0)
            base[mode] += (3 if mixed else 1) << 2 * square
            if not mixed:
                swing[mode, bits[square]] = 1 << 2 * square
    numbers = np.empty(size, np.int64)
    sums = np.empty((2, size, 2))
    values[offset : offset + size] = 0.0
    ties[offset : offset + size] = 0.0
    chosen = np.zeros(4, np.int64)
    while True:
        sums[:] = 0.0
        for mode in range(2 if choice else 1):
            _add_terms(
                kinds,
                places,
                owners,
                count,
                chosen,
                mode,
                swing[mode],
                base[mode],
                size,
                shown,
                table,
                numbers,
                sums[mode],
            )
        for label in range(size):
            value, tie = sums[0, label, 0], sums[0, label, 1]
            if choice:
                other, other_tie = sums[1, label, 0], sums[1, label, 1]
                if bounds:
                    value, tie = min(value, other), min(tie, other_tie)
                elif other < value - margin or (other <= value + margin and other_tie < tie):
                    value, tie = min(value, other), other_tie
                else:
                    value = min(value, other)
            values[offset + label] += value
            ties[offset + label] += tie
        index = 0
        while index < count:
            chosen[index] += 1
            if chosen[index] < shown.groups[kinds[index]]:
                break
            chosen[index] = 0
            index += 1
        if index == count:
            return


@compiled_parallel
def _observe_all(
    keys: Ints,
    offsets: Ints,
    low: int,
    high: int,
    choice: bool,
    bounds: bool,
    margin: float,
    shown: Patterns,
    table: Floats,
    values: Floats,
    ties: Floats,
) -> None:
    for index in prange(low, high):
        _observe(keys[index], choice, bounds, margin, shown, table, values, ties, offsets[index])


def observe_layer(
    layer: Layer,
    low: int,
    high: int,
    table: Floats,
    shown: Patterns,
    *,
    choice: bool,
    bounds: bool,
    margin: float,
) -> None:
    """Value full boards from the values of observed boards.

    Args:
        layer: full boards; its values are overwritten.
        low: the first skeleton to value.
        high: one after the last.
        table: values of observed boards, from ``averaged``.
        shown: from ``split_patterns``.
        choice: the initiator chooses the mode after seeing the positions.
        bounds: the two columns are a lower and an upper bound instead of value and tie probability.
        margin: values that differ by no more count as equal.
    """
    values, ties = layer.values, layer.ties
    for first, end in spans(layer, low, high):
        _observe_all(
            layer.keys, layer.offsets, first, end, choice, bounds, margin, shown, table, values, ties
        )
