"""Print how long the longest inputs and the slowest players take, as ratios to what they are held against.

Run `python -m tests.benchmarks.answers`. Times are of the processor, medians where something is repeated.

- A record of a mebibyte against splitting its text into words.
- The longest game (12,000 events) against reading its record without replaying it.
- 100,000 shots decoded into boards against counting their different rows by numpy.
- A search by the clock against the seconds that it may take, and the slowest answer of `hard` in a game of
  Level 5 against the two seconds that a person is to wait at most.
"""

import time
from collections.abc import Callable
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from circuits.decoding import Shots, decode
from circuits.measurement import Bit, Readout
from qttt.game import Game
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.rules import Rules
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.players import Look, Player, get_player
from qttt.records.record import Record
from tests.campaigns.test_fuzz import longest_game

MEBIBYTE = "1. 5 {note} " * (2**20 // 12)
SHOTS = 100_000
#: What a person is to wait at most for an answer, in seconds.
PATIENCE = 2.0


def seconds(action: Callable[[], object], repeats: int = 5) -> float:
    """The median processor time of an action, after a first time that does not count."""
    action()
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return median(times)


def shots_of_a_board() -> tuple[Readout, Shots]:
    """Shots with 64 different patterns, and three heralds that are read."""
    rng = np.random.default_rng(1)
    rows = (rng.random(SHOTS) * 64).astype(int)
    pos, mark, flag = (rng.random((64, width))[rows] for width in (9, 9, 3))
    readout = Readout(tuple(map(Bit, range(9))), tuple(map(Bit, range(9))), (1, 2, 3))
    return readout, Shots(pos < 0.7, mark < 0.3, flag < 0.1)


def different_rows(shots: Shots) -> object:
    """What decoding cannot do without."""
    bits = np.packbits(np.hstack([shots.pos, shots.mark, shots.flag]), axis=1)
    return np.unique(bits, axis=0, return_inverse=True)


def answers(player: Player, seed: int, most_events: int = 40) -> list[float]:
    """The seconds of every answer in a game of a player against itself at Level 5."""
    rng, game, times = np.random.default_rng(seed), Game(5), []
    while not game.over and len(game.events) < most_events:
        state = game.state
        if state.phase is Phase.OBSERVATION:
            positions = state.odds().positions()
            game.push(Positions(list(positions)[int(rng.random() * len(positions))]))
            continue
        began = time.process_time()
        choice = player.choose(state, rng)
        times.append(time.process_time() - began)
        if isinstance(choice, Mode):
            game.push(Observation(state.odds(choice).draw(rng), choice))
        elif isinstance(choice, Look):
            odds = state.measurement_odds(choice.square)
            game.push(Measurement(choice.square, list(odds)[int(rng.random() * len(odds))]))
        else:
            game.push(choice)
    return times


def main() -> None:
    """Print the table."""
    table = Table(title="What takes longest (seconds of the processor)")
    for heading in ("what", "seconds", "held against", "seconds", "ratio"):
        table.add_column(heading, justify="right" if heading in ("seconds", "ratio") else "left")

    def row(what: str, took: float, against: str, other: float) -> None:
        table.add_row(what, f"{took:.3f}", against, f"{other:.3f}", f"{took / other:.2f}")

    row(
        "a record of one mebibyte",
        seconds(lambda: Record.parse(MEBIBYTE)),
        "splitting it into words",
        seconds(MEBIBYTE.split),
    )
    text = str(longest_game())
    read = seconds(lambda: Record.parse(text))
    row("the longest game, replayed", seconds(lambda: Record.parse(text).game(), 3), "its record read", read)
    readout, shots = shots_of_a_board()
    row(
        f"{SHOTS:,} shots decoded",
        seconds(lambda: decode(readout, shots)),
        "different rows by numpy",
        seconds(lambda: different_rows(shots)),
    )
    game = Game(5)
    game.play("5")
    searcher = get_player("search:0.3", game.rules)
    searched = seconds(lambda: searcher.choose(game.state, np.random.default_rng(1)), 3)
    row("search:0.3 at Level 5 after 5", searched, "what it may take", 0.3)
    hard = get_player("hard", Rules.of(5))
    slowest = max(took for seed in range(3) for took in answers(hard, seed))
    row("hard, the slowest answer of three games", slowest, "what a person waits", PATIENCE)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
