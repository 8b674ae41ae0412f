"""The one joint between rules and circuits: a game becomes a circuit, move by move or lean.

The move-by-move circuit follows the same moves as the dice do, but looks at no die: it keeps its own note
of every square (is a piece certainly there, was it attacked), because the two roads are compared with each
other and must not share their reckoning. The lean circuit is the other way round: it starts from the roots.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, assert_never

import qttt.own_circuits  # noqa: F401
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement, Observation
from qttt.game.roots import Attack, Root, read_roots
from qttt.game.squares import EMPTY, EMPTY_BOARD, SQUARES
from qttt.game.symbols import Mode, Symbol, View

if TYPE_CHECKING:
    from qiskit.circuit import CircuitInstruction, Gate, QuantumCircuit

    from circuits import lean
    from circuits.exact import Exact
    from circuits.lean import Encoding, Piece
    from circuits.measurement import Readout


class _Place(Enum):
    """What the compiler knows of a square from the moves alone."""

    FIXED = "an observed symbol, closed"
    WHOLE = "certainly occupied, not attacked"
    HALF = "perhaps occupied, not attacked"
    PAIR = "certainly occupied, entangled"
    LOOSE = "perhaps occupied, attacked"
    GONE = "certainly empty, cancelled"


@dataclass(frozen=True, slots=True)
class Block:
    """One labelled box of a move-by-move circuit.

    Attributes:
        label: what the box says.
        squares: the squares it acts on.
        move: the move it belongs to, counted from the first of the present phase; None for the preparation of
            observed pieces, the switch back and the rotation of the mode.
    """

    label: str
    squares: tuple[int, ...]
    move: int | None = None


@dataclass(frozen=True, slots=True)
class CompiledBoard:
    """A circuit of the board and how to read it.

    Attributes:
        circuit: on 27 named qubits, measured if there is a readout.
        readout: what its classical bits mean; None for a circuit without measurement.
        blocks: its boxes in order.
        turns: the turns that a block's ``move`` counts, with their player, for example ``O 1*2``.
    """

    circuit: "QuantumCircuit"
    readout: "Readout | None"
    blocks: tuple[Block, ...]
    turns: tuple[str, ...] = ()

    def exact(self) -> "Exact":
        """The exact distribution of boards, computed from the circuit's amplitudes.

        Raises:
            ValueError: the circuit is not measured.
        """
        from circuits.exact import exact_distribution

        if self.readout is None:
            raise ValueError("a circuit without a measurement has no distribution of boards")
        return exact_distribution(self.circuit, self.readout)


@dataclass(frozen=True, slots=True)
class Found:
    """A measured square (option ``measure-turn``) as the compiler takes it.

    Attributes:
        measurement: the square and what it was found to hold.
        roots: the roots that are left after it.
    """

    measurement: Measurement
    roots: tuple[Root, ...]


@dataclass(frozen=True, slots=True)
class PhaseOfPlay:
    """What the moves since the last observation are, as the compiler takes them.

    Attributes:
        start: the board after that observation, nine characters, with the symbols of squares measured since.
        in_play: its pieces are lone dice that can be played on (Level 5), not closed symbols.
        moves: each turn with its player, in order; a measured square carries what it collapsed the roots to.
        physical: view switches rotate every occupied square (option ``view=physical``).
        roots: what a measure-turn left on the board before the first of these moves (Levels 1 and 2).
    """

    start: str = EMPTY_BOARD
    in_play: bool = False
    moves: tuple[tuple[Move | Found, Symbol], ...] = ()
    physical: bool = False
    roots: tuple[Root, ...] = ()


def phase_of_play(game: Game, *, whole: bool = False) -> PhaseOfPlay:
    """The present phase of a game, from its last observation to now.

    Args:
        game: a game at any moment.
        whole: keep measure-turns as turns. Otherwise the phase starts at the last of them, from the position
            that it left.
    """
    begin = game.phase_start()
    start = EMPTY_BOARD
    roots: tuple[Root, ...] = ()
    if begin:
        last = game.events[begin - 1]
        assert isinstance(last, Observation)
        start = last.board
    measured = [n for n, event in enumerate(game.events) if n >= begin and isinstance(event, Measurement)]
    if measured and not whole:
        begin = measured[-1] + 1
        position = game.states[begin].position
        start, roots = position.observed, read_roots(position)
    moves: list[tuple[Move | Found, Symbol]] = []
    for event, before, after in zip(
        game.events[begin:], game.states[begin:], game.states[begin + 1 :], strict=False
    ):
        if isinstance(event, Move):
            moves.append((event, before.turn))
        elif isinstance(event, Measurement):
            moves.append((Found(event, read_roots(after.position)), before.turn))
    rules = game.rules
    return PhaseOfPlay(start, rules.level.observed_in_play, tuple(moves), rules.options.physical_view, roots)


def compile_moves(
    game: Game, mode: Mode = Mode.STANDARD, *, measured: bool = True, whole: bool = False
) -> CompiledBoard:
    """Compile the present phase of a game move by move, as if it were observed now.

    The register is prepared in the observed state, every move is one labelled gate, and then the observation
    follows: the view goes back to standard, the symbols are rotated for the rotated mode, and every square
    that is not empty is measured.

    Args:
        game: a game at any moment.
        mode: standard or rotated.
        measured: False leaves the observation out: the circuit of the moves alone, in the present view.
        whole: after a measure-turn, compile the phase from its beginning with the measured squares heralded,
            so that shots in which they came out otherwise do not count. By default the circuit starts from
            the position that the last measure-turn left, and every shot counts.

    Raises:
        UsageError: a mode that does not exist.
    """
    return compile_phase(phase_of_play(game, whole=whole), mode, measured=measured)


def compile_phase(play: PhaseOfPlay, mode: Mode = Mode.STANDARD, *, measured: bool = True) -> CompiledBoard:
    """Compile the moves of one phase; see `compile_moves`."""
    mode = Mode.named(mode)
    builder = _Builder(play.physical)
    builder.prepare(play.start, in_play=play.in_play)
    builder.prepare_roots(play.roots)
    for number, (turn, player) in enumerate(play.moves):
        if isinstance(turn, Found):
            builder.add_found(turn, number)
        else:
            builder.add_move(turn, player, number)
    board = builder.observed(mode) if measured else builder.finished(None)
    turns = tuple(
        f"{player} {turn.measurement if isinstance(turn, Found) else turn}" for turn, player in play.moves
    )
    return replace(board, turns=turns)


def compile_lean(game: Game, mode: Mode = Mode.STANDARD, *, encoding: "Encoding" = "masked") -> CompiledBoard:
    """Compile the position of a game straight from its roots: the cheapest circuit with the same statistics.

    Args:
        game: a game at any moment.
        mode: standard or rotated.
        encoding: ``masked`` for the fewest gates; ``strict`` measures every square, certain values too, and
            lets an empty square's symbol read 0, so that anything else tells a fault; ``coherent`` prepares
            one state for both modes.

    Raises:
        UsageError: a mode that does not exist.
    """
    from circuits.lean import lean_circuit

    mode = Mode.named(mode)
    pieces, observed = lean_pieces(game)
    circuit, readout = lean_circuit(
        pieces, mode, observed=observed, encoding=encoding, measure_all=encoding == "strict"
    )
    return CompiledBoard(circuit, readout, ())


def lean_pieces(game: Game) -> "tuple[tuple[Piece, ...], dict[int, str]]":
    """What the lean compiler starts from: the roots in the standard view, and the closed symbols."""
    from circuits import lean

    position = game.state.position.standard()
    pieces = tuple(
        lean.Piece(
            str(root.symbol),
            tuple(
                lean.Site(
                    site.square,
                    site.rotated,
                    _lean_attack(site.attack),
                    site.target,
                    site.twisted,
                )
                for site in root.sites
            ),
        )
        for root in read_roots(position)
    )
    observed = {square: cell for square, cell in enumerate(position.observed, 1) if cell != EMPTY}
    return pieces, observed


def _lean_attack(attack: Attack | None) -> "lean.Attack | None":
    match attack:
        case None:
            return None
        case Attack.ENTANGLED:
            return "entangled"
        case Attack.CANCELLED:
            return "cancelled"
        case _:
            assert_never(attack)


class Style(StrEnum):
    """How a board is compiled: a gate a move, the fewest gates, or one preparation for both modes."""

    MOVES = "moves"
    LEAN = "lean"
    COHERENT = "coherent"

    def encoding(self, *, strict: bool = False) -> "Encoding":
        """The encoding of its lean circuit.

        Raises:
            UsageError: it has none, or ``strict``, which makes a circuit for each mode, is asked of it too.
        """
        if self is Style.MOVES:
            raise UsageError("--style moves goes with simulators: a device runs lean or coherent circuits")
        if self is Style.COHERENT and strict:
            raise UsageError("--strict makes a circuit for each mode, --style coherent one for both")
        return "strict" if strict else "coherent" if self is Style.COHERENT else "masked"


def compile_board(game: Game, mode: Mode = Mode.STANDARD, style: Style = Style.MOVES) -> CompiledBoard:
    """Compile the observation of a game's present board in a style."""
    match style:
        case Style.MOVES:
            return compile_moves(game, mode)
        case Style.LEAN:
            return compile_lean(game, mode)
        case Style.COHERENT:
            return compile_lean(game, mode, encoding="coherent")
        case _:
            assert_never(style)


class _Builder:
    """Appends blocks to a 27-qubit circuit and remembers what it knows of every square."""

    def __init__(self, physical: bool) -> None:
        from circuits.register import board_circuit

        self.physical = physical
        self.circuit = board_circuit()
        self.places: dict[int, _Place] = {}
        self.view = View.STANDARD
        self.blocks: list[Block] = []
        self.heralds: list[int] = []

    def prepare(self, start: str, *, in_play: bool) -> None:
        """Put observed pieces on the board."""
        from circuits.gates import ClassicalGate

        for square, cell in zip(SQUARES, start, strict=True):
            if cell != EMPTY:
                self._append(ClassicalGate(cell), (square,), None)
                self.places[square] = _Place.WHOLE if in_play else _Place.FIXED

    def prepare_roots(self, roots: Sequence[Root]) -> None:
        """Put on the board what a measure-turn left, by the moves' own gates (Levels 1 and 2)."""
        from circuits import gates

        for root in roots:
            squares = tuple(site.square for site in root.sites)
            place = gates.SuperpositionGate if root.in_half else gates.ClassicalGate
            self._append(place(root.symbol), squares, None)
            attack = gates.HalfEntanglingGate if root.in_half else gates.EntanglingGate
            for site in root.sites:
                if site.attack is Attack.ENTANGLED:
                    self._append(attack(root.symbol.opponent), site.squares, None)
        self._take_places(roots)

    def _take_places(self, roots: Sequence[Root]) -> None:
        """Note of every square of these roots what the compiler will need to know."""
        for root in roots:
            for site in root.sites:
                if site.attack is None:
                    place = _Place.HALF if root.in_half else _Place.WHOLE
                else:
                    place = _Place.LOOSE if root.in_half else _Place.PAIR
                self.places.update(dict.fromkeys(site.squares, place))

    def add_found(self, found: Found, number: int) -> None:
        """Append a measured square, whose other results do not count, and follow what it settled."""
        from circuits.gates import MeasureTurnGate
        from circuits.register import her

        square, cell = found.measurement.square, found.measurement.cell
        self._append(MeasureTurnGate(cell), (square,), number, [her(square)])
        self.heralds.append(square)
        self.places = {s: place for s, place in self.places.items() if place is _Place.FIXED}
        if cell != EMPTY:
            self.places[square] = _Place.FIXED
        self._take_places(found.roots)

    def add_move(self, move: Move, player: Symbol, number: int) -> None:
        """Append a move, with its view switches."""
        from circuits import gates
        from circuits.register import her

        if move.before:
            self._switch(number)
        places = self.places
        # The square that an attack invades comes first, and decides whether it meets a whole piece or a half.
        first = move.squares[0]
        whole = places.get(first) is _Place.WHOLE
        match move.kind:
            case Kind.CLASSICAL:
                self._append(gates.ClassicalGate(player), move.squares, number)
                places[first] = _Place.WHOLE
            case Kind.SUPERPOSITION:
                self._append(gates.SuperpositionGate(player), move.squares, number)
                places.update(dict.fromkeys(move.squares, _Place.HALF))
            case Kind.ENTANGLING:
                entangling = gates.EntanglingGate if whole else gates.HalfEntanglingGate
                self._append(entangling(player), move.squares, number)
                places.update(dict.fromkeys(move.squares, _Place.PAIR if whole else _Place.LOOSE))
            case Kind.CANCELLING if whole:
                self._append(gates.CancellingGate(player), move.squares, number)
                # The target holds one piece in a plus or minus state: in the other view it may be attacked.
                places.update(zip(move.squares, (_Place.GONE, _Place.WHOLE), strict=True))
            case Kind.CANCELLING:
                self._append(gates.HalfCancellingGate(player), move.squares, number, [her(first)])
                places.update(dict.fromkeys(move.squares, _Place.LOOSE))
                self.heralds.append(first)
            case _:
                assert_never(move.kind)
        if move.after:
            self._switch(number)

    def _switch(self, number: int | None) -> None:
        from circuits.gates import ViewSwitchGate

        certain = [_Place.WHOLE]
        perhaps = [_Place.HALF]
        if self.physical:
            certain.append(_Place.PAIR)
            perhaps.append(_Place.LOOSE)
        self._rotate(ViewSwitchGate, certain, perhaps, number)
        self.view = self.view.other

    def _rotate(
        self,
        gate: "Callable[[int, int], Gate]",
        certain: Sequence[_Place],
        perhaps: Sequence[_Place],
        number: int | None,
    ) -> None:
        from circuits.register import occ, sym

        sure = [square for square in SQUARES if self.places.get(square) in certain]
        unsure = [square for square in SQUARES if self.places.get(square) in perhaps]
        if not sure and not unsure:
            return
        qubits = [sym(square) for square in sure]
        for square in unsure:
            qubits += [occ(square), sym(square)]
        box = gate(len(sure), len(unsure))
        self.circuit.append(box, qubits)
        self.blocks.append(Block(box.label or box.name, tuple(sure + unsure), number))

    def _append(
        self, gate: "Gate", squares: Sequence[int], number: int | None, extra: Sequence[int] = ()
    ) -> None:
        from circuits.register import occ, sym

        qubits = [qubit for square in squares for qubit in (occ(square), sym(square))]
        self.circuit.append(gate, [*qubits, *extra])
        self.blocks.append(Block(gate.label or gate.name, tuple(squares), number))

    def observed(self, mode: Mode) -> CompiledBoard:
        """Append the observation: the view back to standard, the mode's rotation, the measurement."""
        from circuits.gates import ModeRotationGate
        from circuits.measurement import measure_board

        if self.view is View.ROTATED:
            self._switch(None)
        if mode is Mode.ROTATED:
            self._rotate(ModeRotationGate, (_Place.WHOLE, _Place.PAIR), (_Place.HALF, _Place.LOOSE), None)
        return self.finished(measure_board(self.circuit, list(self.places), self.heralds))

    def finished(self, readout: "Readout | None") -> CompiledBoard:
        """What has been built."""
        return CompiledBoard(self.circuit, readout, tuple(self.blocks))


def opened_block(compiled: CompiledBoard, number: int) -> "QuantumCircuit":
    """One box, opened: its elementary gates alone, on the board's 27 qubits.

    Args:
        compiled: a move-by-move circuit.
        number: index of the box in ``compiled.blocks``.
    """
    box = [item for item in compiled.circuit.data if item.name != "measure"][number]
    alone = compiled.circuit.copy_empty_like()
    _open_into(alone, box)
    return alone


def with_opened(compiled: CompiledBoard, moves: Collection[int]) -> "QuantumCircuit":
    """The whole circuit with the boxes of some moves opened and all others closed.

    Args:
        compiled: a move-by-move circuit.
        moves: which moves to open, counted from 0 since the last observation.
    """
    circuit = compiled.circuit.copy_empty_like()
    blocks = iter(compiled.blocks)
    for item in compiled.circuit.data:
        if item.name != "measure" and next(blocks).move in moves:
            _open_into(circuit, item)
        else:
            circuit.append(item)
    return circuit


def _open_into(circuit: "QuantumCircuit", box: "CircuitInstruction") -> None:
    inner = box.operation.definition
    for step in inner.data:
        circuit.append(step.operation, [box.qubits[inner.find_bit(qubit).index] for qubit in step.qubits])
