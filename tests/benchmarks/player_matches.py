"""Play the matches of `examples/guide/players.md` and keep the result of every game.

Run `python -m tests.benchmarks.player_matches`: a minute of two cores; with `--hard` also those of `hard`,
which take five more. The results are kept in `player_matches.json`, for a test to count them all
and to play some of the games again; the rows of the page are printed.
"""

import argparse
import json
import re
from functools import cache
from pathlib import Path

from examples.best_play.matches import Measured
from qttt.players.matches import play_match
from qttt.storage import save_file
from qttt.workers import processes, usable_cores

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "examples" / "guide" / "players.md"
FILE = Path(__file__).with_suffix(".json")
ROW = re.compile(
    r"^\| (\d) \| `(\S+)` \| `(\S+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| ([+−]0\.\d{3}) ± (0\.\d{3}) \|$",
    re.MULTILINE,
)
_LETTERS = {"X": "X", "O": "O", "tie": "="}


@cache
def kept_matches() -> tuple[Measured, ...]:
    """The matches whose games are kept."""
    return tuple(Measured(**entry) for entry in json.loads(FILE.read_text(encoding="utf-8")))


def main() -> None:
    """Play the matches again, print their rows and keep their results."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.player_matches")
    parser.add_argument("--hard", action="store_true", help="those of `hard` too, which take longer")
    arguments = parser.parse_args()
    kept = {}
    if FILE.exists():
        kept = {(one.level, one.x, one.o): one for one in kept_matches()}
    for level, x, o, games, *_ in ROW.findall(PAGE.read_text(encoding="utf-8")):
        if "hard" in (x, o) and not arguments.hard:
            continue
        match = Measured(int(level), x, o, True, "").match
        with processes(usable_cores()) as executor:
            results = "".join(_LETTERS[one.result] for one in play_match(match, range(int(games)), executor))
        measured = Measured(int(level), x, o, True, results)
        kept[int(level), x, o] = measured
        mean, _, high = measured.mean()
        counts = " | ".join(str(results.count(letter)) for letter in "X=O")
        value = f"{mean:+.3f} ± {high - mean:.3f}".replace("-", "−")
        print(f"| {level} | `{x}` | `{o}` | {games} | {counts} | {value} |", flush=True)
    entries = [{name: getattr(one, name) for name in Measured.__slots__} for one in kept.values()]
    save_file(FILE, "[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")


if __name__ == "__main__":
    main()
