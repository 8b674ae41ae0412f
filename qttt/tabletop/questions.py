"""What can be asked about the dice that hang together, how a roll answers it, and what is left afterwards.

A *cluster* is the dice of one root on the table, on squares of its own numbered from 1. Clusters never touch
one another, so the table is a set of them, and as there are only a few dozen kinds, each kind and what every
answer makes of it is worked out once.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import NamedTuple

from qttt.game.adjustment import Branch, Piece, branches, find_piece, miss_piece, symbol_weights, traced
from qttt.game.configurations import Configuration, Contents, Squares, configuration, partner
from qttt.game.surds import ZERO, Surd
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.d6 import RollRule


class Step(Enum):
    """What an observation phase is settling."""

    TOGETHER = "positions and symbols together"
    POSITIONS = "positions"
    SYMBOLS = "symbols"


class Asks(Enum):
    """The three questions; the value is how they are put."""

    MINE = "is this square mine?"
    HALF = "is my piece in these two squares?"
    FILLED = "is there a piece in this square?"


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that can be asked now.

    Attributes:
        asker: who asks: a player with a die there.
        squares: the square pointed at, or the two squares of an entangled half.
        asks: what is asked.
        chance: the exact chance of yes.
        reading: how a d6 is read for it.
        hidden: the dice do not show what is rolled for: under the option ``view=physical`` the squares' state
            was rotated while their dice stayed (decision D5).
    """

    asker: Symbol
    squares: tuple[int, ...]
    asks: Asks
    chance: Surd
    reading: RollRule
    hidden: bool = False

    @property
    def square(self) -> int:
        """The square pointed at; of two, the smaller."""
        return self.squares[0]

    @property
    def d6_is_exact(self) -> bool:
        """Whether the d6 gives exactly the chance: all readings do but those of two dice thrown at once."""
        return self.reading.dice == 1

    def __str__(self) -> str:
        """For example ``X points at 7: is this square mine? (even means yes)``."""
        places = " and ".join(map(str, self.squares))
        unseen = ", rotated although the dice do not show it" * self.hidden
        return f"{self.asker} points at {places}{unseen}: {self.asks.value} ({self.reading.value})"


class Answers(NamedTuple):
    """A question and the cluster that each answer leaves."""

    question: Question
    yes: "Cluster"
    no: "Cluster"


_READINGS = {
    reading.chance: reading for reading in (RollRule.EVEN, RollRule.ONE_OR_TWO, RollRule.NOT_ONE_OR_TWO)
}


@dataclass(frozen=True, eq=False)
class Cluster:
    """The dice of one root on the table; made by ``cluster`` only, so that equal ones are the same object.

    Attributes:
        dice: the dice left on each of its squares.
        symbols: what has been placed there, ``.`` elsewhere.
        step: what is being settled.
        mode: the mode in which symbols are read; None while only positions are settled.
        twisted: squares whose state was rotated while their dice stayed (option ``view=physical``).
    """

    dice: Squares
    symbols: str
    step: Step
    mode: Mode | None = None
    twisted: frozenset[int] = frozenset()

    @cached_property
    def answers(self) -> tuple[Answers, ...]:
        """Every question that can be asked now, by square, X's first; empty once the step is settled."""
        if self.step is Step.TOGETHER:
            found_out = self._together()
        elif self.step is Step.POSITIONS:
            found_out = self._positions()
        else:
            found_out = self._symbols()
        return tuple(sorted(found_out, key=lambda answers: (answers.question.squares, _order(answers))))

    @cached_property
    def asked_by(self) -> dict[Symbol, tuple[Answers, ...]]:
        """The questions of each player."""
        return {
            player: tuple(answers for answers in self.answers if answers.question.asker is player)
            for player in Symbol
        }

    def read(self, mode: Mode) -> "Cluster":
        """The cluster once positions are settled and the mode is chosen."""
        return self._read[mode]

    @cached_property
    def _read(self) -> dict[Mode, "Cluster"]:
        return {mode: cluster(self.dice, self.symbols, Step.SYMBOLS, mode, self.twisted) for mode in Mode}

    def _with(self, dice: Squares) -> "Cluster":
        return cluster(dice, self.symbols, self.step, self.mode, self.twisted)

    def _together(self) -> list[Answers]:
        """Any die of value 2 may be asked about, the attacker's as well as the root's; 1s never."""
        return [
            Answers(
                _question(die.shape, (square,), Asks.MINE, Surd(RollRule.EVEN.chance)),
                self._with(find_piece(self.dice, square, die.piece)),
                self._with(miss_piece(self.dice, square, die.piece)),
            )
            for square, contents in enumerate(self.dice, 1)
            for die in contents
            if die.value == 2
        ]

    def _positions(self) -> list[Answers]:
        """Half-cancelled squares first, the smaller first; then which half, then what is left."""
        result = []
        for piece, places in branches(self.dice).items():
            total = sum((branch.weight for branch in places), ZERO)
            unlikely = [b for b in places if b.kind is Configuration.HALF_CANCELLED]
            even = len({branch.weight for branch in places}) == 1
            for branch in unlikely[:1] or places:
                if branch.kind is Configuration.TARGET and not even:
                    # The reference has no roll for 3/5; the other half is asked about.
                    continue
                chance = branch.weight / total
                reading = RollRule.SNAKE_EYES if unlikely else None
                for asker, asks in self._askers(piece, branch):
                    result.append(
                        Answers(
                            _question(asker, branch.squares, asks, chance, reading),
                            self._with(traced(self.dice, piece, branch, here=True)),
                            self._with(traced(self.dice, piece, branch, here=False)),
                        )
                    )
        return result

    def _askers(self, piece: Piece, branch: Branch) -> list[tuple[Symbol, Asks]]:
        if branch.kind is Configuration.TARGET:
            return [(player, Asks.FILLED) for player in Symbol]
        return [(piece[0], Asks.HALF if len(branch.squares) == 2 else Asks.MINE)]

    def _symbols(self) -> list[Answers]:
        result = []
        for square, contents in enumerate(self.dice, 1):
            if not contents:
                continue
            if configuration(self.dice, square) is Configuration.ENTANGLED:
                other = partner(self.dice, square)
                assert other is not None
                result += [
                    Answers(
                        _question(die.shape, (square,), Asks.MINE, Surd(RollRule.EVEN.chance)),
                        self._placed({square: die.shape, other: die.shape.opponent}),
                        self._placed({square: die.shape.opponent, other: die.shape}),
                    )
                    for die in contents
                ]
                continue
            asker = _reads_as(contents)
            weights = symbol_weights(contents, self._mode_at(square))
            chance = weights[asker] / (weights[Symbol.X] + weights[Symbol.O])
            uneven = len({abs(die.value) for die in contents}) == 2
            reading = RollRule.NOT_SNAKE_EYES if uneven and self._mode_at(square) is Mode.ROTATED else None
            result.append(
                Answers(
                    _question(asker, (square,), Asks.MINE, chance, reading, square in self.twisted),
                    self._placed({square: asker}),
                    self._placed({square: asker.opponent}),
                )
            )
        return result

    def _mode_at(self, square: int) -> Mode:
        """The mode in which the dice of a square are to be read: a twisted square reads as in the other."""
        assert self.mode is not None
        if square in self.twisted:
            return Mode.STANDARD if self.mode is Mode.ROTATED else Mode.ROTATED
        return self.mode

    def _placed(self, found_out: dict[int, Symbol]) -> "Cluster":
        dice, symbols = list(self.dice), list(self.symbols)
        for square, symbol in found_out.items():
            dice[square - 1], symbols[square - 1] = (), symbol
        return cluster(tuple(dice), "".join(symbols), self.step, self.mode, self.twisted)


def cluster(
    dice: Squares,
    symbols: str,
    step: Step,
    mode: Mode | None = None,
    twisted: frozenset[int] = frozenset(),
) -> Cluster:
    """The cluster with these dice, after everything that needs no roll has been done.

    Up to Level 2 a die of value 4 gives way to its symbol; in the symbol step every square does that can only
    be read in one way (△ and □ in standard mode, plus and minus in rotated mode).

    Args:
        dice: the dice on each square.
        symbols: one character a square.
        step: what is being settled.
        mode: how symbols are read, in the symbol step.
        twisted: squares whose dice do not show their state.
    """
    placed = list(symbols)
    left = list(dice)
    for square in range(1, len(dice) + 1):
        symbol = _certain(dice, square, step, mode, square in twisted)
        if symbol is not None:
            placed[square - 1], left[square - 1] = symbol, ()
    return _interned(tuple(left), "".join(placed), step, mode, twisted)


@cache
def _interned(dice: Squares, symbols: str, step: Step, mode: Mode | None, twisted: frozenset[int]) -> Cluster:
    return Cluster(dice, symbols, step, mode, twisted)


def _certain(dice: Squares, square: int, step: Step, mode: Mode | None, twisted: bool) -> Symbol | None:
    contents = dice[square - 1]
    if not contents or step is Step.POSITIONS:
        return None
    if step is Step.TOGETHER or mode is None:
        return contents[0].shape if len(contents) == 1 and contents[0].value == 4 else None
    if len(contents) == 2 and configuration(dice, square) is Configuration.ENTANGLED:
        return None
    if twisted:
        mode = Mode.STANDARD if mode is Mode.ROTATED else Mode.ROTATED
    possible = [symbol for symbol, weight in symbol_weights(contents, mode).items() if weight]
    return possible[0] if len(possible) == 1 else None


def _reads_as(contents: Contents) -> Symbol:
    """Whose state a filled square shows: a lone die's shape; X for plus-like dice, O for minus-like."""
    if len(contents) == 1:
        return contents[0].shape
    return Symbol.X if all(die.value > 0 for die in contents) else Symbol.O


def _question(
    asker: Symbol,
    squares: tuple[int, ...],
    asks: Asks,
    chance: Surd,
    reading: RollRule | None = None,
    hidden: bool = False,
) -> Question:
    return Question(asker, squares, asks, chance, reading or _READINGS[chance.rational], hidden)


def _order(answers: Answers) -> int:
    return list(Symbol).index(answers.question.asker)
