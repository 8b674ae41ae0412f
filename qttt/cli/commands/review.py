"""``qttt review``: what each choice of a game gave away, and what chance gave."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, add_record_arguments, file_name, record_of
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.players.reports import review_report
from qttt.players.review import Entry, Review, review, scale_words
from qttt.records.record import Record
from qttt.storage import save_file

if TYPE_CHECKING:
    from rich.table import Table

FORMATS = ("html", "svg", "pdf")


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=file_name,
        help="write a page that needs no other file (.html), or the graph of the value (.svg, .pdf)",
    )
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    format = None if arguments.out is None else _format(arguments)
    record = record_of(arguments, session)
    game = record.game()
    with waiting(session, "looking back", len(game.events)) as wait:
        looked_back = review(game, wait.step)
        written = None if format is None else reviewed(looked_back, record, format)
    if written is not None:
        save_file(arguments.out, written)
    if arguments.json:
        session.write_json(review_report(looked_back))
    elif written is not None:
        session.show(f"Wrote {arguments.out}.")
    else:
        show_review(looked_back, session)
    return 0


def reviewed(looked_back: Review, record: Record, format: str) -> str | bytes:
    """A review as a page or a picture.

    Args:
        looked_back: what `review` says of the record's game.
        record: the game; its headers ``X`` and ``O`` name the players.
        format: ``html``, ``svg`` or ``pdf``.
    """
    from qttt.display.pictures import draw
    from qttt.teaching.lesson.review_page import review_html, review_scene

    names = record.headers
    known = {"X", "O"} <= names.keys()
    title = f"{names['X']} against {names['O']}" if known else f"A game at Level {looked_back.level}"
    if format == "html":
        return review_html(looked_back, title, str(record))
    return draw(review_scene(looked_back, title), format)


def _format(arguments: Namespace) -> str:
    suffix = Path(arguments.out).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UsageError(f"--out {arguments.out}: the name must end with .html, .svg or .pdf")
    return suffix


def show_review(looked_back: Review, session: Session) -> None:
    """Print a review: every choice and chance, then what it comes to for each player."""
    how = "exact" if looked_back.exact else "some are estimates"
    session.show(
        f"Level {looked_back.level}. Values are P(X wins) - P(O wins) with best play by both ({how}); "
        f"{looked_back.start:+.4f} at the start.",
    )
    if looked_back.entries:
        session.show("", _table(looked_back.entries))
    session.show("", _sides(looked_back))


def _table(entries: tuple[Entry, ...]) -> "Table":
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent

    table = plain_table(">", "who", "what", ">value", ">lost", "mark", "best", ">chance", ">luck")
    number = 0
    for entry in entries:
        place = "" if entry.n == number else str(entry.n)
        number = entry.n
        row = [place, str(entry.player or "chance"), entry.words, f"{entry.after:+.4f}"]
        if entry.chance is not None and entry.luck is not None:
            row += ["", "", "", percent(entry.chance), f"{entry.luck:+.4f}"]
        elif entry.loss:
            row += [f"{entry.loss:.4f}", str(entry.mark), str(entry.best), "", ""]
        else:
            row += ["", str(entry.mark), "", "", ""]
        table.add_row(*row)
    return table


def _sides(looked_back: Review) -> "Table":
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent

    table = plain_table("player", ">accuracy", ">lost", ">luck")
    for player, side in looked_back.players.items():
        share = "" if side.accuracy is None else percent(side.accuracy)
        table.add_row(str(player), share, f"{side.lost:.4f}", f"{side.luck:+.4f}")
    return table


COMMAND = Command(
    explanation=(
        "Looks back on a game: what every move, measured square and mode gave away against best play, and "
        "what chance gave. Values are P(X wins) - P(O wins) with best play by both, exact where the level is "
        f"solved, else those of a search, and it says so. {scale_words()} The luck of a chance is the value "
        "after it minus the value before it, as X sees it; the table of players shows each player's own."
    ),
    examples=(
        "review '5 5*6 1+3 2+4 7+8 9'",
        "review game.qttt --json",
        "review game.qttt --out review.html",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
