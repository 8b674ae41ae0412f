"""Positions in words: the text alternatives of the pictures."""

from collections.abc import Iterable, Mapping

from qttt.game.configurations import partner
from qttt.game.dice import Die
from qttt.game.position import Position
from qttt.game.squares import NAMES, SQUARES, lines_in
from qttt.game.symbols import Symbol


def signed(value: int) -> str:
    """A die's value with a true minus sign."""
    return str(value).replace("-", "−")


def signed_number(number: float) -> str:
    """A number with four decimals and a true minus sign."""
    return f"{number:.4f}".replace("-", "−")


_ROOTS = {1: "½", 2: "√½", 4: "1"}


def sum_words(dice: Iterable[Die]) -> str:
    """The sum of the amplitudes of some dice, in signs: ``½ − √½``."""
    first, *others = [("−" * (die.value < 0), _ROOTS[abs(die.value)]) for die in dice]
    return "".join(("".join(first), *(f" {sign or '+'} {root}" for sign, root in others)))


def describe_die(die: Die) -> str:
    """A die in words, for example ``X's red triangle 2``."""
    return f"{die.owner}'s {die.colour} {die.shape.shape} {signed(die.value)}"


def describe_square(position: Position, square: int, opens: Mapping[int, Symbol] | None = None) -> str:
    """What is in a square and what it means, without its number.

    Args:
        position: the board.
        square: 1 to 9.
        opens: the open squares and to whom they are open (``State.open_squares``).
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
    return f"{words}, open to {opens[square]}" if opens and square in opens else words


def describe_position(position: Position, opens: Mapping[int, Symbol] | None = None) -> str:
    """The whole board in words: the view, every square that is not empty, the three-in-a-rows observed.

    Args:
        position: the board.
        opens: the open squares and to whom they are open (``State.open_squares``).
    """
    parts = [
        f"{square} ({NAMES[square - 1]}): {describe_square(position, square, opens)}"
        for square in SQUARES
        if not position.is_empty(square)
    ]
    view = f"{position.view.capitalize()} view. "
    if not parts:
        return f"{view}The board is empty."
    empty = position.empty_squares
    rest = f"; empty: {', '.join(map(str, empty))}" if empty else "; no square is empty"
    lines = "".join(
        f" {symbol} has three in a row: {'-'.join(map(str, line))}."
        for symbol in Symbol
        for line in lines_in(position.observed, symbol)
    )
    return f"{view}{'; '.join(parts)}{rest}.{lines}"
