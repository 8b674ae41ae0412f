"""A benchmark of chips as one HTML page that needs nothing else."""

from collections.abc import Sequence

from markupsafe import Markup

from qttt.crosscheck.bench import REPEATS, DeviceResult
from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.scene import Circle, Curve, Scene, Shape, Text, rectangle
from qttt.display.pictures.svg import inline_svg
from qttt.display.text import percent
from qttt.game.game import Game
from qttt.game.symbols import Symbol
from qttt.teaching.lesson.html import page_environment, page_style

_ROW, _LEFT, _WIDE = 22.0, 150.0, 420.0


def scores_scene(results: Sequence[DeviceResult]) -> Scene:
    """The scores of devices as bars with their intervals; a ring where the reported errors predict them.

    Args:
        results: of each device, in the order in which they are drawn.
    """
    title = "Score, its interval, and a ring at what is predicted"
    shapes: list[Shape] = [Text((8, 20), title, 13, "ink", bold=True)]
    words = []
    y = 36.0
    for result in results:
        low, high = (_LEFT + _WIDE * end / 100 for end in result.score_interval)
        length, middle = _WIDE * result.score / 100, y + _ROW / 2
        shapes += [
            Text((_LEFT - 8, middle + 4), result.backend, 11, "ink", "end"),
            rectangle(_LEFT, y + 4, max(length, 0.5), _ROW - 8, fill="bar-circuit"),
            Curve(((low, middle), (high, middle)), "ink", 1.6),
            *(Curve(((end, middle - 4), (end, middle + 4)), "ink", 1.6) for end in (low, high)),
            Text((_LEFT + _WIDE + 10, middle + 4), f"{result.score:.1f}", 11, "ink"),
        ]
        predicted = result.predicted_score
        if predicted is not None:
            shapes.append(Circle((_LEFT + _WIDE * predicted / 100, middle), 4, None, "ink", 1.4))
        said = "unknown" if predicted is None else f"{predicted:.1f}"
        words.append(f"{result.backend}: {result.score:.1f}, predicted {said}")
        y += _ROW
    return Scene(_LEFT + _WIDE + 60, y + 10, tuple(shapes), title, "; ".join(words) + ".")


def bench_html(results: Sequence[DeviceResult], shots: int) -> str:
    """A benchmark as a self-contained page.

    Args:
        results: of each device, the best first.
        shots: of each observation.
    """
    boards = []
    trials = [trial for result in results for trial in result.runs]
    for level, first, record in dict.fromkeys((one.level, one.first, one.record) for one in trials):
        game = Game(level, first=Symbol(first))
        game.play(record)
        scene = board_scene(game.state.position, record, legend=False)
        boards.append((record, level, Markup(inline_svg(scene))))
    environment = page_environment()
    return environment.get_template("bench.html.j2").render(
        devices=[result.to_json() for result in results],
        boards=boards,
        numbers={record: number for number, (record, _, _) in enumerate(boards, 1)},
        repeats=REPEATS,
        shots=f"{shots:,}",
        # Its words are escaped where the SVG is written.
        graph=Markup(inline_svg(scores_scene(results))),
        percent=percent,
        **page_style(environment),
    )
