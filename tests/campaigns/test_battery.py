"""Chi-square tests of every random path in short, with fixed seeds; and that a seed gives the same games."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from qttt.game.symbols import Mode
from qttt.observation.observers import Sample, get_observer
from tests.campaigns.battery import SIGNIFICANCE, by_observer, chi_square, games, paths, run
from tests.campaigns.readers import FaultError

ROOT = Path(__file__).parents[2]


QUICK = ("dice, exact rolls", "dice, d6 rolls", "aer, moves", "measure-turns, aer")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in paths()]
)
def test_every_random_path_has_its_distribution(name: str) -> None:
    tests = run(name, 20_000, seed=2)
    assert min(test.p_value for test in tests) >= SIGNIFICANCE / len(tests), tests


class Biased:
    """An observer that shows one board in fifty as another possible one."""

    name = "biased"

    def __init__(self) -> None:
        self.true = get_observer("aer")

    def sample(self, game: object, mode: Mode, shots: int, rng: np.random.Generator) -> Sample:
        drawn = list(self.true.sample(game, mode, shots, rng).drawn)  # type: ignore[arg-type]
        drawn[::50] = [min(drawn)] * len(drawn[::50])
        return Sample(tuple(drawn))

    def draw(self, game: object, mode: Mode, rng: np.random.Generator) -> Sample:
        raise FaultError("not used here")


def test_the_battery_notices_a_bias_of_a_hundredth() -> None:
    rng = np.random.default_rng(1)
    _, game, mode = next(entry for entry in games() if "1+3 1*2 9 3*4 5+6" in entry[0])
    expected = game.state.odds(mode).outcomes()
    assert chi_square(by_observer(get_observer("aer"))(game, mode, 20_000, rng), expected) > 0.001
    assert chi_square(by_observer(Biased())(game, mode, 20_000, rng), expected) < 1e-6
    assert chi_square({"XXXXXXXXX": 1}, expected) == 0


PROGRAM = """
import hashlib, io
from qttt.cli.main import main
digest = hashlib.sha256()
for argv in (
    ["play", "--level", "3", "--x", "greedy", "--o", "random", "--backend", "dice", "--seed", "5"],
    ["play", "--level", "5", "--x", "easy", "--o", "medium", "--backend", "dice", "--seed", "6"],
    ["observe", "1+3 1-2 4 5 6 7 8 9", "--level", "4", "--mode", "rotated", "--rolls", "d6", "--seed", "7"],
    ["observe", "1+3 1*2 9 3*4 5+6 7+8", "--seed", "8", "--shots", "50"],
    ["play", "--demo", "--level", "4", "--backend", "dice", "--seed", "9"],
):
    out = io.StringIO()
    status = main([*argv, "--ascii"], stdin=io.StringIO(), stdout=out, stderr=out)
    assert status == 0, out.getvalue()
    # The last digits of a p-value may depend on numpy's version; the game must not.
    digest.update(out.getvalue().partition("Cross-check of every")[0].encode())
print(digest.hexdigest())
"""


def games_of(python: str, hash_seed: str) -> str:
    """The digest of seeded games in a fresh process."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [python, "-c", PROGRAM], capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_in_every_process() -> None:
    assert games_of(sys.executable, "0") == games_of(sys.executable, "12345")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_on_every_python() -> None:
    """``QTTT_PYTHONS`` names interpreters that have the dependencies, separated by colons."""
    others = [python for python in os.environ.get("QTTT_PYTHONS", "").split(":") if python]
    if not others:
        pytest.skip("QTTT_PYTHONS names no other interpreter")
    here = games_of(sys.executable, "0")
    assert {python: games_of(python, "1") for python in others} == dict.fromkeys(others, here)
