"""The independent roots of a position, read off its dice, and the exact quantum state of each.

A root is a piece placed by a classical or superposition move together with the attacks on it. Its dice say
everything about it: where the piece may be (one site, or two halves), whether a site was entangled or
half-cancelled and into which square, and whether a half is shown rotated. Different roots are never
entangled with each other, so the board's state is the product of theirs (rules.md, "What the dice mean").

All states are in the coordinates of the view in which the position stands: a lone △ is △ *in that view*.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import assert_never

from qttt.game.configurations import Configuration, configuration, partner
from qttt.game.position import Position
from qttt.game.squares import SQUARES
from qttt.game.surds import ONE, SQRT_HALF, ZERO, Surd
from qttt.game.symbols import Mode, Symbol


class Attack(StrEnum):
    """What was done to a site of a root."""

    ENTANGLED = "entangled"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Site:
    """One place where a root's piece may be.

    Attributes:
        square: the square; for an attacked site the invaded one, or for entangled sites the smaller of the
            two (the singlet is the same from both ends).
        rotated: the piece is in a plus (X) or minus (O) state there; unattacked sites only.
        attack: what was done to the site, if anything.
        target: the square into which the attack spread.
        twisted: option ``view=physical`` only: the symbols in both squares are rotated although the dice do
            not show it.
    """

    square: int
    rotated: bool = False
    attack: Attack | None = None
    target: int | None = None
    twisted: bool = False

    @property
    def squares(self) -> tuple[int, ...]:
        """The squares that the site covers."""
        return (self.square,) if self.target is None else (self.square, self.target)


@dataclass(frozen=True, slots=True)
class Root:
    """One independent part of the board.

    Attributes:
        symbol: the root piece's player, q; the attackers are p, the opponent. (In a fully entangled pair the
            two dice do not say which was there first, and nothing depends on it; it reads X.)
        sites: one site, or the two halves of a superposition, by ascending square.
    """

    symbol: Symbol
    sites: tuple[Site, ...]

    @property
    def squares(self) -> tuple[int, ...]:
        """Every square of the root, site by site: at most four."""
        return tuple(square for site in self.sites for square in site.squares)

    @property
    def in_half(self) -> bool:
        """Whether the piece is split over two sites."""
        return len(self.sites) == 2

    def shape(self) -> "Root":
        """The same root on the squares 1, 2, 3 … in the order of ``squares``: its state but for the place."""
        sites, free = [], 1
        for site in self.sites:
            target = free + 1 if site.target is not None else None
            sites.append(Site(free, site.rotated, site.attack, target, site.twisted))
            free += len(site.squares)
        return Root(self.symbol, tuple(sites))


def read_roots(position: Position) -> tuple[Root, ...]:
    """Read the independent roots off the dice.

    Cancelled squares belong to no root: they are empty for certain, and what was in them is in their target.

    Returns:
        The roots, by their smallest site.
    """
    whole: list[Root] = []
    halves: dict[tuple[Symbol, int], list[Site]] = {}
    owners: dict[tuple[Symbol, int], Symbol] = {}
    for square, contents in zip(SQUARES, position.dice, strict=True):
        kind = configuration(position.dice, square)
        twisted = square in position.twisted
        match kind:
            case Configuration.EMPTY | Configuration.CANCELLED | Configuration.TARGET:
                # A cancelled square holds nothing, and a target belongs to the square that was invaded.
                pass
            case Configuration.CLASSICAL:
                whole.append(Root(contents[0].shape, (Site(square),)))
            case Configuration.PLUS | Configuration.MINUS:
                symbol = Symbol.X if kind is Configuration.PLUS else Symbol.O
                whole.append(Root(symbol, (Site(square, rotated=True),)))
            case Configuration.ENTANGLED:
                other = partner(position.dice, square)
                assert other is not None
                if square < other:
                    whole.append(Root(Symbol.X, (Site(square, attack=Attack.ENTANGLED, target=other),)))
            case Configuration.SUPERPOSITION | Configuration.PLUS_HALF | Configuration.MINUS_HALF:
                rotated = kind is not Configuration.SUPERPOSITION
                halves.setdefault(contents[0].piece, []).append(Site(square, rotated))
                minus = kind is Configuration.MINUS_HALF
                owners[contents[0].piece] = Symbol.O if minus else contents[0].shape
            case Configuration.HALF_ENTANGLED | Configuration.HALF_CANCELLED:
                other = partner(position.dice, square)
                assert other is not None
                entangled = kind is Configuration.HALF_ENTANGLED
                if entangled and other < square:
                    continue
                piece = next(die for die in contents if abs(die.value) == 1)
                attack = Attack.ENTANGLED if entangled else Attack.CANCELLED
                halves.setdefault(piece.piece, []).append(Site(square, False, attack, other, twisted))
                owners[piece.piece] = piece.shape
            case _:
                assert_never(kind)
    split = [
        Root(owners[piece], tuple(sorted(sites, key=lambda site: site.square)))
        for piece, sites in halves.items()
    ]
    return tuple(sorted(whole + split, key=lambda root: root.sites[0].square))


#: One possibility for a root: what each of its squares holds, in their order, "." for empty.
Pattern = str
Amplitudes = dict[Pattern, Surd]

# Half-cancelling: the piece stays with amplitude √½ − 1, moves with √½, and the attacker's takes its
# place with ±1, all relative to the half (rules.md, "What the dice mean"); the whole root is
# renormalised at the end.
_STAY, _MOVE, _TAKE = SQRT_HALF - ONE, SQRT_HALF, ONE
_Term = tuple[Surd, tuple[str, ...]]


def root_state(root: Root) -> Amplitudes:
    """The exact state of a root.

    Returns:
        Unnormalised amplitude of each pattern, in the coordinates of the position's view. The amplitudes of
        different positions carry no meaningful relative sign: positions never interfere again.
    """
    return dict(_state(root.shape()))


def root_distribution(root: Root, mode: Mode = Mode.STANDARD) -> dict[Pattern, Surd]:
    """The exact probability of each pattern of a root, if observed in a mode.

    Args:
        root: a root of a position in the standard view.
        mode: in the rotated mode the symbol of every filled square is rotated before it is read.

    Returns:
        Probabilities that sum to exactly 1; impossible patterns are left out.

    Raises:
        UsageError: a mode that does not exist.
    """
    return dict(_distribution(root.shape(), Mode.named(mode)))


@cache
def _distribution(shape: Root, mode: Mode) -> tuple[tuple[Pattern, Surd], ...]:
    state = dict(_state(shape))
    if mode is Mode.ROTATED:
        state = rotated(state, range(len(shape.squares)))
    weights = {pattern: amplitude * amplitude for pattern, amplitude in state.items() if amplitude}
    total = sum(weights.values(), ZERO)
    return tuple(sorted((pattern, weight / total) for pattern, weight in weights.items()))


def rotated(state: Amplitudes, places: "range | tuple[int, ...]") -> Amplitudes:
    """Rotate the symbol (△ to plus, □ to minus) at the given places of every pattern that is filled there."""
    for place in places:
        turned: Amplitudes = {}
        for pattern, amplitude in state.items():
            if pattern[place] == ".":
                turned[pattern] = turned.get(pattern, ZERO) + amplitude
                continue
            for symbol in Symbol:
                minus = pattern[place] == symbol == Symbol.O
                target = pattern[:place] + symbol + pattern[place + 1 :]
                part = amplitude * SQRT_HALF
                turned[target] = turned.get(target, ZERO) + (-part if minus else part)
        state = turned
    return state


@cache
def _state(shape: Root) -> tuple[tuple[Pattern, Surd], ...]:
    state: Amplitudes = {}
    for here in range(len(shape.sites)):
        terms: list[_Term] = [(SQRT_HALF if shape.in_half else ONE, ())]
        for index, site in enumerate(shape.sites):
            part = list(_present(site, shape.symbol) if index == here else _absent(site, shape.symbol))
            if site.twisted:
                part = _twisted(part)
            terms = [(a * b, left + right) for a, left in terms for b, right in part]
        for amplitude, pattern in terms:
            key = "".join(pattern)
            state[key] = state.get(key, ZERO) + amplitude
    return tuple((pattern, amplitude) for pattern, amplitude in state.items() if amplitude)


def _present(site: Site, q: Symbol) -> Iterator[_Term]:
    """What the squares of a site hold if the root's piece is in it."""
    p = q.opponent
    match site.attack:
        case Attack.ENTANGLED:
            # The singlet: the only pair that is opposite in both modes and unchanged by a view switch (D3).
            yield SQRT_HALF, (q, p)
            yield -SQRT_HALF, (p, q)
        case Attack.CANCELLED:
            yield _STAY, (q, ".")
            yield _MOVE, (".", q)
            yield (_TAKE if p is Symbol.X else -_TAKE), (".", p)
        case None if site.rotated:
            yield SQRT_HALF, (Symbol.X,)
            yield (SQRT_HALF if q is Symbol.X else -SQRT_HALF), (Symbol.O,)
        case None:
            yield ONE, (q,)
        case _:
            assert_never(site.attack)


def _absent(site: Site, q: Symbol) -> Iterator[_Term]:
    """What the squares of a site hold if the root's piece is in the other half."""
    match site.attack:
        case Attack.ENTANGLED:
            yield SQRT_HALF, (q.opponent, ".")
            yield SQRT_HALF, (".", q.opponent)
        case Attack.CANCELLED | None:
            yield ONE, (".",) * len(site.squares)
        case _:
            assert_never(site.attack)


def _twisted(terms: list[_Term]) -> list[_Term]:
    state: Amplitudes = {}
    for amplitude, pattern in terms:
        state["".join(pattern)] = amplitude
    return [(amplitude, tuple(pattern)) for pattern, amplitude in rotated(state, (0, 1)).items()]


def kept_fraction(root: Root) -> Surd:
    """How often the heralds of a root stay silent in the move-by-move circuit.

    Half-cancelling multiplies a state by an operator that is not unitary. A device can only do it divided by
    its norm n, n² = (√½ − 1)² + ½ + 1, and fails the rest of the time: what is left of the state's weight is
    the chance of success. One half-cancel keeps 81.5 %, two on one root 63.1 %.
    """
    weight = sum((amplitude * amplitude for amplitude in root_state(root).values()), ZERO)
    for site in root.sites:
        if site.attack is Attack.CANCELLED:
            weight = weight / met_weight()
    return weight


def met_weight() -> Surd:
    """The sum of squares that half-cancelling makes of 1 where the attack meets the piece: some 1.59."""
    return _STAY * _STAY + _MOVE * _MOVE + _TAKE * _TAKE
