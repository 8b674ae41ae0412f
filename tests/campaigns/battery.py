"""Chi-square tests of every random path: ``python -m tests.campaigns.battery --samples N``.

A path is a way in which the program draws: dice rolls by exact and by d6 chances, the dice observer's draws,
circuits on Aer, move by move and lean, the observation in two steps (positions, then symbols given them) by
dice and by Aer, squares measured as turns, by dice and by Aer, and the computer players' choices. Each is
held against the exact distribution on every reference configuration, among which the N samples of a path are
shared out. With K tests in a path, it fails if the smallest p-value is below 0.001 / K.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from qttt.game import Game
from qttt.game.outcomes import Measurement, Positions, filled_squares
from qttt.game.state import Event, State
from qttt.game.symbols import Mode
from qttt.observation.observers import DiceObserver, Observer, get_observer, measured
from qttt.players.choices import choices, decider
from qttt.players.immediate import odds_now
from qttt.players.strategies import get_player
from qttt.solver.probe import best_choices
from qttt.tabletop.rolls import Rolls, measure_by_rolls, observe_by_rolls, roll_odds

#: The reference configurations: level, options, moves. Every kind of root, by either player, and full boards.
CONFIGURATIONS: tuple[tuple[int, str, str], ...] = (
    (1, "", "1+3"),
    (1, "", "5 1+3 2+4"),
    (2, "", "5 5*6"),
    (2, "", "9 5 5*6"),
    (2, "", "1+3 1*2"),
    (2, "", "9 1+3 3*2"),
    (2, "", "1+3 1*2 9 3*4"),
    (2, "", "1+3 1*2 9 3*4 5+6 7+8"),
    (2, "", "4+9 3+7 3*6 5 7*1 2 2*8"),
    (3, "", "5 5-6"),
    (3, "", "9 5 5-6"),
    (3, "", "1+3 1-2"),
    (3, "", "9 1+3 1-2"),
    (3, "", "1+3 1-2 9 3-4"),
    (3, "", "1+3 1*2 9 3-4"),
    (4, "", "1+3 1-2 4 5 6 7 8 9"),
    (4, "", "5 5-6 1+3 1*2 7 8 4 9"),
    (4, "", "1+3 1-2 9 3-4 5 5*6 7 8"),
    (5, "", "~5 6"),
    (5, "", "~1+3 1*2"),
    (5, "", "1+3~ 4 5 6 7 8 9 2"),
    (5, "view=physical", "~1+3 1*2 9"),
    (5, "view=physical", "~1+3 1-2 9"),
)
TURNS = ("1+3", "5 5*6", "1+3 1*2", "1+3 1*2 9 3*4", "5 1+3 3*2")
BATCH = 100_000
SIGNIFICANCE = 0.001


@dataclass(frozen=True)
class Test:
    """One chi-square test.

    Attributes:
        name: what was tested.
        samples: how many samples.
        p_value: the p-value; 0 where something impossible was drawn.
    """

    name: str
    samples: int
    p_value: float


def chi_square(counts: Mapping[str, int], expected: Mapping[str, float]) -> float:
    """Pearson's test; outcomes that are expected less than ten times are taken together."""
    from scipy.stats import chisquare

    total = sum(counts.values())
    if any(expected.get(outcome, 0.0) <= 0 for outcome in counts):
        return 0.0
    large = [outcome for outcome, p in expected.items() if p * total >= 10]
    seen = [float(counts.get(outcome, 0)) for outcome in large]
    wanted = [expected[outcome] * total for outcome in large]
    rest = total - sum(wanted)
    if rest > 1e-6 * total:
        seen.append(total - sum(seen))
        wanted.append(rest)
    if len(wanted) < 2:
        return 1.0
    scale = sum(seen) / sum(wanted)
    return float(chisquare(seen, [value * scale for value in wanted]).pvalue)


@cache
def games() -> tuple[tuple[str, Game, Mode], ...]:
    """Every reference configuration in every mode of its level."""
    found = []
    for level, options, moves in CONFIGURATIONS:
        game = Game(level, options)
        game.play(moves)
        modes = tuple(Mode) if level >= 4 else (Mode.STANDARD,)
        found += [(f"Level {level} {options} {moves!r} {mode}", game, mode) for mode in modes]
    return tuple(found)


def replayed(game: Game, events: Sequence[Event]) -> Game:
    """A new game by the rules of another."""
    again = Game(rules=game.rules, first=game.first)
    for event in events:
        again.push(event)
    return again


Draw = Callable[[Game, Mode, int, np.random.Generator], Counter[str]]


def by_rolls(rolls: Rolls) -> Draw:
    def draw(game: Game, mode: Mode, samples: int, rng: np.random.Generator) -> Counter[str]:
        return Counter(observe_by_rolls(game.state, mode, rng, rolls)[0] for _ in range(samples))

    return draw


def by_observer(observer: Observer) -> Draw:
    def draw(game: Game, mode: Mode, samples: int, rng: np.random.Generator) -> Counter[str]:
        counts: Counter[str] = Counter()
        while (missing := samples - counts.total()) > 0:
            found = observer.sample(game, mode, min(missing, BATCH), rng)
            counts.update(found.counts())
        return counts

    return draw


def in_two_steps(observer: Observer) -> Draw:
    """Positions first, all symbols forgotten; then symbols given them, as the keyboard game observes."""

    def draw(game: Game, mode: Mode, samples: int, rng: np.random.Generator) -> Counter[str]:
        boards = by_observer(observer)(game, Mode.STANDARD, samples, rng)
        filled: Counter[str] = Counter()
        for board, number in boards.items():
            filled[filled_squares(board)] += number
        counts: Counter[str] = Counter()
        for pattern, number in sorted(filled.items()):
            known = replayed(game, (*game.events, Positions(pattern)))
            counts.update(by_observer(observer)(known, mode, number, rng))
        return counts

    return draw


def _boards(draw: Draw, samples: int, rng: np.random.Generator, rolls: Rolls = Rolls.EXACT) -> Iterator[Test]:
    fitting = [
        (name, game, mode)
        for name, game, mode in games()
        if rolls is Rolls.EXACT or not game.rules.options.physical_view
    ]
    for name, game, mode in fitting:
        counts = draw(game, mode, samples // len(fitting), rng)
        expected = roll_odds(game.state, mode, rolls).outcomes()
        yield Test(name, counts.total(), chi_square(counts, expected))


def _two_steps(observer: Observer, samples: int, rng: np.random.Generator) -> Iterator[Test]:
    fitting = [
        entry for entry in games() if entry[1].rules.level.rotated_mode and entry[1].state.position.full
    ]
    for name, game, mode in fitting:
        counts = in_two_steps(observer)(game, mode, samples // len(fitting), rng)
        yield Test(name, counts.total(), chi_square(counts, game.state.odds(mode).outcomes()))


def by_turns(
    game: Game, square: int, observer: Observer | None, samples: int, rng: np.random.Generator
) -> Counter[str]:
    """Measure a square as a turn, and then one after another, by the dice or by an observer's boards.

    All samples at a position are measured at once, and go on from it together.

    Returns:
        How often each sequence of results came, as the record has it.
    """
    counts: Counter[Measurement]
    if observer is None:
        counts = Counter(measure_by_rolls(game.state, square, rng)[0] for _ in range(samples))
    else:
        counts = Counter()
        for board, number in by_observer(observer)(game, Mode.STANDARD, samples, rng).items():
            counts[measured(square, board)] += number
    found: Counter[str] = Counter()
    for result, number in sorted(counts.items(), key=str):
        after = replayed(game, (*game.events, result))
        left = after.state.measurable()
        further = by_turns(after, left[0], observer, number, rng) if left else Counter({"": number})
        for tail, part in further.items():
            found[f"{result} {tail}"] += part
    return found


def turn_odds(state: State, square: int) -> dict[str, float]:
    """The exact distribution of what ``by_turns`` draws."""
    found: dict[str, float] = {}
    for cell, chance in state.measurement_odds(square).items():
        result = Measurement(square, cell)
        after = state.child(result)
        left = after.measurable()
        for tail, part in (turn_odds(after, left[0]) if left else {"": 1.0}).items():
            found[f"{result} {tail}"] = chance * part
    return found


def _turns(observer: Observer | None, samples: int, rng: np.random.Generator) -> Iterator[Test]:
    """Squares measured as turns, from each one first to the last."""
    cases = []
    for moves in TURNS:
        game = Game(2, "measure-turn")
        game.play(moves)
        cases += [(moves, square, game) for square in game.state.measurable()]
    for moves, square, game in cases:
        counts = by_turns(game, square, observer, samples // len(cases), rng)
        expected = turn_odds(game.state, square)
        yield Test(f"{moves!r} ?{square} …", counts.total(), chi_square(counts, expected))


#: Who chooses where: player, level, options, moves. Moves, view switches, squares to measure and modes.
CHOICES: tuple[tuple[str, int, str, str], ...] = (
    ("random", 2, "", ""),
    ("random", 2, "", "1+3"),
    ("random", 2, "measure-turn", "1+3 1*2"),
    ("random", 5, "", "1+3"),
    ("random", 4, "", "5 5-6 1+3 1*2 7 8 4 9 =p:##.#.####"),
    ("greedy", 2, "", "1 5 9"),
    ("greedy", 2, "", "1+3 1*2"),
    ("greedy", 4, "", "1 5 9"),
    ("easy", 2, "", "1 5 9"),
    ("easy", 5, "", "1 5"),
)


def _players(samples: int, rng: np.random.Generator) -> Iterator[Test]:
    """The draws of the computer players; searches and ``perfect`` draw between equals as ``greedy`` does."""
    for name, level, options, moves in CHOICES:
        game = Game(level, options)
        game.play(moves)
        state, player = game.state, get_player(name, game.rules, clock=False)
        every = [str(choice) for choice in choices(state)]
        best = [str(choice) for choice in best_choices(odds_now(state), decider(state))]
        uniform, greedy = dict.fromkeys(every, 1 / len(every)), dict.fromkeys(best, 1 / len(best))
        expected = {
            "random": uniform,
            "greedy": greedy,
            "easy": {choice: (uniform[choice] + greedy.get(choice, 0.0)) / 2 for choice in every},
        }[name]
        drawn = Counter(player.choose(state, rng) for _ in range(samples // len(CHOICES)))
        counts = {str(choice): number for choice, number in drawn.items()}
        yield Test(f"{name} at Level {level} after {moves!r}", drawn.total(), chi_square(counts, expected))


Path = Callable[[int, np.random.Generator], Iterator[Test]]


def paths() -> dict[str, Path]:
    """Every random path by name."""
    aer, lean, dice = get_observer("aer"), get_observer("aer-lean"), DiceObserver()
    return {
        "dice, exact rolls": lambda n, rng: _boards(by_rolls(Rolls.EXACT), n, rng),
        "dice, d6 rolls": lambda n, rng: _boards(by_rolls(Rolls.D6), n, rng, Rolls.D6),
        "dice, drawn from the odds": lambda n, rng: _boards(by_observer(dice), n, rng),
        "aer, moves": lambda n, rng: _boards(by_observer(aer), n, rng),
        "aer, lean": lambda n, rng: _boards(by_observer(lean), n, rng),
        "two steps, dice": lambda n, rng: _two_steps(dice, n, rng),
        "two steps, aer": lambda n, rng: _two_steps(aer, n, rng),
        "two steps, aer lean": lambda n, rng: _two_steps(lean, n, rng),
        "measure-turns, dice": lambda n, rng: _turns(None, n, rng),
        "measure-turns, aer": lambda n, rng: _turns(aer, n, rng),
        "players": _players,
    }


def run(name: str, samples: int, seed: int) -> list[Test]:
    """The tests of one path, always the same for a seed."""
    place = list(paths()).index(name)
    return list(paths()[name](samples, np.random.default_rng([seed, place])))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.battery")
    parser.add_argument("paths", nargs="*", metavar="PATH", help=", ".join(paths()))
    parser.add_argument("--samples", type=int, default=200_000, help="of each path")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    failed = False
    for name in arguments.paths or list(paths()):
        began = time.process_time()
        tests = run(name, arguments.samples, arguments.seed)
        worst = min(tests, key=lambda test: test.p_value)
        verdict = "passes" if worst.p_value >= SIGNIFICANCE / len(tests) else "FAILS"
        failed |= verdict == "FAILS"
        drawn = sum(test.samples for test in tests)
        print(
            f"{name:26} {drawn:11,} samples in {len(tests):2} tests: {verdict}; "
            f"smallest p-value {worst.p_value:.5f} ({worst.name}); {time.process_time() - began:.0f} s",
            flush=True,
        )
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
