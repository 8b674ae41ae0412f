"""How a process begins: as a module and as the script, hidden by another package, interrupted early."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = """import sys
from {module} import {function}
if __name__ == "__main__":
    sys.exit({function}())
"""
WAYS = ("module", "script")
# Stands in for a Ctrl-C at the moment when a module is looked for.
INTERRUPT = """import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


def began(way: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run ``qttt`` with a folder in front of all others from which modules come."""
    argv = [sys.executable, "-m", "qttt"]
    if way == "script":
        # What an installer writes for the entry in pyproject.toml.
        entry = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["qttt"]
        module, _, function = entry.partition(":")
        (folder / "bin").mkdir()
        script = folder / "bin" / "qttt"
        script.write_text(SCRIPT.format(module=module, function=function))
        argv = [sys.executable, str(script)]
    return python(argv, folder, *words)


def python(argv: list[str], folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    return subprocess.run(
        [*argv, *words], capture_output=True, text=True, cwd=folder, env=environment, timeout=60
    )


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """A folder with somebody else's package ``circuits``."""
    package = tmp_path / "circuits"
    package.mkdir()
    (package / "__init__.py").write_text('"""Somebody else\'s."""\n')
    return tmp_path


def message(folder: Path) -> str:
    place = folder / "circuits" / "__init__.py"
    return (
        f"the package 'circuits' at {place} belongs to another distribution and hides TiqTaqToe's own; "
        "uninstall it, or install tiqtaqtoe in a virtual environment of its own\n"
    )


@pytest.mark.parametrize("way", WAYS)
def test_the_command_line_runs(way: str, tmp_path: Path) -> None:
    done = began(way, tmp_path, "moves", "5", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('{"level": 2, "turn": "O"')


@pytest.mark.parametrize("way", WAYS)
def test_the_status_is_the_command_lines(way: str, tmp_path: Path) -> None:
    done = began(way, tmp_path, "moves", "5 5")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("qttt: error: line 1, column 3: 5 by O is not allowed")


@pytest.mark.parametrize("words", [[], ["odds", "5"], ["--help"], ["-m", "qttt"]])
@pytest.mark.parametrize("way", WAYS)
def test_a_package_that_hides_circuits_is_one_line(way: str, words: list[str], hidden: Path) -> None:
    done = began(way, hidden, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"qttt: error: {message(hidden)}"


@pytest.mark.parametrize("options", [["-mqttt"], ["-Bmqttt"], ["-W", "ignore", "-m", "qttt"]])
def test_options_of_python_make_no_difference(options: list[str], hidden: Path) -> None:
    done = python([sys.executable, *options], hidden, "odds", "5")
    assert (done.returncode, done.stderr) == (2, f"qttt: error: {message(hidden)}")


@pytest.mark.parametrize(
    "line",
    [
        "qttt.sample(qttt.Game().play('5'), 3)",
        "qttt.read('5')",
        "from qttt import check",
        "import qttt.observation.observers",
        "import qttt.records.files",
    ],
)
def test_other_programs_get_an_error_that_they_can_catch(line: str, hidden: Path) -> None:
    # Nothing asks what the process is called.
    for code in (f"import qttt\n{line}", f"import sys\nsys.argv = ['qttt']\nimport qttt\n{line}"):
        done = python([sys.executable, "-c", code], hidden)
        assert done.returncode == 1
        assert done.stderr.startswith("Traceback")
        assert done.stderr.endswith(f"ImportError: {message(hidden)}")


def test_games_need_no_circuits(hidden: Path) -> None:
    done = python([sys.executable], hidden, "-c", "import qttt; print(qttt.Game(1).play('5').turn)")
    assert (done.stdout, done.stderr) == ("O\n", "")


@pytest.mark.parametrize(
    "module", ["qttt.cli.main", "qttt.cli.commands", "qttt.errors", "qttt.cli.commands.moves"]
)
@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_of_the_imports_is_one_line(way: str, module: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT.format(name=module))
    done = began(way, tmp_path, "moves", "5")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "qttt: error: interrupted\n")
