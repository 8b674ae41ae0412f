"""What a moment of a game is worth with best play: the tables, and a search of the rest of the phase.

Values are P(X wins) − P(O wins) when both players play best. Of moves with equal values both prefer the one
with fewer ties, so that the three probabilities are determined too.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Self, TypeVar

from qttt.errors import UsageError
from qttt.game.moves import Move
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.solver.blocks import code_of
from qttt.solver.boards import WORTH, Pair
from qttt.solver.places import Place
from qttt.solver.search import FIRST_INEXACT, MARGIN, Search, position_key
from qttt.solver.tables import ValueTable, table_for, table_path

Choice = TypeVar("Choice")
#: So many searched positions are kept; beyond that the memory is emptied and filled anew.
KEPT_POSITIONS = 400_000
#: Moves that are worse by less than this are valued exactly all the same.
_HAIR = 1e-6


class UnsolvedError(UsageError):
    """No table holds for these rules."""


@dataclass(frozen=True, slots=True)
class Value:
    """What best play by both is worth.

    Attributes:
        value: P(X wins) − P(O wins).
        tie: probability of a tie.
        exact: the value as a fraction where it is known exactly (Levels 0 to 2), else None.
    """

    value: float
    tie: float
    exact: Fraction | None = None

    @classmethod
    def of(cls, pair: Pair, player: Symbol, *, exact: bool = False) -> Self:
        """What a position is worth that is worth a pair to a player."""
        worth = pair[0] * player.sign + 0.0  # Without the sign of a negative zero.
        return cls(worth, pair[1], Fraction(worth) if exact else None)

    @property
    def x(self) -> float:
        """Probability that X wins."""
        return max(0.0, (1 - self.tie + self.value) / 2)

    @property
    def o(self) -> float:
        """Probability that O wins."""
        return max(0.0, (1 - self.tie - self.value) / 2)

    def for_player(self, player: Symbol) -> float:
        """The value as a player sees it: their wins minus the opponent's.

        Raises:
            UsageError: there is no such player.
        """
        return self.value * Symbol.named(player).sign


class Prober:
    """Values of the moments of games by one set of rules.

    Attributes:
        level: the level.
    """

    def __init__(self, rules: Rules, table: ValueTable) -> None:
        """Take rules and their table."""
        self.level = rules.level
        self._search = Search(rules, table)

    def value(self, state: State, enough: float = math.inf) -> Value:
        """The value of any moment: before a move or an observation, or after the end.

        Args:
            state: the moment.
            enough: where this moment is worth more than this to the player to move, any value between the two
                will do.
        """
        if state.phase is Phase.OVER:
            return self._as_value(WORTH[state.result], Symbol.X)
        if state.phase is Phase.MODE:
            modes = self.mode_values(state)
            return modes[best_choice(modes, state.initiator)]
        search = self._search
        if len(search) > KEPT_POSITIONS:
            search.forget()
        place = Place.of(state)
        pair = search.value(place.blocks, place.turn, place.switches, enough)
        return self._as_value(pair, state.turn)

    def move_values(self, state: State) -> dict[Move, Value]:
        """The value of each legal move, view switches included, in canonical order."""
        return {move: self.value(state.child(move)) for move in state.legal_moves()}

    def best_values(self, state: State) -> dict[Move, Value]:
        """As ``move_values``, but moves that are not best may have any value less than the best one's.

        Where the rest of a phase has to be searched this is a good deal faster.
        """
        children = {move: state.child(move) for move in state.legal_moves()}
        empty = {move: len(child.position.empty_squares) for move, child in children.items()}
        # Those in the table first, then what is soon searched: a good one early saves searching others.
        least = self._search.least_empty
        found: dict[Move, Value] = {}
        best = -math.inf
        for move in sorted(children, key=lambda move: (empty[move] < least, empty[move])):
            found[move] = self.value(children[move], _HAIR - best)
            best = max(best, found[move].for_player(state.turn))
        return {move: found[move] for move in children}

    def mode_values(self, state: State) -> dict[Mode, Value]:
        """The value of each mode of observation, once the positions are known.

        Raises:
            ValueError: there is no mode to choose at this moment.
        """
        if state.positions is None:
            raise ValueError("the positions are not observed, so there is no mode to choose")
        place = Place.of(state)
        pairs = self._search.expectation.modes(place.standing, place.turn, state.positions.mask)
        return {mode: self._as_value(pair, state.turn) for mode, pair in zip(Mode, pairs, strict=True)}

    def symmetry_class(self, state: State) -> bytes:
        """A key that moments before a move share if they differ by a symmetry or by colours only."""
        place = Place.of(state)
        return position_key(code_of(place.blocks, place.turn), place.switches, self.level)

    def _as_value(self, pair: Pair, mover: Symbol) -> Value:
        return Value.of(pair, mover, exact=self.level.number < FIRST_INEXACT)


def is_solved(rules: Rules) -> bool:
    """Whether there is a table for these rules, with all that play can come to.

    That of ``measure-turn`` holds the boards after an observation and some openings; the rest is searched.
    """
    return not rules.options.measure_turn and table_path(rules).is_file()


def prober_for(rules: Rules) -> Prober:
    """The prober of the table for these rules, shared by all who ask.

    Raises:
        UnsolvedError: there is no table for the rules.
        TableError: the table cannot be used.
    """
    if not is_solved(rules):
        raise UnsolvedError(f"{rules} is not solved: no table holds for it")
    return _shared_prober(rules)


@cache
def _shared_prober(rules: Rules) -> Prober:
    return Prober(rules, table_for(rules))


def ranked(values: Mapping[Choice, Value], player: Symbol) -> list[tuple[Choice, Value]]:
    """The choices from best to worst for a player.

    Equal values go by fewer ties, and equal ties by the order in which they are given. Differences that the
    error of a double may explain count as none.
    """
    rest = list(values.items())
    order = []
    while rest:
        top = max(value.for_player(player) for _, value in rest)
        equal = [pair for pair in rest if pair[1].for_player(player) >= top - MARGIN]
        least = min(value.tie for _, value in equal)
        first = next(pair for pair in equal if pair[1].tie <= least + MARGIN)
        order.append(first)
        rest.remove(first)
    return order


def best_choices(values: Mapping[Choice, Value], player: Symbol) -> list[Choice]:
    """The choices that nothing beats: greatest value to a player, then fewest ties."""
    best = ranked(values, player)[0][1]
    return [
        choice
        for choice, value in values.items()
        if value.for_player(player) >= best.for_player(player) - MARGIN and value.tie <= best.tie + MARGIN
    ]


def best_choice(values: Mapping[Choice, Value], player: Symbol) -> Choice:
    """The choice that perfect play makes; the first of ``ranked``."""
    return ranked(values, player)[0][0]
