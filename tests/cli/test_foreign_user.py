"""A user whose machine is set up otherwise gets, byte for byte, what everybody gets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MATPLOTLIBRC = """
text.usetex: True
savefig.transparent: True
savefig.bbox: tight
figure.autolayout: True
font.family: serif
font.size: 30
text.hinting: none
text.antialiased: False
pdf.fonttype: 42
pdf.compression: 0
svg.fonttype: none
figure.edgecolor: red
patch.linewidth: 4
path.sketch: 1, 100, 2
backend: tkagg
font.weight: nonsense
no.such.setting: 1
"""

# One process for all commands, as every start costs half a second.
SCRIPT = """
import asyncio, sys
from qttt.cli.main import main
GAME = "1+3 1*2"
COMMANDS = [
    *(["circuit", GAME, "--out", f"circuit.{kind}"] for kind in ("png", "svg", "pdf")),
    *(["draw", GAME, "--out", f"board.{kind}"] for kind in ("png", "svg", "pdf")),
    ["draw", GAME, "--what", "game", "--out", "game.gif"],
    ["explain", "5 5*6", "--out", "lesson.pdf", "--seed", "1"],
    ["circuit", GAME],
    ["odds", GAME],
    ["observe", "1+3 1*2 9 3*4 5+6 7+8", "--seed", "4"],
    ["check", "5 5*6", "--shots", "200", "--seed", "4"],
]
async def inside_a_loop():
    return [main(command) for command in COMMANDS]
print(asyncio.run(inside_a_loop()) if "loop" in sys.argv else [main(command) for command in COMMANDS])
"""


def made(folder: Path, *arguments: str, **variables: str | None) -> dict[str, bytes]:
    """The files and the output of many commands, run in a folder; a variable that is None is not there."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])} | variables
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=folder,
        env={name: value for name, value in env.items() if value is not None},
        capture_output=True,
        timeout=300,
    )
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "matplotlibrc"}
    return {**files, "stdout": done.stdout, "stderr": done.stderr}


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    found = made(tmp_path_factory.mktemp("ordinary"), MPLBACKEND=None, COLUMNS=None)
    assert len(found) == 10
    assert found["stdout"].endswith(b"[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n")
    assert found["stderr"] == b""
    return found


@pytest.mark.slow
@pytest.mark.parametrize("setup", ["notebook", "service", "homeless"])
def test_nothing_of_the_user_reaches_an_output(
    setup: str, ordinary: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "a file").touch()
    variables: dict[str, dict[str, str | None]] = {
        # Started from a notebook of another environment, inside the loop that it runs.
        "notebook": {"MPLBACKEND": "module://matplotlib_of_another.backend", "TERM": "dumb", "COLUMNS": "37"},
        # A service's user, whose home does not exist and cannot be made.
        "service": {"HOME": str(tmp_path / "a file" / "home"), "MPLBACKEND": "nonsense", "LC_ALL": "tr_TR"},
        "homeless": {"HOME": None, "TERM": "", "COLUMNS": "many", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "0"},
    }
    place = tmp_path / ("work/matplotlibrc" if setup == "notebook" else "matplotlibrc")
    place.write_text(MATPLOTLIBRC)
    arguments = ["loop"] if setup == "notebook" else []
    found = made(tmp_path / "work", *arguments, MATPLOTLIBRC=str(place), **variables[setup])
    assert [name for name in ordinary if ordinary[name] != found.get(name)] == []
