"""X for certain in square 1 only, O in 8 only: it must read the same on every backend and in every export.

Any mirrored board, reversed bit string or swapped register would show here.
"""

import html
from pathlib import Path

import numpy as np
import pytest
from qiskit import qasm3

from circuits.backends import get_backend
from circuits.decoding import decode
from circuits.drawing import to_qasm3
from qttt.display.pictures.boards import board_scene, centre
from qttt.display.pictures.scene import Polygon, Scene
from qttt.game import Game
from qttt.game.position import Position
from qttt.game.symbols import Mode
from qttt.observation.compiler import Style, compile_board
from qttt.observation.observers import get_observer
from tests.support.cli_runs import run, run_json

BOARD = "X......O."


@pytest.fixture(autouse=True)
def _quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


def game() -> Game:
    asymmetric = Game(level=2)
    asymmetric.play("1 8")
    return asymmetric


@pytest.mark.parametrize("name", ["aer", "aer-lean", "dice"])
def test_on_backends_without_noise(name: str) -> None:
    sample = get_observer(name).sample(game(), Mode.STANDARD, 20, np.random.default_rng(1))
    assert sample.counts() == {BOARD: 20}


@pytest.mark.ibm
@pytest.mark.parametrize(
    "name",
    [
        "fake_mumbai",
        "fake_manila",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("fake_torino", "fake_marrakesh")),
    ],
)
def test_on_simulated_devices(name: str) -> None:
    """Lean circuits measure nothing here; the strict ones measure every value, and keep only this board."""
    from qttt.observation.devices import open_device

    rng = np.random.default_rng(2)
    lean = open_device(name).sample(game(), Mode.STANDARD, 20, rng)
    assert lean.counts() == {BOARD: 20}
    strict = open_device(name, encoding="strict").sample(game(), Mode.STANDARD, 200, rng)
    assert set(strict.counts()) == {BOARD}
    assert strict.kept > 150
    assert strict.illegal > 0


@pytest.mark.ibm
@pytest.mark.slow
def test_moves_on_a_simulated_device() -> None:
    from qttt.observation.devices import open_device, read_shots

    observer = open_device("fake_torino")
    compiled = compile_board(game(), Mode.STANDARD)
    assert compiled.readout is not None
    plan = observer.plan_circuit(compiled.circuit, compiled.readout, "standard", 200)
    (shots,) = observer.run(plan, np.random.default_rng(2))
    assert read_shots(game().state, Mode.STANDARD, compiled.readout, shots).sample().kept > 150


@pytest.mark.parametrize("style", Style)
def test_in_openqasm(style: Style) -> None:
    pytest.importorskip("qiskit_qasm3_import")
    compiled = compile_board(game(), Mode.STANDARD, style)
    assert compiled.readout is not None
    if style is Style.LEAN:
        # Everything is certain, so there is nothing to measure and nothing to export.
        assert compiled.circuit.num_clbits == 0
        return
    back = qasm3.loads(to_qasm3(compiled.circuit))
    (shots,) = get_backend("aer").run([back], 10, np.random.default_rng(3))
    assert decode(compiled.readout, shots).counts() == {BOARD: 10}


def test_in_circuit_drawings() -> None:
    text = run("circuit", "1 8").out
    wires = {line.split(":")[0].strip() for line in text.splitlines() if ":" in line}
    assert {"occ 1", "sym 1", "occ 8", "sym 8"} <= wires
    assert not {"occ 2", "occ 9"} & wires
    lines = text.splitlines()
    box_of_x = next(index for index, line in enumerate(lines) if "occ 1" in line)
    assert "X" in "".join(lines[box_of_x - 1 : box_of_x + 3])


def test_in_the_text_board() -> None:
    shown = run("dice", "1 8").out
    rows = [line for line in shown.splitlines() if line.startswith("│")]
    marks = [
        (number // 3, place)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row.split("│")[1:4])
        for mark in "△□"
        if mark in cell
    ]
    assert sorted(set(marks)) == [(0, 0), (2, 1)]
    plain = run("dice", "1 8", "--ascii").out
    assert plain.isascii()


def places(scene: Scene, corners: int) -> set[int]:
    """The squares in whose middle a scene has an outline, or a die, of so many corners."""
    found = set()
    for shape in scene.shapes:
        if isinstance(shape, Polygon) and len(shape.points) == corners and shape.fill != "square":
            middle = tuple(sum(point[axis] for point in shape.points) / corners for axis in (0, 1))
            nearest = min(
                range(1, 10),
                key=lambda square: sum((a - b) ** 2 for a, b in zip(middle, centre(square), strict=True)),
            )
            found.add(nearest)
    return found


@pytest.mark.parametrize("position", [Position(observed=BOARD), game().state.position], ids=["marks", "dice"])
def test_in_pictures(position: Position) -> None:
    scene = board_scene(position, legend=False)
    assert (places(scene, 3), places(scene, 4)) == ({1}, {8})


def test_in_pages_and_in_what_pictures_say(tmp_path: Path) -> None:
    dice = "1 (top left): X's red triangle 4, classical, open to O; 8 (bottom): O's red square 4"
    for words in (("draw", "--what", "board"), ("draw", "--what", "game"), ("explain",)):
        file = tmp_path / ("page.html" if words == ("explain",) else "picture.svg")
        run(*words, "1 8", "--out", str(file))
        assert dice in html.unescape(file.read_text())
    run("explain", "1 8", "--out", str(tmp_path / "page.md"))
    assert f"| `{BOARD}` | 100.00 % | 100.00 % | 100.00 % |" in (tmp_path / "page.md").read_text()
    shown = run("explain", "1 8").out
    assert "square 1: empty becomes △4R" in shown
    assert "square 8: empty becomes □4r" in shown


@pytest.mark.parametrize("format", ["svg", "png", "pdf"])
def test_picture_files_differ_from_those_of_the_mirrored_boards(format: str, tmp_path: Path) -> None:
    from qttt.display.pictures import draw

    boards = {BOARD, BOARD[::-1], BOARD.translate(str.maketrans("XO", "OX")), "..X....O.", "X.....O.."}
    assert len({draw(board_scene(Position(observed=board)), format) for board in boards}) == len(boards)


def test_in_records_and_json() -> None:
    outcomes = run_json("odds", "1 8")["outcomes"]
    assert outcomes == {BOARD: 1.0}
    squares = run_json("dice", "1 8")["squares"]
    assert [n for n, square in enumerate(squares, 1) if square["state"] != "empty"] == [1, 8]
    assert (squares[0]["dice"][0]["shape"], squares[7]["dice"][0]["shape"]) == ("triangle", "square")
