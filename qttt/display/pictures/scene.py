"""A picture as a list of shapes, before anything draws it.

Every picture of the game is laid out once, as a `Scene`; `svg` writes it as text and `raster` draws it with
Matplotlib, so all formats show the same. Lengths are points (1/72 inch), x to the right and y downwards.
Colours are names of `qttt.display.pictures.palette`: the theme that gives them a value is chosen when
drawing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed outline.

    Attributes:
        points: its corners.
        fill: colour of the inside, None for a hollow one.
        stroke: colour of the outline, None for none.
        width: of the outline.
    """

    points: tuple[Point, ...]
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0

    def placed(self, x: float, y: float, scale: float) -> "Polygon":
        """The shape scaled about the origin and then moved."""
        return replace(self, points=_moved(self.points, x, y, scale), width=self.width * scale)


@dataclass(frozen=True, slots=True)
class Curve:
    """An open line through two or more points; with three it may be bent.

    Attributes:
        points: the points; if `bent`, the start, the control point of a quadratic curve, and the end.
        stroke: its colour.
        width: its width.
        dash: lengths of strokes and gaps in turn, empty for a solid line.
        bent: the three points are a quadratic curve.
    """

    points: tuple[Point, ...]
    stroke: str
    width: float = 1.0
    dash: tuple[float, ...] = ()
    bent: bool = False

    def placed(self, x: float, y: float, scale: float) -> "Curve":
        """The shape scaled about the origin and then moved."""
        return replace(
            self,
            points=_moved(self.points, x, y, scale),
            width=self.width * scale,
            dash=tuple(length * scale for length in self.dash),
        )


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle.

    Attributes:
        centre: its middle.
        radius: its radius.
        fill: colour of the inside, None for a hollow one.
        stroke: colour of the outline, None for none.
        width: of the outline.
    """

    centre: Point
    radius: float
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0

    def placed(self, x: float, y: float, scale: float) -> "Circle":
        """The shape scaled about the origin and then moved."""
        (centre,) = _moved((self.centre,), x, y, scale)
        return replace(self, centre=centre, radius=self.radius * scale, width=self.width * scale)


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text.

    Attributes:
        at: the end of the baseline that `anchor` names.
        text: what it says.
        size: of the letters.
        fill: its colour.
        anchor: ``start``, ``middle`` or ``end``: which part of the text is at the point.
        bold: in bold type.
    """

    at: Point
    text: str
    size: float
    fill: str = "ink"
    anchor: str = "start"
    bold: bool = False

    def placed(self, x: float, y: float, scale: float) -> "Text":
        """The shape scaled about the origin and then moved."""
        (at,) = _moved((self.at,), x, y, scale)
        return replace(self, at=at, size=self.size * scale)


Shape = Polygon | Curve | Circle | Text


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture: shapes in the order in which they are drawn.

    Attributes:
        width: of the whole picture.
        height: of the whole picture.
        shapes: what is in it.
        title: a short name for it.
        description: what it shows, in words, for those who cannot see it.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    description: str = ""

    def placed(self, x: float, y: float, scale: float = 1.0) -> tuple[Shape, ...]:
        """Its shapes scaled and moved, as part of a larger picture."""
        return tuple(shape.placed(x, y, scale) for shape in self.shapes)


def rectangle(
    left: float,
    top: float,
    wide: float,
    high: float,
    *,
    fill: str | None = None,
    stroke: str | None = None,
    width: float = 1.0,
) -> Polygon:
    """An upright rectangle from its top left corner, width and height; `width` is the outline's."""
    right, bottom = left + wide, top + high
    return Polygon(((left, top), (right, top), (right, bottom), (left, bottom)), fill, stroke, width)


def beside(scenes: Iterable[Scene], gap: float, title: str, description: str = "") -> Scene:
    """Scenes next to each other, their tops aligned."""
    x, height = 0.0, 0.0
    shapes: list[Shape] = []
    for scene in scenes:
        shapes += scene.placed(x, 0)
        x += scene.width + gap
        height = max(height, scene.height)
    return Scene(max(x - gap, 0.0), height, tuple(shapes), title, description)


def stacked(scenes: Iterable[Scene], gap: float, title: str, description: str = "") -> Scene:
    """Scenes below each other, their left edges aligned."""
    y, width = 0.0, 0.0
    shapes: list[Shape] = []
    for scene in scenes:
        shapes += scene.placed(0, y)
        y += scene.height + gap
        width = max(width, scene.width)
    return Scene(width, max(y - gap, 0.0), tuple(shapes), title, description)


def _moved(points: tuple[Point, ...], x: float, y: float, scale: float) -> tuple[Point, ...]:
    return tuple((x + scale * px, y + scale * py) for px, py in points)
