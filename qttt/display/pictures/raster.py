"""Scenes drawn by Matplotlib: PNG, PDF and the frames of a GIF.

Matplotlib is imported here only, and used with settings of our own. Figures are made without pyplot, so
nothing stays open.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from circuits.matplotlibrc import own_settings
from qttt.display.pictures.palette import PALETTES, Theme
from qttt.display.pictures.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS_PER_INCH = 72
DEFAULT_SCALE = 2.0


@contextmanager
def _matplotlib() -> Iterator[None]:
    with own_settings():
        yield


def figure(scene: Scene, theme: Theme = Theme.LIGHT) -> "Figure":
    """A scene as a Matplotlib figure of its size, to be shown or put into a larger work.

    The figure belongs to the caller, whose settings of Matplotlib it is drawn with, and is unknown to pyplot.
    """
    with _matplotlib():
        from matplotlib.figure import Figure

        from qttt.display.pictures.raster_artist import SceneArtist

        palette = PALETTES[theme]
        result = Figure(
            figsize=(scene.width / POINTS_PER_INCH, scene.height / POINTS_PER_INCH),
            facecolor=palette["paper"],
        )
        result.add_artist(SceneArtist(scene, palette))
        return result


def png(scene: Scene, theme: Theme = Theme.LIGHT, scale: float = DEFAULT_SCALE) -> bytes:
    """A scene as a PNG image.

    Args:
        scene: the picture.
        theme: which colours it gets.
        scale: pixels per point.
    """
    with _matplotlib():
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        drawn = figure(scene, theme)
        drawn.set_dpi(POINTS_PER_INCH * scale)
        buffer = BytesIO()
        canvas = FigureCanvasAgg(drawn)
        names = {"Software": None, "Title": scene.title}
        canvas.print_png(buffer, metadata=names)  # type: ignore[no-untyped-call]
        return buffer.getvalue()


def pdf(scenes: Sequence[Scene], theme: Theme = Theme.LIGHT, title: str = "") -> bytes:
    """Scenes as a vector PDF, one a page, each page of its picture's size.

    Args:
        scenes: the pictures, one or more.
        theme: which colours they get.
        title: of the document; the first scene's if empty.
    """
    buffer = BytesIO()
    # No dates and no program names: the same pictures give the same bytes.
    names = {"Title": title or scenes[0].title}
    nothing = {"Creator": None, "Producer": None, "CreationDate": None, "ModDate": None}
    with _matplotlib():
        from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages

        with PdfPages(buffer, metadata={**names, **nothing}) as pages:
            for scene in scenes:
                drawn = figure(scene, theme)
                drawn.set_dpi(POINTS_PER_INCH)
                FigureCanvasPdf(drawn).print_pdf(pages)  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def gif(frames: Sequence[Scene], seconds: float, theme: Theme = Theme.LIGHT) -> bytes:
    """Scenes of one size as an animated GIF that repeats for ever.

    Args:
        frames: the pictures, one or more.
        seconds: how long each is shown; the last stays three times as long.
        theme: which colours they get.
    """
    from PIL import Image

    images = [
        Image.open(BytesIO(png(frame, theme, scale=1.0)))
        .convert("RGB")
        .quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        for frame in frames
    ]
    times = [round(seconds * 1000)] * (len(images) - 1) + [round(seconds * 3000)]
    buffer = BytesIO()
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, disposal=1)
    return buffer.getvalue()
