"""Moves in notation: ``5``, ``1+3``, ``5*6``, ``5-6``, with ``~`` for a view switch before or after."""

import re
from dataclasses import dataclass
from enum import Enum

from qttt.errors import MoveSyntaxError


class Kind(Enum):
    """The four kinds of move, in canonical order; the value is the sign between the squares."""

    CLASSICAL = ""
    SUPERPOSITION = "+"
    ENTANGLING = "*"
    CANCELLING = "-"

    def __repr__(self) -> str:
        """The member as it is written in code."""
        return f"Kind.{self.name}"

    @property
    def word(self) -> str:
        """The kind as the rules name it, for sentences, for example ``superposition``."""
        return self.name.lower()

    @property
    def attacks(self) -> bool:
        """True for the interacting moves, which enter a square of the opponent."""
        return self in (Kind.ENTANGLING, Kind.CANCELLING)


_TOKEN = re.compile(r"(~?)([1-9])(?:([+*-])([1-9]))?(~?)", re.ASCII)
_ORDER = {kind: index for index, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Move:
    """One player's move; evaluating its ``repr`` gives it back.

    Attributes:
        kind: which of the four moves.
        squares: ``(a,)`` for a classical move; ``(a, b)`` with ``a < b`` for a superposition; ``(invaded,
            empty)`` for the attacks.
        before: the view is switched before the move.
        after: the view is switched after the move.
    """

    kind: Kind
    squares: tuple[int, ...]
    before: bool = False
    after: bool = False

    @classmethod
    def parse(cls, token: str) -> "Move":
        """Read one token.

        Args:
            token: for example ``5``, ``3+1``, ``5*6``, ``~5-6``.

        Returns:
            The move; the squares of a superposition in ascending order.

        Raises:
            MoveSyntaxError: if the token is not a move, or names the same square twice.
        """
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise MoveSyntaxError(token, "a move is written like 5, 1+3, 5*6 or 5-6, squares 1 to 9")
        first, second = int(match[2]), int(match[4] or 0)
        kind = Kind(match[3] or "")
        if first == second:
            raise MoveSyntaxError(
                token, f"square {first} is named twice, and a move needs two different squares"
            )
        squares = (first, second) if second else (first,)
        if kind is Kind.SUPERPOSITION:
            squares = (min(first, second), max(first, second))
        return cls(kind, squares, before=bool(match[1]), after=bool(match[5]))

    def __str__(self) -> str:
        """The move in notation; ``Move.parse`` reads it back."""
        core = self.kind.value.join(str(square) for square in self.squares)
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
    def order(self) -> tuple[int, tuple[int, ...], bool, bool]:
        """Sort key of the canonical order: by kind, then squares, then no switch first."""
        return (_ORDER[self.kind], self.squares, self.before, self.after)

    def _repr_svg_(self) -> str:
        """The move as a small picture, for notebooks."""
        from qttt.pictures.notebook import move_svg

        return move_svg(self)
