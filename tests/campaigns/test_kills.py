"""Killing the program in short: see ``tests.campaigns.kills``."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def kill(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.campaigns.kills", *words],
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
