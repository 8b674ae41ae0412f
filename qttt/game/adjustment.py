"""How the dice on the board adjust once something is known about a piece (rules.md, "Tabletop rolls").

Two sets of rules, both on nothing but the dice. Up to Level 2 a piece is found in a square or not: its other
dice vanish or double, and so do those of a piece that it was entangled with (``found``, ``missed``). From
Level 3 on a piece is first traced to one of the places where it may be (``branches``, ``traced``); the dice
there may interfere, so that the chances follow from amplitudes: a die of value v stands for the amplitude
sign(v)·√(|v|/4), dice of one shape in a square add up, and different shapes are different outcomes.
"""

from dataclasses import dataclass
from typing import assert_never

from qttt.game.configurations import Configuration, Contents, Squares, configuration, partner
from qttt.game.dice import Die
from qttt.game.squares import EMPTY
from qttt.game.surds import ONE, SQRT_HALF, ZERO, Surd
from qttt.game.symbols import Mode, Symbol

Piece = tuple[Symbol, int]

_HALF = SQRT_HALF * SQRT_HALF
_AMPLITUDES = {4: ONE, 2: SQRT_HALF, 1: _HALF, -2: -SQRT_HALF, -1: -_HALF}


def amplitude(contents: Contents, shape: Symbol) -> Surd:
    """The amplitude that the dice in a square give to one symbol there, before any renormalisation."""
    return sum((_AMPLITUDES[die.value] for die in contents if die.shape is shape), ZERO)


def symbol_weights(contents: Contents, mode: Mode) -> dict[Symbol, Surd]:
    """How much the dice in a filled square weigh for each symbol, if it is read in a mode.

    Only their ratio means something. In the rotated mode △ stands for plus and □ for minus.
    """
    x, o = (amplitude(contents, shape) for shape in Symbol)
    if mode is Mode.ROTATED:
        x, o = (x + o) * SQRT_HALF, (x - o) * SQRT_HALF
    return {Symbol.X: x * x, Symbol.O: o * o}


def _weight(contents: Contents) -> Surd:
    return sum(symbol_weights(contents, Mode.STANDARD).values(), ZERO)


def _where(dice: Squares, piece: Piece) -> list[int]:
    return [square for square, contents in enumerate(dice, 1) if any(die.piece == piece for die in contents)]


# Up to Level 2: found or missed.


def find_piece(dice: Squares, square: int, piece: Piece) -> Squares:
    """The dice after a piece has been found in a square (up to Level 2).

    It shows 4 there and has no die elsewhere. A piece that was entangled with it there is not in that square:
    its die vanishes, and the one that had been dragged along with it doubles.
    """
    twin = partner(dice, square) if len(dice[square - 1]) == 2 else None
    adjusted: list[Contents] = []
    for place, contents in enumerate(dice, 1):
        rest = tuple(die for die in contents if die.piece != piece)
        if place == square:
            adjusted.append(tuple(die.with_value(4) for die in contents if die.piece == piece))
        elif place == twin:
            adjusted.append(tuple(die.with_value(2 * die.value) for die in rest))
        else:
            adjusted.append(rest)
    return tuple(adjusted)


def miss_piece(dice: Squares, square: int, piece: Piece) -> Squares:
    """The dice after a piece that had a die of value 2 in a square has not been found there (up to Level 2).

    Its other dice double; if only one is left, the piece is found there.
    """
    others = [place for place in _where(dice, piece) if place != square]
    if len(others) == 1:
        return find_piece(dice, others[0], piece)
    return tuple(
        tuple(die for die in contents if die.piece != piece) if place == square else _doubled(contents, piece)
        for place, contents in enumerate(dice, 1)
    )


def _doubled(contents: Contents, piece: Piece) -> Contents:
    return tuple(die.with_value(2 * die.value) if die.piece == piece else die for die in contents)


@dataclass(frozen=True, slots=True)
class Collapse:
    """One possible result of observing a single square (up to Level 2).

    Attributes:
        cell: ``X``, ``O`` or ``.``.
        chance: its exact probability.
        dice: the dice afterwards, those in the observed square taken away.
    """

    cell: str
    chance: Surd
    dice: Squares


def collapses(dice: Squares, square: int) -> tuple[Collapse, ...]:
    """Every way in which observing one square can end (up to Level 2), in the order X, O, empty.

    It is rolled like any square: whoever has a die of value 2 there asks first, and if the answer is no and
    another piece's die is left, that die then shows 2 (or 4) and is asked about in turn.

    Args:
        dice: the dice of all squares, made by classical, superposition and entangling moves.
        square: one that holds dice.
    """
    contents = dice[square - 1]
    if not contents:
        return (Collapse(EMPTY, ONE, dice),)
    asked = max(contents, key=lambda die: die.value)
    here = Collapse(asked.shape, ONE, _without(find_piece(dice, square, asked.piece), square))
    if asked.value == 4:
        return (here,)
    rest = [
        Collapse(other.cell, other.chance * _HALF, other.dice)
        for other in collapses(miss_piece(dice, square, asked.piece), square)
    ]
    ends = [Collapse(here.cell, _HALF, here.dice), *rest]
    return tuple(sorted(ends, key=lambda end: "XO.".index(end.cell)))


def _without(dice: Squares, square: int) -> Squares:
    return (*dice[: square - 1], (), *dice[square:])


# From Level 3 on: traced to one of its places.


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the places where a piece may turn out to be.

    Attributes:
        squares: one square, or the two over which an entangled half is spread.
        kind: what the dice there say.
        weight: how much they weigh; the chances of a piece's branches are as their weights.
    """

    squares: tuple[int, ...]
    kind: Configuration
    weight: Surd


def branches(dice: Squares) -> dict[Piece, tuple[Branch, ...]]:
    """Where each piece may be whose place is undecided, by ascending square.

    The half-cancelled square and its target are two branches: in either the piece is somehow there, in the
    target perhaps as the attacker's. Of the dice in a half-entangled pair only the attacked piece's count.

    Args:
        dice: the dice of all squares, in the standard view, cancelled squares removed.

    Returns:
        For each such piece its branches, two or more.
    """
    result: dict[Piece, list[Branch]] = {}
    for square, contents in enumerate(dice, 1):
        kind = configuration(dice, square)
        match kind:
            case Configuration.SUPERPOSITION | Configuration.PLUS_HALF | Configuration.MINUS_HALF:
                piece, branch = contents[0].piece, Branch((square,), kind, _weight(contents))
            case Configuration.HALF_ENTANGLED:
                other = partner(dice, square)
                if other is None or other < square:
                    continue
                die = _small(contents)
                piece, branch = die.piece, Branch((square, other), kind, _weight((die,)) + _weight((die,)))
            case Configuration.HALF_CANCELLED | Configuration.TARGET:
                piece, branch = _small(contents).piece, Branch((square,), kind, _weight(contents))
            case Configuration.EMPTY | Configuration.CLASSICAL | Configuration.CANCELLED:
                continue
            case Configuration.ENTANGLED | Configuration.PLUS | Configuration.MINUS:
                continue
            case _:
                assert_never(kind)
        result.setdefault(piece, []).append(branch)
    return {piece: tuple(places) for piece, places in result.items() if len(places) > 1}


def _small(contents: Contents) -> Die:
    """The attacked piece's die in a half-attacked square: the one that shows 1."""
    return min(contents, key=lambda die: abs(die.value))


def traced(dice: Squares, piece: Piece, branch: Branch, *, here: bool) -> Squares:
    """The dice after a piece is known to be, or not to be, in one of its branches.

    Where it is, its dice double, except in the target of a half-cancel, whose dice show how its two symbols
    compare; where it is not, they vanish and leave an attacker's two dice behind as a superposition.

    Args:
        dice: the dice of all squares.
        piece: a piece whose place is undecided.
        branch: one of its branches.
        here: whether it is there. If not and one other branch is left, it is in that.
    """
    others = [other for other in branches(dice)[piece] if other != branch]
    if here:
        for other in others:
            dice = _cleared(dice, piece, other)
        return _filled(dice, piece, branch)
    dice = _cleared(dice, piece, branch)
    return _filled(dice, piece, others[0]) if len(others) == 1 else dice


def _cleared(dice: Squares, piece: Piece, branch: Branch) -> Squares:
    keep_attacker = branch.kind is Configuration.HALF_ENTANGLED
    return tuple(
        contents
        if square not in branch.squares
        else tuple(die for die in contents if keep_attacker and die.piece != piece)
        for square, contents in enumerate(dice, 1)
    )


def _filled(dice: Squares, piece: Piece, branch: Branch) -> Squares:
    if branch.kind is Configuration.TARGET:
        return dice
    squares = list(dice)
    for square in branch.squares:
        contents = squares[square - 1]
        if branch.kind is Configuration.HALF_CANCELLED:
            squares[square - 1] = (_small(contents).with_value(4),)
        else:
            squares[square - 1] = _doubled(contents, piece)
    return tuple(squares)
