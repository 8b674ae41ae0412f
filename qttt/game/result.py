"""Deciding the game after an observation (rules.md, "Deciding")."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from qttt.game.rules import Rules
from qttt.game.squares import EMPTY, lines_of
from qttt.game.symbols import Symbol


class Result(StrEnum):
    """How a game stands after an observation."""

    X = "X"
    O = "O"  # noqa: E741 - the rules' own letter
    TIE = "tie"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True)
class Loss:
    """A game that a player lost off the board.

    Attributes:
        player: who lost it.
        on_time: their time ran out; otherwise they resigned.
    """

    player: Symbol
    on_time: bool = False

    def __str__(self) -> str:
        """For example ``X resigned``."""
        return f"{self.player} {'ran out of time' if self.on_time else 'resigned'}"


def decide(board: str, rules: Rules) -> Result:
    """Decide an observed board.

    More three-in-a-rows win. With equal numbers it is a tie if no square is empty, else the game goes on; at
    Level 2 one line each is a tie at once, because no further line is possible there; unless the option
    ``measure-turn`` is on, with which that need not be so.

    Args:
        board: nine characters, all symbols observed so far.
        rules: level and options; ``tally`` plays on until no square is empty, ``no-ties`` (Level 5) goes on
            even then.
    """
    x, o = _points(board)
    full = EMPTY not in board
    if rules.options.tally and not full:
        return Result.CONTINUE
    if x != o:
        return Result.X if x > o else Result.O
    if full:
        return Result.CONTINUE if rules.options.no_ties else Result.TIE
    return Result.TIE if x and one_each_is_a_tie(rules) else Result.CONTINUE


def one_each_is_a_tie(rules: Rules) -> bool:
    """Whether one line each ends the game although a square is empty: no further line would be possible."""
    return rules.level.number == 2 and not rules.options.measure_turn


def points(board: str) -> dict[Symbol, int]:
    """Three-in-a-rows of both players: their points in a tally."""
    return dict(zip(Symbol, _points(board), strict=True))


@cache
def _points(board: str) -> tuple[int, int]:
    # One of 19,683 boards; without the cache the result odds of a position take 1.4 times as long.
    return lines_of(board, Symbol.X), lines_of(board, Symbol.O)
