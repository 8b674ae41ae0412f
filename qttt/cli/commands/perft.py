"""``qttt perft``: count legal move sequences, to test that two programs know the same rules."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, whole_number
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.game.game import Game
from qttt.game.state import State
from qttt.records.record import Record

MOST_DEPTH = 9
"""Every move fills a square, so no sequence is longer than this."""


def count_sequences(state: State, depth: int) -> int:
    """The number of legal move sequences of a length.

    Args:
        state: where they start. A full board has no successors.
        depth: how many moves. The same move before and after a view switch makes different sequences.
    """
    if depth == 0:
        return 1
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(count_sequences(state.child(move), depth - 1) for move in moves)


def perft_report(game: Game, depth: int, step: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """The object that ``qttt perft --json`` prints: the count, and beside it the count after each first move.

    Args:
        game: where the sequences start.
        depth: how many moves.
        step: called after each first move.
    """
    state = game.state
    if depth == 0:
        return {"level": game.rules.level.number, "nodes": 1, "moves": {}}
    moves = {}
    for move in state.legal_moves():
        moves[str(move)] = count_sequences(state.child(move), depth - 1)
        step()
    return {"level": game.rules.level.number, "nodes": sum(moves.values()), "moves": moves}


def _add_arguments(parser: ArgumentParser) -> None:
    add_flags(parser, "--level", "--options")
    parser.add_argument(
        "--depth",
        metavar="D",
        type=whole_number(0, MOST_DEPTH),
        required=True,
        help=f"number of moves, 0 to {MOST_DEPTH}",
    )
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    game = Record().completed(arguments.level, arguments.options).game()
    with waiting(session, "counting", len(game.state.legal_moves())) as wait:
        report = perft_report(game, arguments.depth, wait.step)
    if arguments.json:
        session.write_json(report)
        return 0
    from qttt.cli.console.tables import plain_table

    table = plain_table("first move", ">sequences")
    for move, nodes in report["moves"].items():
        table.add_row(move, f"{nodes:,}")
    moves = "1 move" if arguments.depth == 1 else f"{arguments.depth} moves"
    nodes = report["nodes"]
    sequences = "1 legal sequence" if nodes == 1 else f"{nodes:,} legal sequences"
    if report["moves"]:
        session.show(table, "")
    session.show(f"Level {game.rules.level.number}, {moves}: {sequences} from the start.")
    return 0


COMMAND = Command(
    explanation=(
        "Counts the legal move sequences of a length from the empty board, in all and after each first "
        "move. Two programs that know the same rules count the same, so a difference shows where to look. A "
        "view switch before or after a move makes a different sequence."
    ),
    examples=("perft --level 2 --depth 2", "perft --level 5 --depth 1 --json"),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
