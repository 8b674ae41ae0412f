"""The one error tree of the game. Every message is one line that names the input, the place and the rule."""

from operator import index
from typing import SupportsIndex, cast


class QtttError(Exception):
    """Something the program was given cannot be used."""


class UsageError(QtttError):
    """A command, flag or option that makes no sense, or contradicts another."""


LONGEST_QUOTED = 40
"""Characters of a text that a message repeats at most."""


def quoted(text: str) -> str:
    """A text as a message repeats it: in quotation marks, and cut where it is long."""
    return repr(text) if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]!r}…"


def shown(value: object) -> str:
    """Any value as a message repeats it: on one line, and cut where it is long."""
    if isinstance(value, str):
        return quoted(value)
    try:
        text = " ".join(repr(value).split())
    except Exception:  # Whoever gave the value wrote its repr, and Python writes no number of 5,000 digits.
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]}…"


def whole_number(value: object, what: str, least: int, most: int) -> int:
    """The whole number that a value is; numpy's are as good as Python's, and True is none.

    Args:
        value: what was given.
        what: what it is to be, for the message.
        least: the smallest that will do.
        most: the largest that will do.

    Raises:
        UsageError: it is not a whole number, or not within the bounds.
    """
    try:
        number = None if isinstance(value, bool) else index(cast(SupportsIndex, value))
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise UsageError(f"{what} must be a whole number from {least} to {most:,}, not {shown(value)}")
    return number


class UnknownWordError(UsageError, ValueError):
    """A mode, symbol or other word of the game that does not exist."""


class MoveSyntaxError(QtttError):
    """A token that no reading of the notation explains.

    Attributes:
        token: the offending text.
    """

    def __init__(self, token: str, reason: str) -> None:
        """Keep the token and say why it cannot be read."""
        self.token = token
        super().__init__(f"cannot read {shown(token)}: {reason}")


class IllegalMoveError(QtttError):
    """A readable token that the rules forbid here.

    Attributes:
        token: the move in notation.
        rule: the rule that forbids it, as a sentence without its full stop.
        player: ``X`` or ``O``, or an empty string where no player is concerned.
    """

    def __init__(self, token: str, rule: str, player: str = "") -> None:
        """Keep what was tried, by whom, and the rule against it."""
        self.token = token
        self.rule = rule
        self.player = player
        whose = f" by {player}" if player else ""
        super().__init__(f"{token}{whose} is not allowed: {rule}")


class RecordError(QtttError):
    """A game record that cannot be read or replayed.

    Attributes:
        line: 1-based line of the offending text, 0 if it has no place.
        column: 1-based column (in characters), 0 if it has no place.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        """Prefix the message with its place."""
        self.line = line
        self.column = column
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + message)


class ServiceError(QtttError):
    """A backend or a remote service failed; the game is as it was."""


#: What taking a JSON value apart may raise if it is not what it should be: a wrong type, a missing key, a
#: number too large, brackets nested too deep. Whoever reads a file that others may have made catches all.
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
