"""The keyboard game: two players, one board, every token and a handful of words at the prompt."""

import random
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from circuits.errors import CircuitsError
from qttt.cli.console.session import Session
from qttt.cli.console.signals import first_ctrl_c
from qttt.cli.console.tables import plain_table
from qttt.cli.console.waiting import waiting
from qttt.cli.keyboard.device import observe_by_device
from qttt.cli.keyboard.lines import Prompt
from qttt.cli.keyboard.loading import Loading
from qttt.cli.keyboard.narration import narrate
from qttt.cli.keyboard.observation import ObservationPhase, measure, told
from qttt.cli.keyboard.pace import MOVE, Pace
from qttt.cli.keyboard.seats import Seats, adviser, hints, last_reason
from qttt.cli.keyboard.spelling import in_notation, joined, swapped, unknown
from qttt.display.status import describe_game, final_board, shown_position
from qttt.display.text import draw_legend
from qttt.errors import IllegalMoveError, MoveSyntaxError, QtttError, UsageError, quoted
from qttt.game.game import Game, parse_event
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Observation
from qttt.game.result import points
from qttt.game.rules import Rules
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.observation.devices import DeviceObserver
from qttt.observation.job_file import HEADER
from qttt.observation.observers import DiceObserver, Observer
from qttt.players import Choice
from qttt.players.lookahead import MoveNow
from qttt.records.files import RecordChangedError, load_record, save_new_record, save_over
from qttt.records.library import Keeper
from qttt.records.record import Record
from qttt.solver.probe import is_solved
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    import numpy as np


WORDS: Final[dict[str, str]] = {
    "help": "these lines, or h; help moves: how moves are typed",
    "moves": "the legal moves",
    "board": "the board again",
    "dice": "what lies in every square",
    "odds": "the exact odds if the board were observed now",
    "hint": "a hint; once more says more",
    "advise": "what every choice is worth; advise --top 3",
    "eval": "show how the players stand, or no more",
    "why": "the reason of the last move",
    "explain": "the last move step by step",
    "review": "every choice so far, judged",
    "openings": "what other openings are worth",
    "circuit": "the circuit of the moves; circuit --style lean",
    "check": "hold dice, circuits and shots against each other",
    "undo": "take your last move back; undo 2 takes two (never an observation)",
    "offer-draw": "offer a draw; the other player answers",
    "resign": "give the game up",
    "new": "begin a new game; rematch: the other starts",
    "save FILE": "write the record there, and after every move",
    "quit": "stop, or q; the game is kept (Ctrl-D too)",
}
"""What the prompt of a game takes besides moves, each with what it does."""

_AFTER: Final = ("help", "board", "why", "explain", "review", "odds", "new", "save FILE", "quit")
"""The words that make sense once the game is over."""

ALIASES: Final = {"h": "help", "?": "help", "q": "quit", "exit": "quit", "rematch": "new"}

MODES: Final = {
    Mode.STANDARD: "triangles and squares read as they are; plus and minus states are 50/50",
    Mode.ROTATED: "plus reads X, minus reads O; classical pieces are 50/50",
}
"""What each mode of observation reads."""


def notation_rows(rules: Rules) -> list[tuple[str, str]]:
    """How the moves of a game are typed: each with what it is, and only those that its rules have."""
    rows = [(kind.example, f"{kind.word}: {kind.effect}") for kind in Kind if rules.level.allows(kind)]
    if rules.level.rotated_view:
        rows.append(("~5 5~", "the same with a view switch before or after the move"))
    if rules.options.measure_turn:
        rows.append(("?5", "observe square 5 as your turn"))
    return rows


def word_rows(names: Iterable[str], rules: Rules) -> list[tuple[str, str]]:
    """The words of a prompt that mean something by these rules, each with what it does."""
    rows = {name: WORDS[name] for name in names if name != "openings" or is_solved(rules)}
    if "dice" in rows and rules.level.allows(Kind.ENTANGLING):
        rows["dice"] += ", and to whom it is open"
    if "odds" in rows and rules.level.rotated_mode:
        rows["odds"] += "; odds --mode rotated"
    return list(rows.items())


#: After so many observation phases in a row without a result the players are reminded that they may draw.
DRAW_REMINDER = 5

_MEASURE = re.compile(r"\?([1-9])", re.ASCII)
MOVE_LIKE = re.compile(r"\s*[~?=]?\s*[0-9#.XO]")
"""How a line begins that was meant as a move rather than as a word."""

#: Commands of the command line that the prompt takes too; the game so far is their record.
ASIDES = ("moves", "dice", "odds", "advise", "circuit", "check", "review", "openings")


class NewGameError(Exception):
    """The players want a new game.

    Attributes:
        rematch: the other player starts.
    """

    def __init__(self, *, rematch: bool) -> None:
        """Say which."""
        self.rematch = rematch
        super().__init__()


class ResignedError(Exception):
    """The player who was to choose the mode gave the game up."""


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
        observing: who observes the board, once they are loaded.
        rng: where random numbers come from.
        session: where it is shown.
        prompt: where lines come from.
        pace: how fast what happens by itself is shown.
        run_aside: runs a command of ``ASIDES``, given its name and its words.
        file: where the record is saved after every event; None: nowhere until the players stop.
        seats: which symbols computers play.
        known: what the file held when we looked last.
        keeper: keeps the game in the user's library; None if it is kept in no library.
        accept_noise: take results from a device's job even if its shots say nothing of the board.
        evaluating: how the players stand is shown under every board.
        in_match: the game is one of a match, which decides what comes next.
    """

    game: Game
    record: Record
    observing: Loading
    rng: "np.random.Generator"
    session: Session
    prompt: Prompt
    pace: Pace
    run_aside: Callable[[str, Sequence[str], Session], None]
    file: str | None = None
    seats: Seats = field(default_factory=Seats)
    known: Record = field(default_factory=Record)
    keeper: Keeper | None = None
    accept_noise: bool = False
    evaluating: bool = False
    in_match: bool = False
    _legend: str = field(default="", init=False)
    _shown: int = field(default=-1, init=False)
    _hinted: tuple[int, int] = field(default=(-1, 0), init=False)

    @property
    def observer(self) -> Observer:
        """Who observes the board."""
        return self.observing.observer

    def play(self) -> None:
        """Play to the end.

        Raises:
            StoppedError: the players stopped, or the input ended. What was played is in ``record``.
            NewGameError: the players want another game instead.
            QtttError: the record cannot be saved, or a backend failed; the game is as it was.
        """
        if self.game.phase is Phase.MODE:
            # The observation shows the board itself, with the squares that were found empty.
            self.session.show("", describe_game(self.game))
        elif not self.game.over:
            self.show_board()
        try:
            while not self.game.over:
                # One board an exchange: for whoever has to think about it, and before it is observed.
                seen = self._shown == len(self.game.events) or self.game.phase is Phase.MODE
                if not seen and (self.game.phase is not Phase.MOVE or not self.seats.at(self.game.turn)):
                    self.show_board()
                if self.game.state.phase is not Phase.MOVE:
                    with suppress(ResignedError):
                        self.observe()
                    continue
                self.turn()
        except (EOFError, KeyboardInterrupt) as stop:
            raise StoppedError(interrupted=isinstance(stop, KeyboardInterrupt)) from None
        self.show_result()

    def afterwards(self) -> None:
        """Answer what the players ask after the end, until they leave or go on with the match.

        Raises:
            NewGameError: they want another game.
        """
        if not self.seats.people or (self.in_match and not self.prompt.keyboard.live):
            return
        if self.prompt.keyboard.live:
            words = ", ".join(name.split()[0] for name, _ in word_rows(_AFTER, self.game.rules)[1:])
            goes_on = " Enter goes on with the match." if self.in_match else ""
            self.session.show(f"Now: {words} (help explains them).{goes_on}")
        try:
            while True:
                typed = self.prompt.line("over> ", [name.split()[0] for name in _AFTER])
                if not typed and self.in_match:
                    return
                if typed:
                    self._answered(self._after, typed)
        except (EOFError, KeyboardInterrupt) as stop:
            if self.in_match:
                raise StoppedError(interrupted=isinstance(stop, KeyboardInterrupt)) from None

    def _after(self, typed: str) -> None:
        names = [name.split()[0] for name in _AFTER]
        word = typed.split()[0].lower()
        word = ALIASES.get(word, word)
        if word not in names:
            known = word in WORDS or MOVE_LIKE.match(typed)
            said = "new begins another" if known else unknown(typed, [*names, *ALIASES])
            raise UsageError(f"the game is over: {said}")
        self.word(typed)

    def _answered(self, answer: Callable[[str], object], typed: str) -> None:
        """Do what a line asks for; Ctrl-C stops it, and a problem is said."""
        try:
            with self.prompt.stoppable():
                answer(typed)
        except (QtttError, CircuitsError) as error:
            self.session.show(str(error))

    def keep(self) -> None:
        """Bring the record up to date, and save it if it has a file, with what others have added there.

        Where the file has come to hold something else, that is left, and the game goes on in one beside it.

        Raises:
            FileError: it cannot be saved; what was on disk is as it was.
        """
        self.record = self.record.updated(self.game)
        if self.keeper is not None:
            self.keeper.keep(self.record)
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
        """Show the board, what is new of its letters, and who is to move; the last moves are marked."""
        self._shown = len(self.game.events)
        position = shown_position(self.game)
        legend = draw_legend(position, self.session.glyphs)
        new = bool(legend) and legend.plain != self._legend
        self._legend = legend.plain if legend else self._legend
        board = [self.session.board(position, marked=self._marked())]
        letters = [legend] if legend and new else []
        # In a low terminal what is above the board may run out of sight, and nothing of the board.
        self.session.show(
            *([*letters, *board] if self.session.low else ["", *board, *letters]),
            *self._evaluation(),
            describe_game(self.game),
        )

    def _marked(self) -> tuple[int, ...]:
        """The squares of the last move; of the last two where a computer has answered a person."""
        events = self.game.events[self.game.phase_start() :]
        count = 2 if self.seats.players and self.seats.people else 1
        return tuple(
            square for event in events[-count:] if isinstance(event, Move) for square in event.squares
        )

    def _evaluation(self) -> list[str]:
        if not self.evaluating or self.game.over:
            return []
        from qttt.cli.keyboard.evaluation import evaluation_line

        with waiting(self.session, "weighing the position"):
            return [evaluation_line(self.game.state, self.session.glyphs, self.session.columns)]

    def turn(self) -> None:
        """Let a computer move, or ask a person for a move or for a word that asks for something else."""
        if (player := self.seats.at(self.game.turn)) is not None:
            if not self.seats.people and not self.pace.pause(MOVE):
                self.prompt.pressed()
            choice = self._decided(self.game.turn, self.game.state)
            self.session.show("", f"{self.game.turn} ({player.name}) plays {choice}.")
            self.move(str(choice))
            if not self.seats.people and self.game.phase is Phase.MOVE:
                self.show_board()
            return
        words = [str(move) for move in self.game.state.legal_moves()]
        words += [f"?{square}" for square in self.game.state.measurable()]
        words += [name.split()[0] for name in WORDS]
        typed = self.prompt.line(f"{self.game.turn}> ", words)
        if typed:
            self._answered(self._line, typed)

    def _line(self, typed: str) -> None:
        if not self.word(typed):
            self.move(in_notation(typed))

    def word(self, typed: str) -> bool:
        """Do what a word at the prompt asks for; False if it is none."""
        word, _, rest = typed.partition(" ")
        word = word.lower()
        if word == "rematch":
            self.begin_anew(rematch=True)
        elif ALIASES.get(word, word) in _WORDS:
            _WORDS[ALIASES.get(word, word)](self, rest.strip())
        elif word in ASIDES:
            self.aside(word, rest)
        else:
            return False
        return True

    def move(self, token: str) -> None:
        """Make a move, and say what it did."""
        if asked := _MEASURE.fullmatch(token):
            measure(self.game, int(asked[1]), self.observer, self.rng, self.session, self.pace)
            self.keep()
            return
        if (meant := joined(token)) and self.game.rules.level.allows(Kind.SUPERPOSITION):
            raise UsageError(f"cannot read {quoted(token)}. Did you mean {meant}, one piece in both squares?")
        if len(token.split()) > 1 and MOVE_LIKE.match(token):
            raise UsageError(f"one move at a time, without numbers and comments, and not {quoted(token)}")
        try:
            event = parse_event(token)
        except MoveSyntaxError as error:
            if MOVE_LIKE.match(token):
                raise
            raise UsageError(unknown(token, [name.split()[0] for name in WORDS] + list(ALIASES))) from error
        if not isinstance(event, Move):
            raise UsageError(
                "what an observation gives is not typed in: it comes by itself once the board is full"
            )
        before = self.game.state
        try:
            self.game.push(event)
        except IllegalMoveError as error:
            if (other := swapped(token, before)) is None:
                raise
            raise UsageError(f"{error}. Did you mean {other}? The invaded square comes first") from error
        self.session.show(narrate(event, before, self.session.glyphs))
        self.keep()

    def observe(self) -> None:
        """Run the observation phase, and say what it decided."""
        if HEADER in self.record.headers or isinstance(self.observer, DeviceObserver):
            self._observe_by_device()
        else:
            ObservationPhase(
                self.game, self.observer, self.rng, self.session, self.choose_mode, self.keep, self.pace
            ).run()
        rolls = self.observer.rolls if isinstance(self.observer, DiceObserver) else Rolls.EXACT
        self.session.show(*told(self.game, rolls))
        observed = self.game.state.observations
        if not self.game.over and observed % DRAW_REMINDER == 0 and self.game.rules.level.observed_in_play:
            self.session.show(
                f"After {observed} observations nobody leads, and this level can go on for ever: "
                "'offer-draw' offers a draw."
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
                game,
                self.record,
                self.file,
                self.observer,
                self.rng,
                session,
                choose,
                self.pace,
                self.accept_noise,
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
        if not self.prompt.keyboard.live:
            with waiting(self.session, f"{symbol} thinks"):
                return self.seats.decide(symbol, state, self.rng)

        def hurry() -> None:
            self.prompt.pressed()
            raise MoveNow

        with waiting(self.session, f"{symbol} thinks (Ctrl-C: move now)"), first_ctrl_c(hurry):
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
            typed = self.prompt.line(prompt, modes)
            fitting = [mode for mode in modes if typed and mode.startswith(typed.lower())]
            if fitting:
                self.session.show(f"{game.state.initiator} chooses the {fitting[0]} mode.")
                return Mode(fitting[0])
            self._answered(self.answer, typed)

    def answer(self, typed: str) -> None:
        """Answer a word typed where the mode is asked for; no move and no draw can be made there.

        Raises:
            QtttError: the word does not do here, or asks for something that makes no sense.
        """
        word = typed.partition(" ")[0].lower()
        if word in ("", "moves") or ALIASES.get(word, word) == "help":
            self._show_rows([(str(mode), MODES[mode]) for mode in self.game.state.modes])
            self.session.show(
                "Entangled pairs are 50/50 and opposite in both. odds --mode rotated shows what a mode would "
                "give; hint, advise, check, board, save FILE and quit work here too."
            )
        elif word == "undo":
            self.game.undo()
        elif word in ("offer-draw", "draw"):
            raise UsageError("a draw is offered on a turn (offer-draw), and now the mode is to be chosen")
        elif word == "board":
            state = self.game.state
            self.session.show(self.session.board(shown_position(self.game), state.positions))
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

    def _show_rows(self, rows: Iterable[tuple[str, str]]) -> None:
        table = plain_table("", "", prose=1)
        for row in rows:
            table.add_row(*row)
        self.session.show(table)

    def help(self, rest: str) -> None:
        """List the words, or explain the notation."""
        rules = self.game.rules
        if rest == "moves":
            self._show_rows(notation_rows(rules))
            self.session.show("Squares are numbered 1 to 9 from left to right and top to bottom.")
            return
        if not self.game.over:
            self.session.show(
                f"Type a move ({', '.join(move for move, _ in notation_rows(rules))}) or a word:"
            )
        self._show_rows(word_rows(_AFTER if self.game.over else WORDS, rules))

    def board(self, rest: str) -> None:
        """Show the board again."""
        self.show_board()

    def hint(self, rest: str) -> None:
        """Say something of the best choice, and more when it is asked again."""
        count = len(self.game.events)
        shown = self._hinted[1] if self._hinted[0] == count else 0
        player = adviser(self.game.rules)
        with waiting(self.session, "thinking of a hint"):
            # A generator of its own: asking changes nothing of the game.
            choice = player.choose(self.game.state, random.Random(0))
            said = [*hints(choice), f"{choice}."]
            if shown >= len(said) - 1:
                said[-1] = f"{choice}: {player.reason(self.game.state, choice)}"
        self.session.show(said[min(shown, len(said) - 1)])
        self._hinted = count, shown + 1

    def eval(self, rest: str) -> None:
        """Show how the players stand under every board, or no more."""
        self.evaluating = not self.evaluating
        self.session.show(*(self._evaluation() or ["How the players stand is shown no more."]))

    def explain(self, rest: str) -> None:
        """Explain the last move step by step."""
        from qttt.cli.console.characters import carried
        from qttt.teaching.lesson.building import last_step
        from qttt.teaching.lesson.text import LINE, step_text

        with waiting(self.session, "explaining"):
            step = last_step(self.record.updated(self.game))
        text = step_text(step, self.session.glyphs, min(LINE, self.session.columns))
        self.session.show(*carried(text, takes_unicode=self.session.takes_unicode))

    def begin_anew(self, *, rematch: bool) -> None:
        """Begin another game.

        Raises:
            UsageError: the game belongs to a match.
            NewGameError: else.
        """
        if self.in_match:
            raise UsageError("this is a game of a match: the next one comes after it; resign gives it up")
        raise NewGameError(rematch=rematch)

    def new(self, rest: str) -> None:
        """Begin a new game; the same player starts."""
        self.begin_anew(rematch=False)

    def resign(self, rest: str) -> None:
        """Give the game up."""
        self.game.resign()
        self.keep()
        if self.game.state.phase is Phase.MODE:
            raise ResignedError

    def aside(self, name: str, rest: str) -> None:
        """Run a command of the command line on the game so far, with any of its arguments."""
        self.session.board_known = True
        try:
            self.run_aside(name, [str(self.record.updated(self.game)), *split_words(rest)], self.session)
        finally:
            self.session.board_known = False

    def undo(self, rest: str) -> None:
        """Take moves back; against a computer, its answers too.

        Raises:
            UsageError: no number of moves.
            IllegalMoveError: there are not so many since the last observation; the game is as it was.
        """
        if rest and not re.fullmatch("[1-9][0-9]?", rest):
            raise UsageError(f"undo takes a number of moves, such as undo 2, and not {quoted(rest)}")
        person = self.game.turn
        taken: list[Event] = []
        done, wanted = 0, int(rest or 1)
        try:
            while done < wanted:
                taken.append(self.game.undo())
                if self.seats.players and self.game.turn is not person:
                    taken.append(self.game.undo())
                done += 1
        except IllegalMoveError as error:
            for event in reversed(taken):
                self.game.push(event)
            if not done:
                raise
            moves = "one move" if done == 1 else f"{done} moves"
            raise IllegalMoveError(f"undo {wanted}", f"only {moves} can be taken back") from error
        self.keep()
        are = "is" if len(taken) == 1 else "are"
        self.session.show(f"{' and '.join(map(str, reversed(taken)))} {are} taken back.")

    def draw(self, rest: str) -> None:
        """Say what this word was: it does nothing any more."""
        raise UsageError(
            "draw offered the other player a draw; that is offer-draw now (qttt draw makes pictures)"
        )

    def offer_draw(self, rest: str) -> None:
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
            answer = self.prompt.line(prompt, ["yes", "no"]).lower()
            if ALIASES.get(answer, answer) == "quit":
                raise EOFError
            if answer and ("yes".startswith(answer) or "no".startswith(answer)):
                self.agree("yes".startswith(answer))
                return

    def agree(self, agreed: bool) -> None:
        """End the game as a draw if both players agreed, else go on."""
        if agreed:
            self.game.agree_on_draw()
            self.keep()
        else:
            self.session.show("No draw; the game goes on.")

    def why(self, rest: str) -> None:
        """Tell the reason of the last choice that stands."""
        with waiting(self.session, "thinking of a reason"):
            said = last_reason(self.game, self.seats)
        self.session.show(said)

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


_WORDS: dict[str, Callable[[KeyboardGame, str], None]] = {
    "help": KeyboardGame.help,
    "board": KeyboardGame.board,
    "hint": KeyboardGame.hint,
    "eval": KeyboardGame.eval,
    "why": KeyboardGame.why,
    "explain": KeyboardGame.explain,
    "undo": KeyboardGame.undo,
    "draw": KeyboardGame.draw,
    "offer-draw": KeyboardGame.offer_draw,
    "resign": KeyboardGame.resign,
    "new": KeyboardGame.new,
    "save": KeyboardGame.save,
    "quit": KeyboardGame.quit,
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

    An agreed draw is worth nothing to either: the lines of a board that was to be played on do not count. A
    game that was given up is a point for the opponent.
    """
    last = game.events[-1] if game.events else None
    if game.rules.options.tally and isinstance(last, Observation) and not game.settlement:
        return points(last.board)
    return {player: int(str(game.result) == str(player)) for player in Symbol}
