"""From pieces to the measured circuit."""

from collections.abc import Mapping, Sequence
from typing import Literal

from qiskit.circuit import QuantumCircuit, QuantumRegister, Qubit

from circuits.lean.pieces import Piece, PieceError, Site, chance_of_o, chance_of_o_in_target
from circuits.lean.primitives import (
    coin,
    hadamard_if,
    oppose,
    share,
    singlet_unless,
    steer,
    tie,
    turn,
    turn_if,
)
from circuits.measurement import POSITIONS, SYMBOLS, Bit, Known, Readout, Source, measure_into
from circuits.register import SQUARES

Encoding = Literal["masked", "strict", "coherent"]
"""What a wire for a symbol holds where its square is empty: anything (`masked`), or always 0 (`strict`).

A `coherent` circuit is masked, and prepares one state for both modes, up to phases between different filled
squares: the rotated mode is one Hadamard on every symbol, after a barrier, and nothing else.
"""

Shape = Literal["free", "line"]
"""Which pairs of qubits a CX may join: any (`free`), or neighbours on a path (`line`)."""

Role = Literal["occ", "sym"]
"""What a wire holds: whether a square is occupied, or its symbol."""


def wire(qubit: Qubit, circuit: QuantumCircuit) -> tuple[Role, int]:
    """Return what a qubit of a lean circuit holds and for which square, e.g. `('occ', 5)`.

    Raises:
        PieceError: the qubit is not one of a lean circuit, before transpilation.
    """
    for register, _ in circuit.find_bit(qubit).registers:
        role, digit = register.name[:3], register.name[3:]
        if digit in map(str, SQUARES):
            if role == "occ":
                return "occ", int(digit)
            if role == "sym":
                return "sym", int(digit)
    raise PieceError(f"{qubit} is no wire of a lean circuit")


def lean_circuit(
    pieces: Sequence[Piece],
    mode: str,
    *,
    observed: Mapping[int, str] | None = None,
    encoding: Encoding = "masked",
    shape: Shape = "free",
    measure_all: bool = False,
) -> tuple[QuantumCircuit, Readout]:
    """Build the cheapest known circuit with exactly the statistics of observing these pieces.

    Only values in doubt have a qubit, in a register of its own named after it, `occ5` or `sym5` (see `wire`);
    every qubit is measured, once, at the end. The circuit needs no herald: every shot counts.

    Args:
        pieces: the independent parts of the position, on squares of their own.
        mode: how symbols are observed, 'standard' or 'rotated'.
        observed: squares that hold a symbol for good, 'X' or 'O', in either mode.
        encoding: `masked` is cheapest; `strict` costs more gates and tells more faulty shots; `coherent` has
            one preparation for both modes, in which every symbol but observed ones has a wire.
        shape: `free` needs the fewest CX where any two qubits can interact; `line` has at most one more for a
            piece, and none of them needs a SWAP where qubits sit on paths (masked encoding).
        measure_all: give certain values of pieces a qubit too and measure it, to see the errors of reading.

    Returns:
        The circuit, and how to read its bits.

    Raises:
        PieceError: two pieces share a square, or a mode, encoding, shape or symbol is unknown.
    """
    observed = dict(observed or {})
    if mode not in ("standard", "rotated"):
        raise PieceError(f"unknown mode {mode!r}: it is 'standard' or 'rotated'")
    if encoding not in ("masked", "strict", "coherent"):
        raise PieceError(f"unknown encoding {encoding!r}: it is 'masked', 'strict' or 'coherent'")
    if shape not in ("free", "line"):
        raise PieceError(f"unknown shape {shape!r}: it is 'free' or 'line'")
    used = [*observed, *(square for piece in pieces for square in piece.squares)]
    if len(set(used)) != len(used) or not set(used) <= set(SQUARES):
        raise PieceError(f"pieces and observed squares must be on different squares of the board, not {used}")
    if not set(observed.values()) <= {"X", "O"}:
        raise PieceError(f"observed symbols are 'X' or 'O', not {sorted(set(observed.values()))}")
    draft = _Draft(mode, encoding, shape == "line", measure_all)
    for piece in pieces:
        draft.add(piece)
    return draft.measured(observed)


class _Draft:
    """A circuit in the making: wires appear when they are first asked for."""

    def __init__(self, mode: str, encoding: Encoding, line: bool, measure_all: bool) -> None:
        self.mode, self.line, self.measure_all = mode, line, measure_all
        self.strict, self.coherent = encoding == "strict", encoding == "coherent"
        self.circuit = QuantumCircuit(name="lean")
        self.wires: dict[tuple[Role, int], Qubit] = {}
        self.known: dict[tuple[Role, int], bool] = {}

    def occ(self, square: int) -> Qubit:
        return self._wire("occ", square)

    def sym(self, square: int) -> Qubit:
        return self._wire("sym", square)

    def _wire(self, role: Role, square: int) -> Qubit:
        if (role, square) not in self.wires:
            register = QuantumRegister(1, f"{role}{square}")
            self.circuit.add_register(register)
            self.wires[role, square] = register[0]
        return self.wires[role, square]

    def certain(self, role: Role, square: int, value: bool) -> None:
        """Note a value that is certain; give it a wire only if everything is to be measured."""
        self.known[role, square] = value
        if self.measure_all:
            qubit = self._wire(role, square)
            if value:
                self.circuit.x(qubit)

    def add(self, piece: Piece) -> None:
        """Append the gates of a piece."""
        if len(piece.sites) == 2:
            self._two_sites(piece, *piece.sites)
            return
        (site,) = piece.sites
        for square in site.squares:
            self.certain("occ", square, True)
        if site.target is None:
            self._symbol(site.square, chance_of_o(piece.symbol, self._along(site)))
        else:
            self._pair(site.square, site.target)
        self._turn(site)

    def _along(self, site: Site) -> bool:
        """Return whether a piece alone at a site has a certain symbol as it is prepared.

        A coherent circuit prepares every site along its own axes, and turns it where it is turned.
        """
        return self.coherent or site.read_along(self.mode)

    def _turn(self, site: Site) -> None:
        """In a coherent circuit, turn the symbols of a site that is rotated or twisted."""
        if self.coherent and (site.rotated or site.twisted):
            for square in site.squares:
                self.circuit.h(self.sym(square))

    # -- two sites: first where the pieces are, then what they are -------------------------------------

    def _two_sites(self, piece: Piece, first: Site, second: Site) -> None:
        away = {first: piece.probability(second), second: piece.probability(first)}
        steered = [site for site in (first, second) if self._steered(piece, site)]
        if steered and not self.line:
            seed = steered[0]
            other = second if seed == first else first
            self._seed(piece, seed, away[seed])
            self._read_seed(piece, seed, other)
            self._unfold(piece, other)
        else:
            tie(
                self.circuit,
                self._parent(piece, first),
                self._parent(piece, second),
                away[first] if first.attack == "entangled" else 1 - away[first],
                opposite=(first.attack == "entangled") == (second.attack == "entangled"),
            )
            self._unfold(piece, first)
            self._unfold(piece, second)
        for site in (first, second):
            if site.attack == "entangled":
                # Up to here the wires said which square is empty.
                for square in site.squares:
                    self.circuit.x(self.occ(square))
            self._symbols(piece, site)
            self._turn(site)

    def _steered(self, piece: Piece, site: Site) -> bool:
        """Return whether the symbols of an entangled half decide which of its squares is empty.

        They do where an attacker left alone has a certain symbol, and the attacked pair therefore tells where
        the attacker is. They need not where every symbol is a coin: then the positions are independent of
        the symbols. The strict encoding forbids this independence: a lone X then means two symbols 0, and a
        lone coin is made from a lone O.
        """
        if site.attack != "entangled":
            return False
        along = self._along(site)
        return not (along and piece.attacker == "X") if self.strict else along

    def _steering(self, piece: Piece, site: Site) -> tuple[int, int]:
        """Return the two squares of a steered half: empty if the first square's symbol is 1; if it is 0.

        With the attacked symbol 1 on the site, the attacker is on the target, and alone it leaves the site
        empty. A coin in the strict encoding is steered as an O attacking an X, whoever they are.
        """
        assert site.target is not None
        as_o = piece.symbol == "O" and not self.strict
        return (site.square, site.target) if as_o else (site.target, site.square)

    def _parent(self, piece: Piece, site: Site) -> Qubit:
        """Return the wire that stands for the whole half until it is unfolded.

        It holds whether the piece is in the half, or, for an entangled half, whether it is not.
        """
        if self._steered(piece, site):
            return self.occ(self._steering(piece, site)[1])
        return self.occ(site.square)

    def _seed(self, piece: Piece, site: Site, away: float) -> None:
        """Begin with the symbols of a steered half: two wires for its empty square. Two CX and the pair."""
        if_one, if_zero = self._steering(piece, site)
        control = self.sym(site.square)
        coin(self.circuit, control)
        turn_if(self.circuit, control, self.occ(if_one), away)
        turn_if(self.circuit, control, self.occ(if_zero), away, when=False)

    def _read_seed(self, piece: Piece, seed: Site, other: Site) -> None:
        """Make the other half's wire from the seed: one of the seed's squares is empty if q is there.

        Two CX.
        """
        parent = self._parent(piece, other)
        for square in self._steering(piece, seed):
            self.circuit.cx(self.occ(square), parent)
        if other.attack == "entangled":
            self.circuit.x(parent)

    def _unfold(self, piece: Piece, site: Site) -> None:
        """Divide what the parent wire says among the squares of a half."""
        if site.target is None:
            return
        if site.attack == "cancelled":
            share(self.circuit, self.occ(site.square), self.occ(site.target), site.to_target)
        elif self._steered(piece, site):
            if_one, if_zero = self._steering(piece, site)
            coin(self.circuit, self.sym(site.square))
            steer(self.circuit, self.occ(if_zero), self.occ(if_one), self.sym(site.square))
        else:
            if self.strict:
                parent = self.occ(site.square)
                singlet_unless(self.circuit, parent, self.sym(site.square), self.sym(site.target))
            share(self.circuit, self.occ(site.square), self.occ(site.target), 0.5)

    def _pair(self, left: int, right: int) -> None:
        coin(self.circuit, self.sym(left))
        oppose(self.circuit, self.sym(left), self.sym(right))

    def _symbols(self, piece: Piece, site: Site) -> None:
        """Give the squares of a half their symbols, now that its occupancies are in place."""
        along = self._along(site)
        if site.attack != "entangled":
            self._symbol(site.square, chance_of_o(piece.symbol, along), sure=False)
            if site.target is not None:
                chance = chance_of_o_in_target(piece.attacker, along)
                # The target holds √½·q + s·p: of an X attacking an O both signs are plus, else O's is minus.
                minus = self.coherent and piece.attacker == "O"
                self._symbol(site.target, chance, sure=False, minus=minus)
        elif self._steered(piece, site):
            assert site.target is not None
            # The coin went into the positions; its opposite comes last, where it overlaps with other gates.
            oppose(self.circuit, self.sym(site.square), self.sym(site.target))
            if not along:
                for square in site.squares:
                    hadamard_if(self.circuit, self.occ(square), self.sym(square))
        elif not self.strict:
            assert site.target is not None
            self._pair(site.square, site.target)

    def _symbol(self, square: int, chance: float, sure: bool = True, minus: bool = False) -> None:
        """Give a square a symbol of its own, which reads O with that probability where it is occupied.

        The amplitude of O is negative if ``minus``, which a measurement sees only after a Hadamard.
        """
        if self.coherent:
            turn(self.circuit, self.sym(square), chance)
            if minus:
                self.circuit.z(self.sym(square))
        elif chance == 0 or (chance == 1 and (sure or not self.strict)):
            self.certain("sym", square, chance == 1)
        elif sure or not self.strict:
            turn(self.circuit, self.sym(square), chance)
        elif chance == 1:
            self.circuit.cx(self.occ(square), self.sym(square))
        else:
            turn_if(self.circuit, self.occ(square), self.sym(square), chance)

    # -- reading ---------------------------------------------------------------------------------------

    def measured(self, observed: Mapping[int, str]) -> tuple[QuantumCircuit, Readout]:
        """Measure every wire and return the circuit with its readout."""
        if self.coherent and self.wires:
            # No compiler may look across it: it would drop phases that only the other mode sees.
            self.circuit.barrier()
            if self.mode == "rotated":
                for (role, _), qubit in self.wires.items():
                    if role == "sym":
                        self.circuit.h(qubit)
        sources: dict[Role, list[Source]] = {"occ": [], "sym": []}
        registers: tuple[tuple[Role, str], ...] = (("occ", POSITIONS), ("sym", SYMBOLS))
        for role, name in registers:
            qubits: list[Qubit] = []
            for square in SQUARES:
                qubit = self.wires.get((role, square))
                if qubit is not None:
                    sources[role].append(Bit(len(qubits)))
                    qubits.append(qubit)
                elif square in observed:
                    sources[role].append(Known(role == "occ" or observed[square] == "O"))
                else:
                    sources[role].append(Known(self.known.get((role, square), False)))
            measure_into(self.circuit, qubits, name)
        readout = Readout(tuple(sources["occ"]), tuple(sources["sym"]), masked=not self.strict)
        return self.circuit, readout
