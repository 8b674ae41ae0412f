"""``qttt play``: a game at one keyboard, a match of several, or a demonstration."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.chance import MAX_SEED
from qttt.cli.commands import COMMANDS, Command
from qttt.cli.commands.arguments import add_flags, completed, file_name, source_of, whole_number
from qttt.cli.console.parser import Parser
from qttt.cli.console.session import Session
from qttt.cli.console.signals import signals_interrupt
from qttt.errors import UsageError
from qttt.game.symbols import Symbol
from qttt.players import PLAYERS
from qttt.records.files import load_record, save_new_record, start_record
from qttt.records.record import Record
from qttt.storage import FileError
from qttt.tabletop.rolls import Rolls, check_rolls

if TYPE_CHECKING:
    from qttt.cli.keyboard.game import KeyboardGame


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
    add_flags(parser, "--view", "--backend", "--rolls", "--accept-noise", "--seed")
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
    if arguments.games > 1:
        return _match(record, arguments, session)
    keyboard = _prepared(record, arguments.file or arguments.record, arguments, session)
    if arguments.file is not None:
        keyboard.known = stored
    return _play(keyboard, session)[0]


def _demonstrate(arguments: Namespace, session: Session) -> int:
    from qttt.cli.commands.check import STATUS
    from qttt.cli.keyboard.demonstration import DEFAULT_SEED, demonstrate
    from qttt.observation.observers import get_observer

    seed = DEFAULT_SEED if arguments.seed is None else arguments.seed
    record, source = completed(Record(), arguments), source_of(arguments)
    game = record.game()
    observer = get_observer(source.backend, source.rolls, accept_noise=arguments.accept_noise)
    check_rolls(source.rolls, game.rules)
    return STATUS[demonstrate(game, record, arguments.record, observer, seed, session)]


def _run_aside(name: str, words: Sequence[str], session: Session) -> None:
    """Run a command of the command line from the prompt of a game."""
    command = next(entry for entry in COMMANDS if entry.name == name).load()
    parser = Parser(prog=name, add_help=False)
    command.add_arguments(parser)
    command.run(parser.parse_args(words), session)


def _prepared(record: Record, file: str | None, arguments: Namespace, session: Session) -> "KeyboardGame":
    """A keyboard game, its seed and backend written in the record's headers."""
    from qttt.cli.keyboard.game import KeyboardGame
    from qttt.cli.keyboard.lines import keyboard_for
    from qttt.cli.keyboard.seats import seated
    from qttt.observation.observers import get_observer

    source = source_of(arguments, record)
    rng = session.generator(source.seed)
    observer = get_observer(source.backend, source.rolls, accept_noise=arguments.accept_noise)
    check_rolls(source.rolls, record.rules)
    names = {Symbol.X: arguments.x, Symbol.O: arguments.o}
    seats, record = seated(record, names, clock=arguments.seed is None)
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
    if file is not None and arguments.file is None:
        start_record(file, record)
    return KeyboardGame(
        game,
        record,
        observer,
        rng,
        session,
        keyboard_for(session),
        _run_aside,
        file,
        seats,
        record,
        accept_noise=arguments.accept_noise,
    )


def _play(keyboard: "KeyboardGame", session: Session) -> "tuple[int, bool]":
    """Play one game; returns the exit status and whether the game came to its end.

    Raises:
        FileError: the record could not be kept; it is printed.
        QtttError: a backend failed; the record is kept, or printed.
    """
    from qttt.cli.keyboard.game import StoppedError

    try:
        with signals_interrupt():
            keyboard.play()
    except StoppedError as stop:
        if (problem := _keep(keyboard, session)) is not None:
            raise problem from None
        return (130 if stop.interrupted else 0), False
    except Exception:
        # Whatever it was, a fault of this program included: the game is not lost with it.
        _keep(keyboard, session)
        raise
    if keyboard.file is not None:
        session.show(f"The record is in {keyboard.file}.")
    else:
        session.show("", "The record (--record FILE would have saved it):", "")
        session.write(f"{keyboard.record}\n")
    return 0, True


def _keep(keyboard: "KeyboardGame", session: Session) -> FileError | None:
    """Keep the record of an unfinished game, and say where it is.

    Returns:
        Why it could not be kept, if so; it is printed then.
    """
    keyboard.record = keyboard.record.updated(keyboard.game)
    if keyboard.file is None and not keyboard.game.events:
        session.show("No move was made, so there is nothing to keep.")
        return None
    try:
        if keyboard.file is None:
            keyboard.file = save_new_record(keyboard.record)
        else:
            keyboard.keep()
    except FileError as error:
        session.show("The record could not be kept. This is it:", "")
        session.write(f"{keyboard.record}\n\n")
        return error
    session.show(f"The record is kept in {keyboard.file}; go on with: qttt play {shlex.quote(keyboard.file)}")
    return None


def _match(record: Record, arguments: Namespace, session: Session) -> int:
    """Play several games; who starts alternates, points are added up.

    Every game has a seed of its own, the match's and those after it, so that it can be played again from its
    own record.
    """
    from qttt.cli.keyboard.game import game_points

    if arguments.file is not None:
        raise UsageError("--games begins a match of new games: leave out FILE")
    total = dict.fromkeys(Symbol, 0)
    first, seed, given = record.first, arguments.seed, session.rng
    for number in range(1, arguments.games + 1):
        session.rng = given
        arguments.seed = None if seed is None else (seed + number - 1) % (MAX_SEED + 1)
        session.show("", f"Game {number} of {arguments.games}; {first} starts.")
        file = None if arguments.record is None else _numbered(arguments.record, number)
        keyboard = _prepared(record.with_header("First", str(first)), file, arguments, session)
        status, ended = _play(keyboard, session)
        if not ended:
            session.show(
                f"The match stops in game {number} of {arguments.games}: X {total[Symbol.X]}, "
                f"O {total[Symbol.O]} from the games before it."
            )
            return status
        for player, count in game_points(keyboard.game).items():
            total[player] += count
        first = first.opponent
        session.show(f"Points so far: X {total[Symbol.X]}, O {total[Symbol.O]}.")
    ahead = [player for player in Symbol if total[player] == max(total.values())]
    session.show(f"{ahead[0]} wins the match." if len(ahead) == 1 else "The match is drawn.")
    return 0


def _numbered(file: str, number: int) -> str:
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{number}{path.suffix}"))


COMMAND = Command(
    explanation=(
        "Two people play at one keyboard, or people against computer players (--x, --o), or computers among "
        "themselves. Moves are typed in notation; help lists the other words. The board "
        "is observed on the simulator, or on the backend that --backend names; at Levels 4 and 5 the player "
        "who moved last chooses the mode after seeing the positions. When the players stop, the record is "
        "kept and its place is said; qttt play FILE goes on."
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
