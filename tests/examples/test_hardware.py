"""The hardware example runs on a simulated device, and on a real one with only the network replaced."""

import re
import runpy
import shlex
from pathlib import Path

import pytest

from qttt.cli.commands.command_line import build_parser
from qttt.cli.main import main
from qttt.records.files import load_record
from tests.examples.notebooks import ROOT
from tests.support.cli_runs import run
from tests.support.ibm_service import TOKEN, install

pytestmark = pytest.mark.ibm


@pytest.fixture(autouse=True)
def _quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


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


@pytest.mark.slow
def test_on_a_device_of_an_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from circuits.backends.ibm.accounts import save_account

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


COMMANDS = re.findall(
    r"^    (qttt .+)$", (ROOT / "examples" / "guide" / "hardware.md").read_text("utf-8"), re.MULTILINE
)
ON_THIS_COMPUTER = [
    line
    for line in COMMANDS
    if not any(word in line for word in ("game", "counts.json", "qttt login", "--account"))
]


def test_the_page_names_what_there_is() -> None:
    assert len(COMMANDS) >= 10
    for line in COMMANDS:
        words = shlex.split(line)[1:]
        assert build_parser(words[0]).parse_args(words).command == words[0]


@pytest.mark.slow
@pytest.mark.parametrize("line", ON_THIS_COMPUTER)
def test_the_commands_of_the_page(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out


@pytest.mark.slow
def test_the_game_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.qttt").write_text('[Level "4"]\n\n1. 1 2\n2. 3 4\n3. 5 6\n4. 7 8+9\n')
    observing = "qttt observe game.qttt --backend fake_torino --seed 7"
    resuming = "qttt observe --resume game.qttt --mode rotated"
    checking = "qttt check game.qttt --backend fake_torino --shots 1000 --seed 7"
    again = "qttt check --resume game-check.job"
    assert {observing, resuming, checking, again} <= set(COMMANDS)
    checked = run(*shlex.split(checking)[1:])
    assert (checked.status, checked.err) == (0, "")
    assert run(*shlex.split(again)[1:]) == checked
    # Nobody answers the question for the mode.
    assert run(*shlex.split(observing)[1:], terminal=True).status == 130
    assert "Job" in load_record("game.qttt").headers
    assert run(*shlex.split(resuming)[1:]).status == 0
    assert "Job" not in load_record("game.qttt").headers
    recomputing = "qttt check --archive game-1.archive.json"
    assert recomputing in COMMANDS
    assert run(*shlex.split(recomputing)[1:]).status == 0


@pytest.mark.slow
def test_the_jobs_that_nobody_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("game.qttt", "game1.qttt", "game2.qttt"):
        Path(name).write_text('[Level "1"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n')
    leaving = "qttt observe game.qttt --backend fake_torino --no-wait"
    submitting = "qttt submit game1.qttt game2.qttt --backend fake_torino"
    assert {leaving, submitting} <= set(COMMANDS)
    for line in (leaving, submitting):
        assert run(*shlex.split(line)[1:]).status == 0
    for name in ("game.qttt", "game1.qttt", "game2.qttt"):
        assert run("observe", "--resume", name).status == 0


def test_the_circuit_in_other_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    writing, decoding = (
        next(line for line in COMMANDS if f"qttt {word} " in line and "board.qasm" in line)
        for word in ("circuit", "decode")
    )
    assert run(*shlex.split(writing)[1:]).status == 0
    # A shot of nothing but zeros is no board of this game.
    Path("counts.json").write_text('{"0x0": 5}')
    done = run(*shlex.split(decoding)[1:])
    assert (done.status, "no shot of 5 counts" in done.err) == (3, True)
