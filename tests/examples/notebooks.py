"""Running the notebooks in `examples/`, and reading what stands in them.

``python -m tests.examples.notebooks`` runs all of them and stores their outputs; names of notebooks as
arguments run those alone. It needs nbclient and ipykernel, which the extra `test` has.
"""

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

Notebook = dict[str, Any]
Cell = dict[str, Any]

ROOT: Final = Path(__file__).parents[2]
NOTEBOOKS: Final = tuple(sorted((ROOT / "examples").glob("*.ipynb")))

SECONDS: Final = 120
"""How long a single cell may take before it counts as hanging."""

_UNANSWERED = re.compile(r"^answer_(\d+) = None\b.*$", re.MULTILINE)
_SOLUTION = re.compile(r"<details>.*?```python\n(.*?)```.*?</details>", re.DOTALL)


def load(path: Path) -> Notebook:
    """Read a notebook."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def source(cell: Cell) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def code_cells(notebook: Notebook) -> list[Cell]:
    """The cells that are run, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def tags(cell: Cell) -> list[str]:
    """The tags of a cell.

    `shots` marks one whose numbers depend on a simulator's random stream, `checker` one that checks answers.
    """
    found: list[str] = cell["metadata"].get("tags", [])
    return found


def printed(cell: Cell) -> str:
    """Everything that a cell wrote, without its pictures."""
    parts = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            parts.append("".join(output["text"]))
        elif "image/svg+xml" not in output["data"]:
            parts.append("".join(output["data"]["text/plain"]))
    return "".join(parts)


def pictures(cell: Cell) -> list[str]:
    """The SVG pictures that a cell shows."""
    return [
        "".join(output["data"]["image/svg+xml"])
        for output in cell["outputs"]
        if "image/svg+xml" in output.get("data", {})
    ]


def execute(notebook: Notebook) -> Notebook:
    """Run a notebook from top to bottom in a kernel of its own.

    Returns:
        A copy with new outputs and nothing in it that depends on the machine or the hour.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    # By name, because only those who run notebooks need to have them.
    nbformat, nbclient, jupyter = map(import_module, ("nbformat", "nbclient", "jupyter_client"))

    node = nbformat.reads(json.dumps(notebook), as_version=4)
    # The packages under test are those of this work tree, installed or not.
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with TemporaryDirectory() as sockets:
        # Sockets in the file system: no port that another process could take or listen to.
        manager = jupyter.KernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        client = nbclient.NotebookClient(
            node,
            km=manager,
            timeout=SECONDS,
            resources={"metadata": {"path": str(ROOT / "examples")}},
            record_timing=False,
        )
        try:
            client.execute(env={**os.environ, "PYTHONPATH": path})
        finally:
            # The client's sockets are its own, as the manager is ours.
            if client.kc is not None:
                client.kc.stop_channels()
            manager.shutdown_kernel(now=True)
    done: Notebook = json.loads(nbformat.writes(node))
    return tidied(done)


def tidied(notebook: Notebook) -> Notebook:
    """The notebook with the least metadata that a viewer needs."""
    tidy = deepcopy(notebook)
    tidy["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in tidy["cells"]:
        own = tags(cell)
        cell["metadata"] = {"tags": own} if own else {}
        if "checker" in own:
            # JupyterLab folds it up, so that a checker does not give the answer away.
            cell["metadata"]["jupyter"] = {"source_hidden": True}
        if "outputs" in cell:
            cell["outputs"] = _joined(cell["outputs"])
    return tidy


def _joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs with neighbouring pieces of text as one: where a kernel cuts them is a matter of time."""
    whole: list[dict[str, Any]] = []
    for output in outputs:
        last = whole[-1] if whole else {}
        if output["output_type"] == "stream" and output["name"] == last.get("name"):
            text = "".join(last["text"]) + "".join(output["text"])
            whole[-1] = {**last, "text": text.splitlines(keepends=True)}
        else:
            whole.append(output)
    return whole


def store(path: Path, notebook: Notebook) -> None:
    """Write a notebook as `ruff format` leaves it."""
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def exercises(notebook: Notebook) -> Iterator[tuple[int, Cell, str]]:
    """The exercises: number, the cell with the empty answer, and the sample solution folded up after it."""
    cells = notebook["cells"]
    for place, cell in enumerate(cells):
        if cell["cell_type"] == "code" and (found := _UNANSWERED.search(source(cell))):
            hidden = _SOLUTION.search(source(cells[place + 1])) if place + 1 < len(cells) else None
            yield int(found[1]), cell, hidden[1] if hidden else ""


def with_code(notebook: Notebook, codes: Iterable[str]) -> Notebook:
    """A copy with more code cells at its end."""
    copy = deepcopy(notebook)
    for number, code in enumerate(codes, 1):
        copy["cells"].append(
            {
                "cell_type": "code",
                "id": f"more-{number}",
                "metadata": {},
                "source": code,
                "execution_count": None,
                "outputs": [],
            }
        )
    return copy


def main(names: list[str]) -> None:
    """Run notebooks and store their outputs."""
    for path in NOTEBOOKS:
        if names and not any(name in path.name for name in names):
            continue
        started = time.perf_counter()
        store(path, execute(load(path)))
        print(f"{path.name}: {time.perf_counter() - started:.1f} s, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
