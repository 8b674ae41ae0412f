"""Layers: all skeletons with so many pieces and empty squares, found by playing every move forward."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from qttt.solver.making.compiled.jit import Floats, Ints, Links, compiled
from qttt.solver.making.compiled.skeletons import (
    CELL_BITS,
    EMPTY,
    LARGE,
    MoveRules,
    canonical_image,
    list_moves,
    make_move,
    symbol_bits,
    turn_view,
    unpack,
)

MOST_MOVES = 80
_CHUNK = 1 << 14
_VALUES_AT_ONCE = 1 << 20


@dataclass(slots=True)
class Layer:
    """Skeletons with equally many pieces and empty squares.

    Attributes:
        keys: the canonical skeletons; those without larger blocks first.
        simple: how many have no larger block.
        offsets: where the labels of each skeleton begin, and the total at the end.
        table: a hash table of indices into ``keys``, -1 where empty; its size is a power of two.
        variants: how many values a label has: 4 where view switches are left to count, else 1.
        values: for each skeleton, variant and label the value to the player to move.
        ties: the probability of a tie.
    """

    keys: Ints
    simple: int
    offsets: Ints
    table: Links
    variants: int
    values: Floats = field(default_factory=lambda: np.empty(0))
    ties: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def states(self) -> int:
        """How many values the layer has."""
        return int(self.offsets[-1]) * self.variants

    def allocate(self) -> None:
        """Make room for the values."""
        self.values = np.empty(self.states)
        self.ties = np.empty(self.states)

    def release(self) -> None:
        """Give the room back."""
        self.values = self.ties = np.empty(0)


def spans(layer: Layer, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Cut a range of skeletons into parts with some million values each.

    Nothing interrupts compiled code; between two parts Ctrl-C is answered.

    Args:
        layer: where the skeletons are.
        low: the first one.
        high: one after the last.
    """
    most = _VALUES_AT_ONCE // layer.variants
    while low < high:
        end = int(np.searchsorted(layer.offsets, layer.offsets[low] + most, side="right")) - 1
        end = min(max(end, low + 1), high)
        yield low, end
        low = end


def empty_layer(variants: int) -> Layer:
    """A layer without skeletons."""
    nothing = np.empty(0, np.int64)
    return Layer(nothing, 0, np.zeros(1, np.int64), np.full(1, -1, np.int32), variants)


@compiled
def hashed(key: int) -> int:
    """A well-mixed hash of a packed skeleton, not negative."""
    key = (key ^ (key >> 29)) * 0x3F58476D1CE4E5B9
    key = (key ^ (key >> 31)) * 0x14D049BB133111EB
    return (key ^ (key >> 30)) & 0x7FFFFFFFFFFFFFFF


@compiled
def find(key: int, keys: Ints, table: Links) -> int:
    """The index of a skeleton, -1 if the layer does not have it."""
    mask = table.size - 1
    place = hashed(key) & mask
    while table[place] >= 0:
        if keys[table[place]] == key:
            return int(table[place])
        place = (place + 1) & mask
    return -1


@compiled
def fill_table(keys: Ints, table: Links) -> None:
    """Enter all keys into an empty hash table."""
    mask = table.size - 1
    for index in range(keys.size):
        place = hashed(keys[index]) & mask
        while table[place] >= 0:
            place = (place + 1) & mask
        table[place] = index


@compiled
def _expand(keys: Ints, rules: MoveRules, views: bool, found: Ints, counts: Ints) -> None:
    """Write the children by kind of move: rows 0 (classical, entangling), 1 and 2 (cancelling)."""
    cells, bits = np.empty(9, np.int64), np.empty(9, np.int64)
    child, sources = np.empty(9, np.int64), np.empty(9, np.int64)
    moves = np.empty((MOST_MOVES, 3), np.int64)
    counts[:] = 0
    for index in range(keys.size):
        unpack(keys[index], cells)
        symbol_bits(cells, bits)
        for number in range(list_moves(cells, rules, moves)):
            make_move(cells, bits, moves[number], child, sources)
            row = 1 if moves[number, 0] == 1 else 2 if moves[number, 0] == 3 else 0
            key, _ = canonical_image(child)
            found[row, counts[row]] = key
            counts[row] += 1
            if views:
                turn_view(child, sources)
                key, _ = canonical_image(sources)
                found[row, counts[row]] = key
                counts[row] += 1


@compiled
def _is_simple(key: int) -> bool:
    while key:
        if key & 63 >= LARGE:
            return False
        key >>= CELL_BITS
    return True


@compiled
def _measure(keys: Ints, simple: Ints, sizes: Ints) -> None:
    cells, bits = np.empty(9, np.int64), np.empty(9, np.int64)
    for index in range(keys.size):
        simple[index] = _is_simple(keys[index])
        unpack(keys[index], cells)
        sizes[index] = 1 << symbol_bits(cells, bits)


def layer_of(keys: Ints, variants: int) -> Layer:
    """Put skeletons in order and index them.

    Args:
        keys: different canonical skeletons.
        variants: how many values a label has.
    """
    simple, sizes = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    _measure(keys, simple, sizes)
    order = np.argsort(1 - simple, kind="stable")
    offsets = np.zeros(keys.size + 1, np.int64)
    np.cumsum(sizes[order], out=offsets[1:])
    table = np.full(1 << max(1, int(2 * keys.size - 1).bit_length()), -1, np.int32)
    ordered = np.ascontiguousarray(keys[order])
    fill_table(ordered, table)
    return Layer(ordered, int(simple.sum()), offsets, table, variants)


def find_layers(
    starts: dict[int, Ints], rules: MoveRules, views: bool, report: Callable[[int, str], None] | None = None
) -> dict[tuple[int, int], Layer]:
    """Every skeleton of a phase.

    Args:
        starts: the canonical skeletons that it may start from, by the number of their pieces.
        rules: which moves there are.
        views: the view can be switched.
        report: told how many skeletons are found.

    Returns:
        Layers by (pieces, empty squares). Full boards are in the standard view and have one value a label.
    """
    sets: dict[tuple[int, int], list[Ints]] = {
        (pieces, 9 - pieces): [keys] for pieces, keys in starts.items()
    }
    layers: dict[tuple[int, int], Layer] = {}
    for left in range(9, -1, -1):
        for count in range(10):
            parts = sets.pop((count, left), [])
            if not parts:
                continue
            keys = np.unique(np.concatenate(parts))
            layers[count, left] = layer_of(keys, 4 if views and left else 1)
            if report:
                report(sum(layer.keys.size for layer in layers.values()), "skeletons found")
            if left:
                found = _children(keys, rules, views)
                for step, part in zip(((1, 1), (1, 2), (0, 1)), found, strict=True):
                    if part.size:
                        sets.setdefault((count + step[0], left - step[1]), []).append(part)
    return layers


def _children(keys: Ints, rules: MoveRules, views: bool) -> list[Ints]:
    rows: list[list[Ints]] = [[], [], []]
    found = np.empty((3, _CHUNK * MOST_MOVES * (1 + views)), np.int64)
    counts = np.empty(3, np.int64)
    for start in range(0, keys.size, _CHUNK):
        _expand(keys[start : start + _CHUNK], rules, views, found, counts)
        for row in range(3):
            rows[row].append(np.unique(found[row, : counts[row]]))
    return [np.unique(np.concatenate(parts)) for parts in rows]


def starts_with(observed: int, *codes: int) -> Ints:
    """The canonical skeletons of boards with so many observed pieces.

    Args:
        observed: how many.
        codes: the cell of each: ``OBSERVED``, or at Level 5 ``LONE`` and, for the other view, ``ROTATED``.
    """
    found = set()
    cells = np.empty(9, np.int64)
    for mask in range(1 << 9):
        if mask.bit_count() == observed:
            for code in codes:
                for square in range(9):
                    cells[square] = code if mask >> square & 1 else EMPTY
                found.add(canonical_image(cells)[0])
    return np.array(sorted(found), np.int64)
