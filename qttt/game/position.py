"""A position: the dice on nine squares, the observed symbols, and the view. Moves give new positions."""

from dataclasses import dataclass, replace
from typing import assert_never

from qttt.errors import UsageError, shown
from qttt.game.configurations import Configuration, Contents, Squares, configuration, turned
from qttt.game.dice import COLOURS, Die, die_of
from qttt.game.moves import Kind, Move
from qttt.game.squares import EMPTY, EMPTY_BOARD, SQUARES, checked
from qttt.game.symbols import Symbol, View

NO_DICE: Squares = ((),) * 9
_HALVES = frozenset({Configuration.HALF_ENTANGLED, Configuration.HALF_CANCELLED, Configuration.TARGET})


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two moves: dice and view, and with ``view=physical`` what the dice cannot show.

    Attributes:
        dice: the dice in each square, squares 1 to 9; at most two, triangles before squares, and of two alike
            the occupant's before the invader's.
        observed: nine characters, the symbols that an observation placed and that are closed (Levels 0 to 4).
        view: how the dice are to be read.
        twisted: only with the option ``view=physical``: attacked squares of half-attacked roots whose state
            has been rotated an odd number of times although their dice stayed (decision D5).
        physical: a view switch rotates every occupied square (option ``view=physical``, decision D5).

    Raises:
        UsageError: on construction, if there is no such view, or not nine squares.
    """

    dice: Squares = NO_DICE
    observed: str = EMPTY_BOARD
    view: View = View.STANDARD
    twisted: frozenset[int] = frozenset()
    physical: bool = False

    def __post_init__(self) -> None:
        """Take a view that is named by a plain string."""
        if self.view.__class__ is not View:
            object.__setattr__(self, "view", View.named(self.view))
        if self.dice.__class__ is not tuple or len(self.dice) != 9:
            raise UsageError(f"a position's dice must be a tuple of nine squares, not {shown(self.dice)}")
        if self.observed.__class__ is not str or len(self.observed) != 9:
            raise UsageError(f"a position's observed symbols are nine characters, not {shown(self.observed)}")

    # Index -1 would answer for square 9 what was asked of square 0, so whoever takes a square checks it.

    def at(self, square: int) -> Contents:
        """The dice in a square, 1 to 9.

        Raises:
            UsageError: there is no such square.
        """
        return self.dice[checked(square) - 1]

    def configuration(self, square: int) -> Configuration:
        """What the dice in a square, 1 to 9, say by the Player Reference's list.

        Raises:
            UsageError: there is no such square.
        """
        return configuration(self.dice, checked(square))

    def is_empty(self, square: int) -> bool:
        """Whether a square, 1 to 9, has no die and no observed symbol.

        Raises:
            UsageError: there is no such square.
        """
        return not self.dice[checked(square) - 1] and self.observed[square - 1] == EMPTY

    def is_observed(self, square: int) -> bool:
        """Whether an observed symbol closes a square, 1 to 9.

        Raises:
            UsageError: there is no such square.
        """
        return self.observed[checked(square) - 1] != EMPTY

    @property
    def empty_squares(self) -> tuple[int, ...]:
        """Squares without die or symbol, ascending."""
        return tuple(
            square
            for square, contents, cell in zip(SQUARES, self.dice, self.observed, strict=True)
            if not contents and cell == EMPTY
        )

    @property
    def full(self) -> bool:
        """Every square holds a die or an observed symbol (decision D6): the observation phase starts."""
        return all(contents or cell != EMPTY for contents, cell in zip(self.dice, self.observed, strict=True))

    def attacker(self, square: int) -> Symbol | None:
        """The player whose shape can attack a square, 1 to 9: it holds one die, of the other player's shape.

        Whether the rules let them do so here and now is for the state to say (``State.open_to``).

        Raises:
            UsageError: there is no such square.
        """
        contents = self.dice[checked(square) - 1]
        return contents[0].shape.opponent if len(contents) == 1 else None

    def is_whole(self, square: int) -> bool:
        """Whether the one die in a square, 1 to 9, is a whole piece, which lies nowhere else.

        Raises:
            UsageError: there is no such square.
        """
        contents = self.dice[checked(square) - 1]
        return len(contents) == 1 and contents[0].value == 4

    def _with_free_colour(self, player: Symbol) -> tuple["Position", int]:
        """The position with a colour of the player's that no die on the board has, and that colour's number.

        Only with the option ``measure-turn`` can a player come to use all five; then two of their lone
        pieces share one. There are two: in at most eight squares each of five colours has two or more, but
        for lone pieces without a twin.
        """
        used = {die.number for contents in self.dice for die in contents if die.owner is player}
        for number in range(len(COLOURS)):
            if not {number, _twin(number)} & used:
                return self, number
        lone = (self.dice[square - 1][0] for square in SQUARES if self.is_whole(square))
        first, second, *_ = (die for die in lone if die.owner is player and _twin(die.number) not in used)
        sharing = (die_of(player, _twin(first.number), 4),)
        dice = tuple(sharing if contents == (second,) else contents for contents in self.dice)
        return replace(self, dice=dice), second.number % len(COLOURS)

    def after(self, move: Move, player: Symbol) -> "Position":
        """The position after a legal move, the board adjusted as at the table.

        The view switches that belong to the move are made too. Legality is
        not checked here (``qttt.game.legality`` does).

        Args:
            move: a legal move.
            player: who makes it.
        """
        if move.__class__ is not Move:
            raise UsageError(f"a position changes by a Move, for example Move.parse('5'), not {shown(move)}")
        position = self.switched() if move.before else self
        position = position._placed(move, Symbol.named(player))
        return position.switched() if move.after else position

    def _placed(self, move: Move, player: Symbol) -> "Position":
        room, number = self._with_free_colour(player)
        squares = list(room.dice)
        match move.kind:
            case Kind.CLASSICAL | Kind.SUPERPOSITION as kind:
                for square in move.squares:
                    squares[square - 1] = (die_of(player, number, 4 // kind.fills),)
            case Kind.ENTANGLING:
                own = die_of(player, number, 2)
                self._attack(squares, move, own, own)
            case Kind.CANCELLING:
                shape = self.dice[move.squares[0] - 1][0].shape
                own = die_of(player, number, 2 * player.sign)
                self._attack(squares, move, Die(shape, player, number, -2), own)
            case _:
                assert_never(move.kind)
        return replace(self, dice=tuple(squares))

    def _attack(self, squares: list[Contents], move: Move, invader: Die, own: Die) -> None:
        """Place an attack's dice. The board adjusts itself: half of the occupant's value is dragged along."""
        invaded, empty = move.squares
        (occupant,) = self.dice[invaded - 1]
        dragged = occupant.with_value(occupant.value // 2)
        squares[invaded - 1] = _ordered(dragged, invader)
        squares[empty - 1] = _ordered(dragged, own)

    def switched(self) -> "Position":
        """The position with the view token flipped (Player Reference, "Switching the View").

        Read physically it rotates every occupied square. The dice of attacked squares stay all the same, and
        where that makes them an approximation the square is remembered in ``twisted``.
        """
        squares = list(self.dice)
        flipped = set(self.twisted)
        for square in SQUARES:
            kind = configuration(self.dice, square)
            if kind.turns:
                squares[square - 1] = turned(self.dice[square - 1])
            elif self.physical and kind in _HALVES:
                flipped ^= {square}
        return Position(tuple(squares), self.observed, self.view.other, frozenset(flipped), self.physical)

    def standard(self) -> "Position":
        """The position in the standard view, as an observation begins."""
        return self if self.view is View.STANDARD else self.switched()

    def observed_as(self, board: str, *, in_play: bool) -> "Position":
        """The position after an observation.

        Args:
            board: the whole board, symbols of earlier observations included.
            in_play: observed pieces become lone dice of value 4, colours given in the order of the squares,
                to two pieces each where single ones would leave a player too few for the empty squares
                (Level 5, decision D7); otherwise they are closed symbols.
        """
        if not in_play:
            return Position(observed=board, physical=self.physical)
        squares: list[Contents] = []
        for place, cell in enumerate(board):
            if cell == EMPTY:
                squares.append(())
                continue
            # Either player can make at most one move for every two empty squares.
            in_pairs = board.count(cell) + -(-board.count(EMPTY) // 2) > len(COLOURS)
            number = board.count(cell, 0, place)
            if in_pairs:
                number = number // 2 if number % 2 == 0 else _twin(number // 2)
            squares.append((die_of(Symbol(cell), number, 4),))
        return Position(dice=tuple(squares), physical=self.physical)


def _twin(number: int) -> int:
    """The number of the one other piece that a piece may share its colour with."""
    return (number + len(COLOURS)) % (2 * len(COLOURS))


def _ordered(occupant: Die, invader: Die) -> Contents:
    if occupant.shape is Symbol.O and invader.shape is Symbol.X:
        return (invader, occupant)
    return (occupant, invader)


START = Position()
