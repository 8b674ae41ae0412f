"""Moves in notation: ``5``, ``1+3``, ``5*6``, ``5-6``, with ``~`` for a view switch before or after."""

import re
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, permutations, product

from qttt.errors import MoveSyntaxError, UsageError, shown


class Kind(Enum):
    """The kinds of move in canonical order: all that is a fact about a kind stands in its row.

    Attributes:
        sign: what stands between the squares in notation.
        word: the kind as the rules name it, for sentences, for example ``superposition``.
        verb: what the mover does, for sentences.
        effect: what the example does, for help texts.
        first_level: the level from which on the move is allowed.
        attacks: the values of a lone die of the opponent's that it may enter, 4 for a whole piece and 2 for
            a half; that square is named first. Empty: it enters none.
        fills: how many empty squares it fills.
        choices: the squares that a move of the kind may name, as notation orders them.
    """

    # fmt: off
    #                sign word             verb              first level  attacks  fills
    CLASSICAL =     ("",  "classical",     "places",         0,           (),      1,
                     "your piece in square 5")
    SUPERPOSITION = ("+", "superposition", "places",         1,           (),      2,
                     "your piece in 1 and 3 at once")
    ENTANGLING =    ("*", "entangling",    "entangles with", 2,           (4, 2),  1,
                     "invade the opponent's lone die in 5 and spread into empty 6")
    CANCELLING =    ("-", "cancelling",    "cancels",        3,           (4, 2),  1,
                     "invade 5, your own die into empty 6")
    # fmt: on

    def __init__(
        self,
        sign: str,
        word: str,
        verb: str,
        first_level: int,
        attacks: tuple[int, ...],
        fills: int,
        effect: str,
    ) -> None:
        """Give the cells of the row their names."""
        self.sign = sign
        self.word = word
        self.verb = verb
        self.effect = effect
        self.first_level = first_level
        self.attacks = attacks
        self.fills = fills
        choose = permutations if attacks else combinations
        self.choices = {squares: squares for squares in choose(range(1, 10), bool(attacks) + fills)}

    # Enum's own hashes the name, in Python: with it legal moves take 1.2 to 1.5 times as long.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """The member as it is written in code."""
        return f"Kind.{self.name}"

    @property
    def example(self) -> str:
        """A move of the kind, as messages and help texts show it."""
        squares = (5, 6) if self.attacks else (1, 3)[: self.fills]
        return self.sign.join(map(str, squares if self.sign else (5,)))


_BY_SIGN = {kind.sign: kind for kind in Kind}
assert len(_BY_SIGN) == len(Kind), "two kinds of move have one sign"
#: The signs of all kinds, as a regular expression takes them between square brackets.
SIGNS = re.escape("".join(_BY_SIGN))
_TOKEN = re.compile(rf"(~?)([1-9])(?:([{SIGNS}])([1-9]))?(~?)", re.ASCII)
_EXAMPLES = [kind.example for kind in Kind]
_HOW_WRITTEN = f"a move is written like {', '.join(_EXAMPLES[:-1])} or {_EXAMPLES[-1]}, squares 1 to 9"


@dataclass(frozen=True, slots=True)
class Move:
    """One player's move; evaluating its ``repr`` gives it back.

    Attributes:
        kind: which of the four moves.
        squares: ``(a,)`` for a classical move; ``(a, b)`` with ``a < b`` for a superposition; ``(invaded,
            empty)`` for the attacks.
        before: the view is switched before the move.
        after: the view is switched after the move.

    Raises:
        UsageError: on construction, if notation has no such move.
    """

    kind: Kind
    squares: tuple[int, ...]
    before: bool = False
    after: bool = False

    def __post_init__(self) -> None:
        """Refuse what notation cannot say."""
        try:
            # Numbers that equal a square, such as True or numpy's, become it.
            object.__setattr__(self, "squares", self.kind.choices[self.squares])
        except (AttributeError, LookupError, TypeError):
            what = f"kind {shown(self.kind)} and squares {shown(self.squares)}"
            raise UsageError(f"no move has {what}: {_HOW_WRITTEN}") from None
        if self.before.__class__ is not bool or self.after.__class__ is not bool:
            raise UsageError(
                f"a move's before and after must be True or False, not {shown((self.before, self.after))}"
            )

    @classmethod
    def parse(cls, token: str) -> "Move":
        """Read one token.

        Returns:
            The move; the squares of a superposition in ascending order.

        Raises:
            MoveSyntaxError: if the token is not a move, or names the same square twice.
        """
        match = _TOKEN.fullmatch(token) if isinstance(token, str) else None
        if match is None:
            raise MoveSyntaxError(token, _HOW_WRITTEN)
        first, second = int(match[2]), int(match[4] or 0)
        kind = _BY_SIGN[match[3] or ""]
        if first == second:
            raise MoveSyntaxError(
                token, f"square {first} is named twice, and a move needs two different squares"
            )
        squares = (first, second) if second else (first,)
        ordered = squares if kind.attacks else tuple(sorted(squares))
        return cls(kind, ordered, before=bool(match[1]), after=bool(match[5]))

    def __str__(self) -> str:
        """The move in notation; ``Move.parse`` reads it back."""
        core = self.kind.sign.join(str(square) for square in self.squares)
        return "~" * self.before + core + "~" * self.after

    @property
    def switches(self) -> int:
        """How many view switches go with the move: 0, 1 or 2."""
        return self.before + self.after

    @property
    def filled(self) -> tuple[int, ...]:
        """The squares that must be empty before the move."""
        return self.squares[1:] if self.kind.attacks else self.squares

    @property
    def order(self) -> int:
        """Its place among ``ALL_MOVES``."""
        return _PLACE[self]


#: Every move that there is, in canonical order: by kind, then squares, then no switch first.
ALL_MOVES: tuple[Move, ...] = tuple(
    Move(kind, squares, before, after)
    for kind in Kind
    for squares in kind.choices
    for before, after in product((False, True), repeat=2)
)
_PLACE = {move: place for place, move in enumerate(ALL_MOVES)}
