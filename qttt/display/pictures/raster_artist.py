"""A whole scene as one Matplotlib artist: it hands its shapes straight to the renderer.

An artist for every shape, as Matplotlib's own patches are, would take five times as long.
"""

from collections.abc import Mapping
from typing import Any, Final

from matplotlib.artist import Artist
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from qttt.display.pictures.scene import Circle, Curve, Scene, Shape, Text

FONT: Final = "DejaVu Sans"
_POINTS_PER_INCH: Final = 72


class SceneArtist(Artist):
    """Draws a scene onto the whole figure, its top left corner in that of the figure."""

    def __init__(self, scene: Scene, palette: Mapping[str, str]) -> None:
        """Take what to draw, and the colours that its names stand for."""
        super().__init__()
        self.scene = scene
        self.palette = palette
        self.set_zorder(1)

    def draw(self, renderer: RendererBase) -> None:
        """Draw every shape, in order."""
        assert self.figure is not None
        scale = self.figure.dpi / _POINTS_PER_INCH
        height = self.figure.bbox.height
        transform = Affine2D().scale(scale, -scale).translate(0, height)
        for shape in self.scene.shapes:
            context = renderer.new_gc()
            context.set_antialiased(True)
            if isinstance(shape, Text):
                self._write(renderer, context, shape, scale, height)
            else:
                self._outline(renderer, context, shape, transform)
            context.restore()
        self.stale = False

    def _write(
        self, renderer: RendererBase, context: GraphicsContextBase, text: Text, scale: float, height: float
    ) -> None:
        font = FontProperties(family=FONT, size=text.size, weight="bold" if text.bold else "normal")
        width, _, _ = renderer.get_text_width_height_descent(text.text, font, False)
        x = text.at[0] * scale - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
        y = text.at[1] * scale if renderer.flipy() else height - text.at[1] * scale
        context.set_foreground(self.palette[text.fill])
        renderer.draw_text(context, x, y, text.text, font, 0)

    def _outline(
        self,
        renderer: RendererBase,
        context: GraphicsContextBase,
        shape: Shape,
        transform: Affine2D,
    ) -> None:
        assert not isinstance(shape, Text)
        line = shape.stroke
        # In points: the renderer makes them pixels.
        context.set_linewidth(shape.width if line else 0)
        if line:
            context.set_foreground(self.palette[line])
        if isinstance(shape, Curve):
            context.set_capstyle("butt")
            if shape.dash:
                context.set_dashes(0, list(shape.dash))
            renderer.draw_path(context, _path(shape), transform, None)
            return
        context.set_joinstyle("round")
        face: Any = to_rgba(self.palette[shape.fill]) if shape.fill else None
        renderer.draw_path(context, _path(shape), transform, face)


def _path(shape: Shape) -> Path:
    if isinstance(shape, Circle):
        return Path.circle(shape.centre, shape.radius)
    assert not isinstance(shape, Text)
    points = list(shape.points)
    if isinstance(shape, Curve):
        middle = Path.CURVE3 if shape.bent else Path.LINETO
        return Path(points, [Path.MOVETO] + [middle] * (len(points) - 1))
    return Path([*points, points[0]], closed=True)
