"""Tournaments: counted right, the same games whoever plays them, resumed without a trace."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from qttt.cli.main import main
from qttt.errors import UsageError
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.players.matches import Match, Played, Score, _seated, play_game, play_match
from qttt.players.strategies import SearchPlayer
from qttt.records.record import Record
from qttt.solver import probe
from qttt.stats import wilson
from tests.support.processes import left_in_group

ROOT = Path(__file__).parents[2]


def selfplay(*words: str, status: int = 0) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert main(["selfplay", *words], stdout=out, stderr=err) == status, err.getvalue()
    return out.getvalue() + err.getvalue()


def reported(*words: str) -> dict[str, Any]:
    found = json.loads(selfplay(*words, "--json"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("level", range(6))
def test_every_game_is_a_legal_one_with_the_result_it_says(level: int) -> None:
    match = Match("greedy", "random", Rules.of(level), seed=3, alternate=True)
    for played in play_match(match, range(3)):
        game = Record.parse(played.record).game()
        assert game.over
        assert game.result == played.result
        assert game.first is played.first is (Symbol.O if played.number % 2 else Symbol.X)
        assert game.state.observations == played.observations
        assert Record.parse(played.record).headers["X"] == "greedy"


def test_no_search_of_a_match_looks_at_the_clock() -> None:
    """Else a seed would not repeat the games on another computer."""
    players, _ = _seated(Match("hard", "medium", Rules.of(2), seed=1, alternate=False))
    budgets = [player.budget for player in players.values() if isinstance(player, SearchPlayer)]
    assert budgets and all(budget.seconds is None for budget in budgets)


def test_a_game_depends_on_the_seed_and_its_number_alone() -> None:
    match = Match("medium", "easy", Rules.of(1), seed=11)
    alone = play_game(match, 2)
    assert alone == list(play_match(match, range(3)))[2]
    assert play_game(replace(match, seed=12), 2).record != alone.record
    assert play_game(match, 1).record.split("\n\n")[1] != alone.record.split("\n\n")[1]


def test_any_executor_gives_the_same_games() -> None:
    match = Match("greedy", "random", Rules.of(0), seed=5)
    here = list(play_match(match, range(130)))
    with ThreadPoolExecutor(3) as executor:
        assert list(play_match(match, range(130), executor)) == here
    assert [played.number for played in here] == list(range(130))


def test_jobs_do_not_change_the_games(tmp_path: Path) -> None:
    words = ("--x", "medium", "--o", "random", "--level", "2", "--games", "6", "--seed", "4", "--records")
    one, two = tmp_path / "one", tmp_path / "two"
    assert selfplay(*words, str(one), "--jobs", "1") == selfplay(*words, str(two), "--jobs", "2")
    assert one.read_bytes() == two.read_bytes()


def test_the_report_counts_what_was_played(tmp_path: Path) -> None:
    file = tmp_path / "games"
    words = ("--x", "random", "--o", "greedy", "--games", "12", "--alternate", "--jobs", "1")
    report = reported(*words, "--seed", "8", "--records", str(file))
    games = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    for name in ("X", "tie", "O"):
        count = sum(game["result"] == name for game in games)
        assert report["results"][name]["games"] == count
        assert report["results"][name]["share"] == count / 12
        low, high = wilson(count, 12)
        assert (report["results"][name]["low"], report["results"][name]["high"]) == (low, high)
    assert report["starter"]["games"] == sum(game["result"] == game["first"] for game in games)
    x, o = (report["results"][name]["games"] for name in ("X", "O"))
    assert report["value"]["mean"] == (x - o) / 12
    assert report["games"] == len(games) == 12
    assert {game["first"] for game in games} == {"X", "O"}
    shown = selfplay(*words, "--seed", "8")
    assert "12 games at Level 2: random plays X, greedy plays O; X starts, then" in shown
    assert f"X's wins minus O's: {report['value']['mean']:+.4f} a game" in shown


def test_a_stopped_match_goes_on_and_leaves_no_trace(tmp_path: Path) -> None:
    words = ("--x", "greedy", "--o", "random", "--jobs", "1", "--records")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    selfplay(*words, str(whole), "--games", "8", "--seed", "6")
    selfplay(*words, str(parts), "--games", "3", "--seed", "6")
    # Stopped in the middle of a line.
    parts.write_bytes(parts.read_bytes()[:-9])
    # The seed is the file's.
    shown = selfplay(*words, str(parts), "--games", "8")
    assert parts.read_bytes() == whole.read_bytes()
    assert shown == selfplay(*words, str(whole), "--games", "8")
    # Cut in the first line, or empty: it begins anew.
    parts.write_bytes(whole.read_bytes()[:20])
    selfplay(*words, str(parts), "--games", "8", "--seed", "6")
    assert parts.read_bytes() == whole.read_bytes()


def test_the_score_counts_results_starters_and_phases() -> None:
    """Two wins, a loss and a tie: mean 1/4, and 3/4 − 1/16 its variance."""
    score = Score()
    for number, (first, result) in enumerate(
        [(Symbol.X, Result.X), (Symbol.O, Result.X), (Symbol.O, Result.O), (Symbol.X, Result.TIE)]
    ):
        score.add(Played(number, first, result, number, ""))
    assert (score.games, score.starter_wins, score.observations) == (4, 2, 6)
    mean, low, high = score.value()
    assert mean == 0.25
    assert (high - mean, mean - low) == pytest.approx((1.959964 * (11 / 16 / 4) ** 0.5,) * 2, abs=1e-6)
    assert score.share(Result.X) == (0.5, *wilson(2, 4))
    assert Score().share(Result.X) == (0.0, 0.0, 1.0)
    with pytest.raises(UsageError, match="no games"):
        Score().value()


def test_no_more_than_64_batches_wait_and_those_left_are_cancelled() -> None:
    waiting: list[Future[list[Played]]] = []
    sizes = []

    class Later(Executor):
        def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Any:
            future: Future[list[Played]] = Future()
            if len(waiting) < 64:
                future.set_result(function(*arguments))
            waiting.append(future)
            sizes.append(len(arguments[1]))
            return future

    match = Match("random", "random", Rules.of(0))
    games = play_match(match, range(150), Later())
    assert next(games) == play_game(match, 0)
    assert len(waiting) == 64
    assert set(sizes) == {2}
    assert [game.number for game in islice(games, 127)] == list(range(1, 128))
    games.close()  # type: ignore[attr-defined]
    assert all(future.done() for future in waiting)
    assert any(future.cancelled() for future in waiting)


@pytest.mark.slow
def test_aer_observes_the_same_match() -> None:
    report = reported("--x", "greedy", "--o", "random", "--games", "2", "--seed", "1", "--backend", "aer")
    assert report["backend"] == "aer"
    assert sum(row["games"] for row in report["results"].values()) == 2


def test_a_game_that_could_go_on_for_ever_ends() -> None:
    match = Match("random", "random", Rules.of(5), seed=1)
    assert match.rules.options.max_observations == 50
    assert (
        play_game(Match("random", "random", Rules.of(5, "max-observations=1"), seed=1), 0).observations == 1
    )


def test_players_that_cannot_play_are_refused_before_any_game() -> None:
    assert "player 'nobody' does not exist" in selfplay("--x", "nobody", "--o", "hard", status=2)
    assert "--options" not in selfplay("--x", "perfect", "--o", "easy", "--options", "measure-turn", status=2)
    with pytest.raises(UsageError):
        Match("human", "hard")
    with pytest.raises(UsageError):
        Score().value()
    assert Score().share(Result.X) == (0, 0, 1)


def test_perfect_against_itself_is_worth_what_the_solver_says() -> None:
    """A few games here; thousands below."""
    rules = Rules.of(1)
    score = Score()
    score.add_all(play_match(Match("perfect", "perfect", rules, seed=2), range(10)))
    # At Level 1 X wins for certain.
    assert probe.prober_for(State(rules).rules).value(State(rules)).value == 1
    assert score.wins[Result.X] == 10


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_mean_of_perfect_games_is_the_value(level: int) -> None:
    rules = Rules.of(level)
    score = Score()
    score.add_all(play_match(Match("perfect", "perfect", rules, seed=level), range(200)))
    mean, _, high = score.value()
    error = (high - mean) / 1.96
    assert abs(mean - probe.prober_for(State(rules).rules).value(State(rules)).value) <= 3 * error + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", "greedy", "medium"])
@pytest.mark.parametrize("symbol", Symbol)
def test_nobody_gets_more_than_the_value_against_perfect(opponent: str, symbol: Symbol) -> None:
    rules = Rules.of(2)
    names = ("perfect", opponent) if symbol is Symbol.X else (opponent, "perfect")
    games = 50 if opponent == "medium" else 150
    score = Score()
    score.add_all(play_match(Match(*names, rules, seed=7), range(games)))
    mean, _, high = score.value()
    error = (high - mean) / 1.96
    assert (
        mean * symbol.sign
        >= probe.prober_for(State(rules).rules).value(State(rules)).value * symbol.sign - 3 * error
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupt_keeps_the_games_and_says_so(number: str, tmp_path: Path) -> None:
    file = tmp_path / "games"
    words = ["selfplay", "--x", "medium", "--o", "medium", "--games", "5000", "--seed", "1", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "qttt", *words, "--records", str(file)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (file.exists() and file.read_bytes().count(b"\n") > 1):
        time.sleep(0.2)
        assert process.poll() is None
    # To all of the group, as a terminal sends it.
    os.killpg(process.pid, getattr(signal, number))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err.count(b"\n") == 1, err
    assert b"the same command goes on" in err
    assert int(err.split(b"; ")[1].split()[0]) == file.read_bytes().count(b"\n") - 1
    assert left_in_group(process.pid) == []


@pytest.mark.slow
def test_the_dask_example_plays_the_same_games() -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    script = ROOT / "examples" / "dask_selfplay.py"
    words = [sys.executable, str(script), "--games", "12", "--seed", "3", "--workers", "2"]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == reported("--x", "medium", "--o", "easy", "--games", "12", "--seed", "3", "--jobs", "1")
