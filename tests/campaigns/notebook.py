"""The board in a real JupyterLab, in Chromium: ``python -m tests.campaigns.notebook`` (extra ``notebooks``).

A notebook is opened, its first cell puts a game on a board, two moves are made there, one by clicks and one
by keys, and the next cell must print them. Ends with 1 if it does not.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from tests.page.driver import free_port
from tests.support.browser import started_browser

CELLS = (
    "import qttt\ngame = qttt.Game(level=2)\nqttt.board(game, backend='dice', seed=1)",
    "print('events:', *game.events)",
)


def notebook() -> str:
    """The notebook's file."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


def play(address: str) -> str:
    """Play in the notebook, and give what its last cell prints."""
    with started_browser() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(60_000)
        page.goto(f"{address}/lab/tree/board.ipynb")
        cells = page.locator(".jp-Notebook .jp-CodeCell .cm-content")
        page.get_by_text("| Idle").wait_for()
        cells.first.click()
        page.keyboard.press("Shift+Enter")
        page.locator(".qttt [data-square='7']").click()
        page.locator(".qttt [data-square='8']").click()
        page.locator(".qttt .moves li").first.wait_for()
        page.keyboard.press("5")
        page.keyboard.press("5")
        page.locator(".qttt .moves li").nth(1).wait_for()
        cells.nth(1).click()
        page.keyboard.press("Shift+Enter")
        printed = page.locator(".jp-OutputArea-output", has_text="events:")
        printed.wait_for()
        return printed.inner_text().strip()


def main() -> int:
    """Start JupyterLab, play, and end it."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "notebooks"
        root.mkdir()
        (root / "board.ipynb").write_text(notebook(), encoding="utf-8")
        lab = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"),
                *("--IdentityProvider.token=", f"--ServerApp.root_dir={root}"),
            ],
            env={**os.environ, "JUPYTER_CONFIG_DIR": folder, "PYTHONPATH": os.getcwd()},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(240):
                try:
                    urllib.request.urlopen(f"{address}/api").close()
                    break
                except OSError:
                    time.sleep(0.25)
            printed = play(address)
        finally:
            lab.terminate()
            lab.wait(30)
    print(f"in JupyterLab: {printed}")
    return 0 if printed == "events: 7+8 5" else 1


if __name__ == "__main__":
    sys.exit(main())
