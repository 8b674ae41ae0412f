"""What an observation leaves in the record: ``=XO.XXO.OX``, ``=r:…``, or positions, ``=p:##.##.#.#``."""

import re
from dataclasses import dataclass

from qttt.errors import MoveSyntaxError
from qttt.squares import EMPTY
from qttt.symbols import Mode

_RESULT = re.compile(r"=(?:([rs]):)?([XO.]{9})")
_POSITIONS = re.compile(r"=p:([#.]{9})")


@dataclass(frozen=True, slots=True)
class Observation:
    """A finished observation phase: the mode it was made in and the board it gave.

    Attributes:
        board: nine characters, ``X``, ``O`` or ``.``.
        mode: standard or rotated.
    """

    board: str
    mode: Mode = Mode.STANDARD

    def __str__(self) -> str:
        """The token; the standard mode goes unmarked."""
        return f"={'r:' if self.mode is Mode.ROTATED else ''}{self.board}"


@dataclass(frozen=True, slots=True)
class Positions:
    """The first half of an observation at Levels 4 and 5: which squares are filled, the mode still open.

    Attributes:
        filled: nine characters, ``#`` for a filled square and ``.`` for an empty one.
    """

    filled: str

    def __str__(self) -> str:
        """The token, for example ``=p:##.##.#.#``."""
        return f"=p:{self.filled}"

    def agree(self, board: str) -> bool:
        """Whether a board has pieces on exactly these squares."""
        return self.filled == filled_squares(board)


def filled_squares(board: str) -> str:
    """The positions of a board: ``#`` where it holds a symbol, ``.`` elsewhere."""
    return "".join(EMPTY if cell == EMPTY else "#" for cell in board)


def parse_outcome(token: str) -> Observation | Positions:
    """Read an observation token.

    Raises:
        MoveSyntaxError: if the token is none.
    """
    if match := _POSITIONS.fullmatch(token):
        return Positions(match[1])
    if match := _RESULT.fullmatch(token):
        return Observation(match[2], Mode.ROTATED if match[1] == "r" else Mode.STANDARD)
    raise MoveSyntaxError(
        token,
        "an observation is '=' (or '=s:', '=r:') and nine of X, O and '.', or '=p:' and nine of # and '.'",
    )
