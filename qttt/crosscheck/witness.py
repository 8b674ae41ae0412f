"""Whether the pairs on a board are entangled, from counts of two settings of one preparation.

For a pair of squares, conditioned on both being filled and on nothing else (a local filter, which keeps
separable states separable), W = −⟨ZZ⟩ − ⟨XX⟩. Separable states have W ≤ 1, the singlet 2, and W/2 is a lower
bound on the fidelity with it. A pair is *shown* if the one-sided lower bound of the raw W exceeds 1 at
``CONFIDENCE``: a mixture of answers lies on 1, so that a point above it says nothing. The signs are those of
the singlet, fixed before anything is read.

The settings are the two modes of the coherent circuit (`circuits.lean`): the same gates on the same qubits,
and one more rotation before each symbol is read. CHSH has four of its own, with directions that lie between
the modes. A *plant* puts a state without entanglement in a pair's place and sends it through the same
analysis, which must not show it. Measuring along θ what Z, X or Y has acted on is measuring along −θ, π − θ
and π + θ; a product of turned symbols is measured along θ less their angles. So a plant is nothing but other
angles, and for those that replace the preparation a circuit that prepares nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, pi
from typing import TYPE_CHECKING, Any, Final

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.state import Phase
from qttt.observation.compiler import lean_pieces
from qttt.stats import clopper_pearson

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from qiskit.circuit import QuantumCircuit

    from circuits.backends.base import Backend, ReadoutErrors
    from circuits.decoding import Shots
    from circuits.measurement import Readout, Source
    from qttt.observation.devices import DeviceObserver, Plan

CONFIDENCE: Final = 0.999
DEFAULT_SHOTS: Final = 4096
MODES: Final = {"standard": (0, 0), "rotated": (90, 90)}
"""The settings of the witness: the directions of both squares, in degrees from the standard one."""

CHSH: Final = {f"{a} {b}": (a, b) for a in (0, 90) for b in (45, 135)}
"""Those of CHSH."""

CHSH_SIGNS: Final = (-1, 1, -1, -1)
"""With which sign each of these counts in S, so that the singlet has 2√2."""

ASSUMED: Final = (
    "the rotations before the readings turn by 90 degrees, as the device's calibration says",
    "reading one square's symbol does not disturb the reading of the other's",
    "every shot prepares the same state, whichever setting reads it",
)
ASSUMED_OF_CHSH: Final = "one chip, whose qubits may know of each other: no test of local realism"

Pair = tuple[int, int]


class Plant(StrEnum):
    """A state without entanglement in the place of a pair."""

    MIXTURE = "mixture"
    DEPHASED = "dephased"
    DEPOLARISED = "depolarised"
    PRODUCT = "product"


def pairs_of(game: Game) -> list[Pair]:
    """The entangled pairs of a game's board, each with its attacked square first.

    Raises:
        UsageError: the positions of the board are observed already.
    """
    if game.state.phase is Phase.OVER:
        return []
    if game.state.positions is not None:
        raise UsageError("the filled squares were observed already: a pair is read before that")
    pieces, _ = lean_pieces(game)
    return [
        (site.square, site.target)
        for piece in pieces
        for site in piece.sites
        if site.attack == "entangled" and site.target is not None
    ]


def chosen_pairs(game: Game, squares: Pair | None) -> list[Pair]:
    """The pairs of a board, or the one that was asked for.

    Raises:
        UsageError: these squares are no pair.
    """
    pairs = pairs_of(game)
    if squares is None:
        return pairs
    found = [pair for pair in pairs if set(pair) == set(squares)]
    if not found:
        there = ", ".join(f"{a},{b}" for a, b in pairs) or "none"
        raise UsageError(f"--squares {squares[0]},{squares[1]}: no entangled pair (the pairs are: {there})")
    return found


def _members(plant: Plant | None, a: float, b: float) -> Iterator[tuple[bool, float, float]]:
    """What a setting's shots are shared by: whether the board is prepared, and the angles of both squares."""
    match plant:
        case None:
            yield True, a, b
        case Plant.DEPHASED:
            yield from ((True, a, b), (True, a, -b))
        case Plant.DEPOLARISED:
            yield from ((True, a, angle) for angle in (b, -b, pi - b, pi + b))
        case Plant.MIXTURE:
            yield from ((False, a, b - pi), (False, a - pi, b))
        case Plant.PRODUCT:
            yield False, a - pi / 4, b - 5 * pi / 4


def shots_of_each(plant: Plant | None, shots: int) -> int:
    """How many shots each circuit takes, so that each setting has at least so many."""
    return ceil(shots / len(list(_members(plant, 0, 0))))


@dataclass(frozen=True)
class Looks:
    """The circuits of a witness, from the compiled board.

    Attributes:
        pairs: whose symbols are turned.
        plant: what stands in their place.
        chsh: the settings of CHSH are read too.
        backend: who turns; a device does so in its own gates.
    """

    pairs: Sequence[Pair]
    plant: Plant | None
    chsh: bool
    backend: "Backend"

    def __call__(self, compiled: "QuantumCircuit", readout: "Readout") -> "dict[str, QuantumCircuit]":
        """All settings by their names, those that several circuits share with numbers behind."""
        from circuits.measurement import POSITIONS

        bare = compiled.copy_empty_like()
        for item in compiled.data:
            if item.name == "measure":
                bare.append(item)
        filled = [_bit(readout.occupancy[square - 1]) for pair in self.pairs for square in pair]
        bare = self._turned(bare, {bit: pi for bit in filled if bit is not None}, POSITIONS)
        found = {}
        for name, (a, b) in (MODES | (CHSH if self.chsh else {})).items():
            members = list(_members(self.plant, a * pi / 180, b * pi / 180))
            for number, (prepared, first, second) in enumerate(members, 1):
                angles = {
                    _symbol_bit(readout, square): angle
                    for pair in self.pairs
                    for square, angle in zip(pair, (first, second), strict=True)
                    if angle
                }
                label = name if len(members) == 1 else f"{name}/{number}"
                found[label] = self._turned(compiled if prepared else bare, angles)
        return found

    def _turned(
        self, circuit: "QuantumCircuit", angles: Mapping[int, float], register: str = "mark"
    ) -> "QuantumCircuit":
        from circuits.backends.transpile import in_bases

        if not angles:
            return circuit
        turn = getattr(self.backend, "in_bases", None)
        turned: QuantumCircuit = (
            in_bases(circuit, None, angles, register) if turn is None else turn(circuit, angles, register)
        )
        return turned


def _bit(source: "Source") -> int | None:
    from circuits.measurement import Bit

    return source.index if isinstance(source, Bit) else None


def _symbol_bit(readout: "Readout", square: int) -> int:
    bit = _bit(readout.symbol[square - 1])
    assert bit is not None, "a coherent circuit reads the symbol of every piece"
    return bit


def plan_witness(
    looks: Looks, game: Game, observer: "DeviceObserver", shots: int, notify: Any = None
) -> "Plan":
    """The job of a witness: all settings of one preparation.

    Args:
        looks: what is read.
        game: whose board it is.
        observer: the device, with the encoding ``coherent``.
        shots: of each setting.
        notify: told of retries and remarks.
    """
    return observer.plan_same(game, looks, shots_of_each(looks.plant, shots), notify)


def reported_readings(observer: "DeviceObserver", plan: "Plan") -> "ReadoutErrors | None":
    """How often each bit of a witness's circuits is misread, as the device reports; None if it does not."""
    from circuits.errors import BackendUsageError

    try:
        return observer.backend.readout_errors(plan.prepared.circuits[0].circuit)
    except BackendUsageError:
        return None


def run_ideal(looks: Looks, game: Game, shots: int, rng: "np.random.Generator") -> "Readings":
    """Read all settings on a backend without noise."""
    from qttt.observation.compiler import compile_lean

    board = compile_lean(game, encoding="coherent")
    assert board.readout is not None
    circuits = looks(board.circuit, board.readout)
    runs = looks.backend.run(list(circuits.values()), shots_of_each(looks.plant, shots), rng)
    return Readings(board.readout, dict(zip(circuits, runs, strict=True)))


@dataclass(frozen=True, slots=True)
class Correlation:
    """Two symbols read together.

    Attributes:
        shots: of the setting.
        kept: those with both squares filled.
        alike: of these, those with equal symbols.
    """

    shots: int
    kept: int
    alike: int

    @property
    def mean(self) -> float:
        """The mean product of the symbols, X counting 1 and O −1; 0 where nothing was kept."""
        return (2 * self.alike - self.kept) / self.kept if self.kept else 0.0

    def interval(self, confidence: float) -> tuple[float, float]:
        """Its exact interval; one end alone errs with half of what is left of the confidence."""
        low, high = clopper_pearson(self.alike, self.kept, confidence)
        return 2 * low - 1, 2 * high - 1


@dataclass(frozen=True, slots=True)
class PairWitness:
    """What the settings say of a pair.

    Attributes:
        pair: its squares.
        settings: by the names of ``MODES``, and of ``CHSH`` if these were read.
        mitigated: ⟨ZZ⟩ and ⟨XX⟩ corrected for the readings that the device says go wrong; None where it says
            nothing. They decide nothing: an error that is assumed too large takes a product above 1.
    """

    pair: Pair
    settings: Mapping[str, Correlation]
    mitigated: tuple[float, float] | None = None

    @property
    def w(self) -> float:
        """−⟨ZZ⟩ − ⟨XX⟩."""
        return -self.settings["standard"].mean - self.settings["rotated"].mean

    @property
    def w_lower(self) -> float:
        """Its one-sided lower bound: each correlation has half of the error, whatever the shots."""
        # One end of a two-sided interval errs with half of what its confidence leaves.
        ends = (self.settings[name].interval(CONFIDENCE)[1] for name in MODES)
        return -sum(ends)

    @property
    def shown(self) -> bool:
        """Whether no separable state explains the counts, under the assumptions."""
        return self.w_lower > 1

    @property
    def kept_p_value(self) -> float:
        """How probable so different kept fractions are, if both settings keep alike (Fisher's exact test)."""
        from scipy.stats import fisher_exact

        rows = [(one.kept, one.shots - one.kept) for name, one in self.settings.items() if name in MODES]
        return float(fisher_exact(rows).pvalue)

    @property
    def s(self) -> float:
        """CHSH's S: at most 2 for answers fixed beforehand, 2√2 for the singlet."""
        return sum(sign * self.settings[name].mean for name, sign in zip(CHSH, CHSH_SIGNS, strict=True))

    @property
    def s_interval(self) -> tuple[float, float]:
        """Its interval at ``CONFIDENCE``: each of the four correlations has a quarter of the error."""
        low = high = 0.0
        for name, sign in zip(CHSH, CHSH_SIGNS, strict=True):
            ends = sorted(sign * end for end in self.settings[name].interval(1 - (1 - CONFIDENCE) / 4))
            low, high = low + ends[0], high + ends[1]
        return low, high

    def to_json(self) -> dict[str, Any]:
        """The pair as ``qttt witness --json`` prints it."""
        zz, xx = (self.settings[name] for name in MODES)
        chsh = CHSH.keys() <= self.settings.keys()
        found: dict[str, Any] = {
            "squares": list(self.pair),
            "kept": {name: self.settings[name].kept for name in MODES},
            "kept_p_value": self.kept_p_value,
            "zz": zz.mean,
            "zz_interval": list(zz.interval(CONFIDENCE)),
            "xx": xx.mean,
            "xx_interval": list(xx.interval(CONFIDENCE)),
            "w": self.w,
            "w_lower": self.w_lower,
            "confidence": CONFIDENCE,
            "fidelity_bound": max(0.0, self.w_lower / 2),
            "shown": self.shown,
            "mitigated": None,
            "assumes": [*ASSUMED, *([ASSUMED_OF_CHSH] if chsh else [])],
        }
        if self.mitigated is not None:
            zz_then, xx_then = self.mitigated
            found["mitigated"] = {"zz": zz_then, "xx": xx_then, "w": -zz_then - xx_then}
        if chsh:
            found["chsh"] = {
                "settings": [
                    {
                        "angles": list(CHSH[name]),
                        "kept": self.settings[name].kept,
                        "mean": self.settings[name].mean,
                        "interval": list(self.settings[name].interval(1 - (1 - CONFIDENCE) / 4)),
                    }
                    for name in CHSH
                ],
                "s": self.s,
                "s_interval": list(self.s_interval),
            }
        return found


@dataclass(frozen=True)
class Readings:
    """The shots of a witness.

    Attributes:
        readout: how the bits are read, the same for all circuits.
        runs: the shots of each circuit, by its name.
        errors: for each bit the probabilities of reading 1 for 0 and 0 for 1, or None.
    """

    readout: "Readout"
    runs: "Mapping[str, Shots]"
    errors: "ReadoutErrors | None" = None

    @property
    def shots(self) -> int:
        """How many each setting has."""
        return sum(len(run) for name, run in self.runs.items() if name.partition("/")[0] == "standard")

    def witness(self, pair: Pair) -> PairWitness:
        """What they say of a pair."""
        names = dict.fromkeys(name.partition("/")[0] for name in self.runs)
        settings = {}
        for name in names:
            bits = self._bits(name, pair)
            kept = bits[bits[:, :-2].all(axis=1), -2:]
            settings[name] = Correlation(len(bits), len(kept), int((kept[:, 0] == kept[:, 1]).sum()))
        mitigated = None if self.errors is None else tuple(self._mitigated(name, pair) for name in MODES)
        return PairWitness(pair, settings, mitigated)  # type: ignore[arg-type]

    def _columns(self, pair: Pair) -> tuple[list[int], list[int]]:
        """The bits of a pair: those of its squares that are not filled for certain, and both symbols."""
        filled = [_bit(self.readout.occupancy[square - 1]) for square in pair]
        marks = [_symbol_bit(self.readout, square) for square in pair]
        return [bit for bit in filled if bit is not None], marks

    def _bits(self, setting: str, pair: Pair) -> "npt.NDArray[np.bool_]":
        """The shots of a setting, a column for each of these bits."""
        import numpy as np

        filled, marks = self._columns(pair)
        runs = [run for name, run in self.runs.items() if name.partition("/")[0] == setting]
        return np.concatenate([np.hstack([run.pos[:, filled], run.mark[:, marks]]) for run in runs]).astype(
            bool
        )

    def _mitigated(self, setting: str, pair: Pair) -> float:
        """A correlation from counts to which the reported errors of reading are applied backwards."""
        import numpy as np

        assert self.errors is not None
        filled, marks = self._columns(pair)
        positions = max((run.pos.shape[1] for run in self.runs.values()), default=0)
        bits = self._bits(setting, pair)
        numbers = bits @ (1 << np.arange(bits.shape[1])[::-1])
        shares = np.bincount(numbers, minlength=2 ** bits.shape[1]) / len(bits)
        backwards = np.eye(1)
        for column in (*filled, *(positions + mark for mark in marks)):
            wrong_0, wrong_1 = self.errors[column]
            forwards = np.array([[1 - wrong_0, wrong_1], [wrong_0, 1 - wrong_1]])
            backwards = np.kron(backwards, np.linalg.inv(forwards)).astype(float)
        # Both squares filled are the last four: what stands before the symbols are ones.
        zero_zero, zero_one, one_zero, one_one = (backwards @ shares)[-4:]
        kept = zero_zero + zero_one + one_zero + one_one
        return float((zero_zero + one_one - zero_one - one_zero) / kept) if kept else 0.0
