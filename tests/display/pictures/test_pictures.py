"""Pictures of boards, games and observations say what the dice say, in every format, the same every time."""

import subprocess
import sys
from collections.abc import Iterable
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from circuits.register import qubit_name
from qttt.crosscheck.check import check, check_mode
from qttt.display.pictures import ANIMATED_FORMATS, FORMATS, animate, draw
from qttt.display.pictures.bars import Series, bars_scene
from qttt.display.pictures.boards import CELL, MARGIN, _words_spans, board_scene
from qttt.display.pictures.circuits import angle_text, gates_scene, moves_scene
from qttt.display.pictures.games import collapse_frames, game_frames, game_strip
from qttt.display.pictures.palette import Theme
from qttt.display.pictures.scene import Curve, Polygon, Scene, Text
from qttt.display.pictures.svg import inline_svg, svg
from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Observation, Positions
from qttt.game.position import START, Position
from qttt.game.squares import SQUARES
from qttt.game.symbols import Mode
from qttt.notebook import check_html, game_html, mode_check_html, move_scene, move_svg, position_svg
from qttt.observation.compiler import compile_moves
from qttt.observation.observers import get_observer
from qttt.tabletop.retrace import retrace
from tests.support.games import random_game

EXAMPLE = "5 5-6 9 2 1+7 1*3 ~4 4*8"


def play(tokens: str, level: int = 5, options: str = "") -> Game:
    game = Game(level, options)
    game.play(tokens)
    return game


def words(scene: Scene) -> list[str]:
    return [shape.text for shape in scene.shapes if isinstance(shape, Text)]


@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("seed", range(4))
def test_every_die_is_drawn_with_its_value_and_colour(level: int, seed: int) -> None:
    for state in random_game(level, seed).states:
        position = state.position
        scene = board_scene(position, legend=False)
        drawn = sorted(
            shape.text
            for shape in scene.shapes
            if isinstance(shape, Text) and shape.bold and shape.text[-1].isdigit()
        )
        values = sorted(str(die.value).replace("-", "−") for dice in position.dice for die in dice)
        assert drawn == values
        fills = sorted(
            shape.fill
            for shape in scene.shapes
            if isinstance(shape, Polygon) and shape.stroke == "die-line" and shape.fill
        )
        owners = sorted(f"{die.owner.lower()}{die.number % 5}" for dice in position.dice for die in dice)
        assert fills == owners
        corners = [
            len(shape.points)
            for shape in scene.shapes
            if isinstance(shape, Polygon) and shape.stroke == "die-line"
        ]
        triangles = sum(die.shape == "X" for dice in position.dice for die in dice)
        assert corners.count(3) == triangles
        assert corners.count(4) == len(values) - triangles


def test_links_join_the_squares_that_belong_together() -> None:
    scene = board_scene(play(EXAMPLE).state.position, legend=False)
    curves = {
        (square_of(shape.points[0]), square_of(shape.points[-1])): shape.dash
        for shape in scene.shapes
        if isinstance(shape, Curve) and shape.stroke == "link"
    }
    # Entangled 1 with 3 and 4 with 8, solid; the halves in 1 and 7, dotted; 5 was cancelled, but its target
    # is a lone die in the rotated view, so there is nothing left to point at.
    assert curves[1, 3] == curves[4, 8] == ()
    assert curves[1, 7] != ()
    assert len(curves) == 3


def square_of(point: tuple[float, float]) -> int:
    """The square in which a point of a picture lies."""
    x, y = ((coordinate - MARGIN) // CELL for coordinate in point)
    return int(3 * y + x) + 1


@pytest.mark.parametrize(
    ("tokens", "target"), [("1+3 1*2 5 3-4", 4), ("5 5-6", 6), ("9 9-1", 1), ("2 2-8", 8)]
)
def test_the_arrow_of_a_cancel_ends_at_its_target(tokens: str, target: int) -> None:
    scene = board_scene(play(tokens, 3).state.position, legend=False)
    (arrow,) = [shape for shape in scene.shapes if isinstance(shape, Curve) and shape.dash == (9.0, 5.0)]
    (head,) = [shape for shape in scene.shapes if isinstance(shape, Polygon) and shape.fill == "link"]
    assert head.points[0] == arrow.points[2]
    assert square_of(head.points[0]) == target


def points_of(link: Curve) -> list[tuple[float, float]]:
    """Points along a link, close together, but for its two ends."""
    if link.bent:
        (x0, y0), (x1, y1), (x2, y2) = link.points
        weights = [((1 - t) ** 2, 2 * t * (1 - t), t * t) for t in (place / 50 for place in range(1, 50))]
        return [(a * x0 + b * x1 + c * x2, a * y0 + b * y1 + c * y2) for a, b, c in weights]
    lines = pairwise(link.points)
    return [
        (x0 + (x1 - x0) * n / 9, y0 + (y1 - y0) * n / 9) for (x0, y0), (x1, y1) in lines for n in range(9)
    ][1:]


def runs_through_dice(link: Curve, dice: list[Polygon]) -> bool:
    boxes = [tuple(zip(*die.points, strict=True)) for die in dice]
    return any(
        min(across) < x < max(across) and min(down) < y < max(down)
        for x, y in points_of(link)
        for across, down in boxes
    )


def check_links(level: int, seeds: Iterable[int]) -> tuple[int, int]:
    """No link runs through a die or off the board; how many links there are, and how many go around."""
    links: list[Curve] = []
    for seed in seeds:
        for state in random_game(level, seed).states:
            shapes = board_scene(state.position, legend=False, opens=state.open_squares()).shapes
            dice = [shape for shape in shapes if isinstance(shape, Polygon) and shape.stroke == "die-line"]
            here = [shape for shape in shapes if isinstance(shape, Curve) and shape.stroke == "link"]
            for link in here:
                assert not runs_through_dice(link, dice), (level, seed, state.position)
                assert all(0 < x < 380 and 0 < y < 380 for x, y in points_of(link))
            links += here
    return len(links), sum(not link.bent for link in links)


@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_no_link_runs_through_dice(level: int) -> None:
    links, around = check_links(level, range(3))
    assert links > 10 and around < links / 5


def test_a_word_that_a_link_runs_through_has_a_ground_of_its_own() -> None:
    crossed = 0
    for state in (state for seed in range(3) for state in random_game(5, seed).states):
        opens = state.open_squares()
        shapes = board_scene(state.position, legend=False, opens=opens).shapes
        last = max((n for n, shape in enumerate(shapes) if getattr(shape, "stroke", "") == "link"), default=0)
        grounds = [shape for shape in shapes[last:] if isinstance(shape, Polygon) and shape.fill == "square"]
        corners = [
            (min(x), min(y), max(x), max(y)) for x, y in (zip(*g.points, strict=True) for g in grounds)
        ]
        points = [p for s in shapes if isinstance(s, Curve) and s.stroke == "link" for p in points_of(s)]
        for square in SQUARES:
            for left, top, right, bottom in _words_spans(state.position, square, square in opens):
                if any(left <= x <= right and top <= y <= bottom for x, y in points):
                    crossed += 1
                    assert any(a < left and b < top and c > right and d > bottom for a, b, c, d in corners), (
                        state.position
                    )
    assert crossed > 2


@pytest.mark.slow
def test_no_link_runs_through_dice_on_many_boards() -> None:
    found = [check_links(level, range(100, 109)) for level in (2, 3, 4, 5)]
    assert sum(links for links, _ in found) > 400 and sum(around for _, around in found) > 10


def test_a_cancelled_square_points_at_its_target_and_is_crossed() -> None:
    scene = board_scene(play("5 5-6").state.position)
    (arrow,) = [shape for shape in scene.shapes if isinstance(shape, Curve) and shape.bent]
    assert (square_of(arrow.points[0]), square_of(arrow.points[2])) == (5, 6)
    assert arrow.dash
    assert "cancelled" in words(scene)
    assert "cancelled into square 6" in scene.description


def test_open_squares_the_view_and_observed_symbols_are_named() -> None:
    state = play("5").state
    scene = board_scene(state.position, opens=state.open_squares())
    assert "open to O" in words(scene)
    assert "classical, open to O" in scene.description
    assert "open to O" not in words(board_scene(state.position))
    assert "rotated view" in words(board_scene(play("5~").state.position))
    observed = board_scene(Position(observed="X...O...."))
    assert words(observed).count("observed") == 2
    assert "observed X, closed" in observed.description


def test_squares_found_empty_lose_their_dice() -> None:
    scene = board_scene(play("1+3").state.position, emptied=(3,))
    assert "found empty" in words(scene)
    assert (
        len([shape for shape in scene.shapes if isinstance(shape, Polygon) and shape.stroke == "die-line"])
        == 1
    )


def test_a_rotated_half_attacked_square_says_that_its_dice_do_not_show_it() -> None:
    position = play("1+3 1*2 ~4", options="view=physical").state.position
    assert position.twisted == {1, 2}
    assert "half-entangled, turned" in words(board_scene(position))
    assert "rotated although the dice do not show it" in board_scene(position).description


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("theme", Theme)
def test_every_format_is_what_it_says_and_the_same_twice(format: str, theme: Theme) -> None:
    scene = board_scene(play(EXAMPLE).state.position)
    drawn = draw(scene, format, theme)
    assert drawn == draw(scene, format, theme)
    if format == "svg":
        assert ElementTree.fromstring(drawn).tag.endswith("svg")
    elif format == "png":
        with Image.open(BytesIO(drawn)) as image:
            assert image.size == (2 * round(scene.width), 2 * round(scene.height))
    else:
        assert drawn.startswith(b"%PDF")
        assert b"CreationDate" not in drawn
        # Vector, not a picture of one.
        assert b"/Subtype /Image" not in drawn


def test_svg_describes_itself_and_escapes_its_words() -> None:
    root = ElementTree.fromstring(svg(board_scene(START, "<b>&\"'")))
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "<b>&\"'"
    inline = ElementTree.fromstring(inline_svg(board_scene(START, "<b>&\"'")))
    assert inline.get("aria-label", "").startswith("<b>&\"'. Standard view.")


def test_unknown_formats_and_empty_animations_are_refused() -> None:
    scene = board_scene(START)
    with pytest.raises(UsageError, match="cannot draw a picture as 'bmp': there are png, svg, pdf"):
        draw(scene, "bmp")
    with pytest.raises(UsageError, match="cannot animate pictures as 'pdf': there are gif, svg"):
        animate([scene], "pdf")
    with pytest.raises(UsageError, match="an animation needs a picture"):
        animate([], "gif")
    with pytest.raises(UsageError, match="an animation needs a picture"):
        animate([scene], "gif", seconds=0)


@pytest.mark.parametrize("format", ANIMATED_FORMATS)
def test_animations_hold_one_picture_a_step(format: str) -> None:
    frames = game_frames(play("1 5 9"))
    drawn = animate(frames, format)
    assert drawn == animate(frames, format)
    if format == "gif":
        with Image.open(BytesIO(drawn)) as image:
            assert getattr(image, "n_frames", 1) == 4
    else:
        root = ElementTree.fromstring(drawn)
        assert len(root.findall("{http://www.w3.org/2000/svg}g")) == 4


def test_a_strip_shows_every_event_once() -> None:
    game = play(EXAMPLE + " =p:####.#.## =r:XXOX.O.OX 5+7")
    titles = [text for text in words(game_strip(game)) if text.split(". ")[0].isdigit() and ". " in text]
    assert titles[0] == "1. X plays 5"
    assert titles[8:] == ["9. positions observed", "10. observed in rotated mode", "11. X plays 5+7"]


@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("seed", range(8))
def test_retraced_rolls_end_at_the_recorded_board(level: int, seed: int) -> None:
    game = random_game(level, seed)
    for before, event in zip(game.states, game.events, strict=False):
        if not isinstance(event, Observation | Positions):
            continue
        last = retrace(before, event)[-1].table
        if isinstance(event, Positions):
            assert last.filled == event.filled
        else:
            assert last.board == event.board
        frames = collapse_frames(before, event)
        assert len({(frame.width, frame.height) for frame in frames}) == 1
        assert words(frames[-1]).count("found empty") == sum(
            cell == "." and not before.position.is_empty(square)
            for square, cell in zip(SQUARES, str(event)[-9:], strict=True)
        )


def test_bars_show_every_road_and_sum_up_what_is_left_out() -> None:
    state = play(EXAMPLE).state
    odds = state.odds().outcomes()
    scene = bars_scene("Odds", [Series("dice", "bar-dice", odds), Series("shots", "bar-shots", {})], limit=3)
    assert words(scene).count("dice") == words(scene).count("shots") == 3
    left = sum(sorted(odds.values(), reverse=True)[3:])
    assert f"and {len(odds) - 3} more outcomes, together dice {100 * left:.2f} %" in scene.description


def test_a_circuit_shows_its_blocks_and_fades_all_but_this_move() -> None:
    compiled = compile_moves(play(EXAMPLE))
    scene = moves_scene(compiled, [1], "The circuit")
    labels = [shape for shape in scene.shapes if isinstance(shape, Text) and shape.text == "O cancels"]
    assert [shape.bold for shape in labels] == [True]
    assert "this move: O 5-6: O cancels on occ 5, sym 5, occ 6, sym 6" in scene.description
    assert scene.description.count("this move") == 1
    assert {"X 5", "O 5-6"} <= set(words(scene))


@pytest.mark.parametrize("tokens", [EXAMPLE, "1+3 1*2 9 3*4", "1+9 1-5 3 9*8"])
def test_the_boxes_of_a_circuit_cover_no_wire_that_they_do_not_touch(tokens: str) -> None:
    compiled = compile_moves(play(tokens))
    shapes = moves_scene(compiled, [1], "The circuit").shapes
    rows = {shape.text: shape.at[1] - 4 for shape in shapes if isinstance(shape, Text) and shape.at[0] < 50}
    boxes = [shape.points for shape in shapes if isinstance(shape, Polygon)]
    for block, instruction in zip(compiled.blocks, compiled.circuit.data, strict=False):
        number = compiled.blocks.index(block)
        left = sorted({points[0][0] for points in boxes})[number]
        mine = [points for points in boxes if points[0][0] == left]
        covered = {name for name, y in rows.items() if any(p[0][1] < y < p[2][1] for p in mine)}
        qubits = [compiled.circuit.find_bit(qubit).index for qubit in instruction.qubits]
        assert covered == {qubit_name(qubit) for qubit in qubits}


def test_gates_are_drawn_one_by_one_with_their_angles() -> None:
    from circuits.program import read_program

    steps = read_program(compile_moves(play("5 5*6"), measured=False).circuit).steps
    scene = gates_scene(steps, "Gates")
    assert [text for text in words(scene) if text in {"x", "ry"}] == [
        step.name for step in steps if step.name != "cx"
    ]
    assert "cx on sym 5 and sym 6" in scene.description


@pytest.mark.parametrize(
    ("angle", "text"),
    [
        (0.0, "0"),
        (np.pi, "π"),
        (-np.pi / 4, "−π/4"),
        (3 * np.pi / 4, "3π/4"),
        (1.0, "1.000"),
        (-0.5, "−0.500"),
    ],
)
def test_angles_are_written_as_parts_of_pi(angle: float, text: str) -> None:
    assert angle_text(angle) == text


def test_pictures_leave_matplotlib_alone() -> None:
    code = (
        "import sys; from qttt.game.position import START; from qttt.display.pictures.boards import "
        "board_scene\n"
        "from qttt.display.pictures import draw\n"
        "draw(board_scene(START), 'svg'); assert 'matplotlib' not in sys.modules\n"
        "draw(board_scene(START), 'pdf'); assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_lines_are_as_wide_as_the_scene_says() -> None:
    scene = Scene(40, 40, (Curve(((0, 20), (40, 20)), "ink", 4.0),), "A line")
    with Image.open(BytesIO(draw(scene, "png"))) as image:
        column = np.asarray(image.convert("L"))[:, 40]
    assert 7.5 <= float((255 - column).sum()) / (255 - column.min()) <= 8.5


def test_positions_games_moves_and_checks_show_themselves_in_notebooks() -> None:
    game = play("1+3 1-2 9")
    for shown in (
        position_svg(game.position),
        *(move_svg(event) for event in game.events if isinstance(event, Move)),
    ):
        assert ElementTree.fromstring(shown).tag.endswith("svg")
    assert "half-cancelled" in position_svg(game.position)
    assert "1-2: cancelling move" in move_svg(game.events[1])  # type: ignore[arg-type]
    html = game_html(game)
    assert "2. O plays 1-2" in html
    assert "Level 5 (Fully quantum). Standard view. O to move (1 view switch left)." in html
    report = check(game, Mode.STANDARD, get_observer(), np.random.default_rng(1), shots=500)
    table = ElementTree.fromstring(f"<div>{check_html(report)}</div>")
    assert "Everything agrees" in "".join(table.itertext())
    rows = [[cell.text for cell in row] for row in table.iter("tr")]
    assert ["3", "X", "–", "38.67 %"] in [row[:4] for row in rows]
    assert ["9", "X", "100.00 %", "100.00 %", "100.00 %"] in [row[:5] for row in rows]


def test_a_check_that_fails_says_so() -> None:
    game = play("5 5*6")
    other = play("5 5-6")
    report = check_mode(
        game, Mode.STANDARD, get_observer(), np.random.default_rng(1), moves=compile_moves(other)
    )
    assert "Something does NOT agree" in mode_check_html(report)


@pytest.mark.parametrize("token", ["5", "1+3", "~5*6", "5-6~", "~5~"])
def test_a_move_by_itself_names_its_squares(token: str) -> None:
    move = Move.parse(token)
    scene = move_scene(move)
    assert scene.title.startswith(f"{token}: {move.kind.word} move")
    frames = [shape for shape in scene.shapes if isinstance(shape, Polygon) and shape.stroke == "mark"]
    assert len(frames) == len(move.squares)
