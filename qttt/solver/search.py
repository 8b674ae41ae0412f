"""Best play by exhaustive search: every line of play, every observation, in canonical positions only once.

Values are to the player to move. The opponent's best reply is what a position is worth, chance is weighted
exactly, and of moves of equal value both players prefer the one with fewer ties.
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property

from qttt.game.rules import Level, Rules
from qttt.game.squares import SQUARES
from qttt.solver.blocks import CODES, canonical, code_of, empty_squares, turned
from qttt.solver.boards import Pair, board_blocks, board_number, verdict
from qttt.solver.expectation import Expectation
from qttt.solver.moves import Change, allowed_changes
from qttt.solver.tables import ValueTable

#: Below this level every value is a dyadic fraction that a double holds exactly.
FIRST_INEXACT = 3
PROGRESS_EVERY = 1 << 14
#: Boards with so few pieces that no observation leaves them have no value; whoever used one would notice.
_UNREACHABLE = (math.nan, math.nan)
#: Doubles that come from different sums of √2s are compared with this margin; dyadic ones are exact.
MARGIN = 1e-11


class Search:
    """Values of positions at one level, kept as they are found.

    Attributes:
        rules: the level played and its options, of those that a table can be for.
        known: value by key, for positions with an empty square.
        full: value by key, for full boards.
        boards: value of each observed board by its number, as they are found.
        least_empty: positions with so many empty squares are in the table; none are, without one.
        progress: told how many positions are known, now and then.
    """

    def __init__(
        self, rules: Rules, table: ValueTable | None = None, progress: Callable[[int], None] | None = None
    ) -> None:
        """Start from a table, or from the rules alone.

        Args:
            rules: the level played and its options.
            table: values of this level's observed boards and openings. Without it the phases after an
                observation are searched too, at Levels 0 to 2 only.
            progress: called with the number of positions known, now and then.
        """
        self.rules = rules
        self.level = level = rules.level
        self.known: dict[bytes, Pair] = {}
        self.full: dict[bytes, Pair] = {}
        self.boards: dict[int, Pair] = {}
        self.progress = progress
        self._at_least: dict[bytes, float] = {}
        self._table = table
        self.least_empty = table.least_empty if table else len(SQUARES) + 1
        self._margin = 0.0 if level.number < FIRST_INEXACT else MARGIN

    def forget(self) -> None:
        """Drop what was searched; the table stays."""
        for memory in (self.known, self.full, self._at_least):
            memory.clear()

    def __len__(self) -> int:
        return len(self.known) + len(self.full) + len(self._at_least)

    def board_value(self, number: int) -> Pair:
        """The value of an observed board to the player to move.

        Args:
            number: the board as that player sees it, numbered as in ``boards``.
        """
        pair = self.boards.get(number)
        if pair is None:
            pair = verdict(number, self.rules) or self.value(board_blocks(number, self.level), 0)
            self.boards[number] = pair
        return pair

    @cached_property
    def expectation(self) -> Expectation:
        """Values of full boards; boards are searched as they come up to Level 2, and in the table above."""
        if self.level.number < FIRST_INEXACT:
            return Expectation(self.board_value, choice=False, margin=MARGIN)
        if not self._table:
            raise ValueError(f"without a table only Levels 0 to {FIRST_INEXACT - 1} can be searched")
        return Expectation(self._stored_board, choice=self.level.rotated_mode, margin=MARGIN)

    def _stored_board(self, number: int) -> Pair:
        """The value of an observed board, from its result or the table."""
        pair = verdict(number, self.rules)
        if pair is None and self._table:
            code = code_of(board_blocks(number, self.level), 0)
            pair = self._table.get(position_key(code, (0, 0), self.level))
        return pair or _UNREACHABLE

    def value(
        self,
        blocks: tuple[int, ...],
        turn: int,
        switches: tuple[int, int] = (0, 0),
        enough: float = math.inf,
    ) -> Pair:
        """The value of a position to the player to move, and its tie probability.

        Args:
            blocks: its blocks, in the view that the switches left it in.
            turn: whose turn it is, 0 for X and 1 for O; on a full board, who moves next if play goes on.
            switches: how many view switches the player to move and the other one have made (Level 5).
            enough: of a position that is worth more than this, any value between the two will do.
        """
        empty = empty_squares(blocks)
        if not empty:
            return self._observed(blocks, turn, switches[0] != switches[1])
        codes = code_of(blocks, turn), code_of(blocks, 1 - turn)
        if self._table and switches == (0, 0):
            board = board_number(blocks, turn, self.level)
            if board is not None and verdict(board, self.rules) is None:
                stored = self._table.get(position_key(codes[0], switches, self.level))
                if stored:
                    return stored
        return self._best(blocks, empty, turn, codes, switches, enough)

    def _observed(self, blocks: tuple[int, ...], turn: int, rotated: bool) -> Pair:
        if rotated:
            blocks = tuple(map(turned, blocks))
        key = canonical(code_of(blocks, turn))
        pair = self.full.get(key)
        if pair is None:
            pair = self.full[key] = self.expectation.value(blocks, turn)
        return pair

    def _best(
        self,
        blocks: tuple[int, ...],
        empty: tuple[int, ...],
        turn: int,
        codes: tuple[int, int],
        switches: tuple[int, int],
        enough: float = math.inf,
    ) -> Pair:
        """The value; or, as soon as it is sure to be greater than ``enough``, anything greater than that."""
        key = position_key(codes[0], switches, self.level)
        known = self.known.get(key)
        if known is not None:
            return known
        if self._table and len(empty) >= self.least_empty:
            stored = self._table.get(key)
            if stored:
                self.known[key] = stored
                return stored
        if self._at_least.get(key, -2.0) > enough + self._margin:
            return self._at_least[key], 0.0
        best, ties = [-2.0], 2.0
        for value, tie in self._replies(blocks, empty, turn, codes, switches, best):
            if value > best[0] + self._margin or (value >= best[0] - self._margin and tie < ties):
                ties = tie
            if value > best[0]:
                best[0] = value
                if value > enough + self._margin:
                    self._at_least[key] = value
                    return value, ties
        self.known[key] = best[0], ties
        if self.progress and len(self.known) % PROGRESS_EVERY == 0:
            self.progress(len(self.known))
        return best[0], ties

    def _replies(
        self,
        blocks: tuple[int, ...],
        empty: tuple[int, ...],
        turn: int,
        codes: tuple[int, int],
        switches: tuple[int, int],
        best: list[float],
    ) -> Iterator[Pair]:
        """The value of every move to the player who makes it, or something worse than the best so far."""
        own, other = switches
        may_switch = self.level.rotated_view and not own
        moves = allowed_changes(blocks, empty, turn, self.rules, may_switch)
        yield from self._moved(moves, blocks, empty, turn, codes, (other, own), may_switch, best)
        if may_switch:
            there = tuple(map(turned, blocks))
            moves = allowed_changes(there, empty, turn, self.rules, may_switch)
            seen = code_of(there, turn), code_of(there, 1 - turn)
            yield from self._moved(moves, there, empty, turn, seen, (other, 1), False, best)

    def _moved(
        self,
        moves: list[Change],
        blocks: tuple[int, ...],
        empty: tuple[int, ...],
        turn: int,
        codes: tuple[int, int],
        switches: tuple[int, int],
        then_switch: bool,
        best: list[float],
    ) -> Iterator[Pair]:
        """Moves in the current view; ``switches`` are those of the child, its mover's first."""
        reply = 1 - turn
        mine, theirs = CODES[turn], CODES[reply]
        # Attacks first: they are the best replies most often, and a good one early saves looking at others.
        for taken, put, filled in reversed(moves):
            # To a table all positions are of interest, to a question only what may be better than the best.
            enough = -best[0] if self._table else math.inf
            seen, behind = codes[1], codes[0]
            for number in put:
                seen += theirs[number]
                behind += mine[number]
            if taken is not None:
                seen -= theirs[taken]
                behind -= mine[taken]
            last = len(filled) == len(empty)
            if not last and not then_switch:
                # The common case first: a child that is known needs no blocks.
                known = self.known.get(position_key(seen, switches, self.level))
                if known is not None:
                    yield -known[0], known[1]
                    continue
            elif last and not self.level.rotated_view:
                known = self.full.get(canonical(seen))
                if known is not None:
                    yield -known[0], known[1]
                    continue
            child = tuple(number for number in blocks if number != taken) + put
            if last:
                # A switch after the last move has no effect on the observation.
                value, tie = self._observed(child, reply, switches[0] != switches[1])
                yield -value, tie
                continue
            left = tuple(square for square in empty if square not in filled)
            value, tie = self._best(child, left, reply, (seen, behind), switches, enough)
            yield -value, tie
            if then_switch:
                there = tuple(map(turned, child))
                turned_codes = code_of(there, reply), code_of(there, turn)
                value, tie = self._best(there, left, reply, turned_codes, (switches[0], 1), enough)
                yield -value, tie


def position_key(code: int, switches: tuple[int, int], level: Level) -> bytes:
    """The key of a position with empty squares, from its code as the player to move sees it."""
    key = canonical(code)
    return key + bytes(switches) if level.rotated_view else key
