"""What the events of one phase mean for its circuit: the boxes they add and the amplitudes they change."""

from collections.abc import Mapping, Sequence
from math import copysign, isclose, sqrt

from circuits.exact import Part, parts
from circuits.program import elementary_steps
from circuits.register import qubit_name
from qttt.display.pictures.descriptions import sum_words
from qttt.game.dice import Die, amplitude_of
from qttt.game.game import Game
from qttt.game.position import Position
from qttt.game.roots import Attack, Root, read_roots, root_state
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.symbols import Mode
from qttt.observation.compiler import CompiledBoard, compile_moves
from qttt.teaching.lesson.steps import BoardPart, Box, CircuitStep

_TOLERANCE = 1e-9


class PhaseCircuit:
    """The circuit of one phase of a game, looked at event by event."""

    def __init__(self, whole: Game) -> None:
        """Compile the phase, its mode of observation not yet chosen.

        Args:
            whole: the game up to the end of the phase, its observation not yet made.
        """
        self._whole = whole
        self._compiled = compile_moves(whole)
        self._parts: tuple[BoardPart, ...] = ()

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

    def positions(self) -> CircuitStep:
        """What the observation of positions adds: the switch back, if there is one, and no mode yet."""
        added = range(self._end_of_moves, len(self._compiled.blocks))
        return CircuitStep(self._compiled, tuple(added), boxes(self._compiled, added))

    def observation(self, mode: Mode, *, positions_known: bool) -> CircuitStep:
        """What the observation adds: the switch back and the rotation of the mode, if there are any.

        Args:
            mode: how the symbols are read.
            positions_known: the positions were observed before, and the view switched back with them.
        """
        compiled = self._compiled if mode is Mode.STANDARD else compile_moves(self._whole, mode)
        begin = len(self._compiled.blocks) if positions_known else self._end_of_moves
        added = range(begin, len(compiled.blocks))
        return CircuitStep(compiled, tuple(added), boxes(compiled, added))

    @property
    def _end_of_moves(self) -> int:
        """The number of blocks that put observed pieces on the board and make the moves."""
        blocks = self._compiled.blocks
        moves = [number for number, block in enumerate(blocks) if block.move is not None]
        return moves[-1] + 1 if moves else len(blocks)


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


def board_parts(game: Game) -> tuple[BoardPart, ...]:
    """The state of a game's board in its present view, part by part, from its circuit.

    The sign of a whole part means nothing; it is chosen as its dice show it.
    """
    compiled = compile_moves(game, measured=False)
    heralds = {
        block.squares[0]
        for block, instruction in zip(compiled.blocks, compiled.circuit.data, strict=True)
        if instruction.operation.name.startswith("half_cancelling")
    }
    position = game.state.position
    filled = [square for square in SQUARES if not position.is_empty(square)]
    roots = read_roots(position)
    return tuple(
        _as_the_dice_show(part, position, roots) for part in parts(compiled.circuit, filled, sorted(heralds))
    )


def _as_the_dice_show(part: Part, position: Position, roots: Sequence[Root]) -> BoardPart:
    for root in roots:
        if set(root.squares) == set(part.squares):
            break
    else:  # a cancelled square, or an observed symbol
        return BoardPart(part.squares, part.amplitudes, part.herald_failed)
    order = [root.squares.index(square) for square in part.squares]
    by_dice = {
        "".join(pattern[place] for place in order): float(amplitude)
        for pattern, amplitude in root_state(root).items()
    }
    # Where a piece was half-cancelled, its dice show signs; a pair has a minus that no die shows.
    places = [
        part.squares.index(square)
        for site in root.sites
        if site.attack is Attack.CANCELLED
        for square in site.squares
    ]
    signed = [key for key in part.amplitudes if any(key[place] != EMPTY for place in places)]
    largest = max(signed or part.amplitudes, key=lambda key: round(abs(by_dice.get(key, 0.0)), 9))
    found = part.amplitudes[largest]
    turn = copysign(1, by_dice.get(largest, 1.0)) * abs(found) / found
    amplitudes = {key: value * turn for key, value in part.amplitudes.items()}
    sums = _sums(part.squares, amplitudes, position, root) if places else {}
    return BoardPart(part.squares, amplitudes, part.herald_failed, sums)


def _sums(
    squares: Sequence[int], amplitudes: Mapping[str, complex], position: Position, root: Root
) -> dict[str, str]:
    """The amplitudes of a half-cancelled piece as sums of its dice, where one square is filled in each."""
    if any(site.attack is Attack.ENTANGLED or site.twisted for site in root.sites):
        return {}
    dice = {
        pattern: [
            die
            for square, cell in zip(squares, pattern, strict=True)
            for die in position.at(square)
            if die.shape == cell
        ]
        for pattern in amplitudes
    }
    weight = sum(amplitude_of(own) ** 2 for own in dice.values())
    # Said only where it is so: what a lesson shows is what its circuit does.
    return {
        pattern: _over_the_norm(own, weight)
        for pattern, own in dice.items()
        if isclose(amplitudes[pattern].real, amplitude_of(own) / sqrt(weight), abs_tol=_TOLERANCE)
    }


def _over_the_norm(dice: Sequence[Die], weight: float) -> str:
    said = sum_words(dice)
    return f"{f'({said})' if len(dice) > 1 else said}/√{weight:.2f}"


def _known(part: Part, others: Sequence[Part]) -> bool:
    for other in others:
        if other.squares == part.squares and other.amplitudes.keys() == part.amplitudes.keys():
            return all(
                abs(other.amplitudes[pattern] - value) < _TOLERANCE
                for pattern, value in part.amplitudes.items()
            )
    return False
