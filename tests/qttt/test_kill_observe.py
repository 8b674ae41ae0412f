"""A game goes on after SIGKILL while its observation was on a device; 200 kills are `make kills`."""

from pathlib import Path

import pytest

from tests.benchmarks.kills import kill_and_resume

pytestmark = [pytest.mark.ibm, pytest.mark.slow]


def test_twenty_kills(tmp_path: Path) -> None:
    states = kill_and_resume(tmp_path, 20, seed=3)
    print(f"found after the kills: {dict(states)}")
    assert states.total() == 20
    # Some must have died before the end, or nothing was tested.
    assert states["finished"] < 20
