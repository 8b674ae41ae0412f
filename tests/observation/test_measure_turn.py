"""Measure-turns by circuit: the collapsed position compiled afresh, and the whole phase post-selected."""

import random

import pytest

from circuits.components import split
from circuits.exact import exact_distribution
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.outcomes import Measurement
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.observation.compiler import CompiledBoard, compile_lean, compile_moves
from tests.support.oracle import random_game

PHASES = 2


def outcomes(compiled: CompiledBoard, kept: float) -> dict[str, float]:
    """The exact distribution of a circuit, which must keep that fraction of its shots."""
    assert compiled.readout is not None
    exact = exact_distribution(compiled.circuit, compiled.readout)
    assert exact.herald_failed == pytest.approx(1 - kept, abs=1e-9)
    assert exact.illegal == 0
    return exact.outcomes


def play_and_compare(level: int, seed: int) -> int:
    """Follow a random game with measure-turns; returns how many boards were compared after one."""
    rng = random.Random(seed)
    first = rng.choice("XO")
    game = Game(level, "measure-turn", first=Symbol(first))
    chance, compared = 1.0, 0
    for token, oracle in random_game(level, rng, "measure-turn", PHASES, first):
        before = game.state
        game.play(token)
        event = game.events[-1]
        if isinstance(event, Measurement):
            odds = before.measurement_odds(event.square)
            chance *= odds[event.cell]
        assert [f"?{square}" for square in game.state.measurable()] == oracle.measurable()
        if game.state.phase is Phase.OVER:
            assert str(game.result) == oracle.result
            break
        assert {str(move) for move in game.state.legal_moves()} == set(oracle.legal())
        if not isinstance(event, Measurement) and game.state.phase is not Phase.OBSERVATION:
            chance = chance if game.phase_start() < len(game.events) else 1.0
            continue
        for square in game.state.measurable():
            assert distance(game.state.measurement_odds(square), oracle.measurement(square)) < 1e-9
        truth = oracle.outcomes()
        dice = game.state.odds().outcomes()
        assert distance(dice, truth) < 1e-9
        for name, found in {
            "afresh": outcomes(compile_moves(game), 1.0),
            "lean": outcomes(compile_lean(game), 1.0),
            "whole": outcomes(compile_moves(game, whole=True), chance),
        }.items():
            assert distance(found, truth) < 1e-9, (name, level, " ".join(map(str, game.events)))
        compared += 1
    return compared


@pytest.mark.parametrize("level", [1, 2])
def test_three_circuits_and_the_dice_agree_with_the_oracle(level: int) -> None:
    assert sum(play_and_compare(level, seed) for seed in range(20)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2])
def test_three_circuits_and_the_dice_agree_on_a_thousand_games(level: int) -> None:
    assert sum(play_and_compare(level, seed) for seed in range(1000, 2000)) > 1000


def test_a_phase_that_connects_all_27_qubits_is_computed() -> None:
    """Squares are measured and filled again so often that the whole board is one component."""
    game = Game(2, "measure-turn")
    game.play(
        "2+3 2*6 ?3=. ?2=O ?6=X 4+8 ?4=. 5+9 ?9=. 1+7 ?1=. 3+9 9*1 ?7=O ?5=O ?8=O 3*4",
    )
    whole = compile_moves(game, whole=True)
    assert max(len(component.qubits) for component in split(whole.circuit)) == 27
    # Each of ten results was one of two or four that were as likely.
    assert distance(outcomes(whole, 1 / 32), game.state.odds().outcomes()) < 1e-9


def test_a_collapsed_board_is_prepared_by_the_moves_own_gates() -> None:
    game = Game(2, "measure-turn")
    game.play("1+3 1*2 9 3*4 ?1=O")
    labels = [block.label for block in compile_moves(game).blocks]
    assert labels == ["O places", "X superposes", "O half-entangles", "X places"]
    whole = [block.label for block in compile_moves(game, whole=True).blocks]
    assert whole == ["X superposes", "O half-entangles", "X places", "O half-entangles", "found O"]
