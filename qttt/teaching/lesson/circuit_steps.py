"""What the events of one phase mean for its circuit: the boxes they add and the amplitudes they change."""

from collections.abc import Sequence

from circuits.exact import Part, parts
from circuits.program import elementary_steps
from circuits.register import qubit_name
from qttt.game.game import Game
from qttt.game.squares import SQUARES
from qttt.game.symbols import Mode
from qttt.observation.compiler import CompiledBoard, compile_moves
from qttt.teaching.lesson.steps import Box, CircuitStep

_TOLERANCE = 1e-9


class PhaseCircuit:
    """The circuit of one phase of a game, looked at event by event."""

    def __init__(self, whole: Game, mode: Mode) -> None:
        """Compile the phase.

        Args:
            whole: the game up to the end of the phase, its observation not yet made.
            mode: the mode of that observation.
        """
        self._compiled = compile_moves(whole, mode)
        self._parts: tuple[Part, ...] = ()

    def begin(self, game: Game) -> None:
        """Note the state of the board before the first move of the phase."""
        self._parts = board_parts(game)

    def move(self, number: int, game: Game) -> CircuitStep:
        """What a move added.

        Args:
            number: of the move in this phase, from 0.
            game: the game after it.
        """
        highlighted = [i for i, block in enumerate(self._compiled.blocks) if block.move == number]
        parts_after = board_parts(game)
        changed = [part for part in parts_after if not _known(part, self._parts)]
        squares = {square for part in changed for square in part.squares}
        before = tuple(part for part in self._parts if squares & set(part.squares))
        kept = 1.0
        for part in changed:
            kept *= 1.0 - part.herald_failed
        self._parts = parts_after
        return CircuitStep(
            self._compiled,
            tuple(highlighted),
            boxes(self._compiled, highlighted),
            before,
            tuple(changed),
            kept,
        )

    def observation(self) -> CircuitStep:
        """What the observation adds: the switch back and the rotation of the mode, if there are any."""
        blocks = self._compiled.blocks
        moves = [i for i, block in enumerate(blocks) if block.move is not None]
        last = max(moves, default=-1)
        # Observed pieces are put on the board before the first move, and are no part of the observation.
        highlighted = [i for i, block in enumerate(blocks) if block.move is None and i > last and moves]
        return CircuitStep(self._compiled, tuple(highlighted), boxes(self._compiled, highlighted))


def boxes(compiled: CompiledBoard, numbers: Sequence[int]) -> tuple[Box, ...]:
    """Some blocks of a circuit, opened into elementary gates."""
    index = {qubit: place for place, qubit in enumerate(compiled.circuit.qubits)}
    result = []
    for number in numbers:
        block, instruction = compiled.blocks[number], compiled.circuit.data[number]
        qubits = [index[qubit] for qubit in instruction.qubits]
        steps = [
            step._replace(qubits=tuple(qubits[own] for own in step.qubits))
            for step in elementary_steps(instruction.operation)
        ]
        wires = tuple(qubit_name(qubit) for qubit in qubits)
        result.append(Box(block.label, block.squares, wires, tuple(steps)))
    return tuple(result)


def board_parts(game: Game) -> tuple[Part, ...]:
    """The state of a game's board in its present view, part by part, from its circuit."""
    compiled = compile_moves(game, measured=False)
    heralds = {
        block.squares[0]
        for block, instruction in zip(compiled.blocks, compiled.circuit.data, strict=True)
        if instruction.operation.name.startswith("half_cancelling")
    }
    position = game.state.position
    return parts(
        compiled.circuit, [square for square in SQUARES if not position.is_empty(square)], sorted(heralds)
    )


def _known(part: Part, others: Sequence[Part]) -> bool:
    for other in others:
        if other.squares == part.squares and other.amplitudes.keys() == part.amplitudes.keys():
            return all(
                abs(other.amplitudes[pattern] - value) < _TOLERANCE
                for pattern, value in part.amplitudes.items()
            )
    return False
