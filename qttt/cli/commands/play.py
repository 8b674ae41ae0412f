"""``qttt play``: a game at one keyboard, a match of several, or a demonstration."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.chance import MAX_SEED
from qttt.cli.commands import COMMANDS, Command
from qttt.cli.commands.arguments import (
    Source,
    add_flags,
    completed,
    file_name,
    source_of,
    style_of,
    whole_number,
)
from qttt.cli.console.parser import Parser
from qttt.cli.console.session import Session
from qttt.cli.console.signals import signals_interrupt
from qttt.errors import UsageError
from qttt.game.symbols import Symbol
from qttt.players import PLAYERS
from qttt.records.files import load_record, save_new_record, start_record
from qttt.records.library import HUMAN, Keeper, Library, today
from qttt.records.record import Record
from qttt.storage import FileError
from qttt.tabletop.rolls import Rolls, check_rolls

if TYPE_CHECKING:
    from qttt.cli.keyboard.game import KeyboardGame
    from qttt.observation.observers import Observer

#: Observers that a name cannot be wrong of; they are loaded while the players think.
_ALWAYS_THERE = ("aer", "aer-lean", "aer-coherent")


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=file_name,
        nargs="?",
        help="a saved game to go on with; it is saved there again",
    )
    add_flags(parser, "--level", "--options")
    add_flags(parser, "--first", help="who starts, X or O (default X)")
    for symbol in Symbol:
        parser.add_argument(
            f"--{symbol.lower()}",
            metavar="PLAYER",
            help=f"who plays {symbol}: human (the default), {', '.join(PLAYERS)} or search:SECONDS",
        )
    add_flags(parser, "--view", "--backend", "--style", "--rolls", "--accept-noise", "--seed")
    parser.add_argument(
        "--record", metavar="FILE", type=file_name, help="save the record there after every move"
    )
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole_number(1, 1000),
        default=1,
        help="a match of N games: points are added up and who starts alternates",
    )
    parser.add_argument(
        "--no-keep", action="store_true", help="do not keep the game among those that qttt games lists"
    )
    parser.add_argument("--eval", action="store_true", help="show how the players stand under every board")
    parser.add_argument("--fast", action="store_true", help="no pauses: observations and computers at once")
    parser.add_argument(
        "--demo", action="store_true", help="watch a seeded game of random moves, gates and cross-check shown"
    )


def _run(arguments: Namespace, session: Session) -> int:
    if arguments.demo:
        if arguments.file is not None or arguments.games != 1:
            raise UsageError("--demo plays one game of its own: it goes with neither FILE nor --games")
        if arguments.x is not None or arguments.o is not None:
            raise UsageError("--demo makes random moves: it goes with neither --x nor --o")
        return _demonstrate(arguments, session)
    if arguments.file is not None and arguments.record is not None:
        raise UsageError("a game that goes on is saved in its own file: leave out --record")
    stored = Record() if arguments.file is None else load_record(arguments.file)
    record = completed(stored, arguments)
    if stored.events and stored.first is not record.first:
        raise UsageError(f"--first {arguments.first}: {stored.first} began this game")
    if arguments.file is not None and arguments.games > 1:
        raise UsageError("--games begins a match of new games: leave out FILE")
    return _sit(record, stored, arguments, session)


def _observer(source: Source, arguments: Namespace) -> "Observer":
    from qttt.observation.observers import get_observer

    style = style_of(arguments)
    return get_observer(source.backend, source.rolls, style=style, accept_noise=arguments.accept_noise)


def _demonstrate(arguments: Namespace, session: Session) -> int:
    from qttt.cli.commands.check import STATUS
    from qttt.cli.keyboard.demonstration import DEFAULT_SEED, demonstrate

    seed = DEFAULT_SEED if arguments.seed is None else arguments.seed
    record, source = completed(Record(), arguments), source_of(arguments)
    game = record.game()
    observer = _observer(source, arguments)
    check_rolls(source.rolls, game.rules)
    return STATUS[demonstrate(game, record, arguments.record, observer, seed, session)]


def run_aside(name: str, words: Sequence[str], session: Session) -> None:
    """Run a command of the command line from the prompt of a game."""
    command = next(entry for entry in COMMANDS if entry.name == name).load()
    parser = Parser(prog=name, add_help=False)
    command.add_arguments(parser)
    command.run(parser.parse_args(words), session)


def _sit(record: Record, stored: Record, arguments: Namespace, session: Session) -> int:
    """Play one game after the other: those of a match, or as many as the players want.

    In a match who starts alternates and points are added up. Every game has a seed of its own, the first
    one's and those after it, so that it can be played again from its own record.

    Args:
        record: the first game, new or continued.
        stored: what its file holds.
        arguments: the command line; its seed becomes that of the present game.
        session: where it is shown.
    """
    from qttt.cli.keyboard.game import game_points
    from qttt.cli.keyboard.match import Match

    match = Match.of(record) or Match(arguments.games)
    blank, first = record.without_game(), record.first
    seed, given = arguments.seed, session.rng
    file = arguments.file or arguments.record
    for number in count():
        session.rng = given
        arguments.seed = None if seed is None else (seed + number) % (MAX_SEED + 1)
        if number:
            record = blank.with_header("First", str(first))
            file = None if file is None else _beside(arguments.file or arguments.record)
        if match.games > 1:
            session.show("", f"Game {match.number} of {match.games}; {first} starts.")
            if number == 0 and match.number > 1:
                session.show(f"Points so far: {match.score}.")
            record = record.with_header("Match", str(match))
            if arguments.file is None and arguments.record is not None:
                file = _numbered(arguments.record, match.number)
        keyboard = _prepared(record, file, arguments, session, begin=number > 0 or arguments.file is None)
        keyboard.in_match = match.games > 1
        if number == 0 and arguments.file is not None:
            keyboard.known = stored

        def ended(keyboard: "KeyboardGame" = keyboard) -> None:
            nonlocal match
            match = match.after(game_points(keyboard.game))
            if match.games > 1:
                session.show(f"Points so far: {match.score}.")

        status, after = _play(keyboard, session, ended)
        arguments.eval = keyboard.evaluating
        if after is _After.LEFT and match.games > 1 and not match.over:
            session.show(f"The match stops in game {match.number} of {match.games}: {match.score} so far.")
        if after is _After.LEFT or (match.games > 1 and match.over):
            break
        if after is not _After.NEW:
            first = first.opponent
    if match.games > 1 and match.over:
        session.show(match.verdict)
    return status


class _After(Enum):
    """What comes after a game."""

    LEFT = "the players left"
    ENDED = "the game came to its end"
    NEW = "a new game"
    REMATCH = "the same with the other player first"


def _prepared(
    record: Record, file: str | None, arguments: Namespace, session: Session, *, begin: bool
) -> "KeyboardGame":
    """A keyboard game, its seed and backend written in the record's headers; a new one begins its file."""
    from qttt.cli.keyboard.game import KeyboardGame
    from qttt.cli.keyboard.lines import Prompt, keyboard_for
    from qttt.cli.keyboard.loading import Loading
    from qttt.cli.keyboard.pace import Pace
    from qttt.cli.keyboard.seats import seated

    source = source_of(arguments, record)
    rng = session.generator(source.seed)
    observing = Loading(lambda: _observer(source, arguments))
    if source.backend not in _ALWAYS_THERE or source.rolls is not Rolls.EXACT:
        # A backend that cannot be used is refused before the first move.
        _ = observing.observer
    check_rolls(source.rolls, record.rules)
    names = {Symbol.X: arguments.x, Symbol.O: arguments.o}
    seats, record = seated(record, names, clock=arguments.seed is None)
    keeper = None
    if session.interactive and seats.people and not arguments.no_keep:
        library = Library()
        keeper = None if file is not None and library.holds(file) else Keeper(library)
        for key, value in {"Date": today(), "X": HUMAN, "O": HUMAN}.items():
            if key not in record.headers:
                record = record.with_header(key, value)
    game = record.game()
    said = {
        "Level": str(game.rules.level.number),
        "Backend": arguments.backend,
        "Rolls": None if source.rolls is Rolls.EXACT else str(source.rolls),
        "Seed": None if arguments.seed is None else str(arguments.seed),
    }
    for key, value in said.items():
        if value is not None:
            record = record.with_header(key, value)
    if file is not None and begin:
        start_record(file, record)
    return KeyboardGame(
        game,
        record,
        observing,
        rng,
        session,
        Prompt(keyboard_for(session), session),
        Pace(session, arguments.fast),
        run_aside,
        file,
        seats,
        record,
        keeper=keeper,
        accept_noise=arguments.accept_noise,
        evaluating=arguments.eval,
    )


def _play(keyboard: "KeyboardGame", session: Session, ended: Callable[[], None]) -> tuple[int, _After]:
    """Play one game; returns the exit status and what comes next.

    Args:
        keyboard: the game.
        session: where it is shown.
        ended: called once the game has come to its end.

    Raises:
        FileError: the record could not be kept; it is printed.
        QtttError: a backend failed; the record is kept, or printed.
    """
    from qttt.cli.keyboard.game import NewGameError, StoppedError

    status, after = 0, _After.ENDED
    try:
        with signals_interrupt():
            keyboard.play()
            ended()
            keyboard.afterwards()
    except StoppedError as stop:
        status, after = (130 if stop.interrupted else 0), _After.LEFT
    except NewGameError as wanted:
        after = _After.REMATCH if wanted.rematch else _After.NEW
    except Exception:
        # Whatever it was, a fault of this program included: the game is not lost with it.
        _keep(keyboard, session)
        raise
    if not keyboard.game.over:
        if (problem := _keep(keyboard, session)) is not None:
            raise problem from None
    elif keyboard.file is not None:
        session.show(f"The record is in {keyboard.file}.")
    elif (kept := _kept(keyboard)) is not None:
        session.show(f"The record is kept in {kept}; qttt games lists all.")
    else:
        session.show("", "The record (--record FILE would have saved it):", "")
        session.write(f"{keyboard.record}\n")
    if after is _After.ENDED and not keyboard.in_match:
        after = _After.LEFT
    return status, after


def _keep(keyboard: "KeyboardGame", session: Session) -> FileError | None:
    """Keep the record of an unfinished game, and say where it is.

    Returns:
        Why it could not be kept, if so; it is printed then.
    """
    keyboard.record = keyboard.record.updated(keyboard.game)
    if keyboard.file is None and not keyboard.game.events and not keyboard.in_match:
        session.show("No move was made, so there is nothing to keep.")
        return None
    if keyboard.keeper is not None:
        keyboard.keeper.keep(keyboard.record)
    try:
        if keyboard.file is None:
            keyboard.file = _kept(keyboard) or save_new_record(keyboard.record)
        else:
            keyboard.keep()
    except FileError as error:
        session.show("The record could not be kept. This is it:", "")
        session.write(f"{keyboard.record}\n\n")
        return error
    session.show(f"The record is kept in {keyboard.file}; go on with: qttt play {shlex.quote(keyboard.file)}")
    return None


def _kept(keyboard: "KeyboardGame") -> str | None:
    """The file of a game that the user's library holds up to its last move; says why, if that has failed."""
    keeper = keyboard.keeper
    if keeper is None or keeper.path is None or keeper.problem is not None:
        if keeper is not None and keeper.problem is not None:
            what = "It is not among those" if keeper.path is None else "Only its beginning is among those"
            keyboard.session.show(f"{what} of qttt games: {keeper.problem}.")
        return None
    return str(keeper.path)


def _numbered(file: str, number: int) -> str:
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{number}{path.suffix}"))


def _beside(file: str) -> str:
    """The first name like a file's, with a number, that no file has yet."""
    return next(name for name in (_numbered(file, number) for number in count(2)) if not Path(name).exists())


COMMAND = Command(
    explanation=(
        "Two people play at one keyboard, or people against computer players (--x, --o), or computers among "
        "themselves. Moves are typed in notation; help lists the other words. The board "
        "is observed on the simulator, or on the backend that --backend names; at Levels 4 and 5 the player "
        "who moved last chooses the mode after seeing the positions. When the players stop, the record is "
        "kept and its place is said; qttt play FILE goes on, with a match from its score. At a terminal "
        "Ctrl-C clears the line, stops a command, and tells a computer to move now; twice, or Ctrl-D, leaves."
    ),
    examples=(
        "play",
        "play --level 5 --options view-switches=2 --record game.qttt",
        "play --o hard",
        "play --level 5 --x medium --o search:5 --seed 7",
        "play --backend dice --rolls d6 --level 4",
        "play --games 3 --options tally",
        "play --demo --seed 7",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
