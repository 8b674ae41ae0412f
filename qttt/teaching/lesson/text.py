"""A lesson for the terminal, at most 79 columns wide."""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.text import Text

from qttt.display.pictures.bars import Series, outcome_order
from qttt.display.text import NARROW, UNICODE, WIDE, Glyphs, draw_bar, draw_board, draw_legend, percent
from qttt.teaching.lesson.phrases import (
    box_words,
    herald_note,
    opens_words,
    part_title,
    pattern_glyphs,
    pattern_words,
    row_amplitude,
    sign_note,
    verdict_words,
)
from qttt.teaching.lesson.steps import BoardPart, Box, Distribution, Lesson, LessonStep

LINE = 79
_LEAST_DRAWING = 40
"""Columns that a drawing of gates needs."""
_BOARD = 3 * WIDE + 4
_NARROW_BOARD = 3 * NARROW + 4
_GAP = 3
_NAME = 26
"""Columns for the name of a row."""
_MOST_OUTCOMES = 8


def lesson_text(lesson: Lesson, glyphs: Glyphs = UNICODE, columns: int = LINE) -> Iterator[Text]:
    """A lesson as lines and blocks for a terminal.

    Args:
        lesson: the lesson.
        glyphs: the characters that boards are drawn with.
        columns: how wide the terminal is; lines are at most 79 long all the same.
    """
    columns = min(LINE, columns)
    yield Text(lesson.title, "bold")
    yield Text(lesson.level)
    for key, value in lesson.headers:
        yield Text(f"{key}: {value}")
    yield from _paragraphs(lesson.introduction, columns)
    for step in lesson.steps:
        yield Text("")
        yield from step_text(step, glyphs, columns)
    yield Text("")
    yield Text(lesson.ending, "bold")


def step_text(step: LessonStep, glyphs: Glyphs, columns: int) -> Iterator[Text]:
    """One step of a lesson as lines and blocks for a terminal."""
    yield Text(f"{step.number}. {step.title}", "bold")
    for rule in step.rules:
        yield from _paragraphs((rule.sentence,), columns)
        yield Text(f"  [{rule.source}]", "dim")
    yield _boards(step, glyphs, columns)
    legend = draw_legend(step.shown, glyphs)
    yield from _paragraphs((legend.plain,), columns)
    if step.before.rules.level.rotated_view:
        yield Text(f"View: {step.board_before.view} before, {step.shown.view} after.")
    for change in step.changes:
        said = f"square {change.square}: {change.before} becomes {change.after}"
        yield from _paragraphs((said,), columns, "  ")
    yield from _paragraphs((opens_words(step),), columns)
    if step.circuit:
        for box in step.circuit.boxes:
            yield from _paragraphs((f"Circuit: {box_words(box)}",), columns)
            yield from _drawn(box, max(columns, _LEAST_DRAWING))
        if step.circuit.after:
            yield from _amplitudes("Amplitudes before", step.circuit.before, columns)
            yield from _amplitudes("Amplitudes after", step.circuit.after, columns)
            yield from _paragraphs((sign_note(step.circuit.after, step.after.rules.level),), columns)
        yield from _paragraphs((herald_note(step),), columns)
    yield from _paragraphs(step.rolls, columns)
    if step.distribution:
        yield from _distribution(step.distribution, columns)
        if step.token:
            yield Text(f"This outcome had a chance of {percent(step.chance)}: {step.token}")
        yield from _paragraphs((verdict_words(step),), columns)
    elif step.chance < 1:
        yield Text(f"This outcome had a chance of {percent(step.chance)}.")
    yield from _paragraphs((step.result,), columns)
    yield from _paragraphs(step.judgements, columns)
    yield from _paragraphs(step.comments, columns, "  | ")


def _paragraphs(texts: tuple[str, ...], columns: int, indent: str = "") -> Iterator[Text]:
    for text in texts:
        for line in wrap(text, columns, initial_indent=indent, subsequent_indent=indent):
            yield Text(line)


def _boards(step: LessonStep, glyphs: Glyphs, columns: int) -> Text:
    """The board before and after a step: side by side where there is room, else one below the other."""
    beside = columns >= 2 * _NARROW_BOARD + _GAP and bool(step.token)
    room = (columns - _GAP) // 2 if beside else columns
    width = WIDE if room >= _BOARD else NARROW
    before = draw_board(step.board_before, glyphs, width=width)
    if not step.token:
        return before
    after = draw_board(step.board, glyphs, marked=step.marked, width=width)
    if not beside:
        return Text("\n").join([Text("before"), before, Text("after"), after])
    left = before.split("\n")
    block = Text(f"{'before':<{left[0].cell_len + _GAP}}after")
    for one, other in zip(left, after.split("\n"), strict=True):
        block.append("\n").append_text(one).append(" " * _GAP).append_text(other)
    return block


def _drawn(box: Box, columns: int) -> Iterator[Text]:
    """The gates inside a box, drawn; in words where they do not fit."""
    from qiskit.circuit import QuantumCircuit, QuantumRegister

    from circuits.drawing import draw
    from circuits.register import qubit_name

    used = sorted(
        {qubit for gate in box.gates for qubit in gate.qubits}, key=lambda qubit: (qubit % 9, qubit)
    )
    wires = {qubit: QuantumRegister(1, qubit_name(qubit)) for qubit in used}
    circuit = QuantumCircuit(*wires.values())
    for gate in box.gates:
        circuit.append(gate.gate(), [wires[qubit][0] for qubit in gate.qubits])
    for line in draw(circuit, "text", width=columns).splitlines():
        yield Text(line.rstrip())


def _amplitudes(title: str, parts: tuple[BoardPart, ...], columns: int) -> Iterator[Text]:
    if not parts:
        yield Text(f"{title}: these squares were empty.")
        return
    yield Text(f"{title}:")
    for part in parts:
        yield from _paragraphs((part_title(part),), columns, "  ")
        for pattern, value in part.amplitudes.items():
            chance = abs(value) ** 2
            glyphs, words = pattern_glyphs(pattern), pattern_words(part.squares, pattern)
            if columns < LINE:
                yield Text(f"  {glyphs:<5}{row_amplitude(part, pattern)}: {percent(chance)}")
                yield from _paragraphs((words,), columns, "    ")
                continue
            yield Text(
                f"    {glyphs:<5}{row_amplitude(part, pattern):<26}"
                f"{percent(chance):>9}  {draw_bar(chance, 8):<8} {words}"
            )


def _distribution(distribution: Distribution, columns: int) -> Iterator[Text]:
    if distribution.results:
        yield from _row("How the game would stand", tuple(distribution.roads), columns)
        roads = list(distribution.results.values())
        for name in roads[0]:
            values = [road[name] for road in roads]
            if any(values):
                yield from _row(f"  {name}", map(percent, values), columns)
    series = [Series(name, "", values) for name, values in distribution.roads.items()]
    keys = outcome_order(series)
    yield from _row("Outcome", tuple(distribution.roads), columns)
    for key in keys[:_MOST_OUTCOMES]:
        yield from _row(f"  {key}", [percent(one.values.get(key, 0.0)) for one in series], columns)
    rest = keys[_MOST_OUTCOMES:]
    if rest:
        sums = [percent(sum(one.values.get(key, 0.0) for key in rest)) for one in series]
        yield from _row(f"  {len(rest)} more together", sums, columns)


def _row(name: str, cells: Iterable[str], columns: int) -> Iterator[Text]:
    first, *others = cells
    values = f"{first:>10}" + "".join(f"{value:>11}" for value in others)
    if columns >= _NAME + len(values):
        yield Text(f"{name:<{_NAME}}{values}")
    else:
        yield from (Text(name), Text(values))
