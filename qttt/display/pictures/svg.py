"""Scenes as SVG text: small, the same bytes every time, with text as text and a description inside."""

from collections.abc import Callable, Sequence
from html import escape

from qttt.display.pictures.palette import PALETTES, Theme
from qttt.display.pictures.scene import Circle, Curve, Polygon, Scene, Shape, Text

FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
#: How a colour name is written on a shape, given the property (``fill`` or ``stroke``).
Paint = Callable[[str, str], str]


def svg(scene: Scene, theme: Theme = Theme.LIGHT) -> str:
    """A scene as an SVG document.

    Args:
        scene: the picture.
        theme: which colours it gets.
    """
    paint = _paint_of(theme)
    background = f'<rect width="100%" height="100%" fill="{PALETTES[theme]["paper"]}"/>'
    return _document(scene, background + shapes_svg(scene.shapes, paint))


def inline_svg(scene: Scene) -> str:
    """A scene as an element of an HTML page that has the rules of `colour_rules` and `paint_classes`."""
    return (
        f'<svg class="picture" role="img" aria-label="{_label(scene)}" '
        f'viewBox="0 0 {_number(scene.width)} {_number(scene.height)}" '
        f'width="{_number(scene.width)}" height="{_number(scene.height)}">'
        + shapes_svg(scene.shapes, _class_paint)
        + "</svg>"
    )


def animated_svg(frames: Sequence[Scene], seconds: float, theme: Theme = Theme.LIGHT) -> str:
    """Scenes of one size shown in turn, for ever, as one SVG document that needs no script.

    Args:
        frames: the pictures, one or more.
        seconds: how long each is shown.
        theme: which colours they get.
    """
    paint = _paint_of(theme)
    parts = [f'<rect width="100%" height="100%" fill="{PALETTES[theme]["paper"]}"/>']
    count = len(frames)
    for number, frame in enumerate(frames):
        # Without animation support the last picture stays visible.
        still = "visible" if number == count - 1 else "hidden"
        times = [0.0, number / count, (number + 1) / count]
        values = ["hidden", "visible", "hidden"]
        if number == 0:
            times, values = times[1:], values[1:]
        if number == count - 1:
            times, values = times[:-1], values[:-1]
        animation = (
            '<animate attributeName="visibility" calcMode="discrete" '
            f'values="{";".join(values)}" keyTimes="{";".join(f"{time:.6g}" for time in times)}" '
            f'dur="{_number(seconds * count)}s" repeatCount="indefinite"/>'
            if count > 1
            else ""
        )
        parts.append(f'<g visibility="{still}">{animation}{shapes_svg(frame.shapes, paint)}</g>')
    return _document(frames[-1], "".join(parts))


def shapes_svg(shapes: Sequence[Shape], paint: Paint) -> str:
    """Shapes as SVG elements."""
    return "".join(_element(shape, paint) for shape in shapes)


def colour_rules() -> str:
    """CSS rules that define the colours, ``--x0:#…;``, by the system's choice of light or dark.

    An attribute ``data-theme`` of the root element goes before the system; paper is light.
    """
    light, dark = (
        "".join(f"--{name}:{value};" for name, value in PALETTES[theme].items())
        for theme in (Theme.LIGHT, Theme.DARK)
    )
    return (
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme: dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{light}}}}}\n"
    )


def paint_classes() -> str:
    """CSS rules that give the classes of `inline_svg` their colours."""
    return "".join(
        f".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}" for name in PALETTES[Theme.LIGHT]
    )


def _document(scene: Scene, content: str) -> str:
    width, height = _number(scene.width), _number(scene.height)
    description = f"<desc>{escape(scene.description)}</desc>" if scene.description else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>{escape(scene.title)}</title>{description}{content}</svg>\n'
    )


def _label(scene: Scene) -> str:
    return escape(f"{scene.title}. {scene.description}" if scene.description else scene.title)


def _paint_of(theme: Theme) -> Paint:
    palette = PALETTES[theme]
    return lambda kind, name: f' {kind}="{palette[name]}"'


def _class_paint(kind: str, name: str) -> str:
    return f' class="{kind[0]}-{name}"'


def _element(shape: Shape, paint: Paint) -> str:
    if isinstance(shape, Text):
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        weight = ' font-weight="bold"' if shape.bold else ""
        return (
            f'<text x="{_number(shape.at[0])}" y="{_number(shape.at[1])}" font-size="{_number(shape.size)}" '
            f'font-family="{FONTS}"{anchor}{weight}{paint("fill", shape.fill)}>{escape(shape.text)}</text>'
        )
    if isinstance(shape, Curve):
        first, *rest = (f"{_number(x)} {_number(y)}" for x, y in shape.points)
        path = f"M{first}{'Q' if shape.bent else 'L'}{' '.join(rest)}"
        dash = f' stroke-dasharray="{" ".join(map(_number, shape.dash))}"' if shape.dash else ""
        look = f' stroke-width="{_number(shape.width)}"{dash}'
        return f'<path d="{path}" fill="none"{look}{paint("stroke", shape.stroke)}/>'
    look = _inside(shape, paint)
    if isinstance(shape, Circle):
        x, y = shape.centre
        return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(shape.radius)}"{look}/>'
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
    return f'<polygon points="{points}" stroke-linejoin="round"{look}/>'


def _inside(shape: Polygon | Circle, paint: Paint) -> str:
    """Fill and outline; classes of both go in one attribute."""
    fill = paint("fill", shape.fill) if shape.fill else ' fill="none"'
    if not shape.stroke:
        return fill
    line = paint("stroke", shape.stroke)
    if shape.fill and fill.startswith(" class=") and line.startswith(" class="):
        return f'{fill[:-1]} {line[len(" class=") + 1 :]} stroke-width="{_number(shape.width)}"'
    return f'{fill}{line} stroke-width="{_number(shape.width)}"'


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text
