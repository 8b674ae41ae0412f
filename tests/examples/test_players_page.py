"""The page on computer players: every player is on it, and its numbers are what its commands print."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest

from qttt.cli import main
from qttt.commands import COMMANDS
from qttt.players import PLAYERS

PAGE = (Path(__file__).parents[2] / "examples" / "guide" / "players.md").read_text()
ROW = re.compile(
    r"^\| (\d) \| `(\S+)` \| `(\S+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| ([+−]0\.\d{3}) ± (0\.\d{3}) \|$",
    re.MULTILINE,
)
ROWS = ROW.findall(PAGE)


def test_every_player_is_on_the_page() -> None:
    listed = set(re.findall(r"^\| `(\w+)(?::S)?` \|", PAGE, re.MULTILINE))
    assert listed == set(PLAYERS)


def test_the_table_of_matches_adds_up() -> None:
    assert len(ROWS) >= 6
    for _, _, _, games, x, ties, o, mean, error in ROWS:
        count = int(games)
        assert int(x) + int(ties) + int(o) == count
        value = (int(x) - int(o)) / count
        assert float(mean.replace("−", "-")) == pytest.approx(value, abs=6e-4)
        spread = ((int(x) + int(o)) / count - value**2) ** 0.5
        assert float(error) == pytest.approx(1.959964 * spread / count**0.5, abs=6e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", [row for row in ROWS if "hard" not in row[1:3]], ids=lambda row: f"{row[1]}-{row[2]}-{row[0]}"
)
def test_the_commands_give_the_numbers(row: tuple[str, ...]) -> None:
    level, x, o, games, *counts = row[:7]
    template = re.search(r"`(qttt selfplay --x X [^`]*)`", PAGE)
    assert template is not None
    words = shlex.split(template[1])[1:]
    given = {"X": x, "O": o, "L": level, "N": games}
    out = io.StringIO()
    assert main([given.get(word, word) for word in words] + ["--json", "--jobs", "2"], stdout=out) == 0
    results = json.loads(out.getvalue())["results"]
    assert [results[name]["games"] for name in ("X", "tie", "O")] == list(map(int, counts))


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [
        example
        for entry in COMMANDS
        if entry.name in ("advise", "selfplay", "puzzle")
        for example in entry.load().examples
    ],
)
def test_examples_of_help_texts_run(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.qttt").write_text("1. 5 5*6\n")
    out, err = io.StringIO(), io.StringIO()
    assert main(shlex.split(example), stdin=io.StringIO(), stdout=out, stderr=err) == 0, err.getvalue()
    assert out.getvalue()
