"""The two readings of a view switch, at the table and physical, held against each other."""

from collections.abc import Mapping
from dataclasses import dataclass

from qttt.crosscheck.report import TOLERANCE
from qttt.game.odds import Odds, distance
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol


@dataclass(frozen=True, slots=True)
class ViewDifference:
    """What the two readings of a view switch (decision D5) make of one game.

    Attributes:
        distance: total variation distance between the two distributions.
        boards: for each board that differs, its probability read as at the table and physically.
        squares: for each square and symbol that differ, the same pair.
    """

    distance: float
    boards: Mapping[str, tuple[float, float]]
    squares: Mapping[tuple[int, Symbol], tuple[float, float]]


def compare_views(tabletop: Odds, physical: Odds) -> ViewDifference:
    """Compare the tabletop and the physical reading of view switches.

    A switch exchanges △ with plus and □ with minus: a Hadamard on the symbol. At the table the dice of
    attacked squares stay as they are, so their state stays. Physically a rotated view rotates everything. For
    a fully entangled pair that is the same: the singlet is invariant, (H⊗H)(△□ − □△) = −(△□ − □△), and so is
    a cancelled square, which holds nothing. In a half-attacked root it is not: where the root's piece is in
    its other half, the attacker is alone in one of the two squares, a lone □, say, and a rotation makes it a
    minus. Both readings agree if the switches since the attack come in pairs, as they do whenever the root
    was attacked in the standard view, because an observation begins by going back to it. They differ, by
    exactly this, where a half-attacked root was attacked in the rotated view.
    """
    one, other = tabletop.outcomes(), physical.outcomes()
    pairs = {board: (one.get(board, 0.0), other.get(board, 0.0)) for board in sorted(set(one) | set(other))}
    boards = {board: pair for board, pair in pairs.items() if abs(pair[0] - pair[1]) > TOLERANCE}
    squares = {
        (square, symbol): (a[symbol], b[symbol])
        for square, a, b in zip(SQUARES, tabletop.squares(), physical.squares(), strict=True)
        for symbol in Symbol
        if abs(a[symbol] - b[symbol]) > TOLERANCE
    }
    return ViewDifference(distance(one, other), boards, squares)
