"""The keyboard game on devices: positions first, the mode asked, jobs left before, other players' turns."""

import io
import re
from pathlib import Path

import pytest

from qttt.cli.main import main
from qttt.records.files import load_record
from tests.support.cli_runs import run
from tests.support.ibm_service import TOKEN, Service, install

pytestmark = pytest.mark.ibm

FULL = "1\n2\n3\n4\n5\n6\n7\n8+9\n"
DEVICE = ("--backend", "fake_mumbai", "--seed", "4")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # One seed instead of several: the tests need no best circuit.
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


def play(typed: str, *words: str, status: int = 0) -> str:
    out, err = io.StringIO(), io.StringIO()
    found = main(["play", *words], stdin=io.StringIO(typed), stdout=out, stderr=err)
    assert found == status, err.getvalue()
    return out.getvalue() + err.getvalue()


@pytest.mark.slow
def test_a_game_on_a_simulated_device() -> None:
    shown = play(f"{FULL}rotated\nquit\n", "--level", "4", "--record", "game.qttt", *DEVICE)
    assert "Positions first." in shown
    assert "shots are possible (thrown away: a piece doubled" in shown
    assert "Read in rotated mode given these positions:\n" in shown
    assert re.search("gives the positions:\n  [89] (empty|filled)  [89] (empty|filled)\n", shown)
    record = load_record("game.qttt")
    assert [str(event)[:3] for event in record.events[8:]][:2] == ["=p:", "=r:"]
    assert "Job" not in record.headers


def test_without_a_choice_of_mode() -> None:
    shown = play(f"{FULL}quit\n", "--level", "1", "--record", "game.qttt", *DEVICE)
    assert "Measured on fake_mumbai." in shown
    # Square by square, as every observation is: 8 and 9 hang together, and the others were known.
    cells = str(load_record("game.qttt").events[8]).removeprefix("=")
    words = {"O": "□", ".": "empty"}
    told = "".join(f"  {square} {words[cells[square - 1]]}" for square in (8, 9))
    assert f"Read in standard mode:\n{told}\nThis board had a chance of 50.00 %." in shown


def test_stopped_at_the_question_the_game_goes_on_with_the_same_shots() -> None:
    play(f"{FULL}", "--level", "4", "--record", "game.qttt", *DEVICE)
    waiting = load_record("game.qttt")
    assert waiting.headers["Job"].endswith("game-1.job")
    assert str(waiting.events[-1]).startswith("=p:")
    shown = play("rotated\nquit\n", "game.qttt")
    assert "This game waits for a job: fake_mumbai" in shown
    after = load_record("game.qttt")
    assert after.events[: len(waiting.events)] == waiting.events
    assert str(after.events[len(waiting.events)]).startswith("=r:")
    assert "Job" not in after.headers


@pytest.mark.slow
def test_a_measured_square_on_a_device() -> None:
    shown = play(
        "1+2\n?1\nquit\n", "--level", "2", "--options", "measure-turn", "--record", "game.qttt", *DEVICE
    )
    assert "impossible)" in shown
    assert "Square 1 " in shown


def test_a_real_device_left_alone_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    service: Service = install(monkeypatch, tmp_path)
    from circuits.backends.ibm.accounts import save_account

    save_account(TOKEN, "mine")
    service.first_statuses = ["Queued"] * 9

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    Path("game.qttt").write_text('[Level "1"]\n1+2 3 4 5 6 7 8 9')
    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        done = run("play", "game.qttt", "--backend", "ibm_manila", stdin="yes\n", terminal=True)
    assert done.status == 130
    assert "Send it?" in done.err
    assert "go on with: qttt observe --resume game-1.job" in done.err
    assert load_record("game.qttt").headers["Job"] == "ibm_manila job0000 game-1.job"
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    shown = play("quit\n", "game.qttt")
    assert "Measured on ibm_manila. 1,024 of 1,024 shots are possible." in shown
    assert "Job" not in load_record("game.qttt").headers
    assert len(service.jobs) == 1
