"""Who sits at the board: people, or computer players that decide by themselves and say why."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from qttt.chance import Uniform
from qttt.errors import UsageError
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.players import PLAYERS, Choice, Player, get_player
from qttt.players.choices import limited
from qttt.players.strategies import accepts_draw
from qttt.records.record import Record

HUMAN = "human"


@dataclass
class Seats:
    """The computer players of a game, and what they decided last.

    Attributes:
        players: the computer that plays a symbol; people play the others.
    """

    players: Mapping[Symbol, Player] = field(default_factory=dict)
    _last: tuple[Player, State, Choice] | None = field(default=None, init=False)

    def at(self, symbol: Symbol) -> Player | None:
        """The computer that plays a symbol, None for a person."""
        return self.players.get(symbol)

    def decide(self, symbol: Symbol, state: State, rng: Uniform) -> Choice:
        """Let a symbol's computer choose, and remember the choice."""
        player = self.players[symbol]
        choice = player.choose(state, rng)
        self._last = (player, state, choice)
        return choice

    def reason(self) -> str:
        """Why a computer made its last choice.

        Raises:
            UsageError: no computer has chosen anything yet.
        """
        if self._last is None:
            raise UsageError("no computer player has decided anything yet")
        player, state, choice = self._last
        return f"{choice} by {player.name}: {player.reason(state, choice)}"

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


def _name(record: Record, symbol: Symbol, name: str | None) -> str:
    written = record.headers.get(str(symbol))
    if name is None:
        # Headers may name people; only a computer's name is a computer.
        known = written is not None and (written in PLAYERS or written.startswith("search:"))
        return written if written is not None and known else HUMAN
    if written not in (None, name):
        raise UsageError(f'--{symbol.lower()} {name} contradicts the record\'s header [{symbol} "{written}"]')
    return name
