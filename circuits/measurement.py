"""What is measured, and what each classical bit says about the board.

A circuit measures only qubits whose value is in doubt; what is certain is written into the `Readout` instead.
This keeps idle squares out of the simulation and, on a device, keeps readout errors off values that are known
anyway. The three classical registers are `pos` (occupancies), `mark` (symbols) and `flag` (heralds); one that
would have no bit is left out.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from qiskit.circuit import ClassicalRegister, QuantumCircuit, Qubit

from circuits.errors import DecodingError, SquareError
from circuits.register import SQUARES, her, occ, sym

POSITIONS: Final = "pos"
"""Name of the classical register that holds occupancies."""

SYMBOLS: Final = "mark"
"""Name of the classical register that holds symbols."""

HERALDS: Final = "flag"
"""Name of the classical register that holds heralds."""

REGISTER_NAMES: Final = (POSITIONS, SYMBOLS, HERALDS)
"""The classical registers in the one order in which their bits are ever joined."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value that needs no measurement.

    Attributes:
        value: for an occupancy, whether the square is occupied; for a symbol, True for O and False for X.
    """

    value: bool


@dataclass(frozen=True, slots=True)
class Bit:
    """A value read from a classical bit.

    Attributes:
        index: the bit's index in the register concerned, `pos` for an occupancy and `mark` for a symbol.
    """

    index: int


Source = Known | Bit
"""Where a value comes from."""


@dataclass(frozen=True, slots=True)
class Readout:
    """How the bits of a measured circuit make a board.

    Attributes:
        occupancy: for squares 1 to 9, where it is read whether the square is occupied (register `pos`).
        symbol: for squares 1 to 9, where its symbol is read (register `mark`): True is O, False is X.
        heralds: the squares whose herald is read, the i-th of them from bit i of register `flag`.
        masked: True if the symbol of an empty square means nothing; False if such a symbol must read 0, so
            that a shot with a symbol on an empty square is known to be wrong.

    Raises:
        DecodingError: not nine sources each, a bit index below 0, or a bad herald square.
    """

    occupancy: tuple[Source, ...]
    symbol: tuple[Source, ...]
    heralds: tuple[int, ...] = ()
    masked: bool = False

    def __post_init__(self) -> None:
        """Check the shape."""
        for name, sources in (("occupancy", self.occupancy), ("symbol", self.symbol)):
            if len(sources) != len(SQUARES):
                raise DecodingError(f"a readout needs nine sources of {name}, not {len(sources)}")
            for source in sources:
                if isinstance(source, Bit) and source.index < 0:
                    raise DecodingError(f"a readout cannot read bit {source.index} of {name}")
        if len(set(self.heralds)) != len(self.heralds) or not set(self.heralds) <= set(SQUARES):
            raise DecodingError(f"heralds must be different squares, 1 to 9, not {self.heralds}")

    def to_json(self) -> dict[str, Any]:
        """Return the readout as a plain dictionary: a known value is true or false, a bit its index."""

        def plain(sources: tuple[Source, ...]) -> list[bool | int]:
            return [source.value if isinstance(source, Known) else source.index for source in sources]

        return {
            "occupancy": plain(self.occupancy),
            "symbol": plain(self.symbol),
            "heralds": list(self.heralds),
            "masked": self.masked,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Readout":
        """Read what `to_json` wrote.

        Raises:
            DecodingError: a key is missing or a value has the wrong type.
        """

        def source(value: object) -> Source:
            # bool first: in Python it is an int as well.
            if isinstance(value, bool):
                return Known(value)
            if isinstance(value, int):
                return Bit(value)
            raise DecodingError(f"a stored readout has {value!r} where true, false or a bit index belongs")

        def entries(key: str) -> list[Any]:
            value = data.get(key)
            if not isinstance(value, list):
                raise DecodingError(f"a stored readout needs a list {key!r}, not {value!r}")
            return value

        heralds = entries("heralds")
        if not all(type(square) is int for square in heralds):
            raise DecodingError(f"a stored readout has heralds {heralds!r} where squares belong")
        masked = data.get("masked")
        if not isinstance(masked, bool):
            raise DecodingError(f"a stored readout needs 'masked' true or false, not {masked!r}")
        return cls(
            tuple(source(value) for value in entries("occupancy")),
            tuple(source(value) for value in entries("symbol")),
            tuple(heralds),
            masked,
        )


def measure_into(circuit: QuantumCircuit, qubits: Sequence[Qubit], name: str) -> None:
    """Measure qubits in their order into a new classical register; if there are none, make no register."""
    if qubits:
        register = ClassicalRegister(len(qubits), name)
        circuit.add_register(register)
        circuit.measure(qubits, register)


def measure_board(
    circuit: QuantumCircuit,
    squares: Collection[int],
    heralds: Collection[int] = (),
    known: Mapping[int, str] | None = None,
) -> Readout:
    """Measure a move-by-move circuit in place and say how to read it.

    The occupancy and the symbol of every square in `squares` are measured, then the heralds; the bits are in
    the order of the squares. Squares of `known` are filled in, and all others are empty.

    Args:
        circuit: a circuit on the 27 qubits of `circuits.register`, without classical bits yet.
        squares: the live squares, 1..9, whose state is in doubt.
        heralds: the squares whose herald a gate has used.
        known: the squares that hold a symbol for certain, with that symbol, 'X' or 'O'.

    Returns:
        The strict readout of the bits just added.

    Raises:
        SquareError: a square is off the board, both live and known, or known to hold something that is not a
            symbol.
    """
    known = known or {}
    live, flags = sorted(set(squares)), sorted(set(heralds))
    for square, symbol in known.items():
        if square not in SQUARES or square in live:
            raise SquareError(f"square {square!r} cannot be known and measured, or is off the board")
        if symbol not in ("X", "O"):
            raise SquareError(f"square {square} is said to hold {symbol!r}: a symbol is 'X' or 'O'")
    wires = circuit.qubits
    measure_into(circuit, [wires[occ(square)] for square in live], POSITIONS)
    measure_into(circuit, [wires[sym(square)] for square in live], SYMBOLS)
    measure_into(circuit, [wires[her(square)] for square in flags], HERALDS)
    bits: dict[int, Source] = {square: Bit(index) for index, square in enumerate(live)}
    return Readout(
        tuple(bits.get(square, Known(square in known)) for square in SQUARES),
        tuple(bits.get(square, Known(known.get(square) == "O")) for square in SQUARES),
        tuple(flags),
    )
