"""What an observation could have given: by the dice, by the circuit, by shots, and whether they agree."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from circuits.exact import exact_distribution
from qttt.crosscheck.check import check_mode
from qttt.game.game import Game
from qttt.game.outcomes import filled_squares
from qttt.game.result import Result, decide
from qttt.game.rules import Rules
from qttt.game.symbols import Mode
from qttt.observation.compiler import compile_moves
from qttt.observation.observers import get_observer
from qttt.teaching.lesson.steps import Distribution

if TYPE_CHECKING:
    import numpy as np


def board_distribution(game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Distribution:
    """The distribution of the boards of an observation, with its cross-check."""
    report = check_mode(game, mode, get_observer(), rng, shots=shots)
    dice = game.state.odds(mode).outcomes()
    circuit = _circuit_outcomes(game, mode)
    shares = {board: number / report.sample.kept for board, number in report.sample.counts().items()}
    roads = {"dice": dice, "circuit": circuit, "shots": shares}
    results = {name: _results(road, game.rules) for name, road in roads.items()}
    return Distribution(mode, dice, circuit, shares, results, report)


def position_distribution(game: Game, shots: int, rng: "np.random.Generator") -> Distribution:
    """The distribution of the filled squares, when they are observed before the mode is chosen."""
    whole = board_distribution(game, Mode.STANDARD, shots, rng)
    dice = game.state.odds().positions()
    return Distribution(
        whole.mode, dice, _positions(whole.circuit), _positions(whole.shots), None, whole.report
    )


def _circuit_outcomes(game: Game, mode: Mode) -> dict[str, float]:
    compiled = compile_moves(game, mode)
    assert compiled.readout is not None
    outcomes = exact_distribution(compiled.circuit, compiled.readout).outcomes
    positions = game.state.positions
    return outcomes if positions is None else positions.given(outcomes)


def _positions(boards: Mapping[str, float]) -> dict[str, float]:
    merged: dict[str, float] = {}
    for board, chance in boards.items():
        filled = filled_squares(board)
        merged[filled] = merged.get(filled, 0.0) + chance
    return dict(sorted(merged.items()))


def _results(boards: Mapping[str, float], rules: Rules) -> dict[str, float]:
    sums = dict.fromkeys(map(str, Result), 0.0)
    for board, chance in boards.items():
        sums[decide(board, rules)] += chance
    return sums
