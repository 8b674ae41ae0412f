"""``qttt dice``: what lies in every square."""

from argparse import ArgumentParser, Namespace

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_moment_flags, add_record_arguments, game_of
from qttt.cli.console.session import Session
from qttt.display.reports import dice_report, supply_report
from qttt.display.status import shown_position
from qttt.game.dice import COLOURS
from qttt.game.moves import Kind
from qttt.game.position import Position
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol


def _kind(position: Position, square: int) -> str:
    unseen = ", rotated although the dice do not show it" * (square in position.twisted)
    return position.configuration(square).word + unseen


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    parser.add_argument(
        "--supply", action="store_true", help="also the dice of a real set left in each hand and in the bank"
    )
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    game = game_of(arguments, session)
    if arguments.json:
        session.write_json(
            {**dice_report(game), **({"supply": supply_report(game)} if arguments.supply else {})}
        )
        return 0
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import draw_dice

    position, opens = shown_position(game), game.open_squares()
    table = plain_table("square", "dice", "which is", "open to", prose=2)
    for square in SQUARES:
        observed = position.is_observed(square)
        table.add_row(
            str(square),
            position.observed[square - 1] if observed else draw_dice(position.at(square), session.glyphs),
            "observed" if observed else _kind(position, square),
            opens.get(square, ""),
        )
    session.show_game(game)
    session.show("", table)
    if arguments.supply:
        left = plain_table("dice left of", "hand", "bank")
        report = supply_report(game)
        for player in Symbol:
            for colour in COLOURS:
                counts = [
                    " ".join(
                        f"{report[player][pool][colour][symbol.shape]}{session.glyphs.symbol(symbol)}"
                        for symbol in (player, player.opponent)
                        if symbol is player or game.rules.level.allows(Kind.CANCELLING)
                    )
                    for pool in ("hand", "bank")
                ]
                left.add_row(f"{player}'s {colour}", *counts)
        session.show("", left)
    return 0


COMMAND = Command(
    explanation=(
        "Shows the dice in every square: shape, colour and signed value, what they stand for together, and "
        "to whom the square is open: who could attack it were it their turn. The dice and the view say all "
        "that an observation can give, however they came about; only with view=physical have some attacked "
        "squares been rotated although their dice do not show it, and they are named. With --supply also "
        "what is left of a real set: in each hand the dice to place, in the bank those that the board adds "
        "as it adjusts itself."
    ),
    examples=("dice '5 5*6'", "dice '1+3 1-2' --level 3 --json", "dice '5 5*6' --supply"),
    add_arguments=_add_arguments,
    run=_run,
)
