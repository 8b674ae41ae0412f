"""Killing the program in short: see ``tests.campaigns.kills``."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def kill(*words: str, campaign: str = "kills") -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"tests.campaigns.{campaign}", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "what",
    ["play", *(pytest.param(name, marks=pytest.mark.slow) for name in ("observe", "match", "workers"))],
)
def test_a_few_kills(what: str) -> None:
    assert "killed" in kill("--only", what, "--kills", "5", "--seed", "3")


@pytest.mark.slow
@pytest.mark.ibm
def test_more_kills() -> None:
    said = kill("--kills", "24", "--seed", "4")
    assert "killed while playing" in said
    assert "killed while observing" in said


@pytest.mark.slow
@pytest.mark.ibm
def test_no_job_is_sent_twice_and_none_is_lost() -> None:
    said = kill("--kills", "5", "--seed", "2", campaign="sent_once")
    assert "No job was sent twice, and none is lost." in said
    assert "sent, no archive yet" in said
