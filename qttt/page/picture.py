"""What a page needs to draw a board beside the dice themselves: links, labels, words, paints."""

from typing import Any

from qttt.display.pictures.boards import board_links
from qttt.display.pictures.descriptions import describe_square
from qttt.display.pictures.palette import die_colour
from qttt.display.status import shown_position
from qttt.display.text import colour_letter
from qttt.game.game import Game
from qttt.game.squares import NAMES, SQUARES


def links_report(game: Game) -> list[dict[str, Any]]:
    """The links between squares: ``[{"kind": "entangled" | "half" | "cancelled", "squares": [1, 3]}]``."""
    return [
        {"kind": link.kind, "squares": [link.first, link.second]}
        for link in board_links(shown_position(game))
    ]


def squares_report(game: Game) -> list[dict[str, Any]]:
    """What stands in each square beside its dice.

    Args:
        game: a game at any moment.

    Returns:
        Nine of ``{"name": "middle", "label": "half here", "says": "X's red triangle 2, superposition",
        "dice": [{"paint": "x0", "letter": "R"}]}``: where the square is, the small label of the picture, the
        contents in words, and for each die the name of its colour in the palette and its letter.
    """
    position, opens = shown_position(game), game.open_squares()
    return [
        {
            "name": NAMES[square - 1],
            "label": "observed" if position.is_observed(square) else position.configuration(square).label,
            "says": describe_square(position, square, opens),
            "dice": [
                {"paint": die_colour(die), "letter": colour_letter(die.owner, die.colour)}
                for die in position.at(square)
            ],
        }
        for square in SQUARES
    ]
