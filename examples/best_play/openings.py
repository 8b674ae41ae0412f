"""First moves by kind and level, and what they are worth."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from qttt.cli.commands.solve import solve_report
from qttt.game.moves import Move
from qttt.game.rules import LEVELS, Rules
from qttt.game.squares import SQUARES
from qttt.solver.blocks import SYMMETRIES
from qttt.solver.tables import table_for, table_path


@dataclass(frozen=True, slots=True)
class Worth:
    """What best play by both comes to.

    Attributes:
        value: P(X wins) − P(O wins).
        x: probability that X wins.
        tie: of a tie.
        o: that O wins.
        fraction: the value in words where it is a fraction for certain, else empty.
        move: the move in notation, with the view switch that goes with it at Level 5.
    """

    value: float
    x: float
    tie: float
    o: float
    fraction: str
    move: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """First moves that are the same but for a symmetry of the board.

    Attributes:
        squares: of one of them.
        count: how many there are.
    """

    squares: tuple[int, ...]
    count: int

    @property
    def token(self) -> str:
        """One of them in notation."""
        return "+".join(map(str, self.squares))

    @property
    def superposition(self) -> bool:
        """Whether it is a superposition; else it is classical."""
        return len(self.squares) == 2


def images(squares: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The same squares turned and mirrored in every way."""
    return {tuple(sorted(image[square] for square in squares)) for image in SYMMETRIES}


@cache
def openings() -> tuple[Opening, ...]:
    """Every kind of first move: classical ones from the middle outwards, then superpositions."""
    kinds: list[tuple[int, ...]] = [(5,), (1,), (2,)]
    kinds += sorted({min(images(pair)) for pair in combinations(SQUARES, 2)})
    return tuple(Opening(kind, len(images(kind))) for kind in kinds)


@cache
def solved_levels() -> tuple[int, ...]:
    """The levels that are solved."""
    return tuple(level.number for level in LEVELS if table_path(Rules(level)).is_file())


@cache
def game_worth(level: int) -> Worth:
    """What a level is worth before the first move."""
    return _worth(_report(level))


@cache
def opening_worths(level: int) -> dict[Opening, Worth]:
    """What each kind of first move is worth; at Level 5 with the view switch that is best for X, if any.

    Args:
        level: a solved level.

    Returns:
        The kinds of first moves that the level allows.
    """
    kinds = {image: opening for opening in openings() for image in images(opening.squares)}
    found: dict[Opening, Worth] = {}
    # Best first, so the first of a kind is its best.
    for row in _report(level)["first_moves"]:
        squares = tuple(sorted(Move.parse(row["move"]).squares))
        found.setdefault(kinds[squares], _worth(row))
    return found


def best_openings(level: int) -> list[Opening]:
    """The kinds of first moves that are worth the most, however many ties they bring."""
    worths = opening_worths(level)
    best = max(worth.value for worth in worths.values())
    return [opening for opening, worth in worths.items() if worth.value > best - 1e-9]


def best_of(level: int, *, superposition: bool) -> tuple[Opening, Worth]:
    """The best superposition or the best classical first move of a level."""
    worths = opening_worths(level)
    some = {opening: worth for opening, worth in worths.items() if opening.superposition is superposition}
    best = max(some, key=lambda opening: some[opening].value)
    return best, some[best]


@cache
def _report(level: int) -> dict[str, Any]:
    return solve_report(table_for(Rules.of(level)))


def _worth(row: dict[str, Any]) -> Worth:
    return Worth(
        row["value"], row["x"], row["tie"], row["o"], row["value_fraction"] or "", row.get("move", "")
    )
