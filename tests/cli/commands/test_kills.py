"""Jobs on devices go on after SIGKILL, to the same record and JSON: twenty kills; 200 are `make kills`."""

from pathlib import Path

import pytest

from tests.benchmarks.kills import kill_and_resume

pytestmark = [pytest.mark.ibm, pytest.mark.slow]


@pytest.mark.parametrize(("kind", "kills"), [("observe", 6), ("dynamic", 3), ("check", 3)])
def test_killed_between_submission_and_result(kind: str, kills: int, tmp_path: Path) -> None:
    states = kill_and_resume(tmp_path, kills, seed=3, kinds=(kind,))
    print(f"found after the kills: {dict(states)}")
    assert states.total() == kills
    # Some must have died before the end, or nothing was tested.
    assert states[kind, "finished"] < kills
