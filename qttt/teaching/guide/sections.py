"""What a rules page is made of: sections of paragraphs and tables, with diagrams given as games."""

from dataclasses import dataclass

from qttt.display.text import hundredths
from qttt.game.game import Game
from qttt.game.position import Position
from qttt.game.symbols import Mode, Symbol


@dataclass(frozen=True, slots=True)
class Diagram:
    """A picture in the rules: the board after some moves.

    Attributes:
        name: of its file, lower-case words with hyphens.
        caption: what to see in it.
        tokens: the moves, in notation.
        level: at which they are made.
        first: who starts.
        marked: squares to frame.
    """

    name: str
    caption: str
    tokens: str
    level: int = 5
    first: Symbol = Symbol.X
    marked: tuple[int, ...] = ()

    def game(self) -> Game:
        """The game of the diagram."""
        return played(self.tokens, self.level, self.first)

    def position(self) -> Position:
        """The board of the diagram."""
        return self.game().state.position


@dataclass(frozen=True, slots=True)
class Table:
    """A table in the rules.

    Attributes:
        head: names of its columns.
        rows: its rows, each as long as the head.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the rules.

    Attributes:
        title: its heading.
        parts: paragraphs, lists of items, tables and diagrams in order.
    """

    title: str
    parts: "tuple[str | tuple[str, ...] | Table | Diagram, ...]"


def played(tokens: str, level: int, first: Symbol = Symbol.X, options: str = "") -> Game:
    """A game after some moves."""
    game = Game(level, options, first)
    game.play(tokens)
    return game


def chance(tokens: str, square: int, cell: str, *, level: int = 5, mode: Mode = Mode.STANDARD) -> float:
    """The probability, computed, that a square of a game shows a symbol or nothing."""
    return played(tokens, level).state.odds(mode).squares()[square - 1][cell]


def share(probability: float) -> str:
    """A probability in per cent, with as many decimals as it needs, at most two."""
    return hundredths(probability).rstrip("0").rstrip(".") + " %"
