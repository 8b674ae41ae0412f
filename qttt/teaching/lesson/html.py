"""A lesson as one HTML page that needs nothing else: no network, no other file.

Everything that comes from a record is escaped by the template engine; the page's own script is the only one
that its content security policy lets run.
"""

from base64 import b64encode
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from qttt.display.pictures.bars import outcome_order
from qttt.display.pictures.boards import mini_board
from qttt.display.pictures.circuits import wire_names
from qttt.display.pictures.scene import Scene
from qttt.display.pictures.svg import colour_rules, inline_svg, paint_classes
from qttt.display.text import percent
from qttt.game.game import parse_event
from qttt.game.outcomes import Observation, Positions
from qttt.game.squares import SQUARES
from qttt.teaching.lesson import figures, phrases
from qttt.teaching.lesson.steps import Lesson, LessonStep


def page_environment() -> Environment:
    """What fills templates; whatever it is given is escaped."""
    return Environment(
        loader=PackageLoader("qttt.teaching.lesson"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_style(environment: Environment) -> dict[str, Markup]:
    """The style of a page and its colours, by the names that templates give them."""
    return {
        "style": Markup(colour_rules() + _source(environment, "lesson.css") + paint_classes()),
    }


def lesson_html(lesson: Lesson) -> str:
    """A lesson as a self-contained page.

    Args:
        lesson: the lesson.
    """
    environment = page_environment()
    environment.globals.update(
        figures=figures,
        phrases=phrases,
        drawn=_drawn,
        small_board=_small_board,
        short_label=_short_label,
        wire_names=wire_names,
        percent=percent,
        outcome_order=outcome_order,
    )
    script = _source(environment, "lesson.js")
    return environment.get_template("lesson.html.j2").render(
        lesson=lesson,
        script=Markup(script),
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        **page_style(environment),
    )


def _source(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _drawn(scene: Scene) -> Markup:
    # Its words are escaped where the SVG is written.
    return Markup(inline_svg(scene))


def _small_board(outcome: str) -> Markup:
    """A board as a picture of the size of a word; nothing for what is not a board."""
    if len(outcome) != len(SQUARES) or not set(outcome) <= set("XO."):
        return Markup("")
    size = 40.0
    return _drawn(Scene(size, size, tuple(mini_board(outcome, (1, 1), size - 2)), "The board", outcome))


def _short_label(step: LessonStep) -> str:
    """What a step's button says."""
    if not step.token:
        assert step.distribution is not None
        return f"now: {step.distribution.mode}"
    event = parse_event(step.token)
    if isinstance(event, Positions):
        return "positions"
    return "observed" if isinstance(event, Observation) else step.token
