"""``qttt odds``: the exact distribution of the board, if it were observed now."""

from argparse import ArgumentParser, Namespace
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_flags,
    add_moment_flags,
    add_record_arguments,
    game_of,
    mode_of,
    source_of,
)
from qttt.cli.console.session import Session
from qttt.display.status import final_board, lines_report
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.odds import Odds
from qttt.game.result import Result
from qttt.game.squares import EMPTY
from qttt.game.symbols import Mode, View
from qttt.tabletop.rolls import Rolls, roll_odds


def odds_report(
    game: Game, mode: Mode = Mode.STANDARD, rolls: Rolls = Rolls.EXACT, *, lines: bool = False
) -> dict[str, Any]:
    """The object that ``qttt odds --json`` prints.

    Args:
        game: a game at any moment. Where the positions are observed already the odds are given these; after
            the end the last board is certain.
        mode: mode of observation.
        rolls: exact odds, or those of tabletop rolls with a d6.
        lines: add the three-in-a-rows of every possible board.

    Returns:
        Level, mode, turn (None after the end), whether the board is full, the view, the probability of every
        possible board and of every result, and of X, O and nothing in each square.

    Raises:
        IllegalMoveError: the level does not have the mode.
        UsageError: d6 rolls that the options exclude.
    """
    state = game.state
    final = final_board(game)
    odds = roll_odds(state, mode, rolls) if final is None else Odds((), final)
    outcomes = odds.outcomes()
    result = dict.fromkeys(Result, 0.0)
    if game.over:
        result[game.result] = 1.0
    else:
        for board, probability in outcomes.items():
            result[state.verdict(board)] += probability
    return {
        "level": game.rules.level.number,
        "mode": str(mode),
        "turn": None if game.over else str(game.turn),
        "full": state.position.full,
        "view": str(state.position.view),
        "outcomes": outcomes,
        "result": {str(name): probability for name, probability in result.items()},
        "squares": [{"X": row["X"], "O": row["O"], "empty": row[EMPTY]} for row in odds.squares()],
        **({"lines": {board: lines_report(board) for board in outcomes}} if lines else {}),
    }


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    add_flags(parser, "--mode")
    add_flags(parser, "--rolls", help="exact odds (the default), or those of rolls with a d6")
    add_flags(
        parser,
        "--backend",
        help="beside the exact odds those on a device, from the errors that it reports; nothing is sent",
    )
    parser.add_argument("--lines", action="store_true", help="also the three-in-a-rows of every board")
    add_flags(parser, "--json")
    # What is reckoned here needs no random number, and `source_of` asks for one.
    parser.set_defaults(seed=None)


def _run(arguments: Namespace, session: Session) -> int:
    game = game_of(arguments, session, looking_back=not arguments.json)
    mode = mode_of(arguments, game)
    report = odds_report(game, mode, Rolls(arguments.rolls), lines=arguments.lines)
    if arguments.backend is not None:
        report["noisy"] = _noisy(game, mode, arguments, session)
    if arguments.json:
        session.write_json(report)
    else:
        _show(game, report, session)
    return 0


def _noisy(game: Game, mode: Mode, arguments: Namespace, session: Session) -> dict[str, Any]:
    """The odds on a device: of the possible boards, and of a possible board at all."""
    from qttt.cli.console.device_plans import find_device, progress
    from qttt.crosscheck.noise import expect_on_device

    source = source_of(arguments)
    if not source.on_device(arguments, ()):
        raise UsageError(f"{source.backend} is no device: --backend takes one here, such as fake_torino")
    if game.over:
        raise UsageError("the game has ended, and nothing is left for a device to observe (--phase last)")
    device = find_device(source.backend, source.rolls, session)
    with progress(session, device.backend.local):
        expected = expect_on_device(game, mode, device)
    return {"backend": device.name, "outcomes": expected.odds().outcomes(), "possible": expected.possible}


def _show(game: Game, report: dict[str, Any], session: Session) -> None:
    from qttt.cli.console.tables import MOST_BOARDS, board_rows, left_out, result_rows, square_rows
    from qttt.display.text import percent

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
            noisy=report["noisy"]["outcomes"] if "noisy" in report else None,
        ),
        left_out(len(report["outcomes"]), MOST_BOARDS, "likeliest"),
    )
    if "noisy" in report:
        backend, possible = report["noisy"]["backend"], report["noisy"]["possible"]
        session.show(
            f"If {backend} errs as it reports, {percent(possible)} of its shots are possible boards; the "
            "column noisy has the probabilities among these."
        )


def _heading(game: Game, mode: str) -> str:
    back = "; the view would go back to standard first" if game.state.position.view is View.ROTATED else ""
    return f"If the board were observed now, in {mode} mode{back}:"


COMMAND = Command(
    explanation=(
        "Prints the exact probability of every board, of every result and of every square's symbol, as if "
        "the board were observed now, full or not. The odds come from the dice alone, without a circuit. "
        "With --rolls d6 they are those of the roll tables, where two dice both showing 1 stand for 3 %. "
        "With --backend the odds on a device stand beside them, as its reported errors make them, and how "
        "many of its shots would be possible boards; nothing is run."
    ),
    examples=(
        "odds '5 5*6 1+3'",
        "odds '1+3 1-2' --level 3 --json",
        "odds '1+3 1-2' --level 5 --mode rotated",
        "odds game.qttt --rolls d6",
        "odds '1+3 1*2' --backend fake_mumbai",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
