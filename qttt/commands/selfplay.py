"""``qttt selfplay``: a match of many games between two computer players."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.commands import Command
from qttt.commands.arguments import (
    add_json_argument,
    add_rules_arguments,
    add_seed_argument,
    file_name,
    whole_number,
)
from qttt.commands.session import Session
from qttt.errors import QtttError, UsageError
from qttt.players import PLAYERS
from qttt.record import Record
from qttt.symbols import Symbol

if TYPE_CHECKING:
    from qttt.matchfile import MatchFile
    from qttt.selfplay import Match, Score

MAX_GAMES = 10_000_000
MAX_JOBS = 1024
BACKENDS = ("dice", "aer")


class MatchStoppedError(QtttError):
    """The user interrupted a match whose games so far are kept."""

    exit_status = 130


def selfplay_report(match: "Match", score: "Score") -> dict[str, Any]:
    """The object that ``qttt selfplay --json`` prints.

    Args:
        match: who played.
        score: the results of its games, at least one.

    Returns:
        The match; for X's wins, ties and O's wins how many and their share with Wilson's 95 % interval; the
        mean of X's wins minus O's with its 95 % interval; wins of whoever started; mean number of
        observation phases of a game.
    """
    from qttt.intervals import wilson

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


def usable_cores() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def processes(jobs: int) -> Iterator[Executor | None]:
    """An executor with so many processes; None for a single job, which is done right here.

    When the block is left early, games that have not begun are dropped.
    """
    if jobs == 1:
        yield None
        return
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor

    # An interrupt is for the parent to handle; started afresh, the processes share no threads with it.
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
    ) as executor:
        try:
            yield executor
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def _add_arguments(parser: ArgumentParser) -> None:
    names = f"{', '.join(PLAYERS)} or search:SECONDS"
    for symbol in Symbol:
        parser.add_argument(
            f"--{symbol.lower()}", metavar="PLAYER", required=True, help=f"who plays {symbol}: {names}"
        )
    parser.add_argument(
        "--games", metavar="N", type=whole_number(1, MAX_GAMES), default=100, help="how many (default 100)"
    )
    add_rules_arguments(parser)
    parser.add_argument("--first", metavar="P", help="who starts, X or O (default X)")
    parser.add_argument("--alternate", action="store_true", help="who starts alternates from game to game")
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default=BACKENDS[0],
        help="who observes: tabletop rolls (the default), or the circuit on Qiskit Aer",
    )
    parser.add_argument(
        "--jobs",
        metavar="J",
        type=whole_number(1, MAX_JOBS),
        help="processes that play side by side (default: one for each core); the games are the same",
    )
    add_seed_argument(parser)
    parser.add_argument(
        "--records",
        metavar="FILE",
        type=file_name,
        help="write every game there, one a line; a match that was stopped goes on from its file",
    )
    add_json_argument(parser)


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.selfplay import Score, play_match

    match = _match(arguments, session)
    score = Score()
    with _file(arguments, match) as file:
        done = file.played[: arguments.games] if file else []
        score.add_all(done)
        numbers = range(len(done), arguments.games)
        jobs = min(arguments.jobs or usable_cores(), max(1, len(numbers)))
        with _progress(match, score, arguments.games, session) as advance, processes(jobs) as executor:
            try:
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


def _match(arguments: Namespace, session: Session) -> "Match":
    """The match that the arguments mean; a file that exists already gives the seed if nobody else does."""
    from qttt.matchfile import match_of
    from qttt.selfplay import Match

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
        arguments.backend,
    )


@contextmanager
def _file(arguments: Namespace, match: "Match") -> "Iterator[MatchFile | None]":
    if arguments.records is None:
        yield None
        return
    from qttt.matchfile import MatchFile

    with MatchFile(Path(arguments.records), match) as file:
        if len(file.played) > arguments.games:
            raise UsageError(
                f"{arguments.records} holds {len(file.played)} games already, and --games asks for "
                f"{arguments.games}"
            )
        yield file


@contextmanager
def _progress(match: "Match", score: "Score", games: int, session: Session) -> "Iterator[Any]":
    """A bar on standard error while games are played, where somebody can see it."""
    if not session.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from qttt.commands.console import SafeConsole

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[standing]}"),
        console=SafeConsole(file=session.stderr),
        transient=True,
    )
    with bar:
        task = bar.add_task(
            f"{match.x} - {match.o}", total=games, completed=score.games, standing=_standing(score)
        )
        yield lambda: bar.update(task, completed=score.games, standing=_standing(score))


def _standing(score: "Score") -> str:
    return ", ".join(f"{result} {count}" for result, count in score.wins.items())


def _show(report: dict[str, Any], session: Session) -> None:
    from qttt.commands.tables import RESULT_WORDS, plain_table
    from qttt.textboard import percent
    from qttt.verdict import Result

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
        "the same command goes on with a match that was stopped."
    ),
    examples=(
        "selfplay --x greedy --o random --games 20 --seed 1",
        "selfplay --x medium --o easy --games 10 --level 5 --alternate --jobs 2",
        "selfplay --x random --o greedy --games 20 --records match.jsonl",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
