"""``qttt draw``: a position, a game, an observation or its odds as a picture for slides and pages."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_flags,
    add_moment_flags,
    add_record_arguments,
    file_name,
    game_of,
    mode_of,
)
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Observation, Positions
from qttt.storage import save_file

if TYPE_CHECKING:
    from qttt.display.pictures.scene import Scene

SUBJECTS = ("board", "game", "rolls", "odds")
FORMATS = ("png", "svg", "pdf", "gif")
THEMES = ("light", "dark")


def observation_frames(game: Game) -> "list[Scene]":
    """The last observation of a game, roll by roll.

    Raises:
        UsageError: nothing has been observed in this game.
    """
    from qttt.display.pictures.games import collapse_frames

    for state, event in zip(reversed(game.states[:-1]), reversed(game.events), strict=True):
        if isinstance(event, Observation | Positions):
            return collapse_frames(state, event)
    raise UsageError("this game has no observation yet whose rolls could be drawn")


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    parser.add_argument("--out", metavar="FILE", type=file_name, required=True, help="the picture to write")
    parser.add_argument(
        "--what",
        choices=SUBJECTS,
        default=SUBJECTS[0],
        help="board: as it is now (the default); game: every event; rolls: the last observation roll by "
        "roll; odds: dice, circuit and shots side by side",
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="what to write (default: what the name in --out ends with)"
    )
    parser.add_argument(
        "--animate",
        action="store_true",
        help="an SVG of a game that moves; a GIF always does, and so do rolls",
    )
    parser.add_argument("--theme", choices=THEMES, default=THEMES[0], help="on light or dark ground")
    add_flags(parser, "--mode", "--seed")


def _run(arguments: Namespace, session: Session) -> int:
    format = _format(arguments)
    game = game_of(arguments, session, looking_back=arguments.what == "odds")
    with waiting(session, "drawing"):
        content = _picture(arguments, format, game)
    save_file(arguments.out, content)
    session.show(f"Wrote {arguments.out}.")
    return 0


def _format(arguments: Namespace) -> str:
    format = arguments.format or Path(arguments.out).suffix.lower().removeprefix(".")
    if format not in FORMATS:
        raise UsageError(
            f"--out {arguments.out}: the name must end with .{', .'.join(FORMATS[:-1])} or .{FORMATS[-1]}, "
            "or --format must say what to write"
        )
    moving = format == "gif" or arguments.animate
    if moving and arguments.what not in ("game", "rolls"):
        raise UsageError(f"--what {arguments.what} is one picture, which cannot be animated")
    if arguments.animate and format not in ("gif", "svg"):
        raise UsageError(f"a {format} cannot be animated: write a .gif or an .svg")
    if arguments.what == "rolls" and format not in ("gif", "svg"):
        raise UsageError("--what rolls is an animation: write a .gif or an .svg")
    return format


def _picture(arguments: Namespace, format: str, game: Game) -> bytes:
    from qttt.display.pictures import animate, draw
    from qttt.display.pictures.games import game_board, game_frames, game_strip
    from qttt.display.pictures.palette import Theme

    theme = Theme(arguments.theme)
    if arguments.what == "rolls":
        return animate(observation_frames(game), format, theme)
    if arguments.what == "game" and (format == "gif" or arguments.animate):
        return animate(game_frames(game), format, theme)
    if arguments.what == "game":
        return draw(game_strip(game), format, theme)
    if arguments.what == "board":
        return draw(game_board(game), format, theme)
    return draw(_odds(arguments, game), format, theme)


def _odds(arguments: Namespace, game: Game) -> "Scene":
    import numpy as np

    from qttt.crosscheck.check import DEFAULT_SHOTS
    from qttt.teaching.lesson.distributions import board_distribution
    from qttt.teaching.lesson.figures import outcome_bars

    rng = np.random.default_rng(arguments.seed)
    return outcome_bars(board_distribution(game, mode_of(arguments, game), DEFAULT_SHOTS, rng))


COMMAND = Command(
    explanation=(
        "Draws the board with its dice, a whole game as a strip or an animation, an observation roll by "
        "roll, or what an observation could give, as vector graphics (.svg, .pdf) or pixels (.png, .gif). "
        "Circuits are drawn by qttt circuit."
    ),
    examples=(
        "draw '5 5*6' --out board.svg",
        "draw game.qttt --what game --out game.gif",
        "draw game.qttt --what rolls --out rolls.svg",
        "draw '1+3 1-2' --level 4 --what odds --mode rotated --out odds.pdf",
    ),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
