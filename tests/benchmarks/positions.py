"""What a position costs that is asked as players, pages and engines ask it.

``python -m tests.benchmarks.positions [--beside FOLDER]``: processor time of the legal moves, the odds of all
nine squares and the result odds of every position of random games, each asked once of a state that nobody has
asked before; and perft nodes a second. With the folder of another checkout that is measured too, in turn, and
the ratios are printed.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from qttt.game.game import Game
from qttt.game.outcomes import Observation
from qttt.game.squares import SQUARES
from qttt.game.state import Phase, State

GAMES, EVENTS, ROUNDS = 60, 14, 5
#: Level and depth of the counts.
PERFTS = ((2, 3), (5, 2))


def positions(level: int) -> list[State]:
    """Every state of random games, at most ``EVENTS`` events of each."""
    found = []
    for seed in range(GAMES):
        rng, game = random.Random(7 * seed + level), Game(level)
        for _ in range(EVENTS):
            state = game.state
            found.append(state)
            if state.phase is Phase.OVER:
                break
            if state.phase is Phase.MOVE:
                game.push(rng.choice(state.legal_moves()))
            else:
                mode = rng.choice(state.modes)
                game.push(Observation(state.odds(mode).draw(rng), mode))
    return found


def ask(state: State) -> None:
    """The three questions."""
    state.legal_moves()
    odds = state.odds()
    for square in SQUARES:
        odds.square(square)
    state.result_odds()


def microseconds(states: list[State], question: Callable[[State], object]) -> float:
    """Processor time of a question for one state, the least of several rounds."""
    least = float("inf")
    for _ in range(ROUNDS):
        fresh = [replace(state, position=replace(state.position)) for state in states]
        start = time.process_time()
        for state in fresh:
            question(state)
        least = min(least, time.process_time() - start)
    return 1e6 * least / len(states)


def nodes(state: State, depth: int) -> int:
    """Count sequences of moves."""
    return 1 if depth == 0 else sum(nodes(state.child(move), depth - 1) for move in state.legal_moves())


def measure() -> dict[str, float]:
    """Every figure by its name."""
    found = {f"level {level}, us a position": microseconds(positions(level), ask) for level in range(6)}
    for level, depth in PERFTS:
        start = time.process_time()
        count = nodes(Game(level).state, depth)
        found[f"perft level {level}, nodes a second"] = count / (time.process_time() - start)
    return found


def main() -> None:
    """Print the figures, and the ratios to another checkout's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", metavar="FOLDER", type=Path, help="another checkout of the project")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    here = measure()
    if arguments.json:
        print(json.dumps(here))
        return
    other: dict[str, float] = {}
    if arguments.beside is not None:
        # The same questions, put by this file to the other tree's package.
        run = [sys.executable, str(Path(__file__).resolve()), "--json"]
        path = {"PYTHONPATH": str(arguments.beside.resolve())}
        done = subprocess.run(run, env=path, capture_output=True, check=True, text=True)
        other = json.loads(done.stdout)
    for name, value in here.items():
        beside = f"{other[name]:12,.1f}  ratio {value / other[name]:.2f}" if other else ""
        print(f"{name:36}{value:12,.1f}{beside}")


if __name__ == "__main__":
    main()
