"""``qttt games``: the games that were played at this computer's terminal."""

import shlex
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, file_name
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.game.result import Result
from qttt.game.symbols import Symbol
from qttt.players.review import review
from qttt.records.files import save_new_record
from qttt.records.library import HUMAN, KeptGame, Library
from qttt.storage import VARIABLE

_NEEDS_A_GAME = ("show", "export", "delete")


def stats_report(games: Iterable[KeptGame], progress: Callable[[], None]) -> list[dict[str, Any]]:
    """What ``qttt games stats --json`` prints: for each level and opponent how a person has fared.

    Args:
        games: kept games; those that have not ended, or in which no person or two people play, count for
            nobody.
        progress: called once a game.

    Returns:
        Rows with ``level``, ``against``, how many games were ``won``, ``tied`` and ``lost``, and the mean
        ``accuracy`` of the person's play in them (`qttt.players.review`), 0 to 1; None where no choice was
        made.
    """
    rows: dict[tuple[int, str], Counter[str]] = {}
    accurate: dict[tuple[int, str], list[float]] = {}
    for game in games:
        progress()
        humans = [symbol for symbol in Symbol if game.player(symbol) == HUMAN]
        if len(humans) != 1 or game.result not in (Result.X, Result.O, Result.TIE):
            continue
        me = humans[0]
        against = game.record.level.number, game.player(me.opponent)
        row = rows.setdefault(against, Counter())
        row["tied" if game.result == Result.TIE else "won" if game.result == me else "lost"] += 1
        share = review(game.record.game()).players[me].accuracy
        accurate.setdefault(against, []).extend([] if share is None else [share])
    return [
        {
            "level": level,
            "against": against,
            **{end: row[end] for end in ("won", "tied", "lost")},
            "accuracy": fmean(shares) if (shares := accurate[level, against]) else None,
        }
        for (level, against), row in sorted(rows.items())
    ]


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", *_NEEDS_A_GAME, "stats"),
        default="list",
        help="list (the default); show, export or delete one; stats: how you have fared against whom",
    )
    parser.add_argument(
        "id", metavar="ID", nargs="?", help="the game, as list names it; its beginning will do, or last"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=file_name, help="with export: save it there instead of printing it"
    )
    add_flags(parser, "--yes", help="with delete: do not ask")
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    library, action = Library(), arguments.action
    if (action in _NEEDS_A_GAME) != (arguments.id is not None):
        raise UsageError(
            f"games {action} needs the ID of a game: qttt games lists them"
            if arguments.id is None
            else f"games {action} is about all games: leave out {arguments.id}"
        )
    for flag, only in (("out", "export"), ("yes", "delete")):
        if getattr(arguments, flag) and action != only:
            raise UsageError(f"--{flag} goes with games {only}")
    if action == "list":
        return _list(library, session, json=arguments.json)
    if action == "stats":
        return _stats(library, session, json=arguments.json)
    kept = library.find(arguments.id)
    if action == "export" and arguments.out is not None:
        save_new_record(kept.record, [arguments.out])
    elif action == "delete":
        asks = not arguments.yes and session.interactive
        if asks and session.ask(f"Delete the game {kept.id} for good?", ("yes", "no")) == "no":
            return 1
        library.delete(kept.id)
    if arguments.json:
        session.write_json({**kept.summary(), "record": str(kept.record)})
    elif action == "export" and arguments.out is None:
        session.write(f"{kept.record}\n")
    elif action == "show":
        session.show_game(kept.record.game())
        path = shlex.quote(str(kept.path))
        session.show("", f"Play on with: qttt play {path}", f"Look back with: qttt review {path}", "")
        session.write(f"{kept.record}\n")
    else:
        done = "deleted" if action == "delete" else f"saved in {arguments.out}"
        session.show(f"The game {kept.id} is {done}.")
    return 0


def _list(library: Library, session: Session, *, json: bool) -> int:
    from qttt.cli.console.tables import plain_table

    games = library.games()
    if json:
        session.write_json({"folder": str(library.folder), "games": [game.summary() for game in games]})
        return 0
    if games:
        table = plain_table("game", "level", "X", "O", "result", "events", prose=1)
        for game in games:
            said = game.summary()
            table.add_row(
                game.id,
                " ".join(filter(None, (str(said["level"]), str(said["options"])))),
                *(str(said[key]) for key in ("X", "O", "result", "events")),
            )
        session.show(table, "")
    which = "Games" if games else "No game is kept yet: games"
    session.show(f"{which} of qttt play at a terminal are kept in {library.folder} ({VARIABLE} moves it).")
    return 0


def _stats(library: Library, session: Session, *, json: bool) -> int:
    from qttt.cli.console.tables import plain_table

    games = library.games()
    with waiting(session, "looking back", len(games)) as wait:
        rows = stats_report(games, wait.step)
    if json:
        session.write_json({"stats": rows})
        return 0
    if not rows:
        session.show("No game of a person against a computer has ended yet.")
        return 0
    table = plain_table("level", "against", ">won", ">tied", ">lost", ">accuracy", prose=1)
    for row in rows:
        *counts, share = row.values()
        table.add_row(*map(str, counts), "" if share is None else f"{share:.1%}")
    session.show(table)
    return 0


COMMAND = Command(
    explanation=(
        "Every game of qttt play at a terminal is kept, move by move, in a folder of yours (not with "
        "--no-keep, nor demonstrations, games of two computers, or games through pipes). This command lists "
        "them, shows or exports or deletes one, and counts results and accuracy against each opponent, the "
        "accuracy as qttt review has it."
    ),
    examples=("games", "games show last", "games export last --out game.qttt", "games stats --json"),
    add_arguments=_add_arguments,
    run=_run,
)
