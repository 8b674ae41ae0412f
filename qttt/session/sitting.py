"""A sitting: two seats, the game between them, and whatever was offered, given up or taken back there.

A sitting is a value: every entry of its log gives a new one, and the log with the record that it began with
gives the sitting again. It knows no face; whoever drives it says who acts, and brings chance and time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from qttt.errors import IllegalMoveError, UsageError
from qttt.game.game import Game
from qttt.game.moves import Move
from qttt.game.result import Result
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.players.choices import limited
from qttt.players.strategies import get_player
from qttt.records.library import HUMAN
from qttt.records.record import Record
from qttt.session.clock import Clock, Control
from qttt.session.entries import Act, Entry

#: The header that gives both players time, for example ``[Clock "300+5"]``.
CLOCK = "Clock"


@dataclass(frozen=True, slots=True)
class Offer:
    """What one player proposes to the other.

    Attributes:
        act: a draw, a takeback or a rematch.
        by: who proposes.
    """

    act: Act
    by: Symbol


@dataclass(frozen=True, slots=True)
class Loss:
    """A game that a player lost off the board.

    Attributes:
        player: who lost it.
        on_time: their time ran out; otherwise they resigned.
    """

    player: Symbol
    on_time: bool = False


@dataclass(frozen=True)
class Sitting:
    """Two seats and the game between them; immutable.

    Attributes:
        base: the record before the first entry of this game: its headers, and the events that it began with.
        game: the game; nobody changes it.
        number: which game of the sitting it is, from 1.
        log: every entry so far, those of earlier games too.
        offer: what is proposed and not answered yet.
        loss: who resigned, or whose time ran out.
        clock: the time left, if there is a clock.
    """

    base: Record
    game: Game
    number: int = 1
    log: tuple[Entry, ...] = ()
    offer: Offer | None = None
    loss: Loss | None = None
    clock: Clock | None = None

    @classmethod
    def begin(cls, record: Record, log: Iterable[str] = ()) -> Self:
        """Set a table up.

        Args:
            record: the game so far. Its headers ``X`` and ``O`` say who sits there: ``human``, which is what
                a seat without a header holds, or the name of a computer player; ``Clock`` gives time.
            log: entries to replay.

        Raises:
            RecordError: the record cannot be replayed.
            UsageError: no player has such a name, there is no such clock, or an entry cannot be.
            UnsolvedError: perfect play where the rules are not solved.
        """
        names = [record.headers.get(str(symbol), HUMAN) for symbol in Symbol]
        if HUMAN not in names and (rules := limited(record.rules)) != record.rules:
            record = record.with_header("Options", str(rules.options))
        for name in names:
            if name != HUMAN:
                get_player(name, record.rules)
        written = record.headers.get(CLOCK)
        clock = None if written is None else Clock.of(Control.parse(written))
        sitting = cls(record, record.game(), clock=clock)
        for text in log:
            sitting = sitting.after(Entry.parse(text))
        return sitting

    @property
    def n(self) -> int:
        """How many entries the log has."""
        return len(self.log)

    @property
    def record(self) -> Record:
        """The game as a record."""
        record = self.base.updated(self.game)
        if self.loss is None:
            return record
        return record.with_header("Timeout" if self.loss.on_time else "Resigned", str(self.loss.player))

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or off it."""
        return self.loss is not None or self.game.over

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        return Phase.OVER if self.over else self.game.phase

    @property
    def result(self) -> Result:
        """X, O, tie, or continue while the game goes on."""
        return self.game.result if self.loss is None else Result(self.loss.player.opponent)

    @property
    def decides(self) -> Symbol | None:
        """Who has something to do: a move, or an observation that they initiated; None after the end."""
        if self.over:
            return None
        return self.game.turn if self.game.phase is Phase.MOVE else self.game.state.initiator

    def player(self, symbol: Symbol) -> str:
        """Who sits there: ``human``, or the name of a computer player."""
        return self.base.headers.get(str(symbol), HUMAN)

    def is_computer(self, symbol: Symbol) -> bool:
        """Whether a computer player sits there."""
        return self.player(symbol) != HUMAN

    def why_not(self, act: Act, by: Symbol) -> str | None:
        """Why a player may not do something now, in a clause; None if they may."""
        if act is Act.DECLINE or act is Act.ACCEPT:
            if self.offer is None:
                return "nothing is offered"
            own = act is Act.ACCEPT and self.offer.by is by
            return "it is your own offer" if own else None
        if (act is Act.REMATCH) != self.over:
            return "the game is over" if self.over else "the game goes on"
        if self.offer is not None and act in (Act.UNDO, Act.DRAW, Act.REMATCH):
            return "an offer waits for its answer"
        if act is Act.UNDO and not self._back(by):
            return "there is no move of yours since the last observation"
        if act is Act.DRAW and self.game.phase is not Phase.MOVE:
            return "a draw is offered while a move is awaited"
        if act is Act.FLAG and (self.clock is None or self.clock.runs is not by):
            return "no clock runs for you"
        return None

    def _back(self, by: Symbol) -> int:
        """How many moves are to be taken back for a player to move again; 0 if it cannot be."""
        pairs = zip(reversed(self.game.events), reversed(self.game.states[:-1]), strict=True)
        for count, (event, state) in enumerate(pairs, 1):
            if not isinstance(event, Move):
                return 0
            if state.turn is by:
                return count
        return 0

    def after(self, entry: Entry) -> Self:
        """The sitting after one more entry.

        Raises:
            IllegalMoveError: an event that the game does not allow, or an act that makes no sense now.
            UsageError: the entry has no time and there is a clock, or the other way round.
        """
        if (entry.at is None) != (self.clock is None):
            raise UsageError(f"the entry {entry} must {'have a' if self.clock else 'have no'} time")
        if isinstance(entry.event, Act):
            assert entry.by is not None
            if (why := self.why_not(entry.event, entry.by)) is not None:
                raise IllegalMoveError(str(entry.event), why, entry.by)
            if entry.event is Act.FLAG and self.clock and self.clock.left_at(entry.by, entry.at or 0):
                raise IllegalMoveError(str(entry.event), "there is time left", entry.by)
            done = self._acted(entry.event, entry.by)
        else:
            if self.loss is not None:
                raise IllegalMoveError(str(entry.event), "the game is over", self.loss.player)
            game = self.game.copy()
            game.push(entry.event)
            done = replace(self, game=game, offer=None)
        return replace(done, log=(*self.log, entry), clock=done._pressed(entry, self.number))

    def _pressed(self, entry: Entry, number: int) -> Clock | None:
        if self.clock is None or entry.at is None or number != self.number:
            return self.clock
        moved = not isinstance(entry.event, Act)
        if self.clock.runs is None and not moved:
            return self.clock
        return self.clock.pressed(entry.at, self.decides, moved=isinstance(entry.event, Move))

    def _acted(self, act: Act, by: Symbol) -> Self:
        match act:
            case Act.RESIGN | Act.FLAG:
                return replace(self, loss=Loss(by, act is Act.FLAG), offer=None)
            case Act.DECLINE:
                return replace(self, offer=None)
            case Act.ACCEPT:
                assert self.offer is not None
                return self._agreed(self.offer)
            case _:
                offer = Offer(act, by)
                # A computer does not mind to go back, or to play again; of a draw it has an opinion.
                willing = act is not Act.DRAW and self.is_computer(by.opponent)
                return self._agreed(offer) if willing else replace(self, offer=offer)

    def _agreed(self, offer: Offer) -> Self:
        game = self.game.copy()
        match offer.act:
            case Act.UNDO:
                for _ in range(self._back(offer.by)):
                    game.undo()
            case Act.DRAW:
                game.agree_on_draw()
            case _:
                return self._again()
        return replace(self, game=game, offer=None)

    def _again(self) -> Self:
        """The next game between the same seats; the other one starts."""
        game = Game(rules=self.game.rules, first=self.game.first.opponent)
        base = self.base.without_game().with_header("First", str(game.first))
        clock = self.clock and Clock.of(self.clock.control)
        if clock is not None:
            base = base.with_header(CLOCK, str(clock.control))
        return replace(self, base=base, game=game, number=self.number + 1, offer=None, loss=None, clock=clock)
