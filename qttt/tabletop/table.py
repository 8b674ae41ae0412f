"""The observation phase as it is rolled at the table: the dice still on the board, and what may be asked now.

A table is a value: every answer gives a new one. It remembers what its next question leads to, so that
rolling the same board many times works out each moment once. Up to Level 2 positions and symbols are rolled
together, any die of value 2 first or last. From Level 3 on positions come first; then the initiator chooses
the mode where there is a choice, and the symbols follow (Player Reference, "The Observation Phase"; rules.md,
"Tabletop rolls").
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from qttt.game.configurations import Contents
from qttt.game.dice import Die
from qttt.game.position import Position
from qttt.game.roots import read_roots
from qttt.game.rules import Rules
from qttt.game.squares import EMPTY
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.questions import Answers, Cluster, Question, Step, cluster

_TOGETHER_UP_TO = 2


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster in its place on the board.

    Attributes:
        squares: the board squares of the cluster's squares 1, 2, …
        pieces: the board's pieces, in the order in which the cluster numbers each player's.
        cluster: the dice there, on squares and with piece numbers of their own.
    """

    squares: tuple[int, ...]
    pieces: tuple[tuple[Symbol, int], ...]
    cluster: Cluster

    def question(self, answers: Answers) -> Question:
        """A question of the cluster, about the board's squares."""
        asked = answers.question
        squares = tuple(sorted(self.squares[place - 1] for place in asked.squares))
        return Question(asked.asker, squares, asked.asks, asked.chance, asked.reading, asked.hidden)

    def contents(self) -> Iterator[tuple[int, Contents, str]]:
        """For each square of the board: the dice left in it, of the board's pieces, and what was placed."""
        numbers = {symbol: [n for owner, n in self.pieces if owner is symbol] for symbol in Symbol}
        for square, dice, placed in zip(self.squares, self.cluster.dice, self.cluster.symbols, strict=True):
            contents = tuple(
                Die(die.shape, die.owner, numbers[die.owner][die.number], die.value) for die in dice
            )
            yield square, contents, placed


class Asked(NamedTuple):
    """A question about the board's squares, and the table after each answer."""

    question: Question
    yes: "Table"
    no: "Table"


@dataclass(frozen=True)
class Table:
    """The board during an observation phase; immutable.

    Attributes:
        groups: the independent parts of the board.
        fixed: nine characters, the symbols of earlier observations.
        modes: the modes that the initiator may choose from.
        initiator: the player who moved last; they roll first, and choose the mode.
        turn: whose turn it is to ask. A player without a die to ask about lets the other ask.
        mode: the mode, once it is chosen or if there is no choice.
        step: what is being rolled for.
    """

    groups: tuple[Group, ...]
    fixed: str
    modes: tuple[Mode, ...]
    initiator: Symbol
    turn: Symbol
    mode: Mode | None
    step: Step

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything that may be asked now, by either player, in the order of the squares."""
        asked = [group.question(answers) for group in self.groups for answers in group.cluster.answers]
        return tuple(sorted(asked, key=lambda question: (question.squares, question.asker is Symbol.O)))

    @cached_property
    def settled(self) -> bool:
        """Whether nothing is left to roll for in this step."""
        return not any(group.cluster.answers for group in self.groups)

    @property
    def done(self) -> bool:
        """Whether every symbol is placed."""
        return self.settled and self.step is not Step.POSITIONS

    @property
    def position(self) -> Position:
        """The board as it now looks: dice left, symbols placed (also those of earlier observations)."""
        dice: list[Contents] = [()] * 9
        observed = list(self.fixed)
        twisted = set()
        for group in self.groups:
            for place, (square, contents, placed) in enumerate(group.contents(), 1):
                dice[square - 1] = contents
                if placed != EMPTY:
                    observed[square - 1] = placed
                if contents and place in group.cluster.twisted:
                    twisted.add(square)
        return Position(tuple(dice), "".join(observed), twisted=frozenset(twisted))

    @cached_property
    def board(self) -> str:
        """Nine characters: the symbols placed so far, those of earlier observations included."""
        return self.position.observed

    @property
    def filled(self) -> str:
        """Nine of ``#`` and ``.``: which squares hold a piece, once the positions are settled.

        Raises:
            ValueError: while some are still to be rolled for.
        """
        if not self.settled and self.step is not Step.SYMBOLS:
            raise ValueError("some positions are still to be rolled for")
        position = self.position
        return "".join(EMPTY if position.is_empty(square) else "#" for square in range(1, 10))

    def next_question(self) -> Question:
        """What the player whose turn it is asks if they go by the order of the squares, single ones first.

        If they have no die to ask about, it is the other player's first question.

        Raises:
            ValueError: if nothing is left to ask in this step.
        """
        group, answers = self._next()
        return group.question(answers)

    @cached_property
    def asked(self) -> Asked:
        """The next question as ``next_question`` gives it, with the table after each answer.

        Raises:
            ValueError: if nothing is left to ask in this step.
        """
        group, answers = self._next()
        question = group.question(answers)
        yes, no = (self._after(group, left, question.asker) for left in (answers.yes, answers.no))
        return Asked(question, yes, no)

    def _next(self) -> tuple[Group, Answers]:
        for player in (self.turn, self.turn.opponent):
            best: tuple[Group, Answers] | None = None
            first = (3, 0)
            for group in self.groups:
                for answers in group.cluster.asked_by[player]:
                    places = answers.question.squares
                    rank = (len(places), group.squares[places[0] - 1])
                    if rank < first:
                        first, best = rank, (group, answers)
            if best is not None:
                return best
        raise ValueError("nothing is left to ask in this step")

    def answer(self, question: Question, *, yes: bool) -> "Table":
        """The table after an answer, the dice adjusted and symbols placed as they follow.

        Where there is no choice of mode, the last position settled leads on to the symbol step at once.

        Raises:
            ValueError: if it is not asked at this table.
        """
        for group in self.groups:
            if question.squares[0] not in group.squares:
                continue
            for answers in group.cluster.answers:
                if group.question(answers) == question:
                    return self._after(group, answers.yes if yes else answers.no, question.asker)
        raise ValueError(f"this is not asked now: {question}")

    def _after(self, group: Group, left: Cluster, asker: Symbol) -> "Table":
        """The table after a group's cluster has become another by a player's question."""
        changed = Group(group.squares, group.pieces, left)
        groups = tuple(changed if other is group else other for other in self.groups)
        table = Table(groups, self.fixed, self.modes, self.initiator, asker.opponent, self.mode, self.step)
        return table._led_on()

    def _led_on(self) -> "Table":
        if self.step is Step.POSITIONS and len(self.modes) == 1 and self.settled:
            return self.choose(self.modes[0])
        return self

    def choose(self, mode: Mode) -> "Table":
        """The table once the initiator has chosen the mode: what it makes certain is placed at once.

        The initiator rolls first again.

        Raises:
            ValueError: if positions are still to be rolled for, or the mode is not open to choice.
        """
        if self.step is not Step.POSITIONS or not self.settled:
            raise ValueError("the mode is chosen once, when the positions are settled")
        if mode not in self.modes:
            raise ValueError(f"the {mode} mode cannot be chosen here")
        return self._chosen[mode]

    @cached_property
    def _chosen(self) -> dict[Mode, "Table"]:
        return {mode: self._read(mode) for mode in self.modes}

    def _read(self, mode: Mode) -> "Table":
        groups = tuple(Group(group.squares, group.pieces, group.cluster.read(mode)) for group in self.groups)
        return replace(self, groups=groups, turn=self.initiator, mode=mode, step=Step.SYMBOLS)

    def given(self, filled: str) -> "Table":
        """The table once it is known which squares are filled: every position question answered by it.

        Args:
            filled: nine of ``#`` and ``.``.

        Raises:
            ValueError: if the dice cannot give these positions.
        """
        table = self
        while table.step is Step.POSITIONS and not table.settled:
            question = table.questions[0]
            here = all(filled[square - 1] != EMPTY for square in question.squares)
            table = table.answer(question, yes=here)
        if table.filled != filled:
            raise ValueError(f"the positions {filled} are impossible here")
        return table


def lay_out(
    position: Position,
    rules: Rules,
    initiator: Symbol = Symbol.X,
    modes: tuple[Mode, ...] | None = None,
) -> Table:
    """The table as the observation phase begins: the view put back, and all done that needs no roll.

    Args:
        position: the board, full or as if observed now.
        rules: level and options; they say whether positions are rolled first.
        initiator: who moved last.
        modes: the modes open to choice; if None, those of the level.
    """
    standing = position.standard()
    together = rules.level.number <= _TOGETHER_UP_TO
    step = Step.TOGETHER if together else Step.POSITIONS
    if modes is None:
        modes = tuple(Mode) if rules.level.rotated_mode else (Mode.STANDARD,)
    groups = tuple(_group(standing, root.squares, step) for root in read_roots(standing))
    mode = Mode.STANDARD if together else None
    return Table(groups, standing.observed, modes, initiator, initiator, mode, step)._led_on()


def _group(position: Position, squares: tuple[int, ...], step: Step) -> Group:
    numbers: dict[tuple[Symbol, int], int] = {}
    dice: list[Contents] = []
    for square in squares:
        contents = []
        for die in position.at(square):
            if die.piece not in numbers:
                numbers[die.piece] = sum(owner is die.owner for owner, _ in numbers)
            contents.append(Die(die.shape, die.owner, numbers[die.piece], die.value))
        dice.append(tuple(contents))
    twisted = frozenset(place for place, square in enumerate(squares, 1) if square in position.twisted)
    placed = EMPTY * len(squares)
    return Group(squares, tuple(numbers), cluster(tuple(dice), placed, step, twisted=twisted))
