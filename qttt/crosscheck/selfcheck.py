"""The check of an installation: a battery of records that together leave no fault unseen.

One record shows some faults and is blind to others (`qttt.crosscheck.blindspots`). The battery has every kind
of move and root, every level and mode, known positions, a measure-turn, pieces that stay in play and both
readings of view switches; there is no fault to which all of it is blind. Each record is held in all its modes
against the shots of every road: the dice, the move-by-move circuit and the lean one. Written bits whose
boards are known test the decoding alone, first as they are and then prepared on the simulator.

All p-values of the battery share one threshold: faultless circuits fail with at most one seed in a thousand.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from circuits.errors import BackendError
from qttt.crosscheck.check import check_mode, threshold_of
from qttt.errors import ServiceError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.observers import get_observer

if TYPE_CHECKING:
    import numpy as np

    from circuits.decoding import Shots
    from circuits.measurement import Readout

BATTERY: tuple[tuple[int, str, str], ...] = (
    (0, "", "1 5 2 9"),
    (1, "", "5 1+3 2+4"),
    (1, "measure-turn", "1+3 5 2+4 ?1=X 6+8"),
    (2, "", "9 5 5*6"),
    (2, "", "1+3 1*2 9 3*4 5+6 7+8"),
    (2, "", "4+9 3+7 3*6 5 7*1 2 2*8"),
    (3, "", "9 5 5-6"),
    (3, "", "1+3 1-2 5 3*4 6+7 8+9"),
    (4, "", "1 1*2 9"),
    (4, "", "5 5-6 1+3 1*2 7 8 4 9"),
    (4, "", "1+3 1-2 9 3-4 5 5*6 7 8"),
    (4, "", "9 1+3 3-2 4 5 6 7 8 =p:.#.######"),
    (5, "", "~1+3 1*2 9"),
    (5, "", "~5 1+3 1-2 7 7-8"),
    (5, "", "1 2 3 5 4 6 8 7+9 =XOXXOO.XO 2*7"),
    (5, "view=physical", "~1+3 1*2 9"),
    (5, "view=physical", "~1+3 1-2 9"),
)
"""Level, options and moves."""

BACKENDS = ("aer", "aer-lean", "dice")
SHOTS = 4096

# Squares 1, 2, 4 and 8 are read, 9 is known to hold X, and square 1 has a herald.
_LIVE, _KNOWN, _HERALDS = (1, 2, 4, 8), {9: "X"}, (1,)
_WRITTEN: tuple[tuple[str, str, str, str], ...] = (
    # occupancies, symbols, herald, and what they say; none of these boards is another's mirror image.
    ("1101", "0100", "0", "XO.....XX"),
    ("0111", "0010", "0", ".X.O...XX"),
    ("1000", "1000", "0", "O.......X"),
    ("0001", "0001", "0", ".......OX"),
    ("0000", "0000", "0", "........X"),
    ("1101", "0100", "1", "a failed herald"),
    ("1000", "0100", "1", "a failed herald"),
    ("1000", "0100", "0", "illegal"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the battery.

    Attributes:
        record: the moves, or what was decoded.
        mode: the mode of observation.
        exact_tvd: the largest exact distance between any two roads, or 1 if the shots could not be drawn; of
            written bits, the share misread.
        ok: everything agrees.
        level: the level; None for written bits.
        options: the options.
        backend: who drew the shots.
        p_value: the smaller one of the boards' and the heralds'.
    """

    record: str
    mode: Mode
    exact_tvd: float
    ok: bool
    level: int | None = None
    options: str = ""
    backend: str = ""
    p_value: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """The case as ``qttt check --self --json`` prints it."""
        return {**asdict(self), "mode": str(self.mode)}


def hold_battery(rng: "np.random.Generator") -> tuple[Case, ...]:
    """Hold the whole battery.

    Raises:
        ServiceError: the simulator cannot even prepare written bits.
    """
    games = {entry: _game(*entry) for entry in BATTERY}
    boards = [(entry, game, mode) for entry, game in games.items() for mode in game.state.modes]
    threshold = threshold_of(len(boards) * len(BACKENDS))
    cases = list(_decoded(rng))
    for (level, options, moves), game, mode in boards:
        for name in BACKENDS:
            try:
                found = check_mode(game, mode, get_observer(name), rng, shots=SHOTS, threshold=threshold)
                case = Case(moves, mode, found.exact_tvd, found.ok is True, level, options, name)
                case = replace(case, p_value=min(found.p_value, found.herald_p_value))
            except (ServiceError, BackendError):
                # No shot has the known positions, say: then these roads do not meet.
                case = Case(moves, mode, 1.0, False, level, options, name, 0.0)
            cases.append(case)
    return tuple(cases)


def _game(level: int, options: str, moves: str) -> Game:
    game = Game(level, options)
    game.play(moves)
    return game


def _decoded(rng: "np.random.Generator") -> Iterator[Case]:
    """Written bits, decoded as they are and once more after the simulator has prepared them."""
    import numpy as np
    from qiskit.circuit import QuantumCircuit

    from circuits.backends import get_backend
    from circuits.decoding import Shots
    from circuits.measurement import measure_board
    from circuits.register import board_circuit, her, occ, sym

    written, prepared = [], []
    for occupied, symbols, heralds, _ in _WRITTEN:
        circuit: QuantumCircuit = board_circuit()
        for index, square in enumerate(_LIVE):
            for bits, qubit in ((occupied, occ(square)), (symbols, sym(square))):
                if bits[index] == "1":
                    circuit.x(qubit)
        if heralds == "1":
            circuit.x(her(*_HERALDS))
        readout = measure_board(circuit, _LIVE, _HERALDS, _KNOWN)
        rows = [np.array([[bit == "1" for bit in bits]]) for bits in (occupied, symbols, heralds)]
        written.append(Shots(*rows))
        prepared += get_backend("aer").run([circuit], 1, rng)
    for name, shots in (("written bits", written), ("prepared bits", prepared)):
        wrong = _misread(readout, Shots.concatenate(shots)) / len(_WRITTEN)
        yield Case(name, Mode.STANDARD, wrong, not wrong)


def _misread(readout: "Readout", shots: "Shots") -> int:
    """How many of the written bits are not decoded as what they say."""
    from circuits.decoding import HERALD_FAILED, ILLEGAL, decode

    found = decode(readout, shots)
    names = {HERALD_FAILED: "a failed herald", ILLEGAL: "illegal", **dict(enumerate(found.boards))}
    said = [names[index] for index in found.index.tolist()]
    return sum(one != other for one, (*_, other) in zip(said, _WRITTEN, strict=True))
