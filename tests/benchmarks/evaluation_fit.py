"""Fit the numbers of ``qttt.players.evaluation`` to exact values.

``python -m tests.benchmarks.evaluation_fit [LEVEL [POSITIONS]]`` prints the constants and the error left.
"""

import sys

import numpy as np
from scipy.optimize import least_squares

from qttt.game import Game
from qttt.outcomes import Observation
from qttt.players import evaluation
from qttt.rules import Rules
from qttt.solver.blocks import blocks_of
from qttt.solver.probe import value
from qttt.state import Phase, State
from qttt.symbols import Symbol

CHANCES = (0.25, 0.3, 0.35, 0.4, 0.45)


def random_states(level: int, count: int, rng: np.random.Generator) -> list[State]:
    """Positions before a move from games of random moves."""
    states: list[State] = []
    while len(states) < count:
        game = Game(Rules.of(level))
        while not game.over:
            state = game.state
            if state.phase is Phase.OBSERVATION:
                game.push(Observation(state.odds().draw(rng)))
                continue
            if rng.random() < 0.4:
                states.append(state)
            moves = state.legal_moves()
            game.push(moves[int(rng.random() * len(moves))])
    return states


def leads(states: list[State], level: int, chance: float) -> np.ndarray:
    """The lead of the player to move in each state, for one chance of an empty square."""
    evaluation.EMPTY_CHANCE = chance
    evaluation._openness.cache_clear()
    rules = Rules.of(level)
    found = []
    for state in states:
        blocks = blocks_of(state.position.standard())
        sign = 1 if state.turn is Symbol.X else -1
        found.append(sign * evaluation.lead(blocks, state.position.empty_squares, rules.level))
    return np.array(found)


def main(level: int = 2, count: int = 6000) -> None:
    """Fit and print."""
    states = random_states(level, count, np.random.default_rng(1))
    exact = [value(state) for state in states]
    worth = np.array([entry.for_player(state.turn) for entry, state in zip(exact, states, strict=True)])
    ties = np.array([entry.tie for entry in exact])
    empty = np.array([len(state.position.empty_squares) for state in states])
    best = None
    for chance in CHANCES:
        ahead = leads(states, level, chance)
        fits = []
        for squares in range(1, 9):
            x, y = ahead[empty == squares], worth[empty == squares]
            fit = least_squares(
                lambda p, x=x, y=y: np.append(np.tanh(p[0] * x + p[1]) - y, 0.1 * (p - (1.2, 0.1))),
                (1.0, 0.1),
            )
            fits.append((fit.x, float(np.sum((np.tanh(fit.x[0] * x + fit.x[1]) - y) ** 2))))
        error = sum(square for _, square in fits)
        print(f"chance {chance}: rms error {np.sqrt(error / len(states)):.4f}")
        if best is None or error < best[0]:
            best = (error, chance, [tuple(round(float(n), 2) for n in p) for p, _ in fits])
    assert best is not None
    print(f"level {level}, {len(states)} positions, standard deviation {worth.std():.4f}")
    print("EMPTY_CHANCE", best[1])
    print("SLOPES", tuple(slope for slope, _ in best[2]))
    print("TEMPOS", tuple(tempo for _, tempo in best[2]))
    level_positions = 1 - np.abs(worth)
    print("TIE", round(float(ties @ level_positions / (level_positions @ level_positions)), 3))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
