"""Values are shown in notebooks by the names of their types; they know nothing of it."""

import subprocess
import sys
from importlib import import_module
from xml.etree import ElementTree

import pytest

from qttt.notebook import DISPLAYS
from tests.examples.notebooks import ROOT, code_cells, execute, with_code

CELLS = (
    "import qttt\ngame = qttt.Game(3).play('1+3 1-2')\ngame",
    "game.position",
    "game.events[1]",
    "qttt.check(game, seed=1, shots=100, backend='dice')",
    # Whoever imports from inside is shown the same.
    "from qttt.game.position import START\nSTART",
    "game.turn",
)
SHOWN = ("text/html", "image/svg+xml", "image/svg+xml", "text/html", "image/svg+xml", None)


def test_a_notebook_shows_games_positions_moves_and_checks() -> None:
    empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    cells = code_cells(execute(with_code(empty, CELLS)))
    shown = [cell["outputs"][0]["data"] for cell in cells]
    assert [set(data) - {"text/plain"} for data in shown] == [{kind} - {None} for kind in SHOWN]
    texts = ["".join(data.get(kind or "text/plain")) for data, kind in zip(shown, SHOWN, strict=True)]
    for text, kind in zip(texts, SHOWN, strict=True):
        if kind == "image/svg+xml":
            assert ElementTree.fromstring(text).tag.endswith("svg")
    said = (
        "Level 3 (Interference). X to move.",
        "half-cancelled",
        "1-2: cancelling move",
        "Everything agrees",
    )
    assert all(words in text for words, text in zip(said, texts, strict=False))


@pytest.mark.parametrize(("module", "name"), DISPLAYS)
def test_a_type_is_found_by_the_module_that_defines_it(module: str, name: str) -> None:
    shown = getattr(import_module(module), name)
    assert (shown.__module__, shown.__name__) == (module, name)
    assert not [method for method in dir(shown) if method.startswith("_repr_")]


def test_nothing_is_registered_or_imported_without_a_shell() -> None:
    for before in ("import sys", "import sys, IPython"):
        code = f"{before}\nimport qttt\nprint('IPython' in sys.modules, 'qttt.notebook' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
        assert done.stdout == f"{'IPython' in before} False\n", done.stderr
