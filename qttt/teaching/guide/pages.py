"""The rules of a level as a whole, for the terminal and as Markdown."""

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.scene import Scene
from qttt.display.text import NARROW, UNICODE, WIDE, Glyphs, draw_board, draw_legend
from qttt.game.rules import LEVELS, Level
from qttt.teaching.guide import review
from qttt.teaching.guide.glossary import terms_at
from qttt.teaching.guide.move_rules import level_table, move_sections
from qttt.teaching.guide.observation_rules import example_diagram, observation_sections, quantum_section
from qttt.teaching.guide.sections import Diagram, Section, Table

LINE = 79
#: The numbers that the rule texts for single levels give to some levels, and the Player Reference's.
OTHER_NUMBERS = {0: 1, 1: 2, 2: 3}


def rules_of(level: Level) -> tuple[Section, ...]:
    """The complete rules at a level."""
    return (
        *move_sections(level),
        Section("A full board", (example_diagram(level),)),
        *observation_sections(level),
        quantum_section(level),
        Section("Words", (tuple(f"{term.word}: {term.meaning_at(level)}" for term in terms_at(level)),)),
    )


def overview() -> tuple[Section, ...]:
    """The levels at a glance."""
    return (
        Section(
            "The six levels",
            (
                "Every level has all moves of the one below it and adds something. Level 2 is what "
                "`qttt` plays unless told otherwise. The numbers are those of the Player Reference; "
                "the rule texts for single levels "
                "count some of them one lower: "
                + ", ".join(
                    f"what they call Level {number} ({LEVELS[level].name}) is Level {level} here"
                    for number, level in OTHER_NUMBERS.items()
                )
                + ".",
                level_table(),
                (
                    "superpose, entangle, cancel: the moves that there are besides the classical one",
                    "mode: the player who fills the board chooses how symbols are read",
                    "view: players can switch how the dice on the board are read",
                    "play on: observed pieces stay in play",
                ),
                "`qttt rules 3` prints the complete rules of Level 3, and so on.",
            ),
        ),
    )


def title_of(level: Level) -> str:
    """The heading of a level's rules."""
    return f"TiqTaqToe, Level {level.number}: {level.name}"


def diagram_scene(diagram: Diagram) -> Scene:
    """A diagram as a picture."""
    opens = diagram.game().state.open_squares()
    return board_scene(diagram.position(), diagram.caption, marked=diagram.marked, opens=opens)


def figure_name(level: Level, diagram: Diagram) -> str:
    """The file name of a diagram's picture, beside the pages."""
    return f"figures/level-{level.number}-{diagram.name}.svg"


def rules_text(
    title: str, sections: tuple[Section, ...], glyphs: Glyphs = UNICODE, columns: int = LINE
) -> Iterator[Text]:
    """Rules for a terminal.

    Args:
        title: their heading.
        sections: their parts.
        glyphs: the characters that boards are drawn with.
        columns: how wide the terminal is; lines are at most 79 long all the same.
    """
    columns = min(LINE, columns)
    yield from (Text(line, "bold") for line in wrap(title, columns))
    for section in sections:
        yield Text("")
        yield from (Text(line, "bold") for line in wrap(section.title.replace("`", ""), columns))
        for part in section.parts:
            yield from _text_part(part, glyphs, columns)


def _text_part(
    part: "str | tuple[str, ...] | Table | Diagram", glyphs: Glyphs, columns: int
) -> Iterator[Text]:
    if isinstance(part, str):
        yield from (Text(line) for line in wrap(part.replace("`", ""), columns))
    elif isinstance(part, Table):
        yield from _text_table(part, columns)
    elif isinstance(part, Diagram):
        position = part.position()
        width = WIDE if columns >= 3 * WIDE + 4 else NARROW
        yield draw_board(position, glyphs, marked=part.marked, width=width)
        legend = draw_legend(position, glyphs).plain
        yield from (Text(line) for line in wrap(legend, columns))
        yield from (Text(line) for line in wrap(f"{part.caption} ({position.view} view)", columns))
    else:
        for item in part:
            lines = wrap(item.replace("`", ""), columns, initial_indent="- ", subsequent_indent="  ")
            yield from (Text(line) for line in lines)


def _text_table(table: Table, columns: int) -> Iterator[Text]:
    rows = [tuple(cell.replace("`", "") for cell in row) for row in (table.head, *table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    if sum(widths) + 2 * len(widths) <= columns:
        for row in rows:
            yield Text("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return
    # Too wide for the terminal: a paragraph a row.
    for first, *others in table.rows:
        names = table.head[1:] if len(others) > 1 else ("",)
        said = "; ".join(f"{name} {cell}".strip() for name, cell in zip(names, others, strict=True))
        lines = wrap(f"{first}: {said}".replace("`", ""), columns, subsequent_indent="    ")
        yield from (Text(line) for line in lines)


def rules_markdown(level: Level) -> str:
    """The rules of a level as a Markdown page; its pictures are named by `figure_name`."""
    lines = [f"# {title_of(level)}", ""]
    others = " · ".join(
        f"**Level {other.number}**" if other is level else f"[Level {other.number}](level-{other.number}.md)"
        for other in LEVELS
    )
    lines += [others, ""]
    for section in rules_of(level):
        lines += [f"## {section.title}", ""]
        for part in section.parts:
            lines += [*_markdown_part(level, part), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _markdown_part(level: Level, part: "str | tuple[str, ...] | Table | Diagram") -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Diagram):
        yield f"![{diagram_scene(part).description}]({figure_name(level, part)})"
        yield ""
        yield f"{part.caption} Moves: `{part.tokens}`."
    elif isinstance(part, Table):
        yield from markdown_table(part)
    else:
        yield from (f"- {item}" for item in part)


def markdown_table(table: Table) -> Iterator[str]:
    """A table in Markdown."""
    yield "| " + " | ".join(table.head) + " |"
    yield "|" + "---|" * len(table.head)
    for row in table.rows:
        yield "| " + " | ".join(row) + " |"


def _review_markdown() -> str:
    lines = [f"# {review.TITLE}", ""]
    for part in review.paragraphs():
        lines += [*(markdown_table(part) if isinstance(part, Table) else (part,)), ""]
    return "\n".join([*lines, f"![{review.example_scene().description}]({review.FIGURE})", ""])


def guide_files() -> dict[str, str]:
    """The rendered pages of the guide with their pictures, by their names."""
    from qttt.display.pictures.svg import svg

    files = {}
    for level in LEVELS:
        files[f"level-{level.number}.md"] = rules_markdown(level)
        for section in rules_of(level):
            for part in section.parts:
                if isinstance(part, Diagram):
                    files[figure_name(level, part)] = svg(diagram_scene(part))
    index = ["# The rules of TiqTaqToe", ""]
    for section in overview():
        for part in section.parts[:3]:
            index += [*_markdown_part(LEVELS[0], part), ""]
    index += [f"- [Level {level.number}: {level.name}](level-{level.number}.md)" for level in LEVELS]
    files["review.md"] = _review_markdown()
    files[review.FIGURE] = svg(review.example_scene())
    index += ["", f"[{review.TITLE}](review.md): losses, marks, accuracy and luck."]
    files["README.md"] = "\n".join(index) + "\n"
    return files
