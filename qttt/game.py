"""A game: its rules, who starts, every event so far, and the way back by undo."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from qttt.errors import IllegalMoveError
from qttt.moves import Move
from qttt.outcomes import Measurement, Observation, Positions, parse_outcome
from qttt.rules import Rules
from qttt.state import Event, Phase, State
from qttt.symbols import Symbol
from qttt.verdict import Result


def parse_event(token: str) -> Event:
    """Read a move, a measured square or an observation token.

    Raises:
        MoveSyntaxError: if it is none of them.
    """
    if token.startswith("?"):
        return Measurement.parse(token)
    return parse_outcome(token) if token.startswith("=") else Move.parse(token)


@dataclass(slots=True)
class Game:
    """A game in progress. Only the game holds history; positions and states are values.

    >>> game = Game(Rules.of(level=2))
    >>> game.play("5 5*6")
    >>> print(game.turn, *game.state.position.at(6))
    X △2 □2

    Attributes:
        rules: level and options.
        first: who starts.
        drawn: the players agreed on a draw.

    Raises:
        UsageError: on construction, if there is no such player.
    """

    rules: Rules = field(default_factory=Rules)
    first: Symbol = Symbol.X
    drawn: bool = False
    _events: list[Event] = field(default_factory=list, init=False)
    _states: list[State] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Start with the empty board."""
        self.first = Symbol.named(self.first)
        self._states.append(State(self.rules, turn=self.first))

    @property
    def state(self) -> State:
        """The present state."""
        return self._states[-1]

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
    def over(self) -> bool:
        """Whether the game has ended, on the board or by agreement."""
        return self.drawn or self.state.phase is Phase.OVER

    @property
    def result(self) -> Result:
        """X, O, tie, or continue while the game goes on."""
        return Result.TIE if self.drawn else self.state.result

    def push(self, event: Event) -> State:
        """Add one event.

        Returns:
            The new present state.

        Raises:
            IllegalMoveError: if the event is not possible here; the game is as it was.
        """
        if self.drawn:
            raise IllegalMoveError(str(event), "the game is over (a draw by agreement)")
        self._states.append(self.state.child(event))
        self._events.append(event)
        return self.state

    def play(self, tokens: str | Iterable[str]) -> None:
        """Add events in notation, separated by white space.

        Raises:
            MoveSyntaxError: a token that cannot be read.
            IllegalMoveError: an event that is not possible; those before it stay.
        """
        for token in tokens.split() if isinstance(tokens, str) else tokens:
            self.push(parse_event(token))

    def undo(self) -> Event:
        """Take the last move back.

        Returns:
            The event that was taken back.

        Raises:
            IllegalMoveError: if there is none, or the last event was an observation or a measured square; the
                game, and a draw that was agreed on, are as they were.
        """
        if not self._events:
            raise IllegalMoveError("undo", "no move has been made yet")
        if isinstance(self._events[-1], Measurement | Observation | Positions):
            raise IllegalMoveError("undo", "an observation cannot be taken back")
        self.drawn = False
        self._states.pop()
        return self._events.pop()

    def phase_start(self) -> int:
        """Index of the first event after the last finished observation: where the present phase began."""
        for index in range(len(self._events), 0, -1):
            if isinstance(self._events[index - 1], Observation):
                return index
        return 0

    def _repr_html_(self) -> str:
        """The game as a strip of boards, for notebooks."""
        from qttt.pictures.notebook import game_html

        return game_html(self)
