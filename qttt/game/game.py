"""A game: its rules, who starts, every event so far, and the way back by undo."""

from collections.abc import Iterable
from typing import Self

from qttt.errors import IllegalMoveError, UsageError, shown
from qttt.game.moves import Move
from qttt.game.odds import Odds
from qttt.game.outcomes import Measurement, Observation, Positions, parse_outcome
from qttt.game.position import Position
from qttt.game.result import Loss, Result
from qttt.game.rules import DEFAULT_LEVEL, Rules
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol


def parse_event(token: str) -> Event:
    """Read a move, a measured square or an observation token.

    Raises:
        MoveSyntaxError: if it is none of them.
    """
    if token.startswith("?"):
        return Measurement.parse(token)
    return parse_outcome(token) if token.startswith("=") else Move.parse(token)


class Game:
    """A game in progress. Only the game holds history; positions and states are values.

    Two games are equal if they have the same rules, the same player first, and the same events. A copy is a
    game of its own, and evaluating a game's ``repr`` gives an equal one.

    >>> game = Game(level=2).play("5 5*6")
    >>> print(game.turn, *game.position.at(6))
    X △2 □2

    Attributes:
        rules: level and options.
        first: who starts.
        drawn: the players agreed on a draw.
        loss: who resigned, or whose time ran out; None if nobody.
    """

    __slots__ = ("_events", "_states", "drawn", "first", "loss", "rules")

    def __init__(
        self,
        level: int = DEFAULT_LEVEL,
        options: str | Iterable[str] = "",
        first: str = Symbol.X,
        *,
        rules: Rules | None = None,
    ) -> None:
        """Start with the empty board.

        Args:
            level: 0 to 5.
            options: optional rules as a record writes them, separated by commas, or one by one.
            first: who starts, ``X`` or ``O``.
            rules: level and options in one, instead of the two.

        Raises:
            UsageError: a level, option or player that does not exist, or rules given twice.
        """
        if any(isinstance(value, Rules) for value in (level, options, first)):
            raise UsageError("a game takes Rules by name: Game(rules=...)")
        given = Rules.of(level, options)
        if rules is not None and not isinstance(rules, Rules):
            raise UsageError(f"rules must be Rules, for example Rules.of(level=2), not {shown(rules)}")
        if rules is not None and given != Rules():
            raise UsageError("a game takes level and options, or rules, and not both")
        self.rules = given if rules is None else rules
        self.first = Symbol.named(first)
        self.drawn = False
        self.loss: Loss | None = None
        self._events: list[Event] = []
        self._states = [State(self.rules, turn=self.first)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.rules, self.first, self.drawn, self.loss, self._events) == (
            (other.rules, other.first, other.drawn, other.loss, other._events)
        )

    def __repr__(self) -> str:
        words = [f"level={self.rules.level.number}"]
        if options := str(self.rules.options):
            words.append(f"options={options!r}")
        if self.first is not Symbol.X:
            words.append(f"first={str(self.first)!r}")
        played = " ".join(map(str, self._events))
        lost = self.loss and f".resign({str(self.loss.player)!r}{', on_time=True' * self.loss.on_time})"
        return (
            f"Game({', '.join(words)})"
            + f".play({played!r})" * bool(played)
            + ".agree_on_draw()" * self.drawn
            + (lost or "")
        )

    def __copy__(self) -> Self:
        twin = type(self)(first=self.first, rules=self.rules)
        twin.drawn, twin.loss = self.drawn, self.loss
        twin._events, twin._states = self._events.copy(), self._states.copy()
        return twin

    def copy(self) -> Self:
        """A game of its own with the same past."""
        return self.__copy__()

    @property
    def state(self) -> State:
        """The present state."""
        return self._states[-1]

    @property
    def position(self) -> Position:
        """The present board."""
        return self.state.position

    @property
    def events(self) -> tuple[Event, ...]:
        """Every move, measured square and observation so far."""
        return tuple(self._events)

    @property
    def states(self) -> tuple[State, ...]:
        """The state before every event, and the present one: one more than there are events."""
        return tuple(self._states)

    @property
    def turn(self) -> Symbol:
        """Who moves next."""
        return self.state.turn

    @property
    def phase(self) -> Phase:
        """What may come next."""
        return Phase.OVER if self.settlement else self.state.phase

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or off it."""
        return self.phase is Phase.OVER

    @property
    def settlement(self) -> str:
        """How the game ended off the board, for example ``X resigned``; empty if it did not."""
        return "the players agreed on a draw" if self.drawn else str(self.loss or "")

    @property
    def result(self) -> Result:
        """X, O, tie, or continue while the game goes on."""
        if self.loss:
            return Result(self.loss.player.opponent)
        return Result.TIE if self.drawn else self.state.result

    def open_squares(self) -> dict[int, Symbol]:
        """The open squares and to whom they are open (``State.open_to``); none once the game is over."""
        return {} if self.over else self.state.open_squares()

    def legal_moves(self) -> list[Move]:
        """Every legal move in canonical order, with view switches; empty unless the game waits for a move."""
        return [] if self.settlement else self.state.legal_moves()

    def odds(self, mode: str = Mode.STANDARD) -> Odds:
        """The exact odds of the board if it were observed now.

        Args:
            mode: ``standard`` or ``rotated``.

        Raises:
            IllegalMoveError: the mode does not exist at this level.
            UsageError: it exists at none.
        """
        return self.state.odds(Mode.named(mode))

    def push(self, event: Event | str) -> State:
        """Add one event.

        Args:
            event: a move, a measured square, an observation, or one of these in notation.

        Returns:
            The new present state.

        Raises:
            MoveSyntaxError: a token that cannot be read.
            IllegalMoveError: if the event is not possible here; the game is as it was.
            UsageError: what is no event at all.
        """
        if isinstance(event, str):
            event = parse_event(event)
        elif not isinstance(event, Event):
            raise UsageError(f"a game takes events and tokens such as '5' or '1+3', not {shown(event)}")
        if self.settlement:
            raise IllegalMoveError(str(event), f"the game is over ({self.settlement})")
        self._states.append(self.state.child(event))
        self._events.append(event)
        return self.state

    def play(self, tokens: str | Iterable[Event | str]) -> Self:
        """Add events one after the other.

        Args:
            tokens: notation, separated by white space, or events and tokens one by one.

        Returns:
            The game itself.

        Raises:
            MoveSyntaxError: a token that cannot be read.
            IllegalMoveError: an event that is not possible; those before it stay.
            UsageError: what is no event at all.
        """
        if not isinstance(tokens, Iterable):
            raise UsageError(f"a game plays tokens such as '5 5*6', or a list of events, not {shown(tokens)}")
        for token in tokens.split() if isinstance(tokens, str) else tokens:
            self.push(token)
        return self

    def agree_on_draw(self) -> Self:
        """End the game as a tie by agreement; ``undo`` takes the agreement back with the last move.

        Returns:
            The game itself.

        Raises:
            IllegalMoveError: the game is over.
        """
        if self.over:
            raise IllegalMoveError("a draw", "the game is over")
        self.drawn = True
        return self

    def resign(self, player: str | None = None, *, on_time: bool = False) -> Self:
        """End the game as a player's loss; ``undo`` takes that back with the last move.

        Args:
            player: who gives the game up; by default whose choice it is, or who initiated the observation.
            on_time: their time ran out.

        Returns:
            The game itself.

        Raises:
            IllegalMoveError: the game is over.
            UsageError: there is no such player.
        """
        if self.over:
            raise IllegalMoveError("resigning", "the game is over")
        waiting = self.turn if self.phase is Phase.MOVE else self.state.initiator
        self.loss = Loss(waiting if player is None else Symbol.named(player), on_time)
        return self

    def undo(self) -> Event:
        """Take the last move back.

        Returns:
            The event that was taken back.

        Raises:
            IllegalMoveError: if there is none, or the last event was an observation or a measured square; the
                game, and how it ended off the board, are as they were.
        """
        if not self._events:
            raise IllegalMoveError("undo", "no move has been made yet")
        if isinstance(self._events[-1], Measurement | Observation | Positions):
            raise IllegalMoveError("undo", "an observation cannot be taken back")
        self.drawn, self.loss = False, None
        self._states.pop()
        return self._events.pop()

    def phase_start(self) -> int:
        """Index of the first event after the last finished observation: where the present phase began."""
        for index in range(len(self._events), 0, -1):
            if isinstance(self._events[index - 1], Observation):
                return index
        return 0


def check_game(game: object) -> None:
    """Refuse what is given instead of a game.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(game, Game):
        raise UsageError(f"a game must be a Game, for example Game(level=2).play('5 5*6'), not {shown(game)}")
