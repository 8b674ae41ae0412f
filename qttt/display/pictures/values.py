"""The value of a game from event to event, as a line: choices solid, chances dashed, faults with a sign."""

from collections.abc import Sequence
from dataclasses import dataclass

from qttt.display.pictures import routes, scene
from qttt.display.pictures.scene import Circle, Curve, Scene, Shape, Text, rectangle

_LEFT, _TOP, _HIGH, _STEP, _LEAST, _MOST = 64.0, 36.0, 200.0, 34.0, 260.0, 900.0
_RIGHT, _BELOW = 40.0, 64.0
_LETTER, _CAPITAL = 5.6, 6.8
"""Width of a letter of the small type, as a rule, and of a capital, which boards are written in."""
_SIGN = (7.0, 9.0)
"""Half the width of a sign of a fault, and its height."""


@dataclass(frozen=True, slots=True)
class Point:
    """What came of an event.

    Attributes:
        label: the event, shortly.
        value: P(X wins) − P(O wins) after it.
        sign: of a fault: ``?!``, ``?`` or ``??``; empty for none.
        chance: it was chance, and no choice.
    """

    label: str
    value: float
    sign: str = ""
    chance: bool = False


def values_scene(title: str, start: float, points: Sequence[Point]) -> Scene:
    """Draw how the value of a game went.

    Args:
        title: heading of the picture.
        start: the value before the first event.
        points: every choice and chance.
    """
    step = min(_STEP, _MOST / max(len(points), 1))
    # The last label stays below the frame.
    last = _CAPITAL * len(points[-1].label) / 2 if points else 0.0
    wide = max(_LEAST, step * len(points) + last)
    shapes: list[Shape] = [
        Text((8, 20), title, 14, "ink", bold=True),
        rectangle(_LEFT, _TOP, wide, _HIGH, fill="square", stroke="faint", width=0.8),
    ]
    for value, name in ((1.0, "X wins"), (0.0, "level"), (-1.0, "O wins")):
        shapes.append(Text((_LEFT - 6, _height(value) + 3), name, 10, "muted", "end"))
        shapes.append(Curve(((_LEFT, _height(value)), (_LEFT + wide, _height(value))), "faint", 0.8))
    way = [(_LEFT, _height(start))]
    words, labels, level = [f"{start:+.3f} at the start"], list[Shape](), [0.0, 0.0]
    for number, point in enumerate(points, 1):
        there = (_LEFT + number * step, _height(point.value))
        shapes.append(Curve((way[-1], there), "box-line", 1.6, (3.0, 3.0) if point.chance else ()))
        words.append(f"{point.label}{point.sign} {point.value:+.3f}")
        # A label stands in the first of two rows where it fits, or not at all.
        half = _LETTER * len(point.label) / 2
        row = next((row for row, end in enumerate(level) if there[0] - half >= end), None)
        if row is not None:
            level[row] = there[0] + half + 4
            labels.append(Text((there[0], _TOP + _HIGH + 14 + 12 * row), point.label, 9, "muted", "middle"))
        way.append(there)
    shapes += labels
    for number, (point, there) in enumerate(zip(points, way[1:], strict=True), 1):
        fill = "paper" if point.chance else "box-line"
        shapes.append(Circle(there, 2.8, fill, "box-line", 1.2))
        if point.sign:
            place = _beside(there, way[number - 1 : number + 2])
            shapes.append(Text(place, point.sign, 11, "mark", "middle", bold=True))
    key = "full points: choices, hollow and dashed: chance; ?! inaccuracy, ? mistake, ?? blunder"
    shapes.append(Text((8, _TOP + _HIGH + 50), key, 9, "muted"))
    width = max(_LEFT + wide + _RIGHT, 8 + _LETTER * len(key) * 0.85)
    return Scene(width, _TOP + _HIGH + _BELOW, tuple(shapes), title, "; ".join(words) + ".")


def _beside(point: scene.Point, way: Sequence[scene.Point]) -> scene.Point:
    """Where a sign stands next to its point: where neither its line nor the frame runs through it, if it can.

    Args:
        point: the point.
        way: the points between which its line runs through it.
    """
    (x, y), (half, high) = point, _SIGN
    parts = [n / 32 for n in range(33)]
    line = [(x + (to[0] - x) * part, y + (to[1] - y) * part) for to in way for part in parts]
    places = [
        (x, y - 8),
        (x, y + 8 + high),
        *((x + side * 14, y + down) for down in (0.0, high, -4.0) for side in (1, -1)),
    ]
    free = (
        place
        for place in places
        if _TOP + high <= place[1] <= _TOP + _HIGH - 2
        and not any(
            routes.within(run, (place[0] - half, place[1] - high, place[0] + half, place[1]), 1.0)
            for run in line
        )
    )
    return next(free, places[0])


def _height(value: float) -> float:
    return _TOP + _HIGH * (1 - value) / 2
