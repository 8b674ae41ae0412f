"""What the dice in one square say, by the Player Reference's list "Possible Square Configurations".

Two dice of different players can mean several things, and only the square's partner tells them apart: an
entangled pair shows the same two pieces in both squares with both shapes, while the square that a cancelling
move invaded shows two dice of one shape.
"""

from enum import Enum

from qttt.game.dice import Die
from qttt.game.symbols import Symbol

Contents = tuple[Die, ...]
Squares = tuple[Contents, ...]


class Configuration(Enum):
    """The configurations of a square: all that is a fact about one stands in its row.

    Attributes:
        word: what sentences and displays call it.
        label: what a small label in the square says, shorter where the word is long.
        turns: a view switch changes its dice (Player Reference, "Switching the View").
        link: how its dice hang together with those of its partner square.
    """

    # fmt: off
    #                 word                     label               turns  link
    EMPTY =          ("empty",                 "",                 False, "")
    CLASSICAL =      ("classical",             "classical",        True,  "")
    SUPERPOSITION =  ("superposition",         "half here",        True,  "")
    ENTANGLED =      ("entangled",             "entangled",        False, "with")
    HALF_ENTANGLED = ("half-entangled",        "half-entangled",   False, "with")
    CANCELLED =      ("cancelled",             "cancelled",        False, "into")
    HALF_CANCELLED = ("half-cancelled",        "half-cancelled",   False, "into")
    TARGET =         ("target of a half-cancel", "target",         False, "from")
    PLUS =           ("plus",                  "plus",             True,  "")
    MINUS =          ("minus",                 "minus",            True,  "")
    PLUS_HALF =      ("plus-superposition",    "plus, half here",  True,  "with")
    MINUS_HALF =     ("minus-superposition",   "minus, half here", True,  "with")
    # fmt: on

    def __init__(self, word: str, label: str, turns: bool, link: str) -> None:
        """Give the cells of the row their names."""
        self.word = word
        self.label = label
        self.turns = turns
        self.link = link

    def __repr__(self) -> str:
        """The member as it is written in code."""
        return f"Configuration.{self.name}"


def partner(squares: Squares, square: int) -> int | None:
    """The other square that holds dice of the same two pieces.

    Args:
        squares: the dice of all nine squares.
        square: a square with two dice of different pieces.

    Returns:
        Its number, or None if there is none.
    """
    first, second = (die.piece for die in squares[square - 1])
    for other, contents in enumerate(squares, 1):
        if len(contents) == 2 and other != square:
            pieces = contents[0].piece, contents[1].piece
            if pieces in ((first, second), (second, first)):
                return other
    return None


def is_cancelled(contents: Contents) -> bool:
    """Whether two dice of one shape sum to nothing: the square is empty for certain once observed."""
    return (
        len(contents) == 2
        and contents[0].shape == contents[1].shape
        and contents[0].value + contents[1].value == 0
    )


def configuration(squares: Squares, square: int) -> Configuration:
    """Classify the dice in a square.

    Returns:
        The configuration; an observed symbol counts as empty of dice.
    """
    contents = squares[square - 1]
    if not contents:
        return Configuration.EMPTY
    if len(contents) == 1:
        return Configuration.CLASSICAL if contents[0].value == 4 else Configuration.SUPERPOSITION
    first, second = contents
    if first.shape == second.shape:
        return Configuration.CANCELLED if is_cancelled(contents) else Configuration.HALF_CANCELLED
    if first.piece == second.piece:
        return _rotated(contents)
    other = partner(squares, square)
    if other is None and abs(first.value) != abs(second.value):
        # Its half-cancelled square has been found empty and cleared.
        return Configuration.TARGET
    if other is None or is_cancelled(squares[other - 1]):
        return _rotated(contents)
    if squares[other - 1][0].shape == squares[other - 1][1].shape:
        return Configuration.TARGET
    return Configuration.ENTANGLED if abs(first.value) == abs(second.value) else Configuration.HALF_ENTANGLED


def _rotated(contents: Contents) -> Configuration:
    plus = all(die.value > 0 for die in contents)
    if abs(contents[0].value) == 2:
        return Configuration.PLUS if plus else Configuration.MINUS
    return Configuration.PLUS_HALF if plus else Configuration.MINUS_HALF


def turned(contents: Contents) -> Contents:
    """The dice of a square that a view switch changes, after the switch.

    A lone △ becomes a plus, a lone □ a minus, and back; a plus is X's and a minus O's, whoever's dice
    made it.

    Args:
        contents: the dice of a square whose configuration is one that ``turns``.
    """
    if len(contents) == 1:
        die = contents[0]
        half = die.value // 2
        return (
            Die(Symbol.X, die.owner, die.number, half),
            Die(Symbol.O, die.owner, die.number, half * die.shape.sign),
        )
    symbol = Symbol.X if all(die.value > 0 for die in contents) else Symbol.O
    kept = next(die for die in contents if die.shape == die.owner == symbol)
    return (kept.with_value(sum(abs(die.value) for die in contents)),)
