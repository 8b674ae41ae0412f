"""The page on computer players: every player is on it, and its numbers are what its commands print."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest

from examples.best_play.matches import replayed
from qttt.cli.commands import COMMANDS
from qttt.cli.main import main
from qttt.players import PLAYERS
from qttt.players.match_files import match_lines
from qttt.players.matches import Match
from tests.benchmarks.player_matches import ROW, kept_matches

PAGE = (Path(__file__).parents[2] / "examples" / "guide" / "players.md").read_text()
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


MATCHES = {(str(one.level), one.x, one.o): one for one in kept_matches()}


def test_the_rows_are_what_the_kept_games_add_up_to() -> None:
    """``tests.benchmarks.player_matches`` plays them."""
    assert {row[:3] for row in ROWS} == set(MATCHES)
    for row in ROWS:
        results = MATCHES[row[:3]].results
        assert [str(results.count(letter)) for letter in "X=O"] == list(row[4:7]), row
        assert str(len(results)) == row[3]


def test_the_page_names_the_command_that_played_them() -> None:
    assert "`qttt selfplay --x X --o O --level L --games N --seed 1 --alternate`" in PAGE
    for measured in MATCHES.values():
        words = measured.command.split()
        assert words[-4:] == ["--games", str(len(measured.results)), "--seed", "1"]
        assert "--alternate" in words


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(MATCHES), ids=lambda key: "-".join((*key[1:], key[0])))
def test_the_commands_give_the_numbers(key: tuple[str, str, str]) -> None:
    """Every game is a function of the match and its number, so some of them are played again."""
    numbers = range(5) if "hard" in key or key[0] == "5" else range(40)
    assert replayed(MATCHES[key], numbers) == MATCHES[key].results[: len(numbers)]


def test_the_command_plays_the_games_that_are_kept() -> None:
    x, o = "greedy", "random"
    out = io.StringIO()
    words = ["selfplay", "--x", x, "--o", o, "--level", "2", "--games", "10", "--seed", "1", "--alternate"]
    assert main([*words, "--json", "--jobs", "1"], stdout=out) == 0
    results, first = json.loads(out.getvalue())["results"], MATCHES["2", x, o].results[:10]
    assert [results[name]["games"] for name in ("X", "tie", "O")] == [first.count(one) for one in "X=O"]


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
    Path("match.jsonl").write_bytes(b"".join(match_lines(Match("random", "greedy", seed=1), ())))
    out, err = io.StringIO(), io.StringIO()
    assert main(shlex.split(example), stdin=io.StringIO(), stdout=out, stderr=err) == 0, err.getvalue()
    assert out.getvalue()
