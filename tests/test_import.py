"""What importing the package does, and does not do."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = ("qiskit", "qiskit_aer", "qiskit_ibm_runtime", "matplotlib", "numpy", "scipy", "rich", "numba")


def python(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    lines = [f"import sys; sys.path[:0] = {[str(folder) for folder in path]}", code]
    words = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)


def test_importing_the_game_loads_nothing_heavy() -> None:
    code = (
        f"import qttt.game.game, qttt.game.odds, qttt.records.record\nprint([name for name in {HEAVY} if "
        "name in "
        "sys.modules])"
    )
    assert python(code, ROOT).stdout.strip() == "[]"


def test_the_ground_floor_knows_nothing_of_the_game() -> None:
    for file in (ROOT / "circuits").rglob("*.py"):
        assert "import qttt" not in file.read_text() and "from qttt" not in file.read_text(), file


def test_rules_and_dice_import_neither_circuits_nor_numpy() -> None:
    rules = [
        "chance",
        "errors",
        "game.adjustment",
        "game.configurations",
        "game.dice",
        "game.game",
        "game.legality",
        "game.moves",
        "game.odds",
        "game.outcomes",
        "game.position",
        "game.result",
        "game.roots",
        "game.rules",
        "game.squares",
        "game.state",
        "game.surds",
        "game.symbols",
        "records.record",
        "tabletop.d6",
        "tabletop.questions",
        "tabletop.rolls",
        "tabletop.table",
    ]
    code = "".join(f"import qttt.{name}\n" for name in rules) + (
        "print(sorted(name for name in sys.modules if name.startswith(('circuits.', 'numpy', 'qiskit'))))"
    )
    assert python(code, ROOT).stdout.strip() == "[]"
