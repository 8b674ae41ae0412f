"""Who sits at the board: people, or computer players that decide by themselves and say why."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from qttt.chance import Uniform
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement, Observation
from qttt.game.rules import Rules
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players import Choice, Look, Player, get_player
from qttt.players.choices import decider, limited, unlimited
from qttt.players.lookahead import MoveNow
from qttt.players.strategies import accepts_draw, names_computer
from qttt.records.library import HUMAN
from qttt.records.record import Record
from qttt.solver.probe import is_solved


@dataclass
class Seats:
    """The computer players of a game.

    Attributes:
        players: the computer that plays a symbol; people play the others.
    """

    players: Mapping[Symbol, Player] = field(default_factory=dict)

    def at(self, symbol: Symbol) -> Player | None:
        """The computer that plays a symbol, None for a person."""
        return self.players.get(symbol)

    @property
    def people(self) -> bool:
        """Whether a person plays at all."""
        return len(self.players) < len(Symbol)

    def decide(self, symbol: Symbol, state: State, rng: Uniform) -> Choice:
        """Let a symbol's computer choose; asked to move now before it has found anything, it is greedy."""
        try:
            return self.players[symbol].choose(state, rng)
        except MoveNow:
            return get_player("greedy", state.rules).choose(state, rng)

    def takes_draw(self, symbol: Symbol, state: State) -> bool:
        """Whether a symbol's computer agrees to a draw."""
        return accepts_draw(self.players[symbol], symbol, state)


def seated(record: Record, names: Mapping[Symbol, str | None], *, clock: bool) -> tuple[Seats, Record]:
    """Seat the players of a game.

    Args:
        record: the game's record; its headers ``X`` and ``O`` say who plays where the names do not.
        names: for each symbol a player's name, ``human``, or None for what the record says.
        clock: searches read the clock; without it a seed repeats the game.

    Returns:
        The seats, and the record with the computers' names in its headers. Where two computers play a level
        that can go on for ever, it gets a limit.

    Raises:
        UsageError: no player has such a name, or it contradicts the record.
        UnsolvedError: perfect play is asked for where the rules are not solved.
    """
    chosen = {symbol: _name(record, symbol, names[symbol]) for symbol in Symbol}
    computers = {symbol: name for symbol, name in chosen.items() if name != HUMAN}
    if len(computers) == len(chosen):
        options = limited(record.rules).options
        if options != record.rules.options:
            record = record.with_header("Options", str(options))
    players = {symbol: get_player(name, record.rules, clock=clock) for symbol, name in computers.items()}
    for symbol, name in computers.items():
        record = record.with_header(str(symbol), name)
    return Seats(players), record


def adviser(rules: Rules) -> Player:
    """Whoever knows best: the solver's tables, or else the strongest search."""
    return get_player("perfect" if is_solved(unlimited(rules)) else "hard", rules)


def last_reason(game: Game, seats: Seats) -> str:
    """Why the last choice that stands was made: by a computer's own reasons, or what it is worth.

    Raises:
        UsageError: nothing has been chosen yet.
    """
    for event, state in zip(reversed(game.events), reversed(game.states[:-1]), strict=True):
        if (choice := _chosen(event, state)) is not None:
            player = seats.at(decider(state))
            by = decider(state) if player is None else player.name
            return f"{choice} by {by}: {(player or adviser(game.rules)).reason(state, choice)}"
    raise UsageError("no move has been made yet, so there is no reason for one")


def _chosen(event: Event, state: State) -> Choice | None:
    """What somebody chose in an event; None if it was chance alone."""
    if isinstance(event, Move):
        return event
    if isinstance(event, Measurement):
        return Look(event.square)
    if isinstance(event, Observation) and state.phase is Phase.MODE and len(state.modes) > 1:
        return event.mode
    return None


def hints(choice: Choice) -> tuple[str, ...]:
    """What may be said of the best choice without giving it away, more with every sentence."""
    if isinstance(choice, Mode):
        return ("The two modes read superposed pieces differently: odds --mode rotated shows the other.",)
    if isinstance(choice, Look):
        return ("Look at a square instead of moving.",)
    switch = ", with a view switch" * bool(choice.switches)
    article = "an" if choice.kind is Kind.ENTANGLING else "a"
    return (
        f"It is {article} {choice.kind.word} move{switch}.",
        f"Square {choice.filled[-1]} is filled by it.",
    )


def _name(record: Record, symbol: Symbol, name: str | None) -> str:
    written = record.headers.get(str(symbol))
    if name is None:
        # Headers may name people; only a computer's name is a computer.
        return written if written is not None and names_computer(written) else HUMAN
    if written not in (None, HUMAN, name):
        raise UsageError(f'--{symbol.lower()} {name} contradicts the record\'s header [{symbol} "{written}"]')
    return name
