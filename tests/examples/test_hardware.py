"""The hardware example runs on a simulated device, and on a real one with only the network replaced."""

import runpy
from pathlib import Path

import pytest

from qttt.cli import main
from tests.circuits.ibm_service import TOKEN, install
from tests.examples.notebooks import ROOT

pytestmark = pytest.mark.ibm


def example(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["hardware.py", *words])
    runpy.run_path(str(ROOT / "examples" / "hardware.py"), run_name="__main__")


def test_on_a_simulated_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    example(monkeypatch, "--device", "fake_mumbai", "--seed", "3", "--shots", "300")
    shown = capsys.readouterr().out
    assert "thrown away: a piece doubled" in shown
    assert "of them is the outcome: " in shown
    (job,) = tmp_path.glob("*.job")
    # Its job can be resumed by the program, too, and gives the same positions.
    positions = shown.split("possible shot: ")[1][:9]
    assert main(["observe", "--resume", str(job), "--mode", "rotated", "--json"]) == 0
    assert f"=p:{positions}" in capsys.readouterr().out


def test_on_a_device_of_an_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from circuits.backends.ibm_accounts import save_account

    monkeypatch.chdir(tmp_path)
    service = install(monkeypatch, tmp_path)
    service.devices["ibm_mumbai"], service.queues["ibm_mumbai"] = "fake_mumbai", 0
    save_account(TOKEN, "mine")
    monkeypatch.setattr("builtins.input", lambda prompt: "no")
    example(monkeypatch, "--device", "ibm_mumbai", "--shots", "50")
    assert not service.jobs
    example(monkeypatch, "--device", "ibm_mumbai", "--shots", "200", "--yes")
    assert len(service.jobs) == 1
    assert "standard: 200 of 200 shots are possible" in capsys.readouterr().out
