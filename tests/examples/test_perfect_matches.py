"""The matches of ``perfect`` on the page of players: they add up, and none falls short of the value."""

import re
from pathlib import Path

import pytest

from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.solver.probe import prober_for

PAGE = (Path(__file__).parents[2] / "examples" / "guide" / "players.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Never less than the value")[2].partition("\n## ")[0]
ROW = re.compile(
    r"^\| (\d) \| `(\S+)` \| ([XO]) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) "
    r"\| ([+−]?\d\.\d{4}) ± (\d\.\d{4}) \| ([+−]?\d\.\d{4}) \|$",
    re.MULTILINE,
)
ROWS = ROW.findall(SECTION)


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def test_every_row_is_read_and_every_level_is_there() -> None:
    assert len(ROWS) == SECTION.count("\n| ") - 1
    assert {int(row[0]) for row in ROWS if row[1] == "perfect"} == set(range(6))
    for other in ("random", "greedy", "easy", "medium"):
        assert {row[2] for row in ROWS if row[:2] == ("2", other)} == {"X", "O"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:3]))
def test_perfect_gets_the_value_or_more(row: tuple[str, ...]) -> None:
    level, other, first = int(row[0]), row[1], Symbol(row[2])
    games, x, ties, o, mean, error, worth = map(number, row[3:])
    assert x + ties + o == games
    assert mean == pytest.approx((x - o) / games, abs=5e-5)
    spread = ((x + o) / games - ((x - o) / games) ** 2) ** 0.5
    assert error == pytest.approx(spread / games**0.5, abs=5e-5)
    solved = (
        prober_for(State(Rules.of(level), turn=first).rules).value(State(Rules.of(level), turn=first)).value
    )
    assert worth == pytest.approx(solved, abs=5e-5)
    assert (x - o) / games >= solved - 3 * spread / games**0.5
    if other == "perfect":
        assert (x - o) / games <= solved + 3 * spread / games**0.5
