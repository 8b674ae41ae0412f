"""Fit the numbers of ``qttt.players.evaluation`` to exact values.

``python -m tests.benchmarks.evaluation_fit [POSITIONS]`` prints the constants and the error that is left:
``ONE_MODE`` from Levels 2 and 3, ``TWO_MODES`` from Level 4.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from qttt.game import Game
from qttt.game.outcomes import Observation
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players.evaluation import empty_counts, line_chances
from qttt.solver.blocks import blocks_of
from qttt.solver.probe import prober_for

Numbers = NDArray[np.float64]
LEVELS = {"ONE_MODE": [2, 3], "TWO_MODES": [4]}
POSITIONS = 4000
#: Where the fit starts, and what it keeps to where the positions say little: own lines, the opponent's, the
#: difference between the modes, the move.
PRIOR: Numbers = np.array([1, 0.45, 0.2, 1, 0.45, 0.2, 0, 0.1])
STIFFNESS = 0.3


def random_states(level: int, count: int, rng: np.random.Generator) -> list[State]:
    """Positions before a move from games of random moves."""
    states: list[State] = []
    while len(states) < count:
        game = Game(level)
        while not game.over and len(game.events) < 40:
            state = game.state
            if state.phase is Phase.OBSERVATION:
                mode = state.modes[int(rng.random() * len(state.modes))]
                game.push(Observation(state.odds(mode).draw(rng), mode))
                continue
            if rng.random() < 0.4:
                states.append(state)
            moves = state.legal_moves()
            game.push(moves[int(rng.random() * len(moves))])
    return states[:count]


def features(state: State) -> list[float]:
    """For each mode the sums of line chances by owner (the mover first) and number of empty squares."""
    blocks = blocks_of(state.position.standard())
    counts = empty_counts(state.position.empty_squares)
    found = []
    for mode in Mode:
        chances = line_chances(blocks, mode)
        sides = (chances[:8], chances[8:]) if state.turn is Symbol.X else (chances[8:], chances[:8])
        found += [
            sum(chance for chance, count in zip(side, counts, strict=True) if count == empty)
            for side in sides
            for empty in range(3)
        ]
    return found


def predicted(p: Numbers, x: Numbers, *, two_modes: bool) -> Numbers:
    """The estimate that some numbers give, as in ``evaluation.estimate``."""
    leads = [x[:, start : start + 3] @ p[:3] - x[:, start + 3 : start + 6] @ p[3:6] for start in (0, 6)]
    ahead = leads[0]
    if two_modes:
        ahead = (leads[0] + leads[1]) / 2 + p[6] * np.abs(leads[0] - leads[1]) / 2
    guess: Numbers = np.tanh(ahead + p[7])
    return guess


def fitted(levels: list[int], count: int, *, two_modes: bool) -> tuple[Numbers, float, float]:
    """The numbers that fit so many positions of some levels best, the error that is left, and ``TIE``."""
    states = [
        state for level in levels for state in random_states(level, count, np.random.default_rng(level))
    ]
    exact = [prober_for(state.rules).value(state) for state in states]
    x = np.array([features(state) for state in states])
    y = np.array([entry.for_player(state.turn) for entry, state in zip(exact, states, strict=True)])
    empty = np.array([len(state.position.empty_squares) for state in states])
    left = 0.0
    rows = []
    for squares in range(1, 9):
        here = empty == squares

        def residuals(p: Numbers, here: NDArray[np.bool_] = here) -> Numbers:
            errors = predicted(p, x[here], two_modes=two_modes) - y[here]
            return np.append(errors, STIFFNESS * (p - PRIOR))

        rows.append(least_squares(residuals, PRIOR).x)
        left += float(np.sum((predicted(rows[-1], x[here], two_modes=two_modes) - y[here]) ** 2))
    share = np.array([entry.tie for entry in exact]) @ (1 - np.abs(y)) / np.sum((1 - np.abs(y)) ** 2)
    return np.array(rows), float(np.sqrt(left / len(states))), float(share)


def main() -> None:
    """Fit both tables, and print them."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else POSITIONS
    for name, levels in LEVELS.items():
        rows, error, tie = fitted(levels, count, two_modes=name == "TWO_MODES")
        print(f"{name} = (")
        for row in rows:
            print(f"    ({', '.join(f'{number + 0.0:.2f}' for number in row)}),")
        print(f")  # levels {levels}: {count} positions of each, error {error:.3f}; TIE = {tie:.2f}")


if __name__ == "__main__":
    main()
