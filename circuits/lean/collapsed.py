"""The state that is left once it is known which squares are filled, prepared on its own.

Positions are observed before the mode is chosen. Where the shots of that observation can no longer be used,
the symbols are drawn from this state instead: knowing the positions tells of every piece in which half it is,
so what is left are single symbols and opposite pairs. It takes one CX a pair, four at most, in depth 1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qiskit.circuit import ClassicalRegister, QuantumCircuit, QuantumRegister, Qubit

from circuits.lean.pieces import Piece, PieceError, Site, chance_of_o, chance_of_o_in_target
from circuits.lean.primitives import coin, oppose, turn
from circuits.measurement import SYMBOLS, Bit, Known, Readout, Source
from circuits.register import SQUARES


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of a piece.

    Attributes:
        chances: the squares whose symbol stands alone, with the probability that it reads O.
        pairs: the squares whose symbols are opposite.
    """

    chances: tuple[tuple[int, float], ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def filled(self) -> frozenset[int]:
        """The squares that hold something."""
        return frozenset(square for square, _ in self.chances) | {s for pair in self.pairs for s in pair}

    def __add__(self, other: "_Left") -> "_Left":
        return _Left(self.chances + other.chances, self.pairs + other.pairs)


def collapsed_circuit(
    pieces: Sequence[Piece],
    filled: Sequence[bool],
    mode: str,
    *,
    observed: Mapping[int, str] | None = None,
    measure_all: bool = False,
) -> tuple[QuantumCircuit, Readout]:
    """Build the circuit of the symbols, given the positions.

    Args:
        pieces: the independent parts of the position, as for `lean_circuit`.
        filled: for squares 1 to 9, whether the square was found filled.
        mode: how symbols are observed, 'standard' or 'rotated'.
        observed: squares that hold a symbol for good.
        measure_all: give certain symbols a qubit too and measure it.

    Returns:
        The circuit, which measures symbols only, and how to read its bits.

    Raises:
        PieceError: the pieces cannot be found in these squares, or the mode is unknown.
    """
    if mode not in ("standard", "rotated"):
        raise PieceError(f"unknown mode {mode!r}: it is 'standard' or 'rotated'")
    observed = dict(observed or {})
    here = frozenset(square for square, there in zip(SQUARES, filled, strict=True) if there)
    left = _Left()
    for piece in pieces:
        squares = here & set(piece.squares)
        found = [state for state in _states(piece, mode) if state.filled == squares]
        if not found:
            raise PieceError(f"{piece} cannot fill exactly the squares {sorted(squares)}")
        left += found[0]
    if left.filled | set(observed) != here:
        raise PieceError(f"squares {sorted(here ^ (left.filled | set(observed)))} do not fit the pieces")
    return _build(left, here, observed, measure_all)


def _states(piece: Piece, mode: str) -> Iterator[_Left]:
    """Yield what may be left of a piece, one state for every set of squares that it may fill."""
    for site in piece.sites:
        others = [other for other in piece.sites if other != site]
        for present in _present(piece, site, mode):
            if not others:
                yield present
            for other in others:
                for absent in _absent(piece, other, mode):
                    yield present + absent


def _present(piece: Piece, site: Site, mode: str) -> Iterator[_Left]:
    """Yield what a site may hold if the piece is in it."""
    along = site.read_along(mode)
    if site.attack == "entangled":
        assert site.target is not None
        yield _Left(pairs=((site.square, site.target),))
        return
    yield _Left(((site.square, chance_of_o(piece.symbol, along)),))
    if site.target is not None:
        yield _Left(((site.target, chance_of_o_in_target(piece.attacker, along)),))


def _absent(piece: Piece, site: Site, mode: str) -> Iterator[_Left]:
    """Yield what a site may hold if the piece is in the other: of an entangled one, its attacker alone."""
    if site.attack != "entangled":
        yield _Left()
        return
    for square in site.squares:
        yield _Left(((square, chance_of_o(piece.attacker, site.read_along(mode))),))


def _build(
    left: _Left, here: frozenset[int], observed: Mapping[int, str], measure_all: bool
) -> tuple[QuantumCircuit, Readout]:
    circuit = QuantumCircuit(name="collapsed")
    symbols: dict[int, Source] = {square: Known(symbol == "O") for square, symbol in observed.items()}
    qubits: list[Qubit] = []

    def wire(square: int) -> QuantumRegister:
        register = QuantumRegister(1, f"sym{square}")
        circuit.add_register(register)
        symbols[square] = Bit(len(qubits))
        qubits.append(register[0])
        return register

    for first, second in left.pairs:
        one, two = wire(first), wire(second)
        coin(circuit, one[0])
        oppose(circuit, one[0], two[0])
    for square, chance in left.chances:
        if chance in (0, 1) and not measure_all:
            symbols[square] = Known(chance == 1)
        else:
            turn(circuit, wire(square)[0], chance)
    if qubits:
        bits = ClassicalRegister(len(qubits), SYMBOLS)
        circuit.add_register(bits)
        circuit.measure(qubits, bits)
    return circuit, Readout(
        tuple(Known(square in here) for square in SQUARES),
        tuple(symbols.get(square, Known(False)) for square in SQUARES),
        masked=True,
    )
