"""``qttt backends``: what a board can be observed on."""

from argparse import ArgumentParser, Namespace
from typing import Any

from qttt.commands import Command
from qttt.commands.arguments import add_json_argument
from qttt.commands.session import Session
from qttt.observation import DICE, LEAN_SUFFIX

_LOCAL = {
    "aer": "Qiskit Aer on this computer, running the move-by-move circuit",
    f"aer{LEAN_SUFFIX}": "Qiskit Aer on this computer, running the lean circuit",
    DICE: "tabletop rolls, no circuit at all",
}


def backends_report() -> dict[str, Any]:
    """The object that ``qttt backends --json`` prints: each backend's name and what it is."""
    return {"backends": [{"name": name, "description": text} for name, text in _LOCAL.items()]}


def _run(arguments: Namespace, session: Session) -> int:
    report = backends_report()
    if arguments.json:
        session.write_json(report)
        return 0
    from qttt.commands.tables import plain_table

    table = plain_table("backend", "")
    for row in report["backends"]:
        table.add_row(row["name"], row["description"])
    session.show(table)
    return 0


def _add_arguments(parser: ArgumentParser) -> None:
    add_json_argument(parser)


COMMAND = Command(
    explanation="Lists the backends on which observe and check can run, by the names that --backend takes.",
    examples=("backends", "backends --json"),
    add_arguments=_add_arguments,
    run=_run,
)
