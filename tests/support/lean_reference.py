"""The states of pieces, as plain dictionaries of amplitudes: the yardstick for the lean circuits.

Written from what the dice mean, with no circuit in it. A configuration is a frozenset of (square, symbol); a
state maps configurations to real amplitudes.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from math import sqrt

from circuits.lean import Attack, Piece, Site

State = dict[frozenset[tuple[int, str]], float]
HALF = sqrt(0.5)
TURNED = {("X", "X"): HALF, ("X", "O"): HALF, ("O", "X"): HALF, ("O", "O"): -HALF}


def sites() -> Iterator[Site]:
    """Every kind of site there is on square 1, with target 2."""
    yield Site(1)
    yield Site(1, rotated=True)
    attacks: tuple[Attack, ...] = ("entangled", "cancelled")
    for attack, twisted in product(attacks, (False, True)):
        yield Site(1, attack=attack, target=2, twisted=twisted)


def every_piece() -> list[Piece]:
    """Every shape of piece, with either owner, on squares that are not in order."""
    pieces = []
    for symbol in "XO":
        for first in sites():
            if first.attack != "cancelled":
                pieces.append(Piece(symbol, (first,)))
            for second in sites():
                moved = Site(
                    7,
                    second.rotated,
                    second.attack,
                    None if second.target is None else 4,
                    second.twisted,
                )
                pieces.append(Piece(symbol, (first, moved)))
    return pieces


def turned(state: State, squares: frozenset[int]) -> State:
    """Apply a Hadamard to the symbols of these squares, whatever occupies them."""
    for square in squares:
        after: State = {}
        for configuration, amplitude in state.items():
            there = [(at, symbol) for at, symbol in configuration if at == square]
            if not there:
                after[configuration] = after.get(configuration, 0) + amplitude
            for pair in there:
                for symbol in "XO":
                    key = configuration - {pair} | {(square, symbol)}
                    after[key] = after.get(key, 0) + amplitude * TURNED[pair[1], symbol]
        state = after
    return state


def combined(*states: State) -> State:
    """The product of states on different squares."""
    whole: State = {frozenset(): 1.0}
    for state in states:
        whole = {a | b: x * y for a, x in whole.items() for b, y in state.items()}
    return whole


def inside(piece: Piece, site: Site) -> State:
    """The branch with the piece in this site."""
    q, p, a, b = piece.symbol, "O" if piece.symbol == "X" else "X", site.square, site.target
    if b is None:
        state: State = {frozenset({(a, q)}): 1.0}
        return turned(state, frozenset({a})) if site.rotated else state
    if site.attack == "entangled":
        state = {frozenset({(a, q), (b, p)}): HALF, frozenset({(a, p), (b, q)}): -HALF}
    else:
        state = {
            frozenset({(a, q)}): HALF - 1,
            frozenset({(b, q)}): HALF,
            frozenset({(b, p)}): 1.0 if p == "X" else -1.0,
        }
    return turned(state, frozenset({a, b})) if site.twisted else state


def outside(piece: Piece, site: Site) -> State:
    """What a site holds while the piece is in the other one."""
    if site.attack != "entangled":
        return {frozenset(): 1.0}
    p = "O" if piece.symbol == "X" else "X"
    assert site.target is not None
    state: State = {frozenset({(square, p)}): HALF for square in (site.square, site.target)}
    return turned(state, frozenset({site.square, site.target})) if site.twisted else state


def piece_state(piece: Piece) -> State:
    """The normalised state of a piece."""
    state: State = {}
    for site in piece.sites:
        others = [outside(piece, other) for other in piece.sites if other != site]
        for configuration, amplitude in combined(inside(piece, site), *others).items():
            state[configuration] = state.get(configuration, 0) + amplitude
    norm = sqrt(sum(amplitude**2 for amplitude in state.values()))
    return {configuration: amplitude / norm for configuration, amplitude in state.items()}


def distribution(pieces: list[Piece], mode: str, observed: Mapping[int, str]) -> dict[str, float]:
    """The probability of every board, below 1e-14 left out."""
    states = [
        turned(piece_state(piece), frozenset(piece.squares)) if mode == "rotated" else piece_state(piece)
        for piece in pieces
    ]
    boards = {}
    for configuration, amplitude in combined({frozenset(observed.items()): 1.0}, *states).items():
        if amplitude**2 > 1e-14:
            places = dict(configuration)
            boards["".join(places.get(square, ".") for square in range(1, 10))] = amplitude**2
    return boards
