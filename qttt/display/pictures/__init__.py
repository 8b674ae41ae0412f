"""Pictures of positions, games, observations and odds: PNG, SVG, PDF, and animations as GIF or SVG.

A picture is laid out as a scene (by ``boards``, ``games``, ``bars`` or ``circuits``) and then drawn:

>>> from qttt.display.pictures.boards import board_scene
>>> from qttt.game.position import START
>>> draw(board_scene(START), "svg")[:4]
b'<svg'

The same scene gives the same bytes. Matplotlib is imported only for PNG, PDF and GIF.
"""

from collections.abc import Sequence
from typing import Final

from qttt.display.pictures.palette import Theme
from qttt.display.pictures.scene import Scene
from qttt.errors import UsageError

FORMATS: Final = ("png", "svg", "pdf")
"""What `draw` can make."""

ANIMATED_FORMATS: Final = ("gif", "svg")
"""What `animate` can make."""


def draw(scene: Scene, format: str = "svg", theme: Theme = Theme.LIGHT) -> bytes:
    """Draw a picture.

    Args:
        scene: what to draw.
        format: ``png``, ``svg`` or ``pdf``.
        theme: on light or dark ground.

    Raises:
        UsageError: an unknown format.
    """
    if format == "svg":
        from qttt.display.pictures.svg import svg

        return svg(scene, theme).encode()
    if format not in FORMATS:
        raise UsageError(f"cannot draw a picture as {format!r}: there are {', '.join(FORMATS)}")
    from qttt.display.pictures.raster import pdf, png

    return png(scene, theme) if format == "png" else pdf([scene], theme)


def animate(
    frames: Sequence[Scene], format: str = "gif", theme: Theme = Theme.LIGHT, seconds: float = 1.5
) -> bytes:
    """Draw pictures of one size that follow each other for ever.

    Args:
        frames: the pictures, one or more.
        format: ``gif`` or ``svg``.
        theme: on light or dark ground.
        seconds: how long each is shown, above 0.

    Raises:
        UsageError: an unknown format, no picture, or no time to show it.
    """
    if format not in ANIMATED_FORMATS:
        raise UsageError(f"cannot animate pictures as {format!r}: there are {', '.join(ANIMATED_FORMATS)}")
    if not frames or seconds <= 0:
        raise UsageError("an animation needs a picture, and some time to show it")
    if format == "svg":
        from qttt.display.pictures.svg import animated_svg

        return animated_svg(frames, seconds, theme).encode()
    from qttt.display.pictures.raster import gif

    return gif(frames, seconds, theme)
