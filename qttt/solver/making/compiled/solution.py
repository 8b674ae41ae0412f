"""Solve a level from the rules alone: phases by observed pieces, layers from full boards to empty ones.

Below Level 5 an observation closes squares, so a phase leads only to phases with more observed pieces: these
come first. At Level 5 observed pieces stay in play and no move takes a piece off the board; only a phase in
which every move cancels leads back to as many pieces as before. So boards with more pieces come first, and
those with equally many are iterated, infinite play being a tie, until nothing changes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qttt.game.moves import Kind
from qttt.game.rules import Rules
from qttt.solver.blocks import BLOCKS, CANCELLED, LONE, NOBODY, OBSERVED, PAIR, ROTATED, halves
from qttt.solver.boards import BOARDS, Pair, averaged, board_blocks, board_number, classes, verdicts
from qttt.solver.making.compiled import skeletons
from qttt.solver.making.compiled.boards import observe_layer, split_patterns
from qttt.solver.making.compiled.jit import Floats, Ints
from qttt.solver.making.compiled.layers import Layer, empty_layer, find, find_layers, starts_with
from qttt.solver.making.compiled.moves import play_layer, switch_layer
from qttt.solver.making.compiled.skeletons import (
    PERMUTATIONS,
    MoveRules,
    canonical_image,
    child_labels,
    symbol_bits,
)

MOST_ROUNDS = 2000
#: Iteration ends when no board changes by more.
STILL = 1e-15
Progress = Callable[[str], None]


@dataclass(slots=True)
class Solver:
    """Solves one level with its options, other than those that count something or turn squares otherwise.

    Attributes:
        rules: the level and its options.
        margin: values that differ by no more count as equal.
        keep: values of positions with at least so many empty squares are kept for the caller.
        bounds: instead of value and tie probability find two values: infinite play is lost, or won, by
            the player to move.
        progress: told in a few words how far it is.
        first: the layers of the first phase, if another solver of the level has found them before.
        boards: value and tie probability (or the two bounds) of each board number, to the player to move.
        kept: the layers from which ``position`` reads, by (observed pieces, pieces, empty squares).
        states: how many values were found.
        fewest_pieces: the fewest that the first observation can leave on the board.
        rounds: how many iterations each number of pieces took (Level 5).
    """

    rules: Rules
    margin: float
    keep: int
    bounds: bool = False
    progress: Progress | None = None
    first: dict[tuple[int, int], Layer] | None = None
    boards: Floats = field(init=False)
    kept: dict[tuple[int, int, int], Layer] = field(default_factory=dict)
    states: int = 0
    fewest_pieces: int = 1
    rounds: dict[int, int] = field(default_factory=dict)
    _started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        """Enter the results of the boards that end the game."""
        self.boards = np.zeros((BOARDS, 2))
        for number, pair in enumerate(verdicts(self.rules)):
            if pair:
                self.boards[number] = (pair[0], pair[0]) if self.bounds else pair
            else:
                self.boards[number] = (-1.0, 1.0) if self.bounds else (0.0, 1.0)

    @property
    def _moves(self) -> MoveRules:
        options = self.rules.options
        cancelling = self.rules.level.allows(Kind.CANCELLING)
        return MoveRules(cancelling, options.quantum_only, options.no_double_entanglement)

    def solve(self) -> None:
        """Find every value."""
        first = self.first = self.first or self._layers(0)
        self.fewest_pieces = min(pieces for pieces, empty in first if not empty)
        if not self.rules.level.observed_in_play:
            for observed in range(8, self.fewest_pieces - 1, -1):
                self._solve_phase(observed, self._layers(observed))
        self._solve_phase(0, first)

    def _layers(self, observed: int) -> dict[tuple[int, int], Layer]:
        # Observed pieces in play are boards that moves may come to as well, and with some options may not.
        starts = (
            {pieces: starts_with(pieces, skeletons.LONE, skeletons.ROTATED) for pieces in range(10)}
            if self.rules.level.observed_in_play
            else {observed: starts_with(observed, skeletons.OBSERVED)}
        )
        report = None if observed else self._report
        return find_layers(starts, self._moves, self.rules.level.rotated_view, report)

    def _report(self, count: int, what: str) -> None:
        if self.progress:
            self.progress(f"{count:,} {what}, {time.perf_counter() - self._started:.0f} s")

    def _solve_phase(self, observed: int, layers: dict[tuple[int, int], Layer]) -> None:
        for pieces in range(9, observed - 1, -1):
            empties = sorted(empty for count, empty in layers if count == pieces)
            for empty in empties:
                layers[pieces, empty].allocate()
                self.states += layers[pieces, empty].states
            if self.rules.level.observed_in_play and pieces:
                self._iterate(layers, pieces, empties)
            for empty in empties:
                layer = layers[pieces, empty]
                self._value(layers, pieces, empty, 0, layer.keys.size)
                if (pieces, empty) == (observed, 9 - observed):
                    self._read_boards(layer, self._board_places(layer, pieces))
                self._keep(layer, observed, pieces, empty)
                self._switch(layer, layer.keys.size)
                self._report(self.states, "positions valued")
            for empty in range(10):
                if (pieces + 1, empty) in layers:
                    layers[pieces + 1, empty].release()

    def _iterate(self, layers: dict[tuple[int, int], Layer], pieces: int, empties: list[int]) -> None:
        """Value the boards with so many pieces, and all that pure cancelling makes of them."""
        places = self._board_places(layers[pieces, 9 - pieces], pieces)
        for round_ in range(1, MOST_ROUNDS + 1):
            before = self.boards.copy()
            for empty in empties:
                layer = layers[pieces, empty]
                self._value(layers, pieces, empty, 0, layer.simple)
                if empty == 9 - pieces:
                    self._read_boards(layer, places)
                self._switch(layer, layer.simple)
            self.rounds[pieces] = round_
            if float(np.abs(self.boards - before).max()) <= STILL:
                return
        raise RuntimeError(f"boards with {pieces} pieces do not settle in {MOST_ROUNDS} rounds")

    def _value(
        self, layers: dict[tuple[int, int], Layer], pieces: int, empty: int, low: int, high: int
    ) -> None:
        layer = layers[pieces, empty]
        if not empty:
            table, shown = averaged(self.boards), split_patterns()
            choice = self.rules.level.rotated_mode
            observe_layer(
                layer, low, high, table, shown, choice=choice, bounds=self.bounds, margin=self.margin
            )
            return
        nowhere = empty_layer(layer.variants)
        children = (
            layers.get((pieces + 1, empty - 1), nowhere),
            layers.get((pieces + 1, empty - 2), nowhere),
            layers.get((pieces, empty - 1), nowhere),
        )
        play_layer(
            layer,
            low,
            high,
            empty,
            children,
            rules=self._moves,
            bounds=self.bounds,
            margin=self.margin,
        )

    def _switch(self, layer: Layer, high: int) -> None:
        switch_layer(layer, 0, high, settle=True, rules=self._moves, bounds=self.bounds, margin=self.margin)

    def _read_boards(self, layer: Layer, places: dict[int, tuple[int, ...]]) -> None:
        """Take the values of observed boards from their layer."""
        for place, numbers in places.items():
            self.boards[list(numbers)] = layer.values[place], layer.ties[place]

    def _board_places(self, layer: Layer, pieces: int) -> dict[int, tuple[int, ...]]:
        """Where a layer has the values of the boards with so many pieces, and the numbers of these boards."""
        places = {}
        for numbers in classes():
            blocks = board_blocks(numbers[0], self.rules.level)
            if len(blocks) == pieces and verdicts(self.rules)[numbers[0]] is None:
                places[self._place(layer, blocks, 0, (0, 0))] = numbers
        return places

    def _keep(self, layer: Layer, observed: int, pieces: int, empty: int) -> None:
        if empty >= self.keep:
            copied = Layer(layer.keys, layer.simple, layer.offsets, layer.table, layer.variants)
            copied.values, copied.ties = layer.values.copy(), layer.ties.copy()
            self.kept[observed, pieces, empty] = copied

    @staticmethod
    def _place(layer: Layer, blocks: tuple[int, ...], turn: int, switches: tuple[int, int]) -> int:
        """The index of a position's value in its layer."""
        cells, label = packed(blocks, turn)
        bits, labels = np.empty(9, np.int64), np.empty(1 << 9, np.int64)
        key, symmetry = canonical_image(cells)
        count = symbol_bits(cells, bits)
        scratch = np.empty((2, 9), np.int64)
        child_labels(key, PERMUTATIONS[symmetry], bits, count, False, scratch, labels)
        index = find(key, layer.keys, layer.table)
        if index < 0:
            raise KeyError(blocks)
        variant = 2 * switches[0] + switches[1] if layer.variants == 4 else 0
        return int(layer.offsets[index]) * layer.variants + (variant << count) + int(labels[label])

    def position(self, blocks: tuple[int, ...], turn: int, switches: tuple[int, int]) -> Pair:
        """The value of a position of a kept layer; arguments and result as in ``search.Search.value``."""
        board = None if any(switches) else board_number(blocks, turn, self.rules.level)
        # At Level 5 a line of lone dice decides nothing before it is observed.
        if board is not None and verdicts(self.rules)[board] is None:
            return float(self.boards[board, 0]), float(self.boards[board, 1])
        kinds = [BLOCKS[number].kind for number in blocks]
        observed = kinds.count(OBSERVED)
        pieces = sum(_pieces(kind) for kind in kinds)
        covered = sum(len(BLOCKS[number].squares) for number in blocks)
        layer = self.kept[observed, pieces, 9 - covered]
        place = self._place(layer, blocks, turn, switches)
        return float(layer.values[place]), float(layer.ties[place])


def _pieces(kind: str) -> int:
    if kind == CANCELLED:
        return 0
    return 2 if kind == PAIR else 1 + kind.count("e")


_CELLS = {
    LONE: skeletons.LONE,
    ROTATED: skeletons.ROTATED,
    CANCELLED: skeletons.CANCELLED,
    OBSERVED: skeletons.OBSERVED,
}
_ROLES = {
    "h": (skeletons.HALF,),
    "r": (skeletons.ROTATED_HALF,),
    "e": (skeletons.ENTANGLED_HALF, skeletons.ENTANGLED_HALF),
    "c": (skeletons.INVADED, skeletons.TARGET),
}


def packed(blocks: tuple[int, ...], turn: int) -> tuple[Ints, int]:
    """A position's cells (not canonical), and its label as the player to move sees it."""
    cells, symbols = np.zeros(9, np.int64), np.zeros(9, np.int64)
    larger = 0
    for number in blocks:
        block = BLOCKS[number]
        for square in block.squares:
            symbols[square - 1] = int(block.symbol not in (turn, NOBODY))
        if block.kind in _CELLS:
            cells[block.squares[0] - 1] = _CELLS[block.kind]
        elif block.kind == PAIR:
            for square in block.squares:
                cells[square - 1] = skeletons.cell(skeletons.PAIR, larger, 0)
            larger += 1
        else:
            for half, (letter, squares) in enumerate(halves(block)):
                for square, role in zip(squares, _ROLES[letter], strict=True):
                    cells[square - 1] = skeletons.cell(role, larger, half)
            larger += 1
    bits = np.empty(9, np.int64)
    symbol_bits(cells, bits)
    label = 0
    for square in range(9):
        if bits[square] >= 0 and symbols[square]:
            label |= 1 << int(bits[square])
    return cells, label
