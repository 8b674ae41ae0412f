"""How positions, games, moves and checks are shown in notebooks.

IPython is told by the names of their types, so that the values know nothing of pictures.
"""

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, assert_never

from qttt.display.pictures.boards import CELL, MARGIN, board_scene, centre, corner
from qttt.display.pictures.games import game_strip
from qttt.display.pictures.scene import Circle, Curve, Scene, Shape, Text, rectangle
from qttt.display.pictures.svg import svg
from qttt.display.status import describe_game
from qttt.display.text import percent, small
from qttt.game.game import Game
from qttt.game.moves import Kind, Move
from qttt.game.position import Position
from qttt.game.squares import SQUARES

if TYPE_CHECKING:
    from qttt.crosscheck.report import CheckReport, ModeCheck


def position_svg(position: Position) -> str:
    """A position as a picture."""
    return svg(board_scene(position))


def game_html(game: Game) -> str:
    """A game as a strip of its boards, with one sentence on how it stands."""
    return f"<div>{svg(game_strip(game))}<p>{escape(describe_game(game))}</p></div>"


def move_svg(move: Move) -> str:
    """A move as a small board that says what happens in its squares."""
    return svg(move_scene(move))


def move_scene(move: Move) -> Scene:
    """Draw a move by itself: which squares it is about, and what it does there.

    Whose move it is, and what it meets, is not known to a move; a position shows that.
    """
    words: tuple[str, ...] = ("invaded", "spread into")
    if not move.kind.attacks:
        words = (f"a die of {4 // move.kind.fills}",) * move.kind.fills
    shapes: list[Shape] = []
    for square in SQUARES:
        x, y = corner(square)
        shapes.append(rectangle(x, y, CELL, CELL, fill="square", stroke="muted", width=1.2))
        shapes.append(Text((x + 8, y + 16), str(square), 11, "muted"))
    if len(move.squares) == 2:
        start, end = map(centre, move.squares)
        shapes.append(Curve((start, end), "link", 3.0, _dashes(move.kind)))
    for square, said in zip(move.squares, words, strict=True):
        x, y = corner(square)
        shapes.append(rectangle(x + 3, y + 3, CELL - 6, CELL - 6, stroke="mark", width=3))
        shapes.append(Circle(centre(square), 7, fill="link"))
        shapes.append(Text((x + CELL / 2, y + CELL - 14), said, 13, "ink", "middle"))
    side = 2 * MARGIN + 3 * CELL
    switches = {
        0: "",
        1: f", view switched {'before' if move.before else 'after'}",
        2: ", view switched twice",
    }
    title = f"{move}: {move.kind.word} move{switches[move.switches]}"
    shapes.append(Text((MARGIN, side + 12), title, 14, "ink", bold=True))
    described = ", ".join(f"{square} {said}" for square, said in zip(move.squares, words, strict=True))
    whole = Scene(side, side + 22, tuple(shapes), title, described)
    return Scene(side / 2, side / 2 + 11, whole.placed(0, 0, 0.5), title, described)


def _dashes(kind: Kind) -> tuple[float, ...]:
    """How the line between a move's squares is broken, so that the kinds can be told apart."""
    match kind:
        case Kind.CLASSICAL | Kind.ENTANGLING:
            return ()
        case Kind.SUPERPOSITION:
            return (2.0, 4.0)
        case Kind.CANCELLING:
            return (9.0, 5.0)
        case _:
            assert_never(kind)


def check_html(report: "CheckReport") -> str:
    """A cross-check, for each mode a verdict and a table of its squares."""
    return "".join(map(mode_check_html, report.modes))


def mode_check_html(report: "ModeCheck") -> str:
    """A cross-check of one mode as a verdict and a table of its squares."""
    verdict = {True: "Everything agrees", False: "Something does NOT agree", None: "Nothing can be said"}
    sample = report.sample
    lines = [
        f"<p><strong>{verdict[report.ok]}</strong> ({escape(report.backend)}, {report.mode} mode): "
        f"{sample.kept} of {sample.shots} shots count, p-value {report.p_value:.3f}, "
        f"distance of the shots {report.sampled_tvd:.4f}.</p>",
        "<table><thead><tr><th>exact distance</th><th>of</th></tr></thead><tbody>",
        *(
            f"<tr><td>{escape(small(distance))}</td><td>{escape(pair.replace('-', ' and '))}</td></tr>"
            for pair, distance in report.distances.items()
        ),
        "</tbody></table>",
        "<table><thead><tr><th>square</th><th>symbol</th><th>dice values</th><th>exact</th>"
        "<th>measured</th><th>99 % interval</th></tr></thead><tbody>",
    ]
    for row in report.squares:
        dice = "–" if row.dice is None else percent(row.dice)
        lines.append(
            f"<tr><td>{row.square}</td><td>{row.symbol}</td><td>{dice}</td><td>{percent(row.exact)}</td>"
            f"<td>{percent(row.measured)}</td><td>{percent(row.low)} – {percent(row.high)}</td></tr>"
        )
    if report.impossible:
        boards = ", ".join(f"{board} ({count})" for board, count in report.impossible.items())
        lines.append(f"<tr><td colspan='6'>impossible boards: {boards}</td></tr>")
    return "".join([*lines, "</tbody></table>"])


#: For each type, by the module that defines it and its name, how it is shown and as what.
DISPLAYS: dict[tuple[str, str], tuple[str, Callable[[Any], str]]] = {
    ("qttt.game.position", "Position"): ("image/svg+xml", position_svg),
    ("qttt.game.game", "Game"): ("text/html", game_html),
    ("qttt.game.moves", "Move"): ("image/svg+xml", move_svg),
    ("qttt.crosscheck.report", "CheckReport"): ("text/html", check_html),
    ("qttt.crosscheck.report", "ModeCheck"): ("text/html", mode_check_html),
}


def register(shell: Any) -> None:
    """Have an IPython shell show these types."""
    for (module, name), (mime, display) in DISPLAYS.items():
        shell.display_formatter.formatters[mime].for_type_by_name(module, name, display)
