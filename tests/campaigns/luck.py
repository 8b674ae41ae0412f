"""The luck of many games: ``python -m tests.campaigns.luck [--games N] [--seed N] [--levels 0,1,2]``.

At each level N games of random players are looked back on. Chance favours nobody, so the mean of a game's
luck must be 0 within three standard errors; of six levels one fails by chance in some sixty runs. Ends with 1
if a level fails.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from math import fsum, sqrt

from qttt.game import Game
from qttt.game.rules import Rules
from qttt.game.symbols import Symbol
from qttt.players.matches import Match, play_game
from qttt.players.review import review
from qttt.records.record import Record


def games(
    level: int, x: str, o: str, numbers: Iterable[int], options: str = "", seed: int = 0
) -> Iterator[Game]:
    """Games between two computers, as their records give them, without a limit that is far away."""
    match = Match(x, o, Rules.of(level, options), seed=seed)
    for number in numbers:
        yield Record.parse(play_game(match, number).record).game()


def measured(level: int, numbers: Iterable[int], seed: int = 0) -> tuple[float, float]:
    """The mean luck of X over games of random players, and its standard error."""
    luck = [
        review(game).players[Symbol.X].luck for game in games(level, "random", "random", numbers, seed=seed)
    ]
    mean = fsum(luck) / len(luck)
    spread = fsum((one - mean) ** 2 for one in luck) / max(1, len(luck) - 1)
    return mean, sqrt(spread / len(luck))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", default="0,1,2,3,4,5")
    arguments = parser.parse_args()
    status = 0
    for level in map(int, arguments.levels.split(",")):
        began = time.perf_counter()
        mean, error = measured(level, range(arguments.games), arguments.seed)
        ok = abs(mean) <= 3 * error
        status |= not ok
        print(
            f"Level {level}: mean luck {mean:+.5f}, standard error {error:.5f}, {arguments.games} games, "
            f"{time.perf_counter() - began:.0f} s{'' if ok else '  FAILS'}",
            flush=True,
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
