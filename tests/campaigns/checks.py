"""True checks, which must pass: ``python -m tests.campaigns.checks [--checks N] [--seed N]``.

At each of Levels 2 to 5, N full boards of random games, some of them after earlier observations, are checked
in every mode that they have, by `qttt.crosscheck.check.check` with its default shots, by circuits move by
move, by lean ones and by dice in turn. A check that fails is a false alarm. `qttt.crosscheck.check` promises
at most one in a thousand; a level fails where more turn up than that promise allows with a probability of 0.1
%.

Beside the false alarms stands how often the smallest p-value, corrected for how many there are, was at most
0.01 and at most 0.1; these shares may exceed 0.01 and 0.1 by no more than chance. Ends with 1 if a level
fails.
"""

import argparse
import random
import sys
import time

import numpy as np
from scipy.stats import binom

from qttt.crosscheck.check import check
from qttt.game import Game
from qttt.observation.observers import get_observer
from tests.support.oracle import random_game

LEVELS = (2, 3, 4, 5)
BACKENDS = ("aer", "aer-lean", "dice")
STATED = 0.001
RARE = 0.001


def full_board(level: int, rng: random.Random) -> Game:
    """A full board of a random game, of its first observation or, where there is one, its second."""
    wanted = rng.randint(1, 2)
    while True:
        game, seen = Game(level), 0
        for token, oracle in random_game(level, rng, phases=wanted, first="X"):
            game.play(token)
            if oracle.full and not game.over:
                seen += 1
                if seen == wanted:
                    return game


def allowed(trials: int, probability: float) -> int:
    """How many of some trials may succeed before that is rarer than ``RARE``."""
    return int(binom.isf(RARE, trials, probability))


def campaign(level: int, checks: int, seed: int) -> bool:
    """Make the checks of one level, print what was found, and say whether it is as stated."""
    rng, generator = random.Random(f"{seed} {level}"), np.random.default_rng([seed, level])
    start, least, alarms, modes = time.perf_counter(), [], [], 0
    for number in range(checks):
        game = full_board(level, rng)
        report = check(game, None, get_observer(BACKENDS[number % len(BACKENDS)]), generator)
        modes += len(report.modes)
        values = [value for one in report.modes for value in (one.p_value, one.herald_p_value)]
        least.append(min(1.0, len(values) * min(values)))
        if not report.ok:
            alarms.append(" ".join(map(str, game.events)))
    counts = {bound: sum(value <= bound for value in least) for bound in (0.01, 0.1)}
    ok = len(alarms) <= allowed(checks, STATED) and all(
        count <= allowed(checks, bound) for bound, count in counts.items()
    )
    print(
        f"Level {level}: {checks} checks of {modes} modes, {len(alarms)} false alarms "
        f"(at most {allowed(checks, STATED)}); "
        + ", ".join(
            f"p <= {bound}: {count} (at most {allowed(checks, bound)})" for bound, count in counts.items()
        )
        + f"; {time.perf_counter() - start:.0f} s{'' if ok else '  FAILS'}",
        *(f"    {record}" for record in alarms),
        sep="\n",
        flush=True,
    )
    return ok


def main() -> int:
    """Make the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checks", type=int, default=300, help="checks at each level (default 300)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    return int(not all([campaign(level, arguments.checks, arguments.seed) for level in LEVELS]))


if __name__ == "__main__":
    sys.exit(main())
