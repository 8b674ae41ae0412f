"""The value of a game from event to event, as a line: choices solid, chances dashed, faults with a sign."""

from collections.abc import Sequence
from dataclasses import dataclass

from qttt.display.pictures.scene import Circle, Curve, Scene, Shape, Text, rectangle

_LEFT, _TOP, _HIGH, _STEP, _LEAST, _MOST = 64.0, 36.0, 200.0, 34.0, 260.0, 900.0
_RIGHT, _BELOW = 40.0, 64.0
_LETTER = 5.6
"""Width of a letter of the small type."""


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
    wide = max(_LEAST, step * len(points))
    shapes: list[Shape] = [
        Text((8, 20), title, 14, "ink", bold=True),
        rectangle(_LEFT, _TOP, wide, _HIGH, fill="square", stroke="faint", width=0.8),
    ]
    for value, name in ((1.0, "X wins"), (0.0, "level"), (-1.0, "O wins")):
        shapes.append(Text((_LEFT - 6, _height(value) + 3), name, 10, "muted", "end"))
        shapes.append(Curve(((_LEFT, _height(value)), (_LEFT + wide, _height(value))), "faint", 0.8))
    here = (_LEFT, _height(start))
    words, labels, level = [f"{start:+.3f} at the start"], list[Shape](), [0.0, 0.0]
    for number, point in enumerate(points, 1):
        there = (_LEFT + number * step, _height(point.value))
        shapes.append(Curve((here, there), "box-line", 1.6, (3.0, 3.0) if point.chance else ()))
        words.append(f"{point.label}{point.sign} {point.value:+.3f}")
        # A label stands in the first of two rows where it fits, or not at all.
        half = _LETTER * len(point.label) / 2
        row = next((row for row, end in enumerate(level) if there[0] - half >= end), None)
        if row is not None:
            level[row] = there[0] + half + 4
            labels.append(Text((there[0], _TOP + _HIGH + 14 + 12 * row), point.label, 9, "muted", "middle"))
        here = there
    shapes += labels
    for number, point in enumerate(points, 1):
        there = (_LEFT + number * step, _height(point.value))
        fill = "paper" if point.chance else "box-line"
        shapes.append(Circle(there, 2.8, fill, "box-line", 1.2))
        if point.sign:
            above = there[1] - 8 if there[1] > _TOP + 16 else there[1] + 16
            shapes.append(Text((there[0], above), point.sign, 11, "mark", "middle", bold=True))
    key = "full points: choices, hollow and dashed: chance; ?! inaccuracy, ? mistake, ?? blunder"
    shapes.append(Text((8, _TOP + _HIGH + 50), key, 9, "muted"))
    width = max(_LEFT + wide + _RIGHT, 8 + _LETTER * len(key) * 0.85)
    return Scene(width, _TOP + _HIGH + _BELOW, tuple(shapes), title, "; ".join(words) + ".")


def _height(value: float) -> float:
    return _TOP + _HIGH * (1 - value) / 2
