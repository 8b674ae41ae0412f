"""``qttt explain``: a game explained move by move, in the terminal or as a page, Markdown or figures."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_record_arguments, file_name, record_of
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.storage import save_file

if TYPE_CHECKING:
    from qttt.teaching.lesson.steps import Lesson

FORMATS = ("html", "md", "pdf")
_SUFFIXES = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".pdf": "pdf"}


def explained(lesson: "Lesson", format: str) -> str | bytes:
    """A lesson in one of the formats.

    Args:
        lesson: the lesson.
        format: ``html``, ``md`` or ``pdf``.

    Raises:
        UsageError: an unknown format.
    """
    if format == "html":
        from qttt.teaching.lesson.html import lesson_html

        return lesson_html(lesson)
    if format == "md":
        from qttt.teaching.lesson.markdown import lesson_markdown

        return lesson_markdown(lesson)
    if format == "pdf":
        from qttt.teaching.lesson.figures import lesson_pdf

        return lesson_pdf(lesson)
    raise UsageError(f"a lesson cannot be written as {format!r}: there are {', '.join(FORMATS)}")


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=file_name,
        help="write a page that needs no other file (.html), Markdown (.md), or an A4 handout (.pdf)",
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="what to write to --out (default: what its name ends with)"
    )
    add_flags(parser, "--shots", help="shots of each observation's cross-check (default: 4096)")
    add_flags(parser, "--seed")


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.crosscheck.check import DEFAULT_SHOTS
    from qttt.teaching.lesson.building import make_lesson

    format = _format(arguments)
    record = record_of(arguments, session)
    with waiting(session, "explaining"):
        lesson = make_lesson(record, shots=arguments.shots or DEFAULT_SHOTS, seed=arguments.seed or 0)
        written = None if format is None else explained(lesson, format)
    if written is not None:
        save_file(arguments.out, written)
        session.show(f"Wrote {arguments.out}.")
        return 0
    from qttt.cli.console.characters import carried
    from qttt.teaching.lesson.text import lesson_text

    text = lesson_text(lesson, session.glyphs, session.columns)
    session.show(*carried(text, takes_unicode=session.takes_unicode))
    return 0


def _format(arguments: Namespace) -> str | None:
    if arguments.out is None:
        if arguments.format is not None:
            raise UsageError(f"--format {arguments.format} needs --out FILE")
        return None
    if arguments.format is not None:
        return str(arguments.format)
    suffix = Path(arguments.out).suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(
            f"--out {arguments.out}: the name must end with .html, .md or .pdf, or --format must say what to "
            "write"
        )
    return _SUFFIXES[suffix]


COMMAND = Command(
    explanation=(
        "Explains a game move by move: the rule that was applied and its source, the dice before and after, "
        "the gates that the move added, the amplitudes that changed, the squares that are now open, and at "
        "each observation what the dice, the circuit and its shots say. Everything is computed from the "
        "record. With --out it writes a page to step through in a browser, Markdown, or the figures as PDF."
    ),
    examples=(
        "explain '5 5*6'",
        "explain '1+3 1-2' --level 4 --out lesson.html",
        "explain game.qttt --out lesson.md",
        "explain game.qttt --out handout.pdf",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
