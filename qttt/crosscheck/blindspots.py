"""What a record cannot tell: faults that would leave its distributions as they are.

A cross-check that agrees says nothing about a fault to which its record is blind. A board that is the same
with X and O exchanged cannot show that a decoder exchanges them; an entangled pair in the standard mode
alone cannot show a plus sign in it. Here such faults are planted in a copy of the record's circuit, or in how
its bits are read, and what comes out is compared, exactly, in every mode that the check looks at. A fault
that has nothing to act on in the record, such as a herald's without a half-cancel, is not spoken of.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qttt.crosscheck.report import TOLERANCE
from qttt.game.game import Game
from qttt.game.odds import distance
from qttt.game.squares import SQUARES
from qttt.game.symbols import Mode
from qttt.observation.compiler import CompiledBoard, compile_moves

if TYPE_CHECKING:
    from qiskit.circuit import QuantumCircuit

    from circuits.gates import MoveGate

_SWAPPED = str.maketrans("XO", "OX")

Boards = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a circuit gives: the distribution of boards, and how often a herald fires or bits are no board."""

    boards: Boards
    failed: float = 0.0
    illegal: float = 0.0

    def same(self, other: "_Seen") -> bool:
        return (
            abs(self.failed - other.failed) <= TOLERANCE
            and abs(self.illegal - other.illegal) <= TOLERANCE
            and bool(self.boards) == bool(other.boards)
            and distance(self.boards, other.boards) <= TOLERANCE
        )


def unresolved(game: Game, modes: tuple[Mode, ...]) -> tuple[str, ...]:
    """Name the faults that would leave every distribution of a game's present board as it is.

    Returns:
        The faults in words, for example ``a plus sign in an entangled pair``.
    """
    compiled = {mode: compile_moves(game, mode) for mode in modes}
    blind = []
    true = {mode: _seen(board, game) for mode, board in compiled.items()}
    for name, plant in _plants():
        changed = {mode: plant(board) for mode, board in compiled.items()}
        planted = {mode: board for mode, board in changed.items() if board is not None}
        if planted and all(_seen(board, game).same(true[mode]) for mode, board in planted.items()):
            blind.append(name)
    return tuple(blind + _misreadings(game, [seen.boards for seen in true.values()]))


def _seen(board: CompiledBoard, game: Game) -> _Seen:
    exact, positions = board.exact(), game.state.positions
    if positions is None:
        return _Seen(exact.outcomes, exact.herald_failed, exact.illegal)
    # Shots whose heralds fire, or with other positions, were thrown away before.
    return _Seen(positions.given(exact.outcomes))


Plant = Callable[[CompiledBoard], CompiledBoard | None]
"""Gives a copy with a fault in it, or None where it has nothing to act on."""


def _plants() -> Iterator[tuple[str, Plant]]:
    from circuits import gates

    # Qubits of a gate: occ a, sym a, occ b, sym b, her a.
    pairs = (gates.EntanglingGate, gates.HalfEntanglingGate)
    heralded = (gates.HalfCancellingGate, gates.MeasureTurnGate)
    yield "a plus sign in an entangled pair", _edited(pairs, _then("hxh", 1))
    yield "the wrong sign in a cancelling move", _edited((gates.CancellingGate,), _then("hxh", 3))
    yield "the wrong sign in a half-cancelling move", _edited((gates.HalfCancellingGate,), _then("hxh", 3))
    yield "a missing view switch", _edited((gates.ViewSwitchGate,), _nothing)
    yield "a missing mode rotation", _edited((gates.ModeRotationGate,), _nothing)
    yield "a herald the wrong way round", _edited(heralded, _then("x", -1))
    yield "ignored heralds", _without_heralds
    yield "1 % of an angle", _edited((gates.MoveGate,), _wider)


def _misreadings(game: Game, seen: Sequence[Boards]) -> list[str]:
    """Faults of decoding, planted in the boards that were read, that leave all of them as they are."""

    def blind(change: Callable[[str], str]) -> bool:
        changed = [{change(board): chance for board, chance in boards.items()} for boards in seen]
        return all(distance(one, other) <= TOLERANCE for one, other in zip(changed, seen, strict=True))

    position = game.state.position
    live = [square for square in SQUARES if position.at(square) or position.is_observed(square)]
    found = []
    if live and blind(lambda board: board.translate(_SWAPPED)):
        found.append("X and O swapped")
    if len(live) > 1 and blind(_moved(dict(zip(live, reversed(live), strict=True)))):
        found.append("bits read in reverse order")
    while live:
        # What can be exchanged with one of them can be exchanged with each other.
        first, *others = live
        alike = [first, *(other for other in others if blind(_moved({first: other, other: first})))]
        if len(alike) > 1:
            *most, last = map(str, alike)
            found.append(f"squares {', '.join(most)} and {last} exchanged")
        live = [square for square in live if square not in alike]
    return found


def _moved(sources: Mapping[int, int]) -> Callable[[str], str]:
    order = [sources.get(square, square) - 1 for square in SQUARES]
    return lambda board: "".join([board[place] for place in order])


def _edited(
    kinds: "tuple[type[MoveGate], ...]", edit: "Callable[[QuantumCircuit], QuantumCircuit | None]"
) -> Plant:
    """Open every gate of some kinds, and change what is in it."""

    def plant(board: CompiledBoard) -> CompiledBoard | None:
        circuit = board.circuit.copy_empty_like()
        found = False
        for step in board.circuit.data:
            body = edit(step.operation.definition) if isinstance(step.operation, kinds) else None
            if body is None:
                circuit.append(step)
                continue
            found = True
            for inner in body.data:
                circuit.append(inner.operation, [step.qubits[body.find_bit(q).index] for q in inner.qubits])
        return replace(board, circuit=circuit) if found else None

    return plant


def _then(names: str, qubit: int) -> "Callable[[QuantumCircuit], QuantumCircuit]":
    """A gate's definition, and after it some gates on one of its qubits."""

    def edit(definition: "QuantumCircuit") -> "QuantumCircuit":
        body = definition.copy()
        for name in names:
            getattr(body, name)(qubit)
        return body

    return edit


def _nothing(definition: "QuantumCircuit") -> "QuantumCircuit":
    return definition.copy_empty_like()


def _wider(definition: "QuantumCircuit") -> "QuantumCircuit | None":
    """A definition whose rotations turn too far by 1 %; None where it has no rotation."""
    if not any(step.operation.params for step in definition.data):
        return None
    body = definition.copy_empty_like()
    for step in definition.data:
        getattr(body, step.operation.name)(*[1.01 * angle for angle in step.operation.params], *step.qubits)
    return body


def _without_heralds(board: CompiledBoard) -> CompiledBoard | None:
    from circuits.measurement import measure_board

    assert board.readout is not None
    if not board.readout.heralds:
        return None
    bare = board.circuit.remove_final_measurements(inplace=False)
    return replace(board, circuit=bare, readout=measure_board(bare, SQUARES))
