"""One layer's values from those of the layers that its moves lead to, for all labels of a skeleton at once.

Where view switches count (Level 5), a label has four values, by 2 × (switches of the player to move) +
(switches of the other). While a player still has a switch, they may make it before or after their move. A
switch before the move leads to the turned skeleton with the switch used; one after it is made by the player
who has just moved, so it is settled in the child: ``switch_layer`` replaces the values of children in
which the other player has a switch left by what is left after that player's choice.
"""

import numpy as np

from qttt.solver.making.compiled.jit import Floats, Ints, Links, compiled, compiled_parallel, prange
from qttt.solver.making.compiled.layers import MOST_MOVES, Layer, find, spans
from qttt.solver.making.compiled.skeletons import (
    EMPTY,
    PERMUTATIONS,
    MoveRules,
    canonical_image,
    child_labels,
    list_moves,
    make_move,
    open_symbols,
    symbol_bits,
    turn_view,
    unpack,
)

_SIDE = tuple[Ints, Links, Ints, Floats, Floats]


@compiled
def _consider(
    values: Floats, ties: Floats, place: int, value: float, tie: float, bounds: bool, margin: float
) -> None:
    """Let the player to move have a reply; the second column is the other bound if there are bounds."""
    if bounds:
        values[place] = max(values[place], value)
        ties[place] = max(ties[place], tie)
    elif value > values[place] + margin or (value >= values[place] - margin and tie < ties[place]):
        ties[place] = tie
        values[place] = max(values[place], value)
    else:
        values[place] = max(values[place], value)


@compiled
def _locate(
    cells: Ints,
    sources: Ints,
    count: int,
    keys: Ints,
    table: Links,
    passes_turn: bool,
    scratch: Ints,
    labels: Ints,
) -> int:
    key, symmetry = canonical_image(cells)
    child_labels(key, PERMUTATIONS[symmetry], sources, count, passes_turn, scratch, labels)
    return find(key, keys, table)


@compiled
def _play(
    cells: Ints,
    count: int,
    bits: Ints,
    last: int,
    rules: MoveRules,
    variants: int,
    bounds: bool,
    margin: float,
    one: _SIDE,
    two: _SIDE,
    same: _SIDE,
    values: Floats,
    ties: Floats,
    start: int,
) -> bool:
    """Value one skeleton; False if a child is missing, which must not happen."""
    size = 1 << count
    child, sources, turned = np.empty(9, np.int64), np.empty(9, np.int64), np.empty(9, np.int64)
    scratch = np.empty((2, 9), np.int64)
    moves = np.empty((MOST_MOVES, 3), np.int64)
    labels = np.empty((2, size), np.int64)
    for place in range(start, start + variants * size):
        values[place] = -2.0
        ties[place] = -2.0 if bounds else 2.0
    for number in range(list_moves(cells, rules, moves)):
        kind = moves[number, 0]
        make_move(cells, bits, moves[number], child, sources)
        side = two if kind == 1 else same if kind == 3 else one
        keys, table, offsets, known, known_ties = side
        full = last == (2 if kind == 1 else 1)
        index = _locate(child, sources, count, keys, table, True, scratch, labels[0])
        if index < 0:
            return False
        offset = offsets[index]
        width = offsets[index + 1] - offset
        there = offset
        if full and variants == 4:
            turn_view(child, turned)
            index = _locate(turned, sources, count, keys, table, True, scratch, labels[1])
            if index < 0:
                return False
            there = offsets[index]
        needed = 1 << bits[moves[number, 1]] if kind >= 2 else 0
        forced = kind == 0 and rules.quantum_only
        for variant in range(variants):
            place = start + variant * size
            own, other = variant >> 1, variant & 1
            row = 0
            first = offset
            if variants == 4:
                if full:
                    # The view goes back to standard for the observation.
                    row = own ^ other
                    first = there if row else offset
                else:
                    first = offset * 4 + (2 * other + own) * width
            # What the opponent has open there, or after a switch still to be made, must be attacked instead.
            quantum = 0
            if forced:
                quantum = open_symbols(cells, bits, rules)
                if variants == 4 and not own:
                    turn_view(cells, turned)
                    quantum |= open_symbols(turned, bits, rules)
            for label in range(size):
                if label & needed == needed and not label & quantum:
                    source = first + labels[row, label]
                    if bounds:
                        _consider(
                            values, ties, place + label, -known_ties[source], -known[source], True, margin
                        )
                    else:
                        _consider(
                            values, ties, place + label, -known[source], known_ties[source], False, margin
                        )
    return True


@compiled_parallel
def _play_all(
    keys: Ints,
    offsets: Ints,
    low: int,
    high: int,
    last: int,
    rules: MoveRules,
    variants: int,
    bounds: bool,
    margin: float,
    one: _SIDE,
    two: _SIDE,
    same: _SIDE,
    values: Floats,
    ties: Floats,
) -> int:
    missing = 0
    for index in prange(low, high):
        cells, bits = np.empty(9, np.int64), np.empty(9, np.int64)
        unpack(keys[index], cells)
        count = symbol_bits(cells, bits)
        if not _play(
            cells,
            count,
            bits,
            last,
            rules,
            variants,
            bounds,
            margin,
            one,
            two,
            same,
            values,
            ties,
            offsets[index] * variants,
        ):
            missing += 1
    return missing


@compiled_parallel
def _switch_all(
    keys: Ints,
    table: Links,
    offsets: Ints,
    low: int,
    high: int,
    settle: bool,
    rules: MoveRules,
    bounds: bool,
    margin: float,
    values: Floats,
    ties: Floats,
) -> int:
    missing = 0
    for index in prange(low, high):
        cells, bits = np.empty(9, np.int64), np.empty(9, np.int64)
        turned, scratch = np.empty(9, np.int64), np.empty((2, 9), np.int64)
        unpack(keys[index], cells)
        count = symbol_bits(cells, bits)
        size = 1 << count
        labels = np.empty(size, np.int64)
        turn_view(cells, turned)
        other = _locate(turned, bits, count, keys, table, False, scratch, labels)
        if other < 0:
            missing += 1
            continue
        here, there = offsets[index] * 4, offsets[other] * 4
        # No switch makes a classical move legal: what could be attacked before it must be.
        quantum = there_too = 0
        if rules.quantum_only and not settle and np.sum(cells == EMPTY) == 1:
            quantum, there_too = open_symbols(cells, bits, rules), open_symbols(turned, bits, rules)
        for used in range(2):
            # Before a move the own switch, from (0, used) to (1, used); after one the other player's,
            # from (used, 0) to (used, 1).
            place = here + (2 * used if settle else used) * size
            target = there + (2 * used + 1 if settle else 2 + used) * size
            for label in range(size):
                source = target + labels[label]
                if not settle:
                    if label & quantum and not label & there_too:
                        continue
                    _consider(values, ties, place + label, values[source], ties[source], bounds, margin)
                elif bounds:
                    values[place + label] = min(values[place + label], values[source])
                    ties[place + label] = min(ties[place + label], ties[source])
                else:
                    value, tie = values[place + label], ties[place + label]
                    if values[source] < value - margin or (
                        values[source] <= value + margin and ties[source] < tie
                    ):
                        ties[place + label] = ties[source]
                    values[place + label] = min(value, values[source])
    return missing


def _side(layer: Layer) -> _SIDE:
    return layer.keys, layer.table, layer.offsets, layer.values, layer.ties


def play_layer(
    layer: Layer,
    low: int,
    high: int,
    last: int,
    children: tuple[Layer, Layer, Layer],
    *,
    rules: MoveRules,
    bounds: bool,
    margin: float,
) -> None:
    """Value skeletons with empty squares from their children.

    Args:
        layer: its values are overwritten.
        low: the first skeleton to value.
        high: one after the last.
        last: how many squares are empty.
        children: where classical and entangling moves, superpositions, and cancelling moves lead.
        rules: which moves there are.
        bounds: the two columns are a lower and an upper bound instead of value and tie probability.
        margin: values that differ by no more count as equal.

    Raises:
        RuntimeError: a child is missing, which would be a fault of this program.
    """
    missing = 0
    for first, end in spans(layer, low, high):
        missing += _play_all(
            layer.keys,
            layer.offsets,
            first,
            end,
            last,
            rules,
            layer.variants,
            bounds,
            margin,
            _side(children[0]),
            _side(children[1]),
            _side(children[2]),
            layer.values,
            layer.ties,
        )
    if missing:
        raise RuntimeError(f"{missing} skeletons have children that are in no layer")
    switch_layer(layer, low, high, settle=False, rules=rules, bounds=bounds, margin=margin)


def switch_layer(
    layer: Layer, low: int, high: int, *, settle: bool, rules: MoveRules, bounds: bool, margin: float
) -> None:
    """Let a player choose whether to switch the view.

    Args:
        layer: with four values a label; with one there is no choice, and nothing to do.
        low: the first skeleton.
        high: one after the last.
        settle: it is the player who has just moved: the values in which they have a switch left become what
            is left after their choice. Else it is the player to move, before their move.
        rules: which moves there are.
        bounds: as in ``play_layer``.
        margin: as in ``play_layer``.

    Raises:
        RuntimeError: a turned skeleton is missing, which would be a fault of this program.
    """
    missing = 0
    if layer.variants == 1:
        return
    # A switch goes from values before it to values after it: no part reads what another one writes.
    for first, end in spans(layer, low, high):
        missing += _switch_all(
            layer.keys,
            layer.table,
            layer.offsets,
            first,
            end,
            settle,
            rules,
            bounds,
            margin,
            layer.values,
            layer.ties,
        )
    if missing:
        raise RuntimeError(f"{missing} turned skeletons are in no layer")
