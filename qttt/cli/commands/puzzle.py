"""``qttt puzzle``: a position with one best choice, to be found; or a question that a rule text asks."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import QtttError, UsageError

if TYPE_CHECKING:
    from qttt.players.puzzles import Puzzle

GRADES = ("easy", "medium", "hard")
AIMS = ("win", "save", "mode", "best")


def puzzle_report(puzzle: "Puzzle") -> dict[str, Any]:
    """The object that ``qttt puzzle --json`` prints.

    Args:
        puzzle: any puzzle.

    Returns:
        The record up to the position, whose choice it is, the question, what is asked for, the grade and the
        number of decoys, the solution with its value and an explanation, the value of the best other choice
        (None if there is none), whether the values are proved, and the source (empty for a found puzzle).
    """
    values = dict(puzzle.advice.choices)
    others = [value.value for choice, value in puzzle.advice.choices if choice not in puzzle.solutions]
    state = puzzle.game.state
    return {
        "level": puzzle.game.rules.level.number,
        "record": puzzle.record,
        "tokens": " ".join(map(str, puzzle.game.events)),
        "turn": str(puzzle.turn),
        "view": str(state.position.view),
        "question": puzzle.question,
        "aim": str(puzzle.aim),
        "grade": str(puzzle.grade),
        "decoys": puzzle.decoys,
        "solution": [str(choice) for choice in puzzle.solutions],
        "value": values[puzzle.solutions[0]].value,
        "next_value": others[0] if others else None,
        "explanation": puzzle.answer,
        "exact": puzzle.advice.exact,
        "source": puzzle.source,
    }


def _add_arguments(parser: ArgumentParser) -> None:
    add_flags(parser, "--level", "--options", "--seed")
    parser.add_argument(
        "--grade", choices=GRADES, help="how hard: how many other choices look as good at first sight"
    )
    parser.add_argument(
        "--aim", choices=AIMS, help="a sure win, a save, a mode to choose, or simply the best move"
    )
    parser.add_argument(
        "--text", metavar="NAME", help="a question of the rule texts instead; --text list lists them"
    )
    parser.add_argument("--solution", action="store_true", help="print the solution too, and ask nothing")
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    if arguments.text == "list":
        return _list(arguments, session)
    puzzle = _chosen(arguments, session)
    if arguments.json:
        session.write_json(puzzle_report(puzzle))
        return 0
    _show(puzzle, session)
    if arguments.solution:
        session.show("", f"Solution: {puzzle.answer}")
        return 0
    if session.interactive:
        return _ask(puzzle, session)
    session.show("", "The same command with --solution adds the solution.")
    return 0


def _chosen(arguments: Namespace, session: Session) -> "Puzzle":
    from qttt.players.puzzles import TEXT_PUZZLES, Aim, Grade, find_puzzle
    from qttt.records.record import Record

    if arguments.text is not None:
        wanted = (arguments.level, arguments.options, arguments.seed, arguments.grade, arguments.aim)
        if any(flag is not None for flag in wanted):
            raise UsageError("--text names one puzzle: it goes with no other choice of one")
        if arguments.text not in TEXT_PUZZLES:
            known = ", ".join(TEXT_PUZZLES)
            raise UsageError(f"the rule texts have no question {arguments.text!r}: there are {known}")
        return TEXT_PUZZLES[arguments.text].puzzle()
    rules = Record().completed(arguments.level, arguments.options).rules
    rng = session.generator(arguments.seed)
    with waiting(session, "looking for a puzzle"):
        return find_puzzle(
            rules, rng, arguments.grade and Grade(arguments.grade), arguments.aim and Aim(arguments.aim)
        )


def _list(arguments: Namespace, session: Session) -> int:
    from qttt.players.puzzles import TEXT_PUZZLES

    if arguments.json:
        puzzles = [
            {"name": name, "level": text.level, "source": text.source, "question": text.question}
            for name, text in TEXT_PUZZLES.items()
        ]
        session.write_json({"puzzles": puzzles})
        return 0
    from qttt.cli.console.tables import plain_table

    table = plain_table("name", "level", "asked in", prose=2)
    for name, text in TEXT_PUZZLES.items():
        table.add_row(name, str(text.level), text.source)
    session.show(table)
    return 0


def _show(puzzle: "Puzzle", session: Session) -> None:
    from qttt.display.status import describe_game, shown_position
    from qttt.display.text import draw_legend

    position = shown_position(puzzle.game)
    legend = draw_legend(position, session.glyphs)
    session.show(
        describe_game(puzzle.game),
        session.board(position, positions=puzzle.game.state.positions),
        *([legend] if legend else []),
        "",
        f"The game so far: {' '.join(map(str, puzzle.game.events))}",
        f"{puzzle.question} ({puzzle.grade.capitalize()}.)",
    )
    if puzzle.source:
        session.show(f"Asked by {puzzle.source}.")


def _ask(puzzle: "Puzzle", session: Session) -> int:
    """Let a person answer until the answer is right or they give up."""
    while True:
        session.tell(f"{puzzle.turn}'s choice (or: solution)> ")
        line = session.read_line()
        typed = line.strip().lower()
        if not line or typed in {"solution", "quit"}:
            session.show("", f"Solution: {puzzle.answer}")
            return 0
        try:
            solved = bool(typed) and puzzle.solved_by(typed)
        except QtttError as error:
            session.show(str(error))
            continue
        if solved:
            session.show("", f"Right. {puzzle.answer}")
            return 0
        if typed:
            session.show(puzzle.refutation(typed))


COMMAND = Command(
    explanation=(
        "Shows a position in which one choice is clearly better than all others, and asks for it. The "
        "positions come from random games, the solver proves them, and the grade says how many wrong choices "
        "look as good to a player who only sees the odds of an observation right away. --text shows the "
        "questions that the rule texts ask. A terminal waits for the answer; elsewhere --solution gives it."
    ),
    examples=(
        "puzzle",
        "puzzle --level 4 --aim mode --seed 3 --solution",
        "puzzle --grade hard --seed 1 --json",
        "puzzle --text two-left",
        "puzzle --text list",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
