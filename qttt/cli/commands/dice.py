"""``qttt dice``: what lies in every square."""

from argparse import ArgumentParser, Namespace
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_record_arguments, game_of
from qttt.cli.console.session import Session
from qttt.display.status import shown_position
from qttt.game.dice import colour_name
from qttt.game.game import Game
from qttt.game.position import Position
from qttt.game.squares import SQUARES


def dice_report(game: Game) -> dict[str, Any]:
    """The object that ``qttt dice --json`` prints.

    Args:
        game: a game at any moment. After the end the observed symbols are shown as such, also at Level 5,
            where they become dice only if the game goes on.

    Returns:
        The player to move (None after the end), the view, for each square whether it is empty, holds dice or
        an observed symbol, and to whom it is open; the observed positions while the mode is still open; and
        the squares that are rotated although their dice do not show it (option ``view=physical``).
    """
    position = shown_position(game)
    positions = game.state.positions
    return {
        "turn": None if game.over else str(game.turn),
        "view": str(position.view),
        "squares": [_square(position, square) for square in SQUARES],
        "positions": positions.filled if positions else None,
        "rotated_unseen": sorted(position.twisted),
    }


def _square(position: Position, square: int) -> dict[str, Any]:
    observed = position.is_observed(square)
    contents = position.at(square)
    open_to = position.open_to(square)
    return {
        "state": "observed" if observed else "dice" if contents else "empty",
        "symbol": position.observed[square - 1] if observed else None,
        "dice": [
            {
                "shape": die.shape.shape,
                "owner": str(die.owner),
                "colour": colour_name(die.colour),
                "value": die.value,
            }
            for die in contents
        ],
        "open_to": None if open_to is None else str(open_to),
    }


def _kind(position: Position, square: int) -> str:
    unseen = ", rotated although the dice do not show it" * (square in position.twisted)
    return position.configuration(square).value + unseen


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    game = game_of(arguments, session)
    if arguments.json:
        session.write_json(dice_report(game))
        return 0
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import draw_dice

    position = shown_position(game)
    table = plain_table("square", "dice", "which is", "open to", prose=2)
    for square in SQUARES:
        observed = position.is_observed(square)
        table.add_row(
            str(square),
            position.observed[square - 1] if observed else draw_dice(position.at(square), session.glyphs),
            "observed" if observed else _kind(position, square),
            position.open_to(square) or "",
        )
    session.show_game(game)
    session.show("", table)
    return 0


COMMAND = Command(
    explanation=(
        "Shows the dice in every square: shape, colour and signed value, what they stand for together, and "
        "which player may attack the square. The dice are the state of the game; nothing else about the "
        "past counts."
    ),
    examples=("dice '5 5*6'", "dice '1+3 1-2' --level 3 --json"),
    add_arguments=_add_arguments,
    run=_run,
)
