"""``qttt selfplay``: a match of many games between two computer players."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, file_name, refuse_beside, whole_number
from qttt.cli.console.session import Session, StoppedError
from qttt.cli.console.signals import signals_interrupt
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.game.symbols import Symbol
from qttt.players import PLAYERS
from qttt.records.record import Record

if TYPE_CHECKING:
    from qttt.players.match_files import MatchFile
    from qttt.players.matches import Match, Score

GAMES = 100
MAX_GAMES = 10_000_000
MAX_JOBS = 1024
BACKENDS = ("dice", "aer")
_PLAYED = (
    *("--x", "--o", "--games", "--level", "--options", "--first", "--alternate", "--backend", "--jobs"),
    *("--seed", "--records"),
)
"""What the file of a match has settled."""
UNCHAINED = "Its lines are unchained, as older versions wrote them: a game that was exchanged would not show."


class MatchStoppedError(StoppedError):
    """The user interrupted a match whose games so far are kept."""


def selfplay_report(match: "Match", score: "Score") -> dict[str, Any]:
    """The object that ``qttt selfplay --json`` prints.

    Returns:
        The match; for X's wins, ties and O's wins how many and their share with Wilson's 95 % interval; the
        mean of X's wins minus O's with its 95 % interval; wins of whoever started; mean number of
        observation phases of a game.
    """
    from qttt.stats import wilson

    mean, low, high = score.value()
    starters = wilson(score.starter_wins, score.games)
    return {
        "x": match.x,
        "o": match.o,
        "level": match.rules.level.number,
        "options": str(match.rules.options),
        "first": str(match.first),
        "alternate": match.alternate,
        "backend": match.backend,
        "seed": match.seed,
        "games": score.games,
        "results": {
            str(result): dict(
                zip(("games", "share", "low", "high"), (count, *score.share(result)), strict=True)
            )
            for result, count in score.wins.items()
        },
        "value": {"mean": mean, "low": low, "high": high},
        "starter": {
            "games": score.starter_wins,
            "share": score.starter_wins / score.games,
            "low": starters[0],
            "high": starters[1],
        },
        "observations": score.observations / score.games,
    }


def _add_arguments(parser: ArgumentParser) -> None:
    names = f"{', '.join(PLAYERS)} or search:SECONDS"
    for symbol in Symbol:
        parser.add_argument(f"--{symbol.lower()}", metavar="PLAYER", help=f"who plays {symbol}: {names}")
    parser.add_argument(
        "--games", metavar="N", type=whole_number(1, MAX_GAMES), help=f"how many (default {GAMES})"
    )
    add_flags(parser, "--level", "--options")
    add_flags(parser, "--first", help="who starts, X or O (default X)")
    parser.add_argument("--alternate", action="store_true", help="who starts alternates from game to game")
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        help="who observes: tabletop rolls (the default), or the circuit on Qiskit Aer",
    )
    parser.add_argument(
        "--jobs",
        metavar="J",
        type=whole_number(1, MAX_JOBS),
        help="processes that play side by side (default: one for each core); the games are the same",
    )
    add_flags(parser, "--seed")
    parser.add_argument(
        "--records",
        metavar="FILE",
        type=file_name,
        help="write every game there, one a line; a match that was stopped goes on from its file, "
        "whose games are replayed first",
    )
    parser.add_argument(
        "--verify",
        metavar="FILE",
        type=file_name,
        help="play nothing: replay every game of a match's file, and say which line was changed (status 1); "
        "--json has the keys file, ok, chained, cut, games, line and reason of what is wrong, the "
        "match, and its results as after playing, null if it is not ok",
    )
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    if arguments.verify is not None:
        return _verify(arguments, session)
    from qttt.players.matches import Score, play_match
    from qttt.workers import processes, usable_cores

    for symbol in Symbol:
        if getattr(arguments, symbol.lower()) is None:
            raise UsageError(f"say who plays {symbol}: --{symbol.lower()} PLAYER")
    games = arguments.games or GAMES
    match = _match(arguments, session)
    score = Score()
    with signals_interrupt(), _file(arguments.records, match, games, session) as file:
        done = file.played if file else []
        score.add_all(done)
        numbers = range(len(done), games)
        jobs = min(arguments.jobs or usable_cores(), max(1, len(numbers)))
        try:
            with _progress(match, score, games, session) as advance, processes(jobs) as executor:
                for played in play_match(match, numbers, executor):
                    if file:
                        file.add(played)
                    score.add(played)
                    advance()
        except KeyboardInterrupt:
            if file is None:
                raise
            raise MatchStoppedError(
                f"stopped; {score.games} games are kept in {file.path}, and the same command goes on"
            ) from None
    report = selfplay_report(match, score)
    if arguments.json:
        session.write_json(report)
    else:
        _show(report, session)
    return 0


def _verify(arguments: Namespace, session: Session) -> int:
    """Replay a match's file; status 1 if a line does not hold."""
    from qttt.players.match_files import MatchFileError, match_header, match_of, read_match
    from qttt.players.matches import Score

    refuse_beside(arguments, "--verify", _PLAYED, "the file says what was played")
    path = Path(arguments.verify)
    match = match_of(path)
    if match is None:
        raise MatchFileError(path, 0, "holds no match: it is empty, or there is no such file")
    report: dict[str, Any] = {"file": str(path), **match_header(match)}
    del report["format"]
    score = Score()
    wrong: MatchFileError | None = None
    try:
        with _replaying(session) as notify:
            found = read_match(path, notify)
    except MatchFileError as error:
        wrong = error
        report |= {"ok": False, "chained": None, "cut": None, "line": error.line, "reason": error.reason}
    else:
        score.add_all(found.played)
        report |= {"ok": True, "chained": found.chain.chained, "cut": found.cut, "line": None, "reason": None}
    report |= {"games": None if wrong else score.games}
    report |= dict.fromkeys(("results", "value", "starter", "observations"))
    if score.games:
        report |= selfplay_report(match, score)
    if arguments.json:
        session.write_json(report)
    elif wrong:
        session.show(str(wrong))
    else:
        session.show(_verdict(report))
        if score.games:
            session.show("")
            _show(report, session)
    return 1 if wrong else 0


def _verdict(report: dict[str, Any]) -> str:
    """The sentences on a file in which nothing is wrong."""
    games = f"{report['games']:,} {'game' if report['games'] == 1 else 'games'}"
    said = f"{report['file']} holds {games}, and what it says of them follows from the moves. "
    said += "The chain of hashes is whole." if report["chained"] else UNCHAINED
    if report["cut"]:
        said += " The last line was cut short when the match was stopped, and does not count."
    return said


@contextmanager
def _replaying(session: Session) -> "Iterator[Callable[[int, int], None]]":
    with waiting(session, "replaying games") as wait:
        yield lambda done, games: wait.tell(f"replaying games: {done:,} of {games:,}")


def _match(arguments: Namespace, session: Session) -> "Match":
    """The match that the arguments mean; a file that exists already gives the seed if nobody else does."""
    from qttt.players.match_files import match_of
    from qttt.players.matches import Match

    record = Record().completed(arguments.level, arguments.options, arguments.first)
    seed = arguments.seed
    if seed is None and arguments.records is not None:
        found = match_of(Path(arguments.records))
        seed = None if found is None else found.seed
    if seed is None:
        seed = int(session.generator(None).random() * 2**31)
    return Match(
        arguments.x,
        arguments.o,
        record.rules,
        seed,
        record.first,
        arguments.alternate,
        arguments.backend or BACKENDS[0],
    )


@contextmanager
def _file(records: str | None, match: "Match", games: int, session: Session) -> "Iterator[MatchFile | None]":
    if records is None:
        yield None
        return
    from qttt.players.match_files import MatchFile

    with _replaying(session) as notify:
        file = MatchFile(Path(records), match, notify)
    with file:
        if len(file.played) > games:
            raise UsageError(
                f"{records} holds {len(file.played)} games already, and --games asks for {games}"
            )
        if not file.chained:
            session.show(f"Note: {records} is replayed. {UNCHAINED}", to_stderr=True)
        yield file


@contextmanager
def _progress(match: "Match", score: "Score", games: int, session: Session) -> "Iterator[Any]":
    """A bar on standard error while games are played, where somebody can see it."""
    if not session.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from qttt.cli.console.console import SafeConsole

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[standing]}"),
        console=SafeConsole(file=session.stderr),
        transient=True,
    )
    task = bar.add_task(
        f"{match.x} - {match.o}", total=games, completed=score.games, standing=_standing(score)
    )
    bar.start()
    try:
        yield lambda: bar.update(task, completed=score.games, standing=_standing(score))
    finally:
        # The terminal may have gone.
        with suppress(OSError):
            bar.stop()


def _standing(score: "Score") -> str:
    return ", ".join(f"{result} {count}" for result, count in score.wins.items())


def _show(report: dict[str, Any], session: Session) -> None:
    from qttt.cli.console.tables import RESULT_WORDS, plain_table
    from qttt.display.text import percent
    from qttt.game.result import Result

    starts = f"{report['first']} starts"
    if report["alternate"]:
        starts += ", then who starts alternates"
    options = f" with {report['options']}" if report["options"] else ""
    session.show(
        f"{report['games']:,} {'game' if report['games'] == 1 else 'games'} at Level {report['level']}"
        f"{options}: {report['x']} plays X, {report['o']} plays O; {starts}. "
        f"Observed by {report['backend']}, seed {report['seed']}.",
        "",
    )
    table = plain_table("", ">games", ">share", "95 % interval")
    for name, row in report["results"].items():
        between = f"{percent(row['low'])} to {percent(row['high'])}"
        table.add_row(RESULT_WORDS[Result(name)], f"{row['games']:,}", percent(row["share"]), between)
    row = report["starter"]
    table.add_row(
        "whoever started wins",
        f"{row['games']:,}",
        percent(row["share"]),
        f"{percent(row['low'])} to {percent(row['high'])}",
    )
    value = report["value"]
    session.show(
        table,
        "",
        f"X's wins minus O's: {value['mean']:+.4f} a game, 95 % interval {value['low']:+.4f} to "
        f"{value['high']:+.4f}. {report['observations']:.2f} observation phases a game.",
    )


COMMAND = Command(
    explanation=(
        "Plays a match between two computer players and counts the results, with 95 % confidence intervals. "
        "A seed gives the same games whatever --jobs is, and on any machine: searches count positions here "
        "instead of reading the clock. With --records every finished game is written to a file at once, and "
        "the same command goes on with a match that was stopped. The lines of the file are chained by "
        "hashes; --verify replays its games and names the first line that was changed, as going on does."
    ),
    examples=(
        "selfplay --x greedy --o random --games 20 --seed 1",
        "selfplay --x medium --o easy --games 10 --level 5 --alternate --jobs 2",
        "selfplay --x random --o greedy --games 20 --records match.jsonl",
        "selfplay --verify match.jsonl",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
