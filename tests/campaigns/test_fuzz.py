"""Fuzzing in short: thousands of changed inputs for everything that reads, without coverage guidance."""

import subprocess
import sys
from pathlib import Path

import pytest

from qttt.errors import RecordError
from qttt.records.record import MOST_EVENTS, Record

ROOT = Path(__file__).parents[2]


def fuzz(*words: str) -> str:
    """Fuzz in a process of its own, which can only write in a folder of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.campaigns.fuzz", "--plain", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_text() -> None:
    assert fuzz("tokens", "records", "tables", "--runs", "1500") == (
        "tokens: 1500 inputs\nrecords: 1500 inputs\ntables: 1500 inputs\n"
    )


def test_games_and_commands() -> None:
    assert "commands: 100 inputs" in fuzz("games", "commands", "--runs", "100")


def test_job_files() -> None:
    assert "stored: 700 inputs" in fuzz("jobs", "stored", "counts", "--runs", "700")


@pytest.mark.slow
def test_more_of_everything() -> None:
    fuzz("tokens", "records", "games", "tables", "stored", "--runs", "600", "--seed", "2")
    fuzz("pending", "archives", "--runs", "200", "--seed", "2")
    fuzz("commands", "prompts", "--runs", "60", "--seed", "2")


def test_an_error_in_a_long_record_as_an_argument_names_it() -> None:
    """No file can have such a long name, and looking for one is an error of its own."""
    from tests.support.cli_runs import refusal

    assert "line 1, column 6001" in refusal("odds", "5 {" + "long " * 1199 + "} 5")


def test_a_record_of_more_events_than_anybody_plays_is_refused_before_it_is_replayed() -> None:
    with pytest.raises(RecordError, match=r"line 1, column 24001: .* 12,000 .* has 20,000$"):
        Record.parse("5 " * 20_000).game()


def longest_game() -> Record:
    """A piece that is cancelled to and fro for 6,000 observation phases."""
    start, to_and_fro = "4 7 5 1 3 6 8 2 7-9 =OOXXXO.XX", " 9-7 =OOXXXOOX. 7-9 =OOXXXO.XX"
    cycles = (MOST_EVENTS - 10) // 4
    return Record.parse(f'[Level "5"]\n{start}{to_and_fro * cycles} 9-7 =OOXXXOOX.')


@pytest.mark.slow
def test_the_longest_game_is_replayed() -> None:
    """How long that takes is printed by ``tests.benchmarks.answers``."""
    record = longest_game()
    assert len(record.events) == MOST_EVENTS
    assert record.game().state.observations == MOST_EVENTS // 2 - 4
