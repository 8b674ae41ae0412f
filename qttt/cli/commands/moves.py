"""``qttt moves``: what the player to move may do."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_moment_flags, add_record_arguments, game_of
from qttt.cli.console.session import Session
from qttt.display.reports import moves_report
from qttt.game.moves import Kind, Move


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    game = game_of(arguments, session)
    report = moves_report(game)
    if arguments.json:
        session.write_json(report)
        return 0
    session.show_game(game)
    if report["legal"]:
        session.show("", _by_kind(report["legal"]))
    if report["legal_after_switch"]:
        session.show("", "After a view switch:", "", _by_kind(report["legal_after_switch"]))
    if report["measurable"]:
        session.show("", f"Instead of a move a square may be measured: {'  '.join(report['measurable'])}")
    if report["can_switch_view"] and report["legal"]:
        twice = ", or before and after it: ~5~" if game.state.switches_left > 1 else ""
        session.show("", f"The view may also be switched after a move: 5~ for 5{twice}.")
    return 0


def _by_kind(tokens: Sequence[str]) -> "Any":
    from qttt.cli.console.tables import plain_table

    table = plain_table("", "", prose=1)
    moves = [Move.parse(token) for token in tokens]
    for kind in Kind:
        fitting = [str(move) for move in moves if move.kind is kind]
        for start in range(0, len(fitting), 12):
            table.add_row("" if start else kind.word, "  ".join(fitting[start : start + 12]))
    return table


COMMAND = Command(
    explanation=(
        f"Lists the legal moves of the player whose turn it is, in canonical order: "
        f"{', '.join(kind.word for kind in Kind)}, each by squares. At Level 5 the moves that a view switch "
        "would make legal follow, written ~5*6."
    ),
    examples=(
        "moves '5 5*6'",
        "moves '' --level 0 --first O --json",
        "moves '1 2+3 4 4*7 6 6-5' --level 5",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
