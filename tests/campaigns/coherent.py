"""Coherent lean circuits against the dice, in both modes, at random moments of random games.

``python -m tests.campaigns.coherent [--positions N] [--seed N]``: every level, views switched, both readings,
measured squares, later phases. A fault ends it with the record.
"""

import argparse
import random

from qttt.game.game import Game
from qttt.game.odds import observation_odds
from qttt.game.rules import Rules
from qttt.game.symbols import Mode
from qttt.observation.compiler import compile_lean
from qttt.records.record import Record
from tests.campaigns.walks import random_game

#: All that changes what is prepared, as level and options.
PLAYED = (
    *((level, "") for level in range(6)),
    (1, "measure-turn"),
    (2, "measure-turn"),
    (5, "no-ties"),
    (5, "view-switches=2"),
    (5, "view=physical"),
    (5, "view=physical,view-switches=3"),
)


def moment(rules: Rules, rng: random.Random) -> Game:
    """A random moment of a random game at which no positions wait for their symbols."""
    while True:
        played = random_game(rules, rng, 24)
        game = Game(rules=rules).play(played.events[: rng.randint(1, len(played.events))])
        if not game.over and game.state.positions is None:
            return game


def furthest(game: Game) -> float:
    """How far the circuits' boards are from those of the dice, in the worse of both modes."""
    worst = 0.0
    for mode in Mode:
        found = compile_lean(game, mode, encoding="coherent").exact().outcomes
        odds = observation_odds(game.state.position, mode).outcomes()
        boards = found.keys() | odds.keys()
        worst = max(worst, sum(abs(found.get(board, 0) - odds.get(board, 0)) for board in boards) / 2)
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.coherent")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for level, options in PLAYED:
        rules, worst = Rules.of(level, options), 0.0
        rng = random.Random(f"{arguments.seed} {rules}")
        for _ in range(arguments.positions):
            game = moment(rules, rng)
            distance = furthest(game)
            if distance > 1e-9:
                raise SystemExit(f"{distance} away:\n{Record.of(game)}")
            worst = max(worst, distance)
        print(f"{rules}: {arguments.positions} positions in both modes, at most {worst:.1e} away", flush=True)


if __name__ == "__main__":
    main()
