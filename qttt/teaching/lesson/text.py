"""A lesson for the terminal, 80 columns wide."""

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from circuits.exact import Part
from qttt.display.pictures.bars import Series, outcome_order
from qttt.display.text import UNICODE, Glyphs, draw_bar, draw_board, draw_legend, percent
from qttt.game.position import Position
from qttt.teaching.lesson.phrases import (
    amplitude_text,
    box_words,
    opens_words,
    part_title,
    pattern_glyphs,
    pattern_words,
    sign_note,
    verdict_words,
)
from qttt.teaching.lesson.steps import Box, Distribution, Lesson, LessonStep

LINE = 79
_MOST_OUTCOMES = 8


def lesson_text(lesson: Lesson, glyphs: Glyphs = UNICODE) -> Iterator[Text]:
    """A lesson as lines and blocks for a terminal.

    Args:
        lesson: the lesson.
        glyphs: the characters that boards are drawn with.
    """
    yield Text(lesson.title, "bold")
    yield Text(lesson.level)
    for key, value in lesson.headers:
        yield Text(f"{key}: {value}")
    yield from _paragraphs(lesson.introduction)
    for step in lesson.steps:
        yield Text("")
        yield from _step(step, glyphs)
    yield Text("")
    yield Text(lesson.ending, "bold")


def _step(step: LessonStep, glyphs: Glyphs) -> Iterator[Text]:
    yield Text(f"{step.number}. {step.title}", "bold")
    for rule in step.rules:
        yield from _paragraphs((rule.sentence,))
        yield Text(f"  [{rule.source}]", "dim")
    before = draw_board(step.before.position, glyphs)
    after = draw_board(shown_board(step), glyphs, marked=step.marked)
    yield _side_by_side(before, after, "before", "after" if step.token else "")
    legend = draw_legend(step.shown, glyphs)
    yield from _paragraphs((legend.plain,))
    if step.before.position.view is not step.shown.view or step.before.rules.level.rotated_view:
        yield Text(f"View: {step.before.position.view} before, {step.shown.view} after.")
    for change in step.changes:
        yield Text(f"  square {change.square}: {change.before} becomes {change.after}")
    yield from _paragraphs((opens_words(step),))
    if step.circuit:
        for box in step.circuit.boxes:
            yield from _paragraphs((f"Circuit: {box_words(box)}",))
            yield from _drawn(box)
        if step.circuit.after:
            yield from _amplitudes("Amplitudes before", step.circuit.before)
            yield from _amplitudes("Amplitudes after", step.circuit.after)
            yield from _paragraphs((sign_note(step.circuit.after),))
        if step.circuit.kept < 1 - 1e-9:
            kept = percent(step.circuit.kept)
            yield from _paragraphs(
                (f"A half-cancel is not a unitary: it succeeds, and its shots count, in {kept} of the runs.",)
            )
    yield from _paragraphs(step.rolls)
    if step.distribution:
        yield from _distribution(step.distribution)
        if step.token:
            yield Text(f"This outcome had a chance of {percent(step.chance)}: {step.token}")
        yield from _paragraphs((verdict_words(step),))
    elif step.chance < 1:
        yield Text(f"This outcome had a chance of {percent(step.chance)}.")
    yield from _paragraphs((step.result,))
    yield from _paragraphs(step.comments, "  | ")


def shown_board(step: LessonStep) -> Position:
    """The board as shown, without dice where an observation found nothing."""
    position = step.shown
    dice = tuple(() if square in step.emptied else position.at(square) for square in range(1, 10))
    return Position(dice, position.observed, position.view, position.twisted)


def _paragraphs(texts: tuple[str, ...], indent: str = "") -> Iterator[Text]:
    for text in texts:
        for line in wrap(text, LINE, initial_indent=indent, subsequent_indent=indent):
            yield Text(line)


def _side_by_side(left: Text, right: Text, *titles: str) -> Text:
    block = Text("")
    width = max(line.cell_len for line in left.split("\n"))
    heading = f"{titles[0]:<{width + 3}}{titles[1]}"
    if not titles[1]:
        return left
    block.append(heading)
    for one, other in zip(left.split("\n"), right.split("\n"), strict=True):
        one.align("left", width)
        block.append("\n").append_text(one).append("   ").append_text(other)
    return block


def _drawn(box: Box) -> Iterator[Text]:
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
    for line in draw(circuit, "text", width=LINE).splitlines():
        yield Text(line.rstrip())


def _amplitudes(title: str, parts: tuple[Part, ...]) -> Iterator[Text]:
    if not parts:
        yield Text(f"{title}: these squares were empty.")
        return
    yield Text(f"{title}:")
    for part in parts:
        yield Text(f"  {part_title(part)}")
        for pattern, value in part.amplitudes.items():
            chance = abs(value) ** 2
            yield Text(
                f"    {pattern_glyphs(pattern):<5}{amplitude_text(value):<22}"
                f"{percent(chance):>9}  {draw_bar(chance, 16):<16} {pattern_words(part.squares, pattern)}"
            )


def _distribution(distribution: Distribution) -> Iterator[Text]:
    if distribution.results:
        yield Text(f"{'How the game would stand':<26}{'dice':>10}{'circuit':>11}{'shots':>11}")
        roads = list(distribution.results.values())
        for name in roads[0]:
            values = [road[name] for road in roads]
            if any(values):
                yield Text(_row(name, values))
    series = [Series(name, "", values) for name, values in distribution.roads.items()]
    keys = outcome_order(series)
    yield Text(f"{'Outcome':<26}{'dice':>10}{'circuit':>11}{'shots':>11}")
    for key in keys[:_MOST_OUTCOMES]:
        yield Text(_row(key, [one.values.get(key, 0.0) for one in series]))
    rest = keys[_MOST_OUTCOMES:]
    if rest:
        sums = [sum(one.values.get(key, 0.0) for key in rest) for one in series]
        yield Text(_row(f"{len(rest)} more together", sums))


def _row(name: str, values: list[float]) -> str:
    first, *others = map(percent, values)
    return f"  {name:<24}{first:>10}" + "".join(f"{value:>11}" for value in others)
