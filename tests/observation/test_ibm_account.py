"""A game observed on a real device, some two quantum seconds: only with QTTT_IBM=1 and a saved account."""

import os
from pathlib import Path

import pytest

from qttt.records.files import load_record
from tests.support.cli_runs import run

pytestmark = [
    pytest.mark.ibm,
    pytest.mark.ibm_account,
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("QTTT_IBM") != "1", reason="set QTTT_IBM=1 to use IBM Quantum time"),
]


def test_a_game_is_observed_and_its_job_file_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.qttt").write_text('[Level "1"]\n\n1. 1 2+3\n2. 4 5\n3. 6 7\n4. 8 9\n')
    done = run("observe", "game.qttt", "--backend", "ibm", "--shots", "100", "--strict", "--yes", "--json")
    assert done.status == 0, done.err
    record = load_record("game.qttt")
    assert "Job" not in record.headers
    # X in 1 and O in 5 are certain, so that a mirrored or reversed reading has no possible shot.
    board = str(record.events[-1])[1:]
    assert board in {"XO.XOXOXO", "X.OXOXOXO"}
    again = run("observe", "--resume", "game-1.job")
    assert again.status == 2
    assert "any more" in again.err
