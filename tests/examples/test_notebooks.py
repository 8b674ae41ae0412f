"""The notebooks run, show what is committed, and their exercises can be solved and failed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.notebooks import (
    NOTEBOOKS,
    ROOT,
    Notebook,
    code_cells,
    execute,
    exercises,
    load,
    pictures,
    printed,
    source,
    tags,
    tidied,
    with_code,
)

LARGEST = 250_000
"""Bytes of a notebook with its outputs."""

WRONG: dict[int, dict[int, tuple[str, ...]]] = {
    1: {
        1: (
            "QuantumCircuit(3)",
            "gates.SuperpositionGate('X').definition",
            "gates.EntanglingGate('O').definition",
        ),
        2: ("0.5", "0.0"),
        3: ("'5 5*6'", "'1+3'"),
    },
    2: {1: ("'8'", "'9'"), 2: ("10", "10_000"), 3: ("0.0", "0.5")},
    3: {
        1: ("[1, 0, 0, 0]", "list(singlet)", "[sqrt(0.5), 0, 0, sqrt(0.5)]", "[1, 0, 0, 1]"),
        2: ("0.0", "1.0"),
        3: ("(45, -45)", "(0, 0)"),
    },
    4: {1: ("sqrt(2)", "n"), 2: ("kept", "3 * kept"), 3: ("0.9", "0.5", "0.0332")},
    5: {
        1: ("0.6", "0.4", "-0.8"),
        2: ("lambda state: Mode.STANDARD", "lambda state: Mode.ROTATED"),
        3: ("'5~ 1+3 1*2'", "'1+3 1*2'", "'5~'", "'1+3 1*2 5 6~'"),
    },
    6: {
        1: ("nothing", "triplet", "crossed_wires", "rough_angle", "wrong_phase"),
        2: ("{1, 2}", "{3}", "{3, 7, 9}"),
        3: ("lambda distances: 'moves'", "lambda distances: 'none'"),
    },
    7: {
        1: ("lambda board: True", "lambda board: board.count('X') == 1"),
        2: ("lambda e, k: e", "lambda e, k: 1 - k"),
    },
}
"""Answers that are not right, by notebook and exercise."""

notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def number_of(path: Path) -> int:
    return int(path.name.partition("-")[0])


def test_they_are_numbered_without_gaps() -> None:
    assert [number_of(path) for path in NOTEBOOKS] == list(range(1, len(NOTEBOOKS) + 1))
    assert len(NOTEBOOKS) >= len(WRONG)


@notebooks
def test_outputs_are_committed(path: Path) -> None:
    notebook = load(path)
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        for output in cell["outputs"]:
            assert output["output_type"] in {"stream", "display_data", "execute_result"}, source(cell)
            assert output.get("name", "stdout") == "stdout", output
    assert sum(bool(printed(cell)) for cell in cells) > len(cells) / 2
    assert any(pictures(cell) for cell in cells)


@notebooks
def test_they_are_small_and_say_nothing_of_the_machine(path: Path) -> None:
    notebook = load(path)
    assert path.stat().st_size < LARGEST
    assert notebook == tidied(notebook)
    text = "".join(printed(cell) for cell in code_cells(notebook))
    assert not re.search(r"0x[0-9a-f]{6}|/home/|/tmp/|/root/|\.py\b", text)


@notebooks
def test_pictures_can_be_read_aloud(path: Path) -> None:
    for cell in code_cells(load(path)):
        for picture in pictures(cell):
            assert "<title>" in picture
            assert re.search(r"<desc>[^<]{20}", picture), source(cell)


@notebooks
def test_they_open_with_a_title_and_end_with_exercises(path: Path) -> None:
    notebook = load(path)
    assert source(notebook["cells"][0]).startswith(f"# {number_of(path)} · ")
    headings = re.findall(
        r"^## .+$",
        "\n".join(source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"),
        re.MULTILINE,
    )
    assert headings[-1] == "## Exercises"
    found, cells = list(exercises(notebook)), notebook["cells"]
    assert [number for number, _, _ in found] == list(range(1, len(found) + 1))
    assert len(found) >= 2
    for number, cell, solution in found:
        checker = cells[cells.index(cell) - 1]
        assert f"def check_{number}(" in source(checker)
        assert "checker" in tags(checker)
        assert checker["metadata"]["jupyter"]["source_hidden"]
        assert source(cell).endswith(f"check_{number}(answer_{number})")
        assert printed(cell).splitlines()[-1].startswith(f"Exercise {number}: no answer yet.")
        assert re.search(rf"^(answer_{number} =|def answer_{number}\()", solution, re.MULTILINE)


def test_the_index_lists_them_by_their_titles() -> None:
    listed = re.findall(
        r"^\| \[(.+?)\]\((.+?)\)", (ROOT / "examples" / "README.md").read_text("utf-8"), re.MULTILINE
    )
    titles = [source(load(path)["cells"][0]).splitlines()[0].removeprefix("# ") for path in NOTEBOOKS]
    assert listed == [(title, path.name) for title, path in zip(titles, NOTEBOOKS, strict=True)]


def kinds(notebook: Notebook) -> list[list[str]]:
    """What sorts of output each cell has."""
    return [
        [mime for output in cell["outputs"] for mime in sorted(output.get("data", {"text": ""}))]
        for cell in code_cells(notebook)
    ]


@pytest.mark.slow
@notebooks
def test_they_run_and_show_what_is_committed(path: Path) -> None:
    notebook, number = load(path), number_of(path)
    answers: list[str] = []
    expected: list[str] = []
    for exercise, _, solution in exercises(notebook):
        # A wrong answer is refused with a hint, and so is one of the wrong type; neither stops.
        wrong = (*WRONG.get(number, {}).get(exercise, ()), "object()")
        answers += [f"check_{exercise}({answer})" for answer in wrong]
        expected += ["Not yet: "] * len(wrong) + ["Right"]
        answers.append(f"{solution}\ncheck_{exercise}(answer_{exercise})")
    done = execute(with_code(notebook, answers))
    cells = code_cells(done)
    shown = cells[: -len(answers)]
    assert kinds({"cells": shown}) == kinds(notebook)
    for cell, committed in zip(shown, code_cells(notebook), strict=True):
        # What Aer's random stream decides may change with its version, and a plain reader needs no test.
        if "shots" not in tags(cell):
            assert printed(cell) == printed(committed), source(cell)
    for cell, start in zip(cells[-len(answers) :], expected, strict=True):
        said = printed(cell).splitlines()[-1]
        assert said.startswith(start), source(cell)
        assert len(said) > len("Not yet: ") or start == "Right", source(cell)


@pytest.mark.slow
def test_their_code_is_typed(tmp_path: Path) -> None:
    lessons = []
    for path in NOTEBOOKS:
        lesson = tmp_path / f"lesson_{number_of(path)}.py"
        lesson.write_text("\n\n".join(source(cell) for cell in code_cells(load(path))), encoding="utf-8")
        lessons.append(str(lesson))
    # Strict but for two things: IPython's displays are untyped, and a lesson does not say at every step that
    # a measured circuit does have a readout. The modules they import are checked elsewhere.
    loose = ["--no-strict-optional", "--allow-untyped-calls", "--follow-imports=silent"]
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", *loose, *lessons]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
