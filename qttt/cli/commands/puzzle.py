"""``qttt puzzle``: a position with one best choice, to be found; or a question that a rule text asks."""

import secrets
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from qttt.chance import MAX_SEED
from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError

if TYPE_CHECKING:
    from qttt.players.puzzles import Puzzle

GRADES = ("easy", "medium", "hard")
_SEEDS = 1_000_000
"""How many seeds are drawn from where none is given: six digits can be told to somebody."""
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
        "--daily", action="store_true", help="the puzzle of the day: its seed is the date, as 20261201"
    )
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
    if arguments.daily and arguments.seed is not None:
        raise UsageError("--daily has a seed of its own, the date: leave out --seed")
    if arguments.text == "list":
        return _list(arguments, session)
    if arguments.daily:
        arguments.seed = int(date.today().strftime("%Y%m%d"))
    elif arguments.seed is None and arguments.text is None and session.rng is None:
        # A seed that can be said, so that everybody can have the same puzzle.
        arguments.seed = secrets.randbelow(_SEEDS)
    puzzle = _chosen(arguments, session)
    if arguments.json:
        session.write_json(puzzle_report(puzzle) | {"seed": arguments.seed})
        return 0
    _show(puzzle, session)
    again = _again(arguments)
    if again:
        session.show(f"Seed {arguments.seed}: {again}")
    if arguments.solution:
        session.show("", f"Solution: {puzzle.answer}")
        return 0
    if session.interactive:
        return _ask(puzzle, arguments, session)
    if again:
        session.show("", f"{again} --solution adds the solution.")
    else:
        session.show("", "The same command with --solution adds the solution.")
    return 0


def _again(arguments: Namespace) -> str:
    """The command that gives the same puzzle; empty where no seed does."""
    if arguments.seed is None:
        return ""
    named = ("level", "options", "grade", "aim", "seed")
    given = [(name, getattr(arguments, name)) for name in named if getattr(arguments, name) is not None]
    return " ".join(["qttt puzzle", *(f"--{name} {value}" for name, value in given)])


def _chosen(arguments: Namespace, session: Session) -> "Puzzle":
    from qttt.players.puzzles import TEXT_PUZZLES, Aim, Grade, find_puzzle
    from qttt.records.record import Record

    if arguments.text is not None:
        wanted = (arguments.level, arguments.options, arguments.seed, arguments.grade, arguments.aim)
        if arguments.daily or any(flag is not None for flag in wanted):
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


def _ask(puzzle: "Puzzle", arguments: Namespace, session: Session) -> int:
    """Let a person answer one puzzle after the other, until they leave."""
    from qttt.cli.commands.play import run_aside
    from qttt.cli.keyboard.lines import Prompt, keyboard_for
    from qttt.cli.keyboard.puzzle import PuzzleGame

    prompt = Prompt(keyboard_for(session), session)
    given = session.rng if arguments.seed is None else None
    with suppress(EOFError):
        # A question of the rule texts has no next one, and who gives the random numbers has asked for one.
        while PuzzleGame(puzzle, session, prompt, run_aside, more=arguments.seed is not None).ask():
            # After the puzzle of the day not that of tomorrow.
            arguments.seed = (
                secrets.randbelow(_SEEDS) if arguments.daily else (arguments.seed + 1) % (MAX_SEED + 1)
            )
            session.rng = given
            puzzle = _chosen(arguments, session)
            session.show("")
            _show(puzzle, session)
            session.show(f"Seed {arguments.seed}: {_again(arguments)}")
    return 0


COMMAND = Command(
    explanation=(
        "Shows a position in which one choice is clearly better than all others, and asks for it. The "
        "positions come from random games, the solver proves them, and the grade says how many wrong choices "
        "look as good to a player who only sees the odds of an observation right away. --text shows the "
        "questions that the rule texts ask. A terminal waits for the answer, and hint, next and skip work "
        "there; elsewhere --solution gives it. "
        "The seed is always said: it gives the same puzzle again."
    ),
    examples=(
        "puzzle",
        "puzzle --level 4 --aim mode --seed 3 --solution",
        "puzzle --grade hard --seed 1 --json",
        "puzzle --daily",
        "puzzle --text two-left",
        "puzzle --text list",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
