"""How much value each computer player gives away in a move, by the solver's exact values.

``python -m tests.benchmarks.player_losses LEVEL POSITIONS`` prints, for positions from games of random moves,
the mean loss of a move (value of the best move minus that of the chosen one, for whoever moves) and its
standard error. It tells players apart with far fewer positions than matches need games.
"""

import sys

import numpy as np

from qttt.game.moves import Move
from qttt.game.rules import Rules
from qttt.players import get_player
from qttt.solver.probe import prober_for
from tests.benchmarks.evaluation_fit import random_states

PLAYERS = ("random", "greedy", "easy", "medium", "hard")


def main(level: int, count: int) -> None:
    """Measure and print, a line a player."""
    states = random_states(level, count, np.random.default_rng(3))
    values = [prober_for(state.rules).move_values(state) for state in states]
    for name in PLAYERS:
        player, rng = get_player(name, Rules.of(level), clock=False), np.random.default_rng(1)
        losses = []
        for state, worth in zip(states, values, strict=True):
            choice = player.choose(state, rng)
            assert isinstance(choice, Move)
            best = max(value.for_player(state.turn) for value in worth.values())
            losses.append(best - worth[choice].for_player(state.turn))
        error = np.std(losses) / np.sqrt(len(losses))
        print(f"level {level}  {name:7}  {np.mean(losses):.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
