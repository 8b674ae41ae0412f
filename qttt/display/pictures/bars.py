"""Distributions as bars: the same outcomes by the dice, by the circuit and by its shots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qttt.display.pictures.boards import mini_board
from qttt.display.pictures.scene import Scene, Shape, Text, rectangle
from qttt.display.text import percent

_ROW, _GAP, _BAR = 13.0, 12.0, 240.0
_LEFT = 96.0


@dataclass(frozen=True, slots=True)
class Series:
    """One road to a distribution.

    Attributes:
        name: what the bars are called, for example ``dice``.
        colour: the colour of the bars.
        values: a number from 0 to 1 for each outcome; what is missing is 0.
    """

    name: str
    colour: str
    values: Mapping[str, float]


def bars_scene(title: str, series: Sequence[Series], *, limit: int = 12) -> Scene:
    """Draw distributions side by side, the likeliest outcomes first.

    Every bar says in words whose it is and how long it is, so none has to be told by its colour.

    Args:
        title: heading of the picture.
        series: the distributions, the first of which orders the outcomes.
        limit: how many outcomes are drawn; the others are summed up in a last group.
    """
    keys = outcome_order(series)
    shown, rest = keys[:limit], keys[limit:]
    longest = max((max(one.values.get(key, 0.0) for one in series) for key in shown), default=1.0)
    scale = _BAR / max(longest, 1e-12)
    shapes: list[Shape] = [Text((8, 20), title, 14, "ink", bold=True)]
    y = 34.0
    words = []
    for key in shown:
        values = [one.values.get(key, 0.0) for one in series]
        shapes += _group(key, series, values, y, scale)
        words.append(
            f"{key}: " + ", ".join(_said(one.name, v) for one, v in zip(series, values, strict=True))
        )
        y += max(_ROW * len(series), 36.0) + _GAP
    if rest:
        sums = [sum(one.values.get(key, 0.0) for key in rest) for one in series]
        parts = ", ".join(_said(one.name, v) for one, v in zip(series, sums, strict=True))
        line = f"and {len(rest)} more outcomes, together {parts}"
        shapes.append(Text((8, y + 10), line, 10.5, "muted"))
        words.append(line)
        y += 20
    return Scene(_LEFT + 50 + _BAR + 70, y + 6, tuple(shapes), title, "; ".join(words) + ".")


def outcome_order(series: Sequence[Series]) -> list[str]:
    """All outcomes, the likeliest by the first series first, equal ones by name."""
    keys = {key for one in series for key, value in one.values.items() if value > 0}
    first = series[0].values
    return sorted(keys, key=lambda key: (-round(first.get(key, 0.0), 12), key))


def _said(name: str, value: float) -> str:
    return f"{name} {percent(value)}"


def _group(
    key: str, series: Sequence[Series], values: Sequence[float], y: float, scale: float
) -> list[Shape]:
    shapes: list[Shape] = []
    if len(key) == 9 and set(key) <= set("XO."):
        shapes += mini_board(key, (8, y), 36)
        shapes.append(Text((50, y + 14), key[:3], 9, "muted"))
        shapes.append(Text((50, y + 24), key[3:6], 9, "muted"))
        shapes.append(Text((50, y + 34), key[6:], 9, "muted"))
    else:
        shapes.append(Text((8, y + 22), key, 12, "ink"))
    for number, (one, value) in enumerate(zip(series, values, strict=True)):
        top = y + number * _ROW
        shapes.append(Text((_LEFT + 42, top + 9.5), one.name, 9, "muted", "end"))
        if value > 0:
            length = max(value * scale, 1.0)
            shapes.append(
                rectangle(_LEFT + 48, top + 1.5, length, _ROW - 3, fill=one.colour, stroke="ink", width=0.7)
            )
        shapes.append(Text((_LEFT + 54 + value * scale, top + 9.5), percent(value), 9, "ink"))
    return shapes
