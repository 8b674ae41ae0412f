"""The moves of the game as gates, one class a move.

Every gate acts on the qubits of one or two squares, in the order (occ a, sym a, occ b, sym b): occupancy
before symbol, the square attacked before the square filled. In the docstrings `X`, `O` and `.` are the states
of one square: `.` is (occ, sym) = (0, 0), `X` is (1, 0), `O` is (1, 1). The state (0, 1) is never used; every
gate keeps it empty. A pair such as `XO` gives square a first. Amplitudes are exact, and so are the relative
phases of symbols; where it is said so, two branches that differ in which squares are filled may get a phase
between them, which nothing in the game can see, because no move brings different positions together again.

`p` is the symbol of the player who moves and `q` the other one; `s(p)` is +1 for X and −1 for O. A gate must
only be used on states that its precondition describes; on others it is some unitary without meaning.

Definitions use h, x, ry and cx alone, which Aer's statevector and matrix-product-state methods both take as
they are.
"""

from math import acos, atan2, hypot, pi, sqrt
from typing import ClassVar, Final

from qiskit.circuit import Gate, QuantumCircuit, Qubit

from circuits.errors import SquareError

CANCEL_STAY: Final = sqrt(0.5) - 1
"""Amplitude with which a half-cancelled piece stays, before renormalisation; from the dice, 1/2 − √½ in units
of √½."""

CANCEL_MOVE: Final = sqrt(0.5)
"""Amplitude with which a half-cancelled piece moves to the other square, before renormalisation."""

CANCEL_TURN: Final = 1.0
"""Size of the amplitude with which a half-cancelled piece moves and turns into the attacker's symbol."""

CANCEL_NORM: Final = hypot(CANCEL_STAY, CANCEL_MOVE, CANCEL_TURN)
"""The norm `n` that makes half-cancelling a physical operation: no state grows when everything is divided by
it."""


def _is_o(symbol: str) -> bool:
    if symbol not in ("X", "O"):
        raise SquareError(f"{symbol!r} is not a symbol: a symbol is 'X' or 'O'")
    return symbol == "O"


def _controlled_h(circuit: QuantumCircuit, control: int, target: int) -> None:
    """Hadamard on the target where the control is 1: the X of a CX, turned by 45 degrees about y."""
    circuit.ry(pi / 4, target)
    circuit.cx(control, target)
    circuit.ry(-pi / 4, target)


def _rotate_fresh(circuit: QuantumCircuit, control: int, target: int, off: float, on: float) -> None:
    """Turn a target that is in 0 by ry(off) where the control is 0 and ry(on) where it is 1, with one CX.

    The CX takes ry(t)|0> to ry(pi − t)|0>, so two rotations around it meet both angles. A target in another
    state would need the two CX of a controlled rotation.
    """
    circuit.ry((pi + off - on) / 2, target)
    circuit.cx(control, target)
    circuit.ry((off + on - pi) / 2, target)


def relative_toffoli(
    circuit: QuantumCircuit, first: Qubit | int, second: Qubit | int, target: Qubit | int
) -> None:
    """Flip the target where both controls are 1, in three CX, two of them with `second`: Margolus' gate.

    The state first = 1, second = 0, target = 1 gets a sign. The target sits between its controls.
    """
    circuit.ry(pi / 4, target)
    circuit.cx(second, target)
    circuit.ry(pi / 4, target)
    circuit.cx(first, target)
    circuit.ry(-pi / 4, target)
    circuit.cx(second, target)
    circuit.ry(-pi / 4, target)


class MoveGate(Gate):  # type: ignore[misc]  # Qiskit ships no type information
    """Base of all gates here: a named block whose definition is in the basis that the module names.

    The name of a gate says everything that its definition depends on, so that equal names are equal gates,
    also in an OpenQASM program.
    """

    def _define(self) -> None:
        circuit = QuantumCircuit(self.num_qubits, name=self.name)
        self._build(circuit)
        self.definition = circuit

    def _build(self, circuit: QuantumCircuit) -> None:
        raise NotImplementedError

    @property
    def recipe(self) -> tuple[object, str] | None:
        """What tells the definition without making it; None where nothing does.

        A definition that is made may have been changed, and a class may define itself in a way of its own.
        """
        if self._definition is not None or type(self)._define is not MoveGate._define:
            return None
        return type(self)._build, self.name


class _SymbolGate(MoveGate):
    """A gate that depends on nothing but the symbol of the player who moves."""

    _name: ClassVar[str]
    _verb: ClassVar[str]
    _width: ClassVar[int]

    def __init__(self, symbol: str) -> None:
        """Make the gate for the player whose symbol is 'X' or 'O'.

        Raises:
            SquareError: it is neither.
        """
        self._o = _is_o(symbol)
        super().__init__(f"{self._name}_{symbol.lower()}", self._width, [], label=f"{symbol} {self._verb}")

    @property
    def symbol(self) -> str:
        """The symbol of the player who moves."""
        return "O" if self._o else "X"


class ClassicalGate(_SymbolGate):
    """Classical move: a piece in one square, for certain.

    Qubits: (occ a, sym a). Precondition: a is empty.

        .  →  p

    Source: Player Reference, The Classical Move.
    """

    _name = "classical"
    _verb = "places"
    _width = 2

    def _build(self, circuit: QuantumCircuit) -> None:
        circuit.x(0)
        if self._o:
            circuit.x(1)


class SuperpositionGate(_SymbolGate):
    """Superposition move: one piece in two squares at once, half in each.

    Qubits: (occ a, sym a, occ b, sym b). Precondition: a and b are empty.

        ..  →  (p. + .p)/√2

    Source: Player Reference, The Superposition Move.
    """

    _name = "superposition"
    _verb = "superposes"
    _width = 4

    def _build(self, circuit: QuantumCircuit) -> None:
        circuit.h(0)
        circuit.x(2)
        circuit.cx(0, 2)
        if self._o:
            circuit.cx(0, 1)
            circuit.cx(2, 3)


class EntanglingGate(_SymbolGate):
    """Entangling move: the two pieces become the pair that is opposite in both modes.

    Qubits: (occ a, sym a, occ b, sym b). Precondition: a holds q for certain, b is empty.

        q.  →  (qp − pq)/√2

    The minus sign makes it the singlet, the one pair that comes out opposite after Hadamards on both symbols
    too; with a plus it would come out alike in rotated mode. The rotation of sym a by −90 degrees for q = X
    and +90 for q = O is the coin q − p; the CX gives b the other symbol.

    Source: Player Reference, The Entangling Move; decision D3 of the rules.
    """

    _name = "entangling"
    _verb = "entangles"
    _width = 4

    def _build(self, circuit: QuantumCircuit) -> None:
        circuit.ry(-pi / 2 if self._o else pi / 2, 1)
        circuit.x(2)
        circuit.x(3)
        circuit.cx(1, 3)


class HalfEntanglingGate(_SymbolGate):
    """Half-entangling move: entangling with a piece that may be elsewhere.

    Qubits: (occ a, sym a, occ b, sym b). Precondition: a holds q or is empty, in superposition; b is empty.

        q.  →  (qp − pq)/√2
        ..  →  −(.p + p.)/√2

    The sign of the second line is between different positions and means nothing. Seen with q's symbol as 0: a
    coin |0> − |1> in sym a; b is filled with the opposite symbol. Where a was empty that is one piece too
    many: where the coin is 1 the attacker's piece belongs in a, so occupancy moves from b to a. The Toffoli
    of that step gives a sign only to states in which a is empty, so the pair stays a singlet.

    Source: Player Reference, The Half-Entangling Move.
    """

    _name = "half_entangling"
    _verb = "half-entangles"
    _width = 4

    def _build(self, circuit: QuantumCircuit) -> None:
        if not self._o:
            circuit.cx(0, 1)
        circuit.ry(-pi / 2, 1)
        circuit.x(2)
        circuit.x(3)
        circuit.cx(1, 3)
        circuit.x(0)
        relative_toffoli(circuit, 0, 1, 2)
        circuit.x(0)
        # Where b has lost its piece, a gets it.
        circuit.x(2)
        circuit.cx(2, 0)
        circuit.x(2)
        if not self._o:
            circuit.cx(0, 1)
            circuit.cx(2, 3)


class CancellingGate(_SymbolGate):
    """Cancelling move: the attacked square empties, and the piece goes on in a plus or a minus state.

    Qubits: (occ a, sym a, occ b, sym b). Precondition: a holds q for certain, b is empty.

        q.  →  .(X + O)/√2  if X moves, the plus state
        q.  →  .(X − O)/√2  if O moves, the minus state

    No piece is added: the dice in a sum to nothing. There is no two-qubit gate in it, and no herald: a is
    certain, so there is one branch only, and every branch of the position is mapped to one of the same norm.
    The dice rule has nothing to renormalise, so a unitary does it, and every shot counts.
    `HalfCancellingGate` meets the piece in one branch and not in the other, lets the first grow, and pays.

    Source: Player Reference, The Cancelling Move.
    """

    _name = "cancelling"
    _verb = "cancels"
    _width = 4

    def _build(self, circuit: QuantumCircuit) -> None:
        circuit.x(0)
        if not self._o:
            circuit.x(1)
        circuit.x(2)
        circuit.ry(-pi / 2 if self._o else pi / 2, 3)


class HalfCancellingGate(_SymbolGate):
    """Half-cancelling move: cancelling a piece that may be elsewhere; a herald tells whether the shot counts.

    Qubits: (occ a, sym a, occ b, sym b, her a). Precondition: a holds q or is empty, in superposition; b is
    empty and the herald is 0.

        q.  →  (t·q. + u·.q + s(p)·v·.p)/n, herald 0
        ..  →  1/n ·  .., herald 0  +  √(1 − 1/n²) ·  .., herald 1

    with t = √½ − 1, u = √½, v = 1 and n² = t² + u² + v² (`CANCEL_STAY`, `CANCEL_MOVE`, `CANCEL_TURN`,
    `CANCEL_NORM`). The dice rule divides the whole root by its new norm, which no unitary does: it favours
    the branch in which the piece was met. So the other branch is thinned out: its herald fires with
    probability 1 − 1/n² ≈ 36.9 %, and shots in which a herald fired do not count. One half-cancel on a
    superposition keeps 81.5 % of the shots, one on each half 63.1 %; the shots that are kept have the dice
    rule's amplitudes exactly.

    The occupancy moves to b with amplitude √(u² + v²)/n, b's symbol turns to (u·q + s(p)·v·p)/√(u² + v²), and
    a is cleared where b was filled.

    Source: Player Reference, The Half-Cancelling Move; the amplitudes are those of its dice, 1 and −2 in a,
    1 and ±2 in b.
    """

    _name = "half_cancelling"
    _verb = "half-cancels"
    _width = 5

    def _build(self, circuit: QuantumCircuit) -> None:
        _rotate_fresh(circuit, 0, 4, 2 * acos(1 / CANCEL_NORM), 0)
        # The angle is above 180 degrees, its cosine negative: that is the sign of t.
        _rotate_fresh(circuit, 0, 2, 0, 2 * acos(CANCEL_STAY / CANCEL_NORM))
        turned = atan2(-CANCEL_TURN, CANCEL_MOVE) if self._o else atan2(CANCEL_MOVE, CANCEL_TURN)
        _rotate_fresh(circuit, 2, 3, 0, 2 * turned)
        circuit.cx(2, 0)
        if not self._o:
            circuit.cx(2, 1)


class MeasureTurnGate(MoveGate):
    """Measure-turn: one square is observed in the middle of a game, and only one result counts.

    Qubits: (occ a, sym a, her a). Precondition: the herald is 0.

        the result  →  itself, herald 0
        all others  →  themselves, herald 1

    What was found is known, so the branches that disagree are thrown away: their herald reads 1. The copy is
    made into the herald and read at the end. That is the same as measuring at once, because nothing acts on
    the herald again (deferred measurement), and it leaves the circuit free of measurements in the middle,
    which simulators pay for dearly.

    Source: the rules' option measure-turn, after the online game.
    """

    def __init__(self, result: str) -> None:
        """Make the gate for a square found to hold 'X' or 'O', or to be empty, '.'.

        Raises:
            SquareError: the result is none of these.
        """
        if result not in ("X", "O", "."):
            raise SquareError(f"a square holds 'X', 'O' or nothing ('.'), not {result!r}")
        self._result = result
        name = {"X": "found_x", "O": "found_o", ".": "found_empty"}[result]
        super().__init__(name, 3, [], label=name.replace("_", " ").replace(" x", " X").replace(" o", " O"))

    @property
    def result(self) -> str:
        """What the square was found to hold: 'X', 'O', or '.' for nothing."""
        return self._result

    def _build(self, circuit: QuantumCircuit) -> None:
        # An empty square has symbol 0, so one bit tells O, and both together tell X.
        if self._result != ".":
            circuit.x(2)
        if self._result != "O":
            circuit.cx(0, 2)
        if self._result != ".":
            circuit.cx(1, 2)


class _HadamardGate(MoveGate):
    """Hadamards on the symbols of some squares, the empty ones excepted."""

    _name: ClassVar[str]
    _label: ClassVar[str]

    def __init__(self, certain: int, halves: int) -> None:
        """Make the gate for so many squares that are occupied for certain, and so many that may be empty.

        Raises:
            SquareError: a number is negative or both are zero.
        """
        if min(certain, halves) < 0 or certain + halves == 0:
            raise SquareError(f"cannot turn {certain} certain squares and {halves} halves")
        self._certain, self._halves = certain, halves
        super().__init__(f"{self._name}_{certain}_{halves}", certain + 2 * halves, [], label=self._label)

    @property
    def certain(self) -> int:
        """The number of squares that are occupied for certain."""
        return self._certain

    @property
    def halves(self) -> int:
        """The number of squares that may be empty."""
        return self._halves

    def inverse(self, annotated: bool = False) -> Gate:
        """Return the gate itself: doing it twice does nothing."""
        return type(self)(self._certain, self._halves)

    def _build(self, circuit: QuantumCircuit) -> None:
        for symbol in range(self._certain):
            circuit.h(symbol)
        for occupancy in range(self._certain, self.num_qubits, 2):
            _controlled_h(circuit, occupancy, occupancy + 1)


class ViewSwitchGate(_HadamardGate):
    """View switch: from standard coordinates to rotated ones, or back.

    Qubits: sym of each of `certain` squares, then (occ, sym) of each of `halves` squares. Precondition: the
    first are occupied; the others hold a symbol or are empty.

        X  →  (X + O)/√2
        O  →  (X − O)/√2
        .  →  .

    Where the occupancy is certain that is one Hadamard, otherwise a Hadamard controlled by it. Entangled
    pairs would only change sign, so they need not be included. The gate is its own inverse.

    Source: Player Reference, Switching the View.
    """

    _name = "view_switch"
    _label = "view switch"


class ModeRotationGate(_HadamardGate):
    """Mode rotation: what `ViewSwitchGate` does, done just before measuring, to read the rotated mode.

    Qubits: sym of each of `certain` squares, then (occ, sym) of each of `halves` squares. Precondition: the
    first are occupied; the others hold a symbol or are empty.

        (X + O)/√2  →  X
        (X − O)/√2  →  O
        .           →  .

    Source: Player Reference, the roll tables for rotated mode.
    """

    _name = "mode_rotation"
    _label = "rotate mode"
