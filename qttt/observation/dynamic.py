"""A demonstration: one circuit that chooses the mode of observation by itself, while it runs.

The player fixes a policy in advance: the rotated mode if a certain square turns out to be filled, the
standard mode otherwise. The circuit measures the positions, and one ``if`` on that square's bit rotates the
symbols or leaves them. It gains nothing: two plain circuits in one job give the same joint distribution with
fewer gates and no wait for the control electronics (`qttt.observation.devices`). But it is the rule of the
game in one circuit, and it runs on devices that can act on their own measurements.

The positions have to be right *and* the state that they leave must be right in both modes, so this is the
move-by-move circuit: a lean one has the statistics of one mode only.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Positions, filled_squares
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.state import State
from qttt.game.symbols import Mode
from qttt.observation.compiler import CompiledBoard, compile_moves
from qttt.observation.faults import find_fault

if TYPE_CHECKING:
    from circuits.backends.progress import Notify
    from circuits.decoding import Decoded, Shots
    from circuits.measurement import Readout
    from qttt.observation.devices import DeviceObserver, Plan

DEFAULT_SHOTS = 100
"""A measurement in the middle makes the simulation of a device start anew for every shot."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Which mode a player will choose, fixed before anything is observed.

    Attributes:
        square: the rotated mode is chosen if this square is filled, else the standard one.
    """

    square: int

    def mode(self, positions: Positions) -> Mode:
        """The mode that the policy chooses for these positions."""
        return Mode.ROTATED if positions.filled[self.square - 1] != EMPTY else Mode.STANDARD

    def __str__(self) -> str:
        """The policy as a condition; it names the block of the circuit that carries it out."""
        return f"rotated mode if {self.square} is filled"


def compile_dynamic(game: Game, policy: Policy) -> CompiledBoard:
    """Compile a game move by move, with the mode chosen by the circuit.

    The readout is masked: a rotation of the symbol of an empty square is harmless, because nobody reads it.
    What is certain under the policy is not measured: a reading in the middle errs more than a gate.

    Args:
        game: a game at any moment, its positions not yet observed.
        policy: when to rotate.

    Raises:
        UsageError: the level has no rotated mode, the positions are known already, or the policy's square is
            certainly empty.
    """
    from qiskit.circuit import QuantumCircuit

    from circuits.measurement import HERALDS, POSITIONS, SYMBOLS, Bit, Known, Readout, measure_into
    from circuits.register import her, occ, sym

    if not game.rules.level.rotated_mode:
        raise UsageError("a circuit can only choose the mode where there are two: at Levels 4 and 5")
    if game.state.positions is not None:
        raise UsageError("the positions are observed already, so no circuit can choose by them")
    plain = compile_moves(game, Mode.STANDARD)
    assert plain.readout is not None
    source = plain.readout.occupancy[policy.square - 1] if policy.square in SQUARES else None
    if not isinstance(source, Bit):
        raise UsageError(f"square {policy.square} is empty for certain, so no mode can depend on it")
    seen = {square: {board[square - 1] for board in dynamic_odds(game.state, policy)} for square in SQUARES}
    doubtful = [
        square
        for square in SQUARES
        if square == policy.square or len({cell != EMPTY for cell in seen[square]}) > 1
    ]
    two_faced = [square for square in SQUARES if len(seen[square] - {EMPTY}) > 1]
    circuit = QuantumCircuit(plain.circuit.qubits, *plain.circuit.qregs)
    for item in plain.circuit.data:
        if item.name != "measure":
            circuit.append(item)
    measure_into(circuit, [circuit.qubits[occ(square)] for square in doubtful], POSITIONS)
    chooser = circuit.cregs[0][doubtful.index(policy.square)]
    observed = game.state.position.observed
    turning = [sym(square) for square in two_faced if observed[square - 1] == EMPTY]
    if turning:
        with circuit.if_test((chooser, 1), label=str(policy)):
            circuit.h(turning)
    measure_into(circuit, [circuit.qubits[sym(square)] for square in two_faced], SYMBOLS)
    readout = Readout(
        tuple(
            Bit(doubtful.index(square)) if square in doubtful else Known(seen[square] != {EMPTY})
            for square in SQUARES
        ),
        tuple(
            Bit(two_faced.index(square)) if square in two_faced else Known("O" in seen[square])
            for square in SQUARES
        ),
        plain.readout.heralds,
        masked=True,
    )
    measure_into(circuit, [circuit.qubits[her(square)] for square in plain.readout.heralds], HERALDS)
    return CompiledBoard(circuit, readout, plain.blocks)


def plan_dynamic(
    observer: "DeviceObserver",
    game: Game,
    policy: Policy,
    shots: int | None = None,
    notify: "Notify | None" = None,
) -> "Plan":
    """Compile the demonstration for a device and say what it will cost.

    Args:
        observer: the device.
        game: a game at any moment, its positions not yet observed.
        policy: when to rotate.
        shots: how many shots.
        notify: told of retries and remarks.

    Raises:
        UsageError: as for `compile_dynamic`, or the device cannot run such a circuit.
        ServiceError: the account or the service failed.
    """
    compiled = compile_dynamic(game, policy)
    assert compiled.readout is not None
    # Before anything is compiled or asked: hours in a queue for a refusal would be no demonstration.
    observer.backend.check_dynamic(compiled.circuit)
    return observer.plan_circuit(
        compiled.circuit, compiled.readout, str(policy), shots or DEFAULT_SHOTS, notify, game
    )


def read_dynamic(state: State, policy: Policy, readout: "Readout", shots: "Shots") -> "Decoded":
    """Decode the shots of a dynamic circuit; every board is judged in the mode that its positions chose.

    Args:
        state: the moment at which the board is observed.
        policy: the policy of the circuit.
        readout: how to read its bits.
        shots: the bits.
    """
    from circuits.decoding import decode, reject

    decoded = decode(readout, shots)
    position = state.position.standard()
    faults = {
        board: find_fault(board, position, policy.mode(Positions(filled_squares(board))))
        for board in decoded.boards
    }
    return reject(decoded, {board: str(fault) for board, fault in faults.items() if fault is not None})


def dynamic_odds(state: State, policy: Policy) -> dict[str, float]:
    """The exact odds of the boards where the mode is chosen by a policy.

    Args:
        state: the moment at which the board is observed.
        policy: the policy.
    """
    return {
        board: p
        for mode in Mode
        for board, p in state.odds(mode).outcomes().items()
        if policy.mode(Positions(filled_squares(board))) is mode
    }
