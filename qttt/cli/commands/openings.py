"""``qttt openings``: what the choices after a line of play are worth."""

from argparse import ArgumentParser, Namespace
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_record_arguments, completed
from qttt.cli.console.session import Session
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.moves import Move
from qttt.players.reports import openings_report
from qttt.records.files import read_record
from qttt.records.record import Record
from qttt.solver.explorer import explore

_MOST = 20


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, optional=True)
    parser.add_argument("--all", action="store_true", help=f"every choice, not only the best {_MOST}")
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.cli.console.waiting import waiting

    stored = Record() if arguments.record is None else read_record(arguments.record, session.stdin)
    record = completed(stored, arguments)
    line = [event for event in record.events if isinstance(event, Move)]
    if len(line) != len(record.events):
        raise UsageError("an opening is made of moves: the line ends where something is observed")
    with waiting(session, "valuing"):
        found = explore(line, Game(rules=record.rules, first=record.first))
    report = openings_report(record, found)
    if arguments.json:
        session.write_json(report)
        return 0
    _show(report, session, everything=arguments.all)
    return 0


def _show(report: dict[str, Any], session: Session, *, everything: bool) -> None:
    from qttt.cli.console.tables import plain_table

    where = f"after {report['line']}" if report["line"] else "from the start"
    session.show(
        f"Level {report['level']}, {where}: worth {report['value']:+.4f} to X with best play by both.", ""
    )
    table = plain_table("choice", ">alike", ">value", ">X wins", ">tie", ">O wins", ">visits")
    several = len(report["choices"])
    # One more takes no more room than saying that it is left out.
    choices = report["choices"] if everything or several <= _MOST + 1 else report["choices"][:_MOST]
    for row in choices:
        table.add_row(
            ("* " if row["best"] else "  ") + row["token"],
            str(len(row["class"])),
            f"{row['value']:+.4f}",
            *(f"{row[key]:.1%}" for key in ("X", "tie", "O")),
            f"{row['visits']:.1%}" if row["visits"] else "-",
        )
    session.show(table, "", "* nothing is better for the player to move.")
    if left := len(report["choices"]) - len(choices):
        session.show(f"{left} more choices: --all shows them.")


COMMAND = Command(
    explanation=(
        "Shows every choice after a line of play with its value when both play best, P(X wins) - P(O wins), "
        "from the solver's tables. Choices that a rotation or reflection of the board makes the same are one "
        "line. Visits say how probable the choice is when both play best and share equal choices evenly."
    ),
    examples=("openings", "openings '1+3 1*2' --level 2", "openings 5 --level 4 --json"),
    add_arguments=_add_arguments,
    run=_run,
)
