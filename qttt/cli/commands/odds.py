"""``qttt odds``: the exact distribution of the board, if it were observed now."""

from argparse import ArgumentParser, Namespace
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_moment_flags, add_record_arguments, game_of, mode_of
from qttt.cli.console.session import Session
from qttt.display.reports import odds_report
from qttt.game.game import Game
from qttt.game.symbols import View
from qttt.tabletop.rolls import Rolls


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    add_flags(parser, "--mode")
    add_flags(parser, "--rolls", help="exact odds (the default), or those of rolls with a d6")
    parser.add_argument("--lines", action="store_true", help="also the three-in-a-rows of every board")
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    game = game_of(arguments, session, looking_back=not arguments.json)
    report = odds_report(game, mode_of(arguments, game), Rolls(arguments.rolls), lines=arguments.lines)
    if arguments.json:
        session.write_json(report)
    else:
        _show(game, report, session)
    return 0


def _show(game: Game, report: dict[str, Any], session: Session) -> None:
    from qttt.cli.console.tables import MOST_BOARDS, board_rows, left_out, result_rows, square_rows

    session.show_game(game)
    session.show(
        "",
        "The final board:" if game.over else _heading(game, report["mode"]),
        "",
        result_rows(report["result"], session.glyphs, session.columns),
        "",
        square_rows(report["squares"]),
        "",
        board_rows(
            report["outcomes"],
            {board: game.state.verdict(board) for board in report["outcomes"]},
            MOST_BOARDS,
            lines="lines" in report,
        ),
        left_out(len(report["outcomes"]), MOST_BOARDS, "likeliest"),
    )


def _heading(game: Game, mode: str) -> str:
    back = "; the view would go back to standard first" if game.state.position.view is View.ROTATED else ""
    return f"If the board were observed now, in {mode} mode{back}:"


COMMAND = Command(
    explanation=(
        "Prints the exact probability of every board, of every result and of every square's symbol, as if "
        "the board were observed now, full or not. The odds come from the dice alone, without a circuit. "
        "With --rolls d6 they are those of the roll tables, where two dice both showing 1 stand for 3 %."
    ),
    examples=(
        "odds '5 5*6 1+3'",
        "odds '1+3 1-2' --level 3 --json",
        "odds '1+3 1-2' --level 5 --mode rotated",
        "odds game.qttt --rolls d6",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
