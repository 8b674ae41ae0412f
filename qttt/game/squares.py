"""The nine squares, numbered 1 to 9 from left to right and top to bottom, and the eight lines."""

from qttt.errors import UsageError, shown, whole_number
from qttt.game.symbols import Symbol

SQUARES: tuple[int, ...] = tuple(range(1, 10))
LINES: tuple[tuple[int, int, int], ...] = (
    (1, 2, 3),
    (4, 5, 6),
    (7, 8, 9),
    (1, 4, 7),
    (2, 5, 8),
    (3, 6, 9),
    (1, 5, 9),
    (3, 5, 7),
)
NAMES: tuple[str, ...] = (
    "top left",
    "top",
    "top right",
    "left",
    "middle",
    "right",
    "bottom left",
    "bottom",
    "bottom right",
)
EMPTY = "."
EMPTY_BOARD = EMPTY * 9


def checked(square: int) -> int:
    """A square's number, if it is one.

    Raises:
        UsageError: it is not a whole number from 1 to 9.
    """
    if square.__class__ is int:
        if 1 <= square <= 9:
            return square
        raise UsageError(f"square {shown(square)} does not exist: the squares are 1 to 9")
    return whole_number(square, "a square", 1, 9)


def lines_in(board: str, symbol: Symbol) -> tuple[tuple[int, int, int], ...]:
    """The three-in-a-rows of one symbol, as the squares of each.

    Args:
        board: nine characters, ``X``, ``O`` or ``.``, squares 1 to 9.
        symbol: whose lines to find.
    """
    return tuple((a, b, c) for a, b, c in LINES if board[a - 1] == board[b - 1] == board[c - 1] == symbol)


def lines_of(board: str, symbol: Symbol) -> int:
    """Count the three-in-a-rows of one symbol.

    Returns:
        The number of lines, 0 to 8.
    """
    return len(lines_in(board, symbol))
