"""A game looked back on as a picture, and as one HTML page that needs nothing else."""

from markupsafe import Markup

from qttt.display.pictures.scene import Scene
from qttt.display.pictures.svg import inline_svg
from qttt.display.pictures.values import Point, values_scene
from qttt.display.text import percent
from qttt.players.review import Review, scale_words
from qttt.teaching.lesson.html import page_environment, page_style
from qttt.teaching.lesson.phrases import signed_value

SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
"""How faults are marked in a picture, as in chess."""


def review_scene(looked_back: Review, title: str) -> Scene:
    """The value of a game from event to event.

    Args:
        looked_back: the review.
        title: heading of the picture.
    """
    points = [
        Point(entry.words, entry.after, SIGNS.get(entry.mark or "", ""), entry.player is None)
        for entry in looked_back.entries
    ]
    return values_scene(title, looked_back.start, points)


def review_html(looked_back: Review, title: str, standing: str, record: str) -> str:
    """A review as a self-contained page.

    Args:
        looked_back: the review.
        title: of the page.
        standing: how the game stands or ended, in a sentence.
        record: the game in notation.
    """
    environment = page_environment()
    return environment.get_template("review.html.j2").render(
        review=looked_back,
        title=title,
        standing=standing,
        record=record,
        # Its words are escaped where the SVG is written.
        graph=Markup(inline_svg(review_scene(looked_back, "The value of the game"))),
        scale=scale_words(),
        percent=percent,
        signed=signed_value,
        **page_style(environment),
    )
