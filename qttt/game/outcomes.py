"""What looking leaves in the record: boards ``=XO.XXO.OX``, positions ``=p:##.##.#.#``, squares ``?5=X``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from qttt.errors import MoveSyntaxError, UsageError, shown
from qttt.game.squares import EMPTY, checked
from qttt.game.symbols import Mode

_RESULT = re.compile(r"=(?:([rs]):)?([XO.]{9})")
_POSITIONS = re.compile(r"=p:([#.]{9})")
_MEASUREMENT = re.compile(r"\?([1-9])=([XO.])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Observation:
    """A finished observation phase: the mode it was made in and the board it gave.

    Attributes:
        board: nine characters, ``X``, ``O`` or ``.``.
        mode: standard or rotated.

    Raises:
        UsageError: on construction, if there is no such board or mode.
    """

    board: str
    mode: Mode = Mode.STANDARD

    def __post_init__(self) -> None:
        """Take a mode that is named by a plain string."""
        check_nine(self.board, "XO.", "a board")
        object.__setattr__(self, "mode", Mode.named(self.mode))

    def __str__(self) -> str:
        """The token; the standard mode goes unmarked."""
        return f"={'r:' if self.mode is Mode.ROTATED else ''}{self.board}"


@dataclass(frozen=True, slots=True)
class Positions:
    """The first half of an observation at Levels 4 and 5: which squares are filled, the mode still open.

    Attributes:
        filled: nine characters, ``#`` for a filled square and ``.`` for an empty one.

    Raises:
        UsageError: on construction, if it is anything else.
    """

    filled: str

    def __post_init__(self) -> None:
        """Refuse what no board shows."""
        check_nine(self.filled, "#.", "filled squares")

    def __str__(self) -> str:
        """The token, for example ``=p:##.##.#.#``."""
        return f"=p:{self.filled}"

    @property
    def mask(self) -> int:
        """The filled squares as bits, square 1 the lowest."""
        return sum(1 << index for index, mark in enumerate(self.filled) if mark != EMPTY)

    def agree(self, board: str) -> bool:
        """Whether a board has pieces on exactly these squares."""
        return self.filled == filled_squares(board)

    def given(self, outcomes: Mapping[str, float]) -> dict[str, float]:
        """The distribution of the boards that agree, given that one of them comes; empty if none can."""
        kept = {board: chance for board, chance in outcomes.items() if self.agree(board)}
        total = sum(kept.values())
        return {board: chance / total for board, chance in kept.items()}


@dataclass(frozen=True, slots=True)
class Measurement:
    """A turn spent on observing one square (option ``measure-turn``), and what it gave.

    Attributes:
        square: the square, 1 to 9.
        cell: ``X``, ``O``, or ``.`` if it was found empty.

    Raises:
        UsageError: on construction, if there is no such square or no such result.
    """

    square: int
    cell: str

    def __post_init__(self) -> None:
        """Refuse what no square shows."""
        object.__setattr__(self, "square", checked(self.square))
        if self.cell not in ("X", "O", EMPTY):
            raise UsageError(f"a square is found to hold 'X', 'O' or {EMPTY!r}, not {shown(self.cell)}")

    @classmethod
    def parse(cls, token: str) -> "Measurement":
        """Read a token like ``?5=X``.

        Raises:
            MoveSyntaxError: if it is none.
        """
        if isinstance(token, str) and (match := _MEASUREMENT.fullmatch(token)):
            return cls(int(match[1]), match[2])
        raise MoveSyntaxError(
            token, "a measured square is written '?', its number, '=' and X, O or '.', for example ?5=X"
        )

    def __str__(self) -> str:
        """The token; ``Measurement.parse`` reads it back."""
        return f"?{self.square}={self.cell}"


def check_nine(text: object, marks: str, what: str) -> None:
    """Refuse what is not one character a square.

    Raises:
        UsageError: it is not nine of these characters.
    """
    if not isinstance(text, str) or len(text) != 9 or set(text) - set(marks):
        raise UsageError(f"{what} must be nine of the characters {marks!r}, not {shown(text)}")


def filled_squares(board: str) -> str:
    """The positions of a board: ``#`` where it holds a symbol, ``.`` elsewhere."""
    return "".join(EMPTY if cell == EMPTY else "#" for cell in board)


def parse_outcome(token: str) -> Observation | Positions:
    """Read an observation token.

    Raises:
        MoveSyntaxError: if the token is none.
    """
    if isinstance(token, str) and (match := _POSITIONS.fullmatch(token)):
        return Positions(match[1])
    if isinstance(token, str) and (match := _RESULT.fullmatch(token)):
        return Observation(match[2], Mode.ROTATED if match[1] == "r" else Mode.STANDARD)
    raise MoveSyntaxError(
        token,
        "an observation is '=' (or '=s:', '=r:') and nine of X, O and '.', or '=p:' and nine of # and '.'",
    )
