"""The graph of a game's value: signs that its line does not cross, labels inside the frame."""

from random import Random

import pytest

from qttt.display.pictures.scene import Circle, Curve, Polygon, Text
from qttt.display.pictures.values import Point, values_scene


@pytest.mark.parametrize("seed", range(20))
def test_no_line_runs_through_a_sign_and_no_label_out_of_the_frame(seed: int) -> None:
    rng = Random(seed)
    signs = ["", "?!", "?", "??"]
    points = [Point("=XOXOXOXOX", rng.uniform(-1, 1), rng.choice(signs)) for _ in range(rng.randrange(1, 25))]
    scene = values_scene("A game", rng.uniform(-1, 1), points)
    frame = next(shape for shape in scene.shapes if isinstance(shape, Polygon))
    right = max(x for x, _ in frame.points)
    lines = [
        shape.points for shape in scene.shapes if isinstance(shape, Curve) and shape.stroke == "box-line"
    ]
    assert len(lines) == sum(isinstance(shape, Circle) for shape in scene.shapes) == len(points)
    for shape in scene.shapes:
        if isinstance(shape, Text) and shape.text.startswith("="):
            assert shape.at[0] + 6.4 * len(shape.text) / 2 <= right + 0.5
        if isinstance(shape, Text) and shape.text in signs[1:]:
            (x, y), half = shape.at, 3.3 * len(shape.text)
            crossed = [
                (start, end)
                for start, end in lines
                for n in range(201)
                if abs(start[0] + (end[0] - start[0]) * n / 200 - x) < half
                and y - 8 < start[1] + (end[1] - start[1]) * n / 200 < y
            ]
            assert not crossed, shape
