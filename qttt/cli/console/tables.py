"""Tables that several commands print: results, squares and boards with their probabilities."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.measure import measure_renderables
from rich.table import Table
from rich.text import Text

from qttt.display.status import line_words
from qttt.display.text import Glyphs, draw_bar, percent
from qttt.game.result import Result

MOST_BOARDS = 12
"""How many boards a table shows."""

RESULT_WORDS = {
    Result.X: "X wins",
    Result.O: "O wins",
    Result.TIE: "a tie",
    Result.CONTINUE: "the game goes on",
}

_BAR, _BESIDE_BAR = 30, 29
"""Columns of a bar for certainty, and of what stands beside it."""

_GAP = 2
"""Columns between two columns of a table."""


def plain_table(*headings: str, prose: int | None = None) -> Table:
    """A table without lines.

    Args:
        *headings: those that start with ``>`` stand over columns aligned to the right.
        prose: the number of the column, from 0, whose text may be wrapped between words where there is little
            room. The others keep their lines.
    """
    table = Table(
        box=None,
        pad_edge=False,
        show_header=any(heading != ">" and heading for heading in headings),
        padding=(0, _GAP, 0, 0),
    )
    for number, heading in enumerate(headings):
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if heading.startswith(">") else "left",
            no_wrap=number != prose,
        )
    return table


def least_width(table: Table, console: Console) -> int:
    """The fewest terminal columns in which nothing of a table is cut off.

    Rich fits a table into a terminal at any cost, and where room is short shows an ellipsis for digits.
    """
    width = _GAP * (len(table.columns) - 1)
    unbounded = console.options.update(width=1_000_000)
    for column in table.columns:
        text = measure_renderables(console, unbounded, [column.header, *column.cells])
        width += text.maximum if column.no_wrap else text.minimum
    return width


def folded(table: Table, width: int) -> Text:
    """A table too wide for a terminal as a sentence a row: ``square 1: symbol X, exact 3.32 %`` ….

    Lines end between cells, and within one only if it is too long for a line of its own.

    Args:
        table: one made by ``plain_table``.
        width: the terminal's columns.
    """
    headings = [str(column.header) for column in table.columns]
    lines = []
    for row in zip(*(column.cells for column in table.columns), strict=True):
        cells = [cell if isinstance(cell, Text) else Text(str(cell)) for cell in row]
        said = [
            Text(f"{heading} ".lstrip()) + cell
            for heading, cell in zip(headings, cells, strict=True)
            if cell.plain.strip()
        ]
        line = Text("")
        for number, cell in enumerate(said):
            last = number == len(said) - 1
            cell.append("" if last else ":" if number == 0 else ",")
            for part in (cell,) if cell.cell_len <= width - 2 else cell.split(" "):
                if line.cell_len and line.cell_len + 1 + part.cell_len > width:
                    lines.append(line)
                    line = Text(" ")
                line = line + (Text(" ") if line.cell_len else Text("")) + part
        lines.append(line)
    return Text("\n").join(lines)


def result_rows(result: Mapping[str, float], glyphs: Glyphs, columns: int) -> Table:
    """What may come of an observation, with bars as long as there is room for.

    Args:
        result: probabilities by the name of the result.
        glyphs: the characters to use.
        columns: how wide the table may be.
    """
    table = plain_table("", "", "")
    bar = max(1, min(_BAR, columns - _BESIDE_BAR))
    for name, probability in result.items():
        table.add_row(RESULT_WORDS[Result(name)], percent(probability), draw_bar(probability, bar, glyphs))
    table.columns[1].justify = "right"
    return table


def square_rows(squares: Sequence[Mapping[str, float]]) -> Table:
    """What each of the nine squares may hold."""
    table = plain_table("square", ">X", ">O", ">empty")
    for number, row in enumerate(squares, 1):
        table.add_row(str(number), *(percent(row[key]) for key in ("X", "O", "empty")))
    return table


def count_rows(counts: Mapping[str, int], most: int) -> Table:
    """The boards that were seen most often."""
    total = sum(counts.values())
    table = plain_table("board", ">count", ">share")
    often = sorted(counts, key=lambda board: (-counts[board], board))
    for board in often[:most]:
        table.add_row(board, f"{counts[board]:,}", percent(counts[board] / total))
    return table


def left_out(boards: int, most: int, what: str) -> str:
    """A sentence on how many boards there are and which are shown.

    Args:
        boards: how many there are.
        most: how many are shown at most.
        what: what the ones shown are, for example ``likeliest``.
    """
    if boards <= most:
        return f"{boards} {'board' if boards == 1 else 'boards'} in all."
    return f"{boards:,} boards in all; these are the {most} {what} (--json lists every one)."


def board_rows(
    outcomes: Mapping[str, float],
    verdicts: Mapping[str, Result],
    most: int,
    *,
    lines: bool = False,
    noisy: Mapping[str, float] | None = None,
) -> Table:
    """The likeliest boards, with what each would mean for the game.

    Args:
        outcomes: the probability of every board.
        verdicts: what each of them means.
        most: how many are shown at most.
        lines: show their three-in-a-rows too.
        noisy: their probabilities on a device, to stand beside the exact ones.
    """
    beside = [] if noisy is None else [">noisy"]
    table = plain_table(
        "board", ">probability", *beside, "result", *(["lines"] if lines else []), prose=3 + len(beside)
    )
    likeliest = sorted(outcomes, key=lambda board: (-outcomes[board], board))
    for board in likeliest[:most]:
        said = [line_words(verdicts[board], board)] if lines else []
        errors = [] if noisy is None else [percent(noisy.get(board, 0.0))]
        table.add_row(board, percent(outcomes[board]), *errors, RESULT_WORDS[verdicts[board]], *said)
    return table
