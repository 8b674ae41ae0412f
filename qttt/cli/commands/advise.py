"""``qttt advise``: the value of every choice, the best one, and why."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_flags,
    add_moment_flags,
    add_record_arguments,
    game_of,
    whole_number,
)
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.game.game import Game

if TYPE_CHECKING:
    from qttt.players.advice import Advice

_SHOWN = 10


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    parser.add_argument(
        "--top",
        metavar="N",
        type=whole_number(1, 1000),
        help=f"how many choices to list (default: {_SHOWN}, with --json all)",
    )
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.players.advice import advise
    from qttt.players.reports import advice_report

    game = game_of(arguments, session)
    with waiting(session, "thinking"):
        advice = advise(game)
    if arguments.json:
        session.write_json(advice_report(game, advice, arguments.top))
    else:
        _show(game, advice, arguments.top or _SHOWN, session)
    return 0


def _show(game: Game, advice: "Advice", top: int, session: Session) -> None:
    from qttt.cli.console.tables import plain_table
    from qttt.display.status import describe_game, shown_position
    from qttt.display.text import percent

    session.show(describe_game(game), session.board(shown_position(game), positions=game.state.positions), "")
    value = advice.value
    session.show(
        f"Best play by both gives X {percent(value.x).strip()}, a tie {percent(value.tie).strip()}, "
        f"O {percent(value.o).strip()} ({advice.how}).",
    )
    if not advice.choices:
        return
    table = plain_table("", "choice", ">value", ">X", ">tie", ">O")
    for place, (choice, worth) in enumerate(advice.choices[:top]):
        cells = (percent(worth.x), percent(worth.tie), percent(worth.o))
        table.add_row("" if place else "best", str(choice), f"{worth.value:+.4f}", *cells)
    session.show("", table)
    if len(advice.choices) > top:
        session.show(f"{len(advice.choices)} choices in all; --top N shows more.")
    session.show("", f"{advice.choices[0][0]}: {advice.why}")


COMMAND = Command(
    explanation=(
        "Prints what every legal choice is worth with best play by both, best first, with the probabilities "
        "of X, a tie and O, and says why the best one is good. The value is P(X wins) - P(O wins). It is "
        "exact where the level is solved; else it is the estimate of a search whose depth is said. With the "
        "positions of an observation known (=p:...), the choices are the two modes."
    ),
    examples=(
        "advise '5 5*6'",
        "advise '5 5*6' --top 3 --json",
        "advise '1+3' --options quantum-only",
        "advise game.qttt",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
