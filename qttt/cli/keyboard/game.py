"""The keyboard game: two players, one board, every token and a handful of words at the prompt."""

import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from circuits.errors import CircuitsError
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.cli.keyboard.device import observe_by_device
from qttt.cli.keyboard.lines import Keyboard
from qttt.cli.keyboard.narration import narrate
from qttt.cli.keyboard.observation import ObservationPhase, measure
from qttt.cli.keyboard.seats import Seats
from qttt.display.status import describe_game, final_board, shown_position
from qttt.display.text import draw_legend
from qttt.errors import QtttError, UsageError, quoted
from qttt.game.game import Game, parse_event
from qttt.game.moves import Move
from qttt.game.outcomes import Observation
from qttt.game.result import Result, points
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.observation.devices import DeviceObserver
from qttt.observation.job_file import HEADER
from qttt.observation.observers import Observer
from qttt.players import Choice
from qttt.records.files import RecordChangedError, load_record, save_new_record, save_over
from qttt.records.record import Record

if TYPE_CHECKING:
    import numpy as np


WORDS: Final[dict[str, str]] = {
    "help": "these lines; help moves explains the notation",
    "moves": "the legal moves",
    "dice": "the dice in every square, and to whom it is open",
    "odds": "the exact odds if the board were observed now; odds --mode rotated, --rolls d6",
    "advise": "what every choice is worth, the best one and why; advise --top 3",
    "circuit": "the circuit of the moves since the last observation; circuit --style lean",
    "check": "hold dice, circuits and shots of this board against each other",
    "undo": "take the last move back (never an observation)",
    "draw": "offer a draw; the other player answers",
    "why": "ask a computer player for the reason of its last choice",
    "save FILE": "write the record to FILE, and from now on after every move",
    "quit": "keep the record and stop",
}
"""What the prompt of a game takes besides moves, each with what it does."""

MODES: Final = """\
standard  triangles and squares read as they are; plus and minus states are 50/50
rotated   plus reads X, minus reads O; classical pieces are 50/50
Entangled pairs are 50/50 and opposite in both. odds --mode rotated shows what a mode would give;
save FILE, check, advise and quit work here too."""
"""Help where the mode of observation is chosen."""

NOTATION: Final = """\
5      classical: your piece in square 5
1+3    superposition: your piece in 1 and 3 at once
5*6    entangle: invade the opponent's lone die in 5 and spread into empty 6
5-6    cancel: invade 5, your own die into empty 6 (Level 3 and up)
~5 5~  the same with a view switch before or after the move (Level 5; ~5~ with two switches allowed)
?5     observe square 5 as your turn (option measure-turn)
Squares are numbered 1 to 9 from left to right and top to bottom."""
"""How moves are typed."""


def listed_words() -> list[str]:
    """A line for each of ``WORDS``."""
    width = max(map(len, WORDS))
    return [f"  {name:{width}}  {text}" for name, text in WORDS.items()]


#: After so many observation phases in a row without a result the players are reminded that they may draw.
DRAW_REMINDER = 5

_MEASURE = re.compile(r"\?([1-9])", re.ASCII)

#: Commands of the command line that the prompt takes too; the game so far is their record.
ASIDES = ("moves", "dice", "odds", "advise", "circuit", "check")


class StoppedError(Exception):
    """The players stopped before the end of the game.

    Attributes:
        interrupted: by Ctrl-C.
    """

    def __init__(self, *, interrupted: bool) -> None:
        """Say how."""
        self.interrupted = interrupted
        super().__init__()


@dataclass
class KeyboardGame:
    """One game at the keyboard, between people, computers, or one of each.

    Attributes:
        game: the game, new or continued.
        record: its record, headers and comments included.
        observer: who observes the board.
        rng: where random numbers come from.
        session: where it is shown.
        keyboard: where lines come from.
        run_aside: runs a command of ``ASIDES``, given its name and its words.
        file: where the record is saved after every event; None: nowhere until the players stop.
        seats: which symbols computers play.
        known: what the file held when we looked last.
        accept_noise: take results from a device's job even if its shots say nothing of the board.
    """

    game: Game
    record: Record
    observer: Observer
    rng: "np.random.Generator"
    session: Session
    keyboard: Keyboard
    run_aside: Callable[[str, Sequence[str], Session], None]
    file: str | None = None
    seats: Seats = field(default_factory=Seats)
    known: Record = field(default_factory=Record)
    accept_noise: bool = False

    def play(self) -> Result:
        """Play to the end.

        Returns:
            X, O or tie.

        Raises:
            StoppedError: the players stopped, or the input ended. What was played is in ``record``.
            QtttError: the record cannot be saved, or a backend failed; the game is as it was.
        """
        if self.game.state.phase is Phase.MODE:
            # The observation shows the board itself, with the squares that were found empty.
            self.session.show("", describe_game(self.game))
        elif not self.game.over:
            self.show_board()
        try:
            while not self.game.over:
                if self.game.state.phase is Phase.MOVE:
                    self.turn()
                else:
                    self.observe()
        except (EOFError, KeyboardInterrupt) as stop:
            raise StoppedError(interrupted=isinstance(stop, KeyboardInterrupt)) from None
        self.show_result()
        return self.game.result

    def keep(self) -> None:
        """Bring the record up to date, and save it if it has a file, with what others have added there.

        Where the file has come to hold something else, that is left, and the game goes on in one beside it.

        Raises:
            FileError: it cannot be saved; what was on disk is as it was.
        """
        self.record = self.record.updated(self.game)
        if self.file is None:
            return
        try:
            self.record = save_over(self.file, self.record, self.known)
        except RecordChangedError:
            path = Path(self.file)
            names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 1000))
            self.file = save_new_record(self.record, names)
            self.session.show(f"Somebody else has changed {path}; this game goes on in {self.file}.")
        self.known = self.record

    def show_board(self) -> None:
        """Show the board, what its letters mean, and who is to move."""
        position = shown_position(self.game)
        legend = draw_legend(position, self.session.glyphs)
        self.session.show(
            "", self.session.board(position), *([legend] if legend else []), describe_game(self.game)
        )

    def turn(self) -> None:
        """Let a computer move, or ask a person for a move or for a word that asks for something else."""
        if (player := self.seats.at(self.game.turn)) is not None:
            choice = self._decided(self.game.turn, self.game.state)
            self.session.show("", f"{self.game.turn} ({player.name}) plays {choice}.")
            self.move(str(choice))
            return
        words = [str(move) for move in self.game.state.legal_moves()]
        words += [f"?{square}" for square in self.game.state.measurable()]
        words += [name.split()[0] for name in WORDS]
        typed = self.keyboard.line(f"{self.game.turn}> ", words)
        if not typed:
            return
        try:
            if not self.word(typed):
                self.move(typed)
        except (QtttError, CircuitsError) as error:
            self.session.show(str(error))

    def word(self, typed: str) -> bool:
        """Do what a word at the prompt asks for; False if it is none."""
        word, _, rest = typed.partition(" ")
        word = word.lower()
        if word in _WORDS:
            _WORDS[word](self, rest.strip())
        elif word in ASIDES:
            self.aside(word, rest)
        else:
            return False
        return True

    def move(self, token: str) -> None:
        """Make a move, say what it did, and show the board."""
        if asked := _MEASURE.fullmatch(token):
            measure(self.game, int(asked[1]), self.observer, self.rng, self.session)
            self.show_board()
            self.keep()
            return
        if len(token.split()) > 1:
            raise UsageError(f"one move at a time, without numbers and comments, and not {quoted(token)}")
        event = parse_event(token)
        if not isinstance(event, Move):
            raise UsageError(
                "what an observation gives is not typed in: it comes by itself once the board is full"
            )
        before = self.game.state
        self.game.push(event)
        self.session.show(narrate(event, before, self.session.glyphs))
        self.show_board()
        self.keep()

    def observe(self) -> None:
        """Run the observation phase, and say what it decided."""
        if HEADER in self.record.headers or isinstance(self.observer, DeviceObserver):
            self._observe_by_device()
        else:
            ObservationPhase(
                self.game, self.observer, self.rng, self.session, self.choose_mode, self.keep
            ).run()
        if not self.game.over:
            self.show_board()
            if self.game.state.observations % DRAW_REMINDER == 0 and self.game.rules.level.observed_in_play:
                self.session.show(
                    f"After {self.game.state.observations} observations nobody leads, and this level can go "
                    "on for ever: 'draw' offers a draw."
                )

    def _observe_by_device(self) -> None:
        game, session = self.game, self.session

        def choose(game: Game) -> Mode:
            session.show(session.board(shown_position(game), game.state.positions))
            return self.choose_mode(game)

        if game.state.phase is Phase.OBSERVATION:
            first = " Positions first." if len(game.state.modes) > 1 else ""
            session.show(f"The board is full: {game.state.initiator} initiated the observation.{first}")
        try:
            if HEADER not in self.record.headers:
                self.record = self.record.updated(game)
                assert isinstance(self.observer, DeviceObserver)
                if self.file is None and not self.observer.backend.local:
                    # What is paid for is kept, whatever the players have asked for.
                    self.file = save_new_record(self.record)
                    self.known = self.record
                    session.show(f"The record is in {self.file} from now on.")
            self.record = self.known = observe_by_device(
                game, self.record, self.file, self.observer, self.rng, session, choose, self.accept_noise
            )
        except BaseException:
            # The file has what happened on the way: the job, and perhaps the positions.
            self._reread()
            raise

    def _reread(self) -> None:
        """Take the record from its file, unless that is gone or has become another game."""
        if self.file is None:
            return
        with suppress(QtttError):
            there = load_record(self.file)
            if there.events == self.game.events[: len(there.events)]:
                self.record = self.known = there

    def _decided(self, symbol: Symbol, state: State) -> Choice:
        with waiting(self.session, f"{symbol} thinks"):
            return self.seats.decide(symbol, state, self.rng)

    def choose_mode(self, game: Game) -> Mode:
        """Let the initiator choose the mode of observation."""
        if (player := self.seats.at(game.state.initiator)) is not None:
            choice = Mode(str(self._decided(game.state.initiator, game.state)))
            self.session.show(f"{game.state.initiator} ({player.name}) chooses the {choice} mode.")
            return choice
        modes = [str(mode) for mode in game.state.modes]
        prompt = f"{game.state.initiator}, which mode of observation? [{'/'.join(modes)}] "
        while True:
            typed = self.keyboard.line(prompt, modes)
            fitting = [mode for mode in modes if typed and mode.startswith(typed.lower())]
            if fitting:
                return Mode(fitting[0])
            try:
                self.answer(typed)
            except (QtttError, CircuitsError) as error:
                self.session.show(str(error))

    def answer(self, typed: str) -> None:
        """Answer a word typed where the mode is asked for; no move and no draw can be made there.

        Raises:
            QtttError: the word does not do here, or asks for something that makes no sense.
        """
        word = typed.partition(" ")[0].lower()
        if word in ("", "help", "?"):
            self.session.show(MODES)
        elif word == "undo":
            self.game.undo()
        elif word == "draw":
            raise UsageError("a draw is offered on a turn, and now the mode is to be chosen")
        elif not self.word(typed):
            raise UsageError(f"{quoted(typed)} is no mode: help explains them")

    def show_result(self) -> None:
        """Show the last board and who won."""
        self.show_board()
        last = final_board(self.game)
        if last is not None:
            lines = points(last)
            self.session.show(
                ", ".join(
                    f"{player} has {count} line{'' if count == 1 else 's'}" for player, count in lines.items()
                )
                + "."
            )

    # The words at the prompt.

    def help(self, rest: str) -> None:
        """List the words, or explain the notation."""
        if rest == "moves":
            self.session.show(NOTATION)
        else:
            self.session.show("Type a move (5, 1+3, 5*6) or one of:", *listed_words())

    def aside(self, name: str, rest: str) -> None:
        """Run a command of the command line on the game so far, with any of its arguments."""
        self.run_aside(name, [str(self.record.updated(self.game)), *split_words(rest)], self.session)

    def undo(self, rest: str) -> None:
        """Take the last move back; against a computer, its answer too."""
        person = self.game.turn
        taken = [self.game.undo()]
        if self.seats.players and self.game.turn is not person:
            try:
                taken.append(self.game.undo())
            except QtttError:
                self.game.push(taken[0])
                raise
        self.keep()
        are = "is" if len(taken) == 1 else "are"
        self.session.show(f"{' and '.join(map(str, reversed(taken)))} {are} taken back.")
        self.show_board()

    def draw(self, rest: str) -> None:
        """Let the other player answer an offer of a draw."""
        other = self.game.turn.opponent
        if (player := self.seats.at(other)) is not None:
            agreed = self.seats.takes_draw(other, self.game.state)
            self.session.show(
                f"{other} ({player.name}) {'agrees' if agreed else 'thinks that it stands better'}."
            )
            self.agree(agreed)
            return
        prompt = f"{self.game.turn} offers {other} a draw. Does {other} agree? [yes/no] "
        while True:
            answer = self.keyboard.line(prompt, ["yes", "no"]).lower()
            if answer == "quit":
                raise EOFError
            if answer and ("yes".startswith(answer) or "no".startswith(answer)):
                self.agree("yes".startswith(answer))
                return

    def agree(self, agreed: bool) -> None:
        """End the game as a draw if both players agreed, else go on."""
        if agreed:
            self.game.drawn = True
            self.keep()
        else:
            self.session.show("No draw; the game goes on.")

    def why(self, rest: str) -> None:
        """Tell the reason of a computer's last choice."""
        self.session.show(self.seats.reason())

    def save(self, rest: str) -> None:
        """Save the record, and go on saving it there."""
        names = split_words(rest)
        if len(names) != 1:
            raise UsageError("save where? Write: save FILE (a name with spaces in quotes)")
        record = self.record.updated(self.game)
        try:
            self.record = self.known = save_over(names[0], record, record)
        except RecordChangedError:
            raise UsageError(f"{names[0]} holds something else already: name another file") from None
        self.file = names[0]
        self.session.show(f"Saved in {self.file}; every move will be saved there.")

    def quit(self, rest: str) -> None:
        """Stop."""
        raise EOFError


#: Words that ask a computer for its reason.
_REASON = ("why", "explain")
_WORDS: dict[str, Callable[[KeyboardGame, str], None]] = {
    **dict.fromkeys(_REASON, KeyboardGame.why),
    "help": KeyboardGame.help,
    "?": KeyboardGame.help,
    "undo": KeyboardGame.undo,
    "draw": KeyboardGame.draw,
    "save": KeyboardGame.save,
    "quit": KeyboardGame.quit,
    "exit": KeyboardGame.quit,
}


def split_words(typed: str) -> list[str]:
    """The words of a line as a shell takes them, quotes removed.

    Raises:
        UsageError: a quotation mark is not closed.
    """
    try:
        return shlex.split(typed)
    except ValueError as error:
        raise UsageError(f"cannot read {quoted(typed)}: {error}") from error


def game_points(game: Game) -> dict[Symbol, int]:
    """What a finished game is worth in a match: lines under ``tally``, else a point for the winner.

    An agreed draw is worth nothing to either: the lines of a board that was to be played on do not count.
    """
    last = game.events[-1] if game.events else None
    if game.rules.options.tally and isinstance(last, Observation) and not game.drawn:
        return points(last.board)
    return {player: int(str(game.result) == str(player)) for player in Symbol}
