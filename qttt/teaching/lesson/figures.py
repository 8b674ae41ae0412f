"""The pictures of a lesson: one of the board, of the circuit and of the gates for each step."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from qttt.display.pictures.bars import Series, bars_scene
from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.circuits import gates_scene, moves_scene
from qttt.display.pictures.games import captioned
from qttt.display.pictures.palette import Theme
from qttt.display.pictures.raster import pdf
from qttt.display.pictures.scene import Scene, Shape, Text, stacked
from qttt.display.text import percent
from qttt.game.position import START
from qttt.teaching.lesson import phrases
from qttt.teaching.lesson.steps import Box, Distribution, Lesson, LessonStep

_COLOURS = {"dice": "bar-dice", "circuit": "bar-circuit", "shots": "bar-shots"}


def step_board(step: LessonStep) -> Scene:
    """The board after a step."""
    title = f"The board after step {step.number}" if step.token else "The board"
    return board_scene(step.board, title, marked=step.marked, emptied=step.emptied, opens=step.opens)


def step_circuit(step: LessonStep) -> Scene | None:
    """The circuit of the phase, this step's boxes in full and all others faded."""
    if step.circuit is None or not step.circuit.whole.blocks:
        return None
    title = "The circuit, this step in full" if step.circuit.highlighted else "The circuit: no gate is added"
    return moves_scene(step.circuit.whole, step.circuit.highlighted, title)


def highlight_place(step: LessonStep) -> float:
    """Where in the circuit's drawing this step's boxes are, from 0 (left) to 1 (right)."""
    if step.circuit is None or not step.circuit.highlighted:
        return 0.0
    return (sum(step.circuit.highlighted) / len(step.circuit.highlighted) + 0.5) / len(
        step.circuit.whole.blocks
    )


def box_gates(box: Box) -> Scene:
    """The gates inside a box."""
    return gates_scene(box.gates, f"Inside the box “{box.label}”")


RESULTS_TITLE = "How the game would stand"
MOST_OUTCOMES = 8


def result_series(distribution: Distribution) -> list[Series]:
    """How the game would stand, by the three roads; empty where only positions are observed."""
    names = {"X": "X wins", "O": "O wins", "tie": "tie", "continue": "goes on"}
    return [
        Series(road, _COLOURS[road], {names[name]: value for name, value in results.items()})
        for road, results in (distribution.results or {}).items()
    ]


def outcome_series(distribution: Distribution) -> list[Series]:
    """What would be observed, by the three roads."""
    return [Series(road, _COLOURS[road], values) for road, values in distribution.roads.items()]


def outcomes_title(distribution: Distribution) -> str:
    """What the outcomes are."""
    if not distribution.results:
        return "Filled squares, the same for both modes"
    return f"Boards in {distribution.mode} mode"


def outcome_bars(distribution: Distribution) -> Scene:
    """The likeliest outcomes, by the three roads."""
    return bars_scene(outcomes_title(distribution), outcome_series(distribution), limit=MOST_OUTCOMES)


#: An A4 page and its margins, in points.
A4 = (595.28, 841.89)
_MARGIN, _GAP = 40.0, 14.0
#: Boards and bars are drawn smaller than on a screen, so that they stand side by side and most steps take one
#: page; the last row of a step is made smaller still, down to this factor, before it begins another.
_SMALLER, _SQUEEZE = 0.59, 0.7
#: The first rows of a step, its words and its board, stay on its first page.
_TOP = 2
_LINE, _TITLE_LINE, _SIZE = 92, 58, 10.5 / _SMALLER


def lesson_pdf(lesson: Lesson, theme: Theme = Theme.LIGHT) -> bytes:
    """A lesson as a handout, a vector PDF on A4: for each step its text, board, circuit and distributions."""
    return pdf(lesson_pages(lesson), theme, lesson.title)


def lesson_pages(lesson: Lesson) -> list[Scene]:
    """The pages of a lesson's PDF, all A4; each step begins a new one."""
    steps = [page for step in lesson.steps for page in _pages(step)]
    return steps or [_page([([captioned(board_scene(START, lesson.title))], 1.0)], lesson.title)]


def _pages(step: LessonStep) -> list[Scene]:
    title = f"{step.number}. {step.title}"
    pages: list[list[tuple[list[Scene], float]]] = [[]]
    room = A4[1] - 2 * _MARGIN
    rows = _rows(_pieces(step, title))
    for row in rows:
        squeeze = 1.0
        if pages[-1] and room < _height(row):
            squeeze = room / _height(row)
            if row is not rows[-1] or squeeze < _SQUEEZE:
                heading = [_heading(f"{title} (continued)")]
                # The gates go with the circuit, so that neither stands alone.
                along = pages[-1][_TOP:] if row is rows[-1] else []
                del pages[-1][len(pages[-1]) - len(along) :]
                pages.append([(heading, 1.0), *along])
                room = A4[1] - 2 * _MARGIN - sum(_height(placed) for placed, _ in pages[-1])
                squeeze = 1.0
        pages[-1].append((row, squeeze))
        room -= squeeze * _height(row)
    return [_page(placed, title) for placed in pages]


def _rows(pieces: Iterable[Scene]) -> list[list[Scene]]:
    """Pieces in their order, side by side where the page is wide enough."""
    rows: list[list[Scene]] = []
    room = 0.0
    for piece in pieces:
        needed = piece.width * _scale(piece) + _GAP
        if not rows or room < needed:
            rows.append([])
            room = A4[0] - 2 * _MARGIN + _GAP
        rows[-1].append(piece)
        room -= needed
    return rows


def _height(row: Sequence[Scene]) -> float:
    """What a row takes of a page, with the gap below it."""
    return max(piece.height * _scale(piece) for piece in row) + _GAP


def _scale(piece: Scene) -> float:
    """What makes a picture fit on a page, with room above it for a heading of two lines."""
    tallest = A4[1] - 2 * _MARGIN - 50 * _SMALLER - 2 * _GAP
    return min(_SMALLER, (A4[0] - 2 * _MARGIN) / piece.width, tallest / piece.height)


def _page(rows: Sequence[tuple[Sequence[Scene], float]], title: str) -> Scene:
    """A page of rows, each with the factor by which it is smaller than other rows."""
    shapes: list[Shape] = []
    y = _MARGIN
    for row, squeeze in rows:
        x = _MARGIN
        for piece in row:
            scale = squeeze * _scale(piece)
            shapes += piece.placed(x, y, scale)
            x += piece.width * scale + _GAP
        y += squeeze * _height(row)
    return Scene(*A4, tuple(shapes), title, " ".join(piece.description for row, _ in rows for piece in row))


def _pieces(step: LessonStep, title: str) -> Iterator[Scene]:
    yield _words(step, title)
    yield step_board(step)
    # Beside the board: what an observation could give, or a move's gates, which mostly are small enough.
    if step.distribution is not None:
        bars = [outcome_bars(step.distribution)]
        if step.distribution.results:
            bars.insert(0, bars_scene(RESULTS_TITLE, result_series(step.distribution)))
        said = " ".join(scene.description for scene in bars)
        yield stacked(bars, _GAP, bars[-1].title, said)
    if step.circuit is not None:
        yield from (captioned(box_gates(box)) for box in step.circuit.boxes)
    circuit = step_circuit(step)
    if circuit is not None:
        yield captioned(circuit)


def _heading(title: str) -> Scene:
    lines = wrap(title, _TITLE_LINE)
    shapes = tuple(Text((0, 20 + 26 * row), line, 21, "ink", bold=True) for row, line in enumerate(lines))
    return Scene((A4[0] - 2 * _MARGIN) / _SMALLER, 26.0 * len(lines) - 2, shapes, title)


def _words(step: LessonStep, title: str) -> Scene:
    """What a step's page says besides its pictures."""
    said = [*step.comments, *(f"{rule.sentence} ({rule.source})" for rule in step.rules)]
    said += [f"Square {change.square}: {change.before} → {change.after}." for change in step.changes]
    if step.opens is not None:
        said.append(phrases.opens_words(step))
    if step.distribution is not None:
        said.append(phrases.verdict_words(step))
    if step.token and (step.distribution or step.chance < 1):
        said.append(f"This outcome, {step.token}, had a chance of {percent(step.chance)}.")
    if step.result:
        said.append(step.result)
    heading = _heading(title)
    shapes: list[Shape] = list(heading.shapes)
    y = heading.height
    for paragraph in said:
        for line in wrap(paragraph, _LINE):
            y += 1.35 * _SIZE
            shapes.append(Text((0, y), line, _SIZE, "ink"))
        y += 4
    return Scene(heading.width, y + 6, tuple(shapes), title, " ".join(said))
