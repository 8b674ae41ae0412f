"""Print how fast exact odds are, against the circuit sampled until its error is as small.

Run `python -m tests.benchmarks.odds [--boards N]`: the exact odds of N full boards of random Level-2 games
(100,000 unless asked otherwise), every board and who wins, CPU time on one core; and, for some of them, the
move-by-move circuit sampled with enough shots that every result's probability is known within 1 % (one
standard error: 2,500 shots at a probability of one half), compile included.
"""

import argparse
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from qttt.game import Game
from qttt.game.result import Result
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.observers import get_observer

SHOTS = 2_500
SAMPLED = 50


def full_board(rng: np.random.Generator) -> Game:
    """A random Level-2 game, every kind of move equally often, up to its first observation."""
    game = Game(2)
    while game.state.phase is Phase.MOVE:
        moves = game.state.legal_moves()
        kinds = sorted({move.kind for move in moves}, key=lambda kind: kind.name)
        kind = kinds[int(rng.random() * len(kinds))]
        fitting = [move for move in moves if move.kind is kind]
        game.push(fitting[int(rng.random() * len(fitting))])
    return game


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=100_000)
    count = parser.parse_args().boards
    rng = np.random.default_rng(1)
    spent = boards = 0.0
    observer = get_observer("aer")
    sampled = 0.0
    for number in range(count):
        game = full_board(rng)
        start = time.process_time()
        outcomes = game.state.odds().outcomes()
        results = dict.fromkeys(Result, 0.0)
        for board, probability in outcomes.items():
            results[game.state.verdict(board)] += probability
        spent += time.process_time() - start
        boards += len(outcomes)
        if number < SAMPLED:
            start = time.process_time()
            observer.sample(game, Mode.STANDARD, SHOTS, rng)
            sampled += time.process_time() - start
    table = Table(title=f"Odds of {count:,} full boards of random Level-2 games")
    for heading in ("road", "seconds a board", "seconds in all", "ratio"):
        table.add_column(heading, justify="left" if heading == "road" else "right")
    each, other = spent / count, sampled / min(SAMPLED, count)
    table.add_row("exact: all boards and the result", f"{each:.6f}", f"{spent:.1f}", "1")
    table.add_row(f"circuit, {SHOTS:,} shots", f"{other:.6f}", f"{other * count:.0f}", f"{other / each:.0f}")
    console = Console(width=110)
    console.print(table)
    console.print(f"A board has {boards / count:.1f} possible outcomes on average.")


if __name__ == "__main__":
    main()
