"""Positions in words: the text alternatives of the pictures."""

from qttt.game.configurations import partner
from qttt.game.dice import Die, colour_name
from qttt.game.position import Position
from qttt.game.squares import NAMES, SQUARES
from qttt.game.symbols import Symbol


def signed(value: int) -> str:
    """A die's value with a true minus sign."""
    return str(value).replace("-", "−")


def describe_die(die: Die) -> str:
    """A die in words, for example ``X's red triangle 2``."""
    return f"{die.owner}'s {colour_name(die.colour)} {die.shape.shape} {signed(die.value)}"


def describe_square(position: Position, square: int, *, opens: bool = True) -> str:
    """What is in a square and what it means, without its number.

    Args:
        position: the board.
        square: 1 to 9.
        opens: say to whom the square is open, if to anybody.
    """
    if position.is_observed(square):
        return f"observed {position.observed[square - 1]}, closed"
    contents = position.at(square)
    if not contents:
        return "empty"
    kind = position.configuration(square)
    words = " and ".join(describe_die(die) for die in contents) + f", {kind.word}"
    if len(contents) == 2 and contents[0].piece != contents[1].piece:
        other = partner(position.dice, square)
        if other is not None and kind.link:
            words += f" {kind.link} square {other}"
    if square in position.twisted:
        words += ", rotated although the dice do not show it"
    open_to = position.open_to(square)
    return f"{words}, open to {open_to}" if opens and open_to else words


def describe_position(position: Position, *, opens: bool = True) -> str:
    """The whole board in words: the view, then every square that is not empty.

    Args:
        position: the board.
        opens: say which squares are open, and to whom.
    """
    parts = [
        f"{square} ({NAMES[square - 1]}): {describe_square(position, square, opens=opens)}"
        for square in SQUARES
        if not position.is_empty(square)
    ]
    view = f"{position.view.capitalize()} view. "
    if not parts:
        return f"{view}The board is empty."
    empty = position.empty_squares
    rest = f"; empty: {', '.join(map(str, empty))}" if empty else "; no square is empty"
    return f"{view}{'; '.join(parts)}{rest}."


def open_squares(position: Position) -> dict[Symbol, tuple[int, ...]]:
    """The squares that each player may attack."""
    return {player: position.open_squares(player) for player in Symbol}
