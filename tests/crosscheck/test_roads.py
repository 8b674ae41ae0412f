"""Three roads and an oracle: dice, move-by-move circuit and lean circuit on random games of every level."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuits.exact import exact_distribution
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.state import Phase
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import CompiledBoard, compile_lean, compile_moves
from tests.support.oracle import Oracle, random_game

TOLERANCE = 1e-9
CASES = [
    (0, ""),
    (1, ""),
    (2, ""),
    (3, ""),
    (4, ""),
    (5, ""),
    (5, "view=physical,view-switches=2"),
]
PHASES = 3


def exact(compiled: CompiledBoard) -> dict[str, float]:
    assert compiled.readout is not None
    found = exact_distribution(compiled.circuit, compiled.readout)
    assert found.illegal == 0
    return found.outcomes


def agree(game: Game, oracle: Oracle, mode: Mode) -> None:
    truth = oracle.outcomes(str(mode))  # type: ignore[arg-type]
    roads = {
        "dice": game.state.odds(mode).outcomes(),
        "moves": exact(compile_moves(game, mode)),
        "lean": exact(compile_lean(game, mode)),
    }
    record = " ".join(map(str, game.events))
    for name, outcomes in roads.items():
        assert distance(outcomes, truth) < TOLERANCE, (name, game.rules.level.number, mode, record)
        assert sum(outcomes.values()) == pytest.approx(1, abs=1e-12)


def play_and_compare(
    level: int, options: str, seed: int, *, midway: bool = True, phases: int = PHASES
) -> Game:
    """Follow a random game of the oracle; compare everything at every observation, and once before it."""
    rng = random.Random(seed)
    first = rng.choice("XO")
    game = Game(level, options, first=Symbol(first))
    early = rng.randrange(1, 5) if midway else None
    for number, (token, oracle) in enumerate(random_game(level, rng, options, phases, first)):
        game.play(token)
        state = game.state
        assert state.position.full == (not oracle.empty())
        assert game.over == oracle.over
        assert {str(move) for move in state.legal_moves()} == set(oracle.legal())
        if game.over:
            assert str(game.result) == oracle.result
            break
        assert str(state.turn) == oracle.turn
        if (state.phase is Phase.OBSERVATION and state.observations < phases) or number == early:
            for mode in state.modes:
                agree(game, oracle, mode)
    return game


@pytest.mark.parametrize(("level", "options"), CASES)
@pytest.mark.parametrize("seed", range(8))
def test_the_roads_agree(level: int, options: str, seed: int) -> None:
    play_and_compare(level, options, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "options"), CASES)
def test_the_roads_agree_on_a_thousand_games_to_their_end(level: int, options: str) -> None:
    for seed in range(1000, 2000):
        assert play_and_compare(level, options, seed, midway=seed % 5 == 0, phases=40).over


@settings(max_examples=40, deadline=None)
@given(
    case=st.sampled_from(CASES),
    seed=st.integers(0, 2**32),
    option=st.sampled_from(["", "quantum-only", "tally", "no-double-entanglement", "quantum-only,tally"]),
)
def test_the_roads_agree_under_options(case: tuple[int, str], seed: int, option: str) -> None:
    level, options = case
    if (level == 0 and "quantum-only" in option) or (level < 2 and "no-double" in option):
        option = ""
    play_and_compare(level, ",".join(filter(None, (options, option))), seed)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32), options=st.sampled_from(["no-ties", "max-observations=2", "view-switches=3"])
)
def test_the_roads_agree_under_the_options_of_level_five(seed: int, options: str) -> None:
    play_and_compare(5, options, seed)
