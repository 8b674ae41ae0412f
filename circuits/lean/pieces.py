"""What a lean circuit is made from: pieces on squares, as plain data.

A piece is what one classical or superposition move has put on the board, together with the attacks on it:
what `circuits.lean` calls a piece is one independent part of the position. Nothing here knows a rule; whoever
makes pieces does.
"""

from dataclasses import dataclass
from typing import Final, Literal

from circuits.errors import CircuitsError
from circuits.gates import CANCEL_MOVE, CANCEL_STAY, CANCEL_TURN
from circuits.register import SQUARES

Attack = Literal["entangled", "cancelled"]
"""How a site of a piece has been attacked."""

_ARRIVED: Final = CANCEL_MOVE**2 + CANCEL_TURN**2
"""Weight of a cancelled half with its target occupied, before the piece is normalised."""

_CANCELLED: Final = CANCEL_STAY**2 + _ARRIVED
"""Weight of a cancelled half, before the piece is normalised; an unattacked or entangled half has 1."""


class PieceError(CircuitsError, ValueError):
    """Pieces that contradict themselves or each other, or an unknown mode, encoding or shape."""


@dataclass(frozen=True, slots=True)
class Site:
    """One square on which a piece may be, and what has been done to it there.

    Attributes:
        square: the square, 1..9.
        rotated: True if the piece is in plus (X) or minus (O) there instead of X or O; only if unattacked.
        attack: None, or how the opponent attacked this site.
        target: the square into which the attack spread; given exactly if there is an attack.
        twisted: a Hadamard acts on the symbols of this square and its target, whatever occupies them; only if
            attacked.

    Raises:
        PieceError: the attributes contradict each other.
    """

    square: int
    rotated: bool = False
    attack: Attack | None = None
    target: int | None = None
    twisted: bool = False

    def __post_init__(self) -> None:
        """Check the attributes against each other."""
        if any(square not in SQUARES for square in self.squares):
            raise PieceError(f"{self} is not on the board: squares are 1 to 9")
        if self.attack not in (None, "entangled", "cancelled"):
            raise PieceError(f"unknown attack {self.attack!r}: it is 'entangled', 'cancelled' or None")
        if (self.attack is None) != (self.target is None) or self.target == self.square:
            raise PieceError(f"{self}: an attack needs a target of its own, and a target an attack")
        if self.twisted if self.attack is None else self.rotated:
            raise PieceError(f"{self}: only an unattacked site is rotated, only an attacked one twisted")

    @property
    def squares(self) -> tuple[int, ...]:
        """The squares of this site: its own and its target if it has one."""
        return (self.square,) if self.target is None else (self.square, self.target)

    @property
    def weight(self) -> float:
        """The squared norm, before normalisation, of the states with the piece in this site."""
        return _CANCELLED if self.attack == "cancelled" else 1.0

    @property
    def to_target(self) -> float:
        """Of the weight of a cancelled site, the part with the target occupied."""
        return _ARRIVED / _CANCELLED

    def read_along(self, mode: str) -> bool:
        """Return whether a piece alone here is observed along its own axis, so that its symbol is certain.

        A state written in X and O and observed in the standard mode is read along its axis, and so is one
        turned by a Hadamard and observed in the rotated mode, which turns it back. In the two other cases
        the two symbols are equally likely.
        """
        return (self.rotated or self.twisted) == (mode == "rotated")


@dataclass(frozen=True, slots=True)
class Piece:
    """One independent part of a position: a symbol, one or two sites, and the attacks on them.

    With q the symbol, p the other one, s = +1 if p is X and -1 if p is O, the state is, up to signs that no
    measurement sees and written with the piece in site a:

    * one site, unattacked: q at a, turned by a Hadamard if `rotated`;
    * one site, entangled with target b: (q at a, p at b) - (p at a, q at b), over √2;
    * two sites: the sum of the two branches "q in this half". In an entangled half that is the pair just
      given, in a cancelled one it is (√½ - 1)·(q at a) + √½·(q at b) + s·(p at b), not normalised, all else
      empty. An entangled half in which q is *not* holds its attacker alone: (p at a) + (p at b), over √2.
      The sum is normalised once, at the end.

    Attributes:
        symbol: the symbol q of the piece, 'X' or 'O'.
        sites: one or two sites. A piece that was certain and then cancelled is no piece any more: its target
            is a piece of the attacker's symbol, rotated.

    Raises:
        PieceError: an unknown symbol, no or more than two sites, one cancelled site, or a square used twice.
    """

    symbol: str
    sites: tuple[Site, ...]

    def __post_init__(self) -> None:
        """Check the sites against each other."""
        if self.symbol not in ("X", "O"):
            raise PieceError(f"unknown symbol {self.symbol!r}: it is 'X' or 'O'")
        if len(self.sites) not in (1, 2):
            raise PieceError(f"a piece has one or two sites, not {len(self.sites)}")
        if len(self.sites) == 1 and self.sites[0].attack == "cancelled":
            raise PieceError("a certain piece that was cancelled is a rotated piece of its attacker's symbol")
        if len(set(self.squares)) != len(self.squares):
            raise PieceError(f"{self} uses a square twice")

    @property
    def squares(self) -> tuple[int, ...]:
        """All squares that the piece or an attacker may occupy, site by site."""
        return tuple(square for site in self.sites for square in site.squares)

    @property
    def attacker(self) -> str:
        """The symbol of the attackers."""
        return "O" if self.symbol == "X" else "X"

    def probability(self, site: Site) -> float:
        """Return the probability of the branch in which the piece is in that site."""
        return site.weight / sum(each.weight for each in self.sites)


def chance_of_o(symbol: str, along: bool) -> float:
    """Return the probability that a single piece reads O: certain along its axis, one half across it."""
    if not along:
        return 0.5
    return 1.0 if symbol == "O" else 0.0


def chance_of_o_in_target(attacker: str, along: bool) -> float:
    """Return the probability that an occupied target of a cancelled half reads O.

    The target holds √½·q ± p, so the attacker's symbol has the weight 1 of 3/2 along the axes; across them
    the two amplitudes add up for that symbol: (1 + √½)²/3, or 97.14 %.
    """
    mine = (CANCEL_TURN**2 if along else (CANCEL_TURN + CANCEL_MOVE) ** 2 / 2) / _ARRIVED
    return mine if attacker == "O" else 1 - mine
