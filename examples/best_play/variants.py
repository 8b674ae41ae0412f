"""The value of every variant: all combinations of options up to Level 4, at Level 5 one option at a time.

``python -m examples.best_play.variants`` solves those that ``variants.json`` beside this file does not have
yet, one after the other on this machine's cores, or with ``--scheduler ADDRESS`` on a Dask cluster, and
writes each down as soon as it is known: it can be stopped and started again. ``--again`` solves all of them
and tells whether the bits are the same. Tables of less than a megabyte go to the package.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from qttt.cli.commands.solve import solve_report
from qttt.game.result import Result
from qttt.game.rules import LEVELS, SUMMARIES, Rules, options_at
from qttt.players.matches import Match, play_game
from qttt.solver.making.levels import UNSOLVABLE, solve_level
from qttt.solver.tables import FOLDER, keep_table, table_path, unpack_table
from qttt.storage import save_file

FILE = Path(__file__).with_name("variants.json")
#: The largest table that ships, in bytes.
MOST_SHIPPED = 1_000_000
#: Games that perfect players play at Level 5, to see whether best play ends, and their observations.
PLAYED, MOST_LOOKS = 20, 50


@dataclass(frozen=True, slots=True)
class Variant:
    """The rules of one game, solved.

    Attributes:
        level: 0 to 5.
        options: as records write them; may be empty.
        value: P(X wins) − P(O wins) with best play; None where only the boards after an observation are
            solved, and then the odds are None too.
        x: probability that X wins.
        tie: of a tie.
        o: that O wins.
        states: how many values were found.
        seconds: how long it took.
        sha256: of the table's payload: all keys and values.
        endless: at Level 5, of ``PLAYED`` games between perfect players, those that ``MOST_LOOKS``
            observations did not end.
    """

    level: int
    options: str
    value: float | None
    x: float | None
    tie: float | None
    o: float | None
    states: int
    seconds: float
    sha256: str
    endless: int | None = None

    @property
    def rules(self) -> Rules:
        """The level and its options."""
        return Rules.of(self.level, self.options)


def wanted() -> list[Rules]:
    """The variants that are solved, plain rules first."""
    found = []
    for level in LEVELS:
        names = [name for name in options_at(level) if name.partition("=")[0] not in UNSOLVABLE]
        most = 1 if level.observed_in_play else len(names)
        for size in range(most + 1):
            found += [Rules.of(level.number, some) for some in combinations(names, size)]
    return found


def left_out() -> dict[str, str]:
    """What has no value and why, by how it is said."""
    reasons = {
        name: UNSOLVABLE[name.partition("=")[0]] for name in SUMMARIES if name.partition("=")[0] in UNSOLVABLE
    }
    return {
        "Level 2 with `measure-turn`": "has about a billion positions before the first observation",
        **{f"`{name}`": reason for name, reason in reasons.items() if reason},
        "two options at once at Level 5": "take an hour and 5 GB for each pair",
    }


@cache
def solved_variants() -> tuple[Variant, ...]:
    """The variants that are solved, by level, plain rules first."""
    return tuple(Variant(**entry) for entry in json.loads(FILE.read_text(encoding="utf-8")))


def valued(content: bytes) -> Variant:
    """What a table says of its game."""
    table = unpack_table(content, Path("the new table"))
    report = solve_report(table)
    numbers: dict[str, Any] = {name: report.get(name) for name in ("level", "value", "x", "tie", "o")}
    about = {name: table.about[name] for name in ("states", "seconds", "sha256")}
    return Variant(**numbers, **about, options=report.get("options", ""))


def main() -> int:
    """Solve what is asked for, write it down, and end with 1 if bits differ from those written down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheduler", help="address of a Dask cluster; without it this machine solves")
    parser.add_argument("--again", action="store_true", help="solve all of them and compare the bits")
    parser.add_argument("--levels", default=",".join(str(level.number) for level in LEVELS))
    arguments = parser.parse_args()
    known = {variant.rules: variant for variant in solved_variants()} if FILE.exists() else {}
    levels = set(map(int, arguments.levels.split(",")))
    rest = [
        rules
        for rules in wanted()
        if rules.level.number in levels and (arguments.again or rules not in known)
    ]
    status = 0
    with _solving(arguments.scheduler) as solve:
        for rules, content in solve(rest):
            variant = valued(content)
            same = rules not in known or known[rules].sha256 == variant.sha256
            status |= not same
            print(
                f"{rules}: {variant.value}, {variant.seconds:.0f} s{'' if same else '  OTHER BITS'}",
                flush=True,
            )
            if rules not in known:
                _keep(rules, content)
                known[rules] = replace(variant, endless=endless(rules))
                save_file(FILE, _written(known.values()))
    return status


def endless(rules: Rules) -> int | None:
    """How many games between perfect players do not end, where a game may go on for ever."""
    if not rules.level.observed_in_play:
        return None
    options = [*filter(None, (str(rules.options),)), f"max-observations={MOST_LOOKS}"]
    match = Match("perfect", "perfect", Rules.of(rules.level.number, ",".join(options)), seed=1)
    games = [play_game(match, number) for number in range(PLAYED)]
    return sum(game.observations == MOST_LOOKS and game.result is Result.TIE for game in games)


def _keep(rules: Rules, content: bytes) -> None:
    name = table_path(rules).name
    if len(content) < MOST_SHIPPED or not str(rules.options):
        save_file(str(FOLDER / name), content)
    else:
        keep_table(rules, content)


@contextmanager
def _solving(scheduler: str | None) -> Iterator[Callable[[list[Rules]], Iterator[tuple[Rules, bytes]]]]:
    if scheduler is None:
        # One at a time: compiled code takes all cores, and a level takes gigabytes.
        yield lambda every: ((rules, solve_level(rules)) for rules in every)
        return
    from distributed import Client

    with Client(scheduler) as client:
        executor: Executor = client.get_executor(pure=False)

        def solve(every: list[Rules]) -> Iterator[tuple[Rules, bytes]]:
            tasks = {executor.submit(solve_level, rules): rules for rules in every}
            return ((tasks[task], task.result()) for task in as_completed(tasks))

        yield solve


def _written(variants: Iterable[Variant]) -> str:
    places = {rules: place for place, rules in enumerate(wanted())}
    order = sorted(variants, key=lambda variant: places[variant.rules])
    rows: list[dict[str, Any]] = [asdict(variant) for variant in order]
    return "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n"


if __name__ == "__main__":
    raise SystemExit(main())
