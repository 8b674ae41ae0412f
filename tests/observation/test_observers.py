"""Positions first, mode later: measuring positions early changes nothing, exactly and in samples."""

import numpy as np
import numpy.typing as npt
import pytest
from qiskit.quantum_info import Statevector

from circuits.program import GateStep, read_program
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.outcomes import Observation, Positions, filled_squares
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import compile_moves
from qttt.observation.observers import DiceObserver, Observer, get_observer, observe_positions
from qttt.stats import p_value
from qttt.tabletop.rolls import Rolls, roll_odds

# Every root shape, both owners; one root each, so that the whole state fits in a few qubits.
ROOTS = ["5", "1+3", "5 5*6", "5 5-6", "1+3 1*2", "1+3 1-2"]
FULL = ["1+3 1*2 9 3*4 5+6 7+8", "1+3 1-2 9 3-4 5+6 7 8", "1 1-2 3+4 3-5 6+7 6*8 9", "5+6 5-7 9 6*8 1+2 3 4"]


def played(record: str, first: str = "X", level: int = 4) -> Game:
    game = Game(level, first=Symbol(first))
    game.play(record)
    return game


def live(steps: tuple[GateStep, ...]) -> list[int]:
    return sorted({qubit for step in steps for qubit in step.qubits})


def evolved(state: Statevector, steps: tuple[GateStep, ...], place: dict[int, int]) -> Statevector:
    for step in steps:
        state = state.evolve(step.gate(), [place[qubit] for qubit in step.qubits])
    return state


@pytest.mark.parametrize("first", ["X", "O"])
@pytest.mark.parametrize("record", ROOTS)
def test_collapsing_the_positions_before_the_mode_is_read_changes_nothing(record: str, first: str) -> None:
    game = played(record, first)
    moves = read_program(compile_moves(game, measured=False).circuit).steps
    whole = read_program(compile_moves(game, Mode.ROTATED).circuit)
    rotation = whole.steps[len(moves) :]
    assert whole.steps[: len(moves)] == moves
    place = {qubit: number for number, qubit in enumerate(live(whole.steps))}
    occupancies = [number for qubit, number in place.items() if qubit < 9]
    before = evolved(Statevector.from_int(0, 2 ** len(place)), moves, place)
    at_once = evolved(before, rotation, place).probabilities()
    early: npt.NDArray[np.float64] = np.zeros_like(at_once)
    patterns = np.arange(len(at_once))
    for bits in np.unique(patterns & sum(1 << number for number in occupancies)):
        # One outcome of measuring every occupancy in the middle: the collapsed, unnormalised state.
        agrees = (patterns & sum(1 << number for number in occupancies)) == bits
        collapsed = Statevector(np.where(agrees, before.data, 0))
        early += evolved(collapsed, rotation, place).probabilities()
    assert np.abs(early - at_once).max() < 1e-12


@pytest.mark.parametrize("record", FULL)
def test_positions_have_the_same_odds_in_both_modes(record: str) -> None:
    state = played(record).state
    assert distance(state.odds(Mode.STANDARD).positions(), state.odds(Mode.ROTATED).positions()) < 1e-12


OBSERVERS: list[tuple[Observer, Rolls]] = [
    (get_observer("aer"), Rolls.EXACT),
    (get_observer("aer-lean"), Rolls.EXACT),
    (DiceObserver(), Rolls.EXACT),
    (DiceObserver(Rolls.D6), Rolls.D6),
]


@pytest.mark.parametrize("mode", [pytest.param(Mode.STANDARD, marks=pytest.mark.slow), Mode.ROTATED])
@pytest.mark.parametrize(
    ("observer", "rolls"), OBSERVERS, ids=lambda value: getattr(value, "name", str(value))
)
def test_two_steps_give_the_joint_distribution(observer: Observer, rolls: Rolls, mode: Mode) -> None:
    rng = np.random.default_rng(11)
    record = "1+3 1-2 9 3*4 5 5-6 7+8"
    counts: dict[str, int] = {}
    for _ in range(150):
        game = played(record)
        positions, _ = observe_positions(game, observer, rng)
        game.push(positions)
        board = observer.draw(game, mode, rng).first
        assert filled_squares(board) == positions.filled
        counts[board] = counts.get(board, 0) + 1
    truth = roll_odds(played(record).state, mode, rolls).outcomes()
    assert p_value(counts, truth, rng) > 0.001


def test_the_rarest_positions_are_continued_from() -> None:
    game = played("1+3 1-2 9 3-4 5+6 5-7 8")
    odds = game.state.odds().positions()
    rarest = min(odds, key=lambda filled: odds[filled])
    assert odds[rarest] < 0.001
    game.push(Positions(rarest))
    rng = np.random.default_rng(3)
    for mode in Mode:
        expected = game.state.odds(mode).outcomes()
        sample = get_observer("aer").sample(game, mode, 400, rng)
        assert p_value(sample.counts(), expected, rng) > 0.001
    game.push(Observation(sample.first, Mode.ROTATED))
    assert game.state.observations == 1
