"""What a lesson is made of: one step an event, everything in it computed from the game."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from circuits.exact import Part
from qttt.game.position import START, Position
from qttt.game.squares import SQUARES
from qttt.game.state import State
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import CompiledBoard
from qttt.teaching.lesson.rule_sentences import Rule

if TYPE_CHECKING:
    from circuits.program import GateStep as Gate
    from qttt.crosscheck.report import ModeCheck


@dataclass(frozen=True, slots=True)
class BoardPart(Part):
    """An independent part of a game's board, with the sign of the whole that its dice show.

    Attributes:
        sums: for patterns of a half-cancelled piece the sum of dice that their amplitude is, in signs:
            ``(½ − √½)/√1.29``.
    """

    sums: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DiceChange:
    """A square whose dice changed.

    Attributes:
        square: 1 to 9.
        before: its dice as text, ``empty`` without any.
        after: the same afterwards.
    """

    square: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Box:
    """One labelled box that a move added to the circuit.

    Attributes:
        label: what the box says.
        squares: the squares it acts on.
        wires: the names of its qubits.
        gates: the elementary gates inside.
    """

    label: str
    squares: tuple[int, ...]
    wires: tuple[str, ...]
    gates: "tuple[Gate, ...]"

    @property
    def two_qubit_gates(self) -> int:
        """How many of its gates act on two qubits."""
        return sum(len(gate.qubits) == 2 for gate in self.gates)


@dataclass(frozen=True, slots=True)
class CircuitStep:
    """What an event means for the circuit.

    Attributes:
        whole: the circuit of the whole phase, its observation included.
        highlighted: indices of its blocks that belong to this event.
        boxes: these blocks.
        before: the parts of the board's state that change, as they were.
        after: the same squares afterwards.
        kept: the probability that no herald of these parts has fired.
    """

    whole: CompiledBoard
    highlighted: tuple[int, ...]
    boxes: tuple[Box, ...]
    before: tuple[BoardPart, ...] = ()
    after: tuple[BoardPart, ...] = ()
    kept: float = 1.0


@dataclass(frozen=True, slots=True)
class Distribution:
    """What an observation could have given, by three roads.

    Attributes:
        mode: the mode of the observation.
        dice: exactly, from the dice.
        circuit: exactly, from the move-by-move circuit.
        shots: the frequencies of the shots that count.
        results: for each road, how the game would stand: X, O, tie or continue; None for positions.
        report: the cross-check of the three.
    """

    mode: Mode
    dice: Mapping[str, float]
    circuit: Mapping[str, float]
    shots: Mapping[str, float]
    results: Mapping[str, Mapping[str, float]] | None
    report: "ModeCheck"

    @property
    def roads(self) -> dict[str, Mapping[str, float]]:
        """The three distributions by the name of their road."""
        return {"dice": self.dice, "circuit": self.circuit, "shots": self.shots}


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One event of a game, explained.

    Attributes:
        number: of the event, from 1.
        token: the event in notation; empty for the look ahead at the end of an unfinished game.
        title: who did what.
        player: who did it; for an observation, who initiated it.
        comments: what the record says after it.
        rules: the rules applied, in order.
        before: the state before it.
        after: the state after it.
        shown: the board after the event, dice in squares that turned out empty not yet taken away.
        board_before: the board as it was shown before the event: as the event before it left it.
        marked: squares to point at.
        emptied: squares that an observation found empty.
        changes: squares whose dice changed.
        opens: the squares that are now open and to whom; None below Level 2, where no square ever is.
        circuit: what it means for the circuit; None where nothing is added.
        distribution: what an observation could have given.
        chance: the probability that the event had; 1 for moves.
        rolls: how the observation could have been rolled at the table.
        result: how the game stands after an observation, in words.
        judgements: what the choice gave away or chance gave, a sentence each (``qttt review``).
    """

    number: int
    token: str
    title: str
    player: Symbol
    comments: tuple[str, ...]
    rules: tuple[Rule, ...]
    before: State
    after: State
    shown: Position
    board_before: Position = START
    marked: tuple[int, ...] = ()
    emptied: tuple[int, ...] = ()
    changes: tuple[DiceChange, ...] = ()
    opens: Mapping[int, Symbol] | None = None
    circuit: CircuitStep | None = None
    distribution: Distribution | None = None
    chance: float = 1.0
    rolls: tuple[str, ...] = ()
    result: str = ""
    judgements: tuple[str, ...] = ()

    @property
    def board(self) -> Position:
        """The board as it is shown after the event, without dice where an observation found nothing."""
        dice = tuple(() if square in self.emptied else self.shown.at(square) for square in SQUARES)
        return replace(self.shown, dice=dice)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A game, explained from its first move to its last.

    Attributes:
        title: what the lesson is called.
        level: the level's number and name.
        headers: the record's headers, in their order.
        introduction: the comments before the first move.
        steps: one for each event, and for an unfinished game a last one that looks ahead.
        record: the game in notation.
        ending: how it ended, or that it goes on.
        shots: how many shots each cross-check took.
        seed: where their random numbers came from.
    """

    title: str
    level: str
    headers: tuple[tuple[str, str], ...]
    introduction: tuple[str, ...]
    steps: tuple[LessonStep, ...]
    record: str
    ending: str
    shots: int
    seed: int
