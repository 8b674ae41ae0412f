"""``qttt solve``: who wins with best play, and what each first move is worth."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, file_name, whole_number
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.game.rules import DEFAULT_LEVEL, LEVELS, SUMMARIES, Rules
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.solver.blocks import blocks_of
from qttt.solver.making.levels import UNSOLVABLE, check_solvable, solve_level
from qttt.solver.measuring.tables import SOLVED_LEVEL, board_counts, key_of
from qttt.solver.probe import Prober, Value, ranked
from qttt.solver.tables import ValueTable, keep_table, table_for, table_path, unpack_table
from qttt.storage import save_file


def solve_report(table: ValueTable) -> dict[str, Any]:
    """The object that ``qttt solve --json`` prints.

    Args:
        table: a level's table, shipped or solved anew.

    Returns:
        Level; options, if there are any; the value of the game, P(X wins) − P(O wins), as a number and as a
        fraction where it is exact; the probabilities of X, a tie and O; how many positions were solved; the
        first moves, one of each kind under the symmetries of the board, best first; the stated error; and how
        the table was made. With ``measure-turn`` also the boards after an observation, counted; the value and
        the first moves are missing at Level 2, which is solved from there on only.
    """
    rules = Rules.of(int(table.about["level"]), str(table.about.get("options", "")))
    options = {"options": str(rules.options)} if str(rules.options) else {}
    named: dict[str, Any] = {"level": rules.level.number, **options}
    if rules.options.measure_turn:
        report = {**named, **_measured(table, rules)}
    else:
        prober = Prober(rules, table)
        report = {**named, **_opening(rules, prober.symmetry_class, prober.value)}
    return {
        **report,
        "states": table.about["states"],
        **{name: entry for name, entry in table.about.items() if name in _ORIGIN},
    }


def _measured(table: ValueTable, rules: Rules) -> dict[str, Any]:
    """What a table for ``measure-turn`` says, the first moves at the level that it holds them of."""
    report: dict[str, Any] = {"boards": [count._asdict() for count in board_counts(rules, table)]}
    if rules.level.number == SOLVED_LEVEL:
        report |= _opening(rules, lambda state: key_of(*_seen(state)), lambda state: _stored(table, state))
    return report


def _seen(state: State) -> tuple[tuple[int, ...], int]:
    return blocks_of(state.position), int(state.turn is Symbol.O)


def _stored(table: ValueTable, state: State) -> Value:
    pair = table.get(key_of(*_seen(state)))
    assert pair is not None
    worth = pair[0] * state.turn.sign + 0.0
    return Value(worth, pair[1], Fraction(worth))


def _opening(
    rules: Rules, symmetry_class: Callable[[State], bytes], value: Callable[[State], Value]
) -> dict[str, Any]:
    start = State(rules)
    kinds = {symmetry_class(start.child(move)): move for move in reversed(start.legal_moves())}
    moves = {move: value(start.child(move)) for move in sorted(kinds.values(), key=lambda m: m.order)}
    return {
        **_shown(value(start)),
        "first_moves": [{"move": str(move), **_shown(worth)} for move, worth in ranked(moves, start.turn)],
    }


_ORIGIN = ("error", "lowest", "highest", "widest", "rounds", "made_by", "python", "numba", "seconds")


def _shown(worth: Value) -> dict[str, Any]:
    fraction = None if worth.exact is None else str(worth.exact)
    return {
        "value": worth.value,
        "value_fraction": fraction,
        "x": worth.x,
        "tie": worth.tie,
        "o": worth.o,
    }


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--level",
        metavar="N",
        type=whole_number(0, len(LEVELS) - 1),
        default=DEFAULT_LEVEL,
        help=f"0 to {len(LEVELS) - 1} (default {DEFAULT_LEVEL})",
    )
    solved = [name for name in SUMMARIES if name.partition("=")[0] not in UNSOLVABLE]
    parser.add_argument("--options", metavar="LIST", help=f"optional rules: {', '.join(solved)}")
    parser.add_argument(
        "--recompute", action="store_true", help="solve the level anew instead of reading the table"
    )
    parser.add_argument("--out", metavar="FILE", type=file_name, help="with --recompute: save the new table")
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    if arguments.out and not arguments.recompute:
        raise UsageError("--out saves a new table, so it needs --recompute")
    rules = Rules.of(arguments.level, arguments.options or "")
    check_solvable(rules)
    kept = table_path(rules).is_file()
    if not kept and rules.level is LEVELS[-1] and not arguments.recompute:
        raise UsageError(
            f"no table holds for {rules} yet: --recompute makes it, which takes about an hour, and keeps it"
        )
    table = table_for(rules) if kept and not arguments.recompute else _recomputed(arguments, rules, session)
    report = solve_report(table)
    if arguments.json:
        session.write_json(report)
    else:
        _show(report, session)
    return 0


def _recomputed(arguments: Namespace, rules: Rules, session: Session) -> ValueTable:
    """Solve rules anew; without ``--out`` a table that does not ship is kept in the user's folder."""
    with waiting(session, "solving") as wait:
        content = solve_level(rules, wait.tell)
    if arguments.out:
        save_file(arguments.out, content)
    else:
        keep_table(rules, content)
    return unpack_table(content, Path(arguments.out or "the new table"))


def _show(report: dict[str, Any], session: Session) -> None:
    named = f"Level {report['level']}" + (f" ({report['options']})" if "options" in report else "")
    if "value" in report:
        _show_opening(report, named, session)
    else:
        session.show(
            f"{named} is solved from its first observation on, not from its first move:",
            f"{report['states']:,} positions on the squares that an observation leaves empty.",
        )
    if "boards" in report:
        _show_boards(report["boards"], session)


def _show_opening(report: dict[str, Any], named: str, session: Session) -> None:
    from qttt.cli.console.tables import plain_table, result_rows

    session.show(
        f"{named} with best play by both: value {_worth(report)} "
        f"(P(X wins) - P(O wins)), {report['states']:,} positions.",
        "",
        result_rows(
            {"X": report["x"], "O": report["o"], "tie": report["tie"]}, session.glyphs, session.columns
        ),
        "",
    )
    table = plain_table("first move", ">value", ">X wins", ">tie", ">O wins")
    for row in report["first_moves"]:
        table.add_row(row["move"], _worth(row), *(f"{row[key]:.2%}" for key in ("x", "tie", "o")))
    session.show(table)
    if "lowest" in report:
        session.show(
            "",
            "Play that never ends counts as a tie. As a loss or a win for X instead, it would make the game",
            f"worth {report['lowest']:+.6f} or {report['highest']:+.6f}; no observed board's value "
            f"changes by more than {report['widest']:.4f}.",
        )
        if "tally" in report.get("options", ""):
            session.show(
                "With tally only a full board ends a game, and best play need not fill one: the odds are",
                "those of games that may have more and more observations.",
            )


def _show_boards(counts: list[dict[str, int]], session: Session) -> None:
    from qttt.cli.console.tables import plain_table

    table = plain_table("empty squares", ">boards", ">without the option too", ">of another value then")
    for row in counts:
        table.add_row(*(f"{row[name]}" for name in ("empty", "boards", "without", "changed")))
    session.show("", "Boards after an observation with which play goes on, up to symmetry:", "", table)


def _worth(row: dict[str, Any]) -> str:
    fraction = row["value_fraction"]
    return f"{row['value']:+.6f}" if fraction is None else f"{row['value']:+.6f} = {fraction}"


COMMAND = Command(
    explanation=(
        "Prints what the game is worth with best play by both players, and what each first move is worth, "
        "one of each kind under the symmetries of the board. The values come from a table that ships with "
        "the package, or is made when first asked for and kept in the user's folder; --recompute solves the "
        "rules anew. With --options measure-turn it also counts the boards after an observation that the "
        "option gives another value."
    ),
    examples=(
        "solve",
        "solve --level 1 --json",
        "solve --level 0 --recompute",
        "solve --level 1 --options measure-turn",
        "solve --options tally",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
