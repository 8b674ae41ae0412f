"""A lesson as Markdown: text, tables and boards of characters, one file without pictures."""

import re
from collections.abc import Iterator

from qttt.display.pictures.bars import Series, outcome_order
from qttt.display.text import draw_board, percent
from qttt.teaching.lesson.phrases import (
    box_words,
    gate_list,
    herald_note,
    opens_words,
    part_title,
    pattern_glyphs,
    pattern_words,
    row_amplitude,
    sign_note,
    verdict_words,
)
from qttt.teaching.lesson.steps import BoardPart, Distribution, Lesson, LessonStep

_MOST_OUTCOMES = 16
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&])")


def escaped(text: str) -> str:
    """Text from a record, so that Markdown shows it as it is and takes nothing in it for markup or HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("\\<", "&lt;").replace("\\&", "&amp;")


def lesson_markdown(lesson: Lesson) -> str:
    """A lesson as a Markdown document."""
    return "\n".join(_lines(lesson)) + "\n"


def _lines(lesson: Lesson) -> Iterator[str]:
    yield f"# {escaped(lesson.title)}"
    yield ""
    yield f"{escaped(lesson.level)}. {lesson.ending}"
    yield ""
    for key, value in lesson.headers:
        yield f"- {escaped(key)}: {escaped(value)}"
    for comment in lesson.introduction:
        yield from ("", f"> {escaped(comment)}")
    for step in lesson.steps:
        yield ""
        yield from _step(step)


def _step(step: LessonStep) -> Iterator[str]:
    yield f"## {step.number}. {escaped(step.title)}"
    for comment in step.comments:
        yield from ("", f"> {escaped(comment)}")
    for rule in step.rules:
        yield from ("", f"{rule.sentence} ({rule.source})")
    yield from ("", "```text", *draw_board(step.board).plain.splitlines(), "```", "")
    yield f"View: {step.shown.view}."
    for change in step.changes:
        yield f"- square {change.square}: {change.before} → {change.after}"
    if step.opens is not None:
        yield from ("", opens_words(step))
    if step.circuit:
        for box in step.circuit.boxes:
            yield from ("", f"Circuit: {box_words(box)}", "", f"`{gate_list(box)}`")
        if step.circuit.after:
            yield from ("", "Amplitudes before:", *_amplitudes(step.circuit.before))
            yield from ("", "Amplitudes after:", *_amplitudes(step.circuit.after))
            note = sign_note(step.circuit.after, step.after.rules.level)
            yield from ("", note) if note else ()
        if note := herald_note(step):
            yield from ("", note)
    for roll in step.rolls:
        yield from ("", f"- {escaped(roll)}") if roll == step.rolls[0] else (f"- {escaped(roll)}",)
    if step.distribution:
        yield from _distribution(step.distribution)
        yield from ("", verdict_words(step))
    if step.token and (step.distribution or step.token.startswith("?")):
        yield from ("", f"This outcome, `{step.token}`, had a chance of {percent(step.chance)}.")
    if step.result:
        yield from ("", f"**{step.result}**")
    for judgement in step.judgements:
        yield from ("", escaped(judgement))


def _amplitudes(parts: tuple[BoardPart, ...]) -> Iterator[str]:
    if not parts:
        yield from ("", "These squares were empty.")
    for part in parts:
        yield from ("", f"{part_title(part)}:", "", "| | holds | amplitude | chance |", "|---|---|---|---:|")
        for pattern, value in part.amplitudes.items():
            yield (
                f"| {pattern_glyphs(pattern)} | {pattern_words(part.squares, pattern)} "
                f"| {row_amplitude(part, pattern)} | {percent(abs(value) ** 2)} |"
            )


def _distribution(distribution: Distribution) -> Iterator[str]:
    if distribution.results:
        roads = list(distribution.results.values())
        yield from ("", "| the game would stand | dice | circuit | shots |", "|---|---:|---:|---:|")
        for name in roads[0]:
            if any(road[name] for road in roads):
                yield f"| {name} | " + " | ".join(percent(road[name]) for road in roads) + " |"
    series = [Series(name, "", values) for name, values in distribution.roads.items()]
    keys = outcome_order(series)
    yield from ("", "| outcome | dice | circuit | shots |", "|---|---:|---:|---:|")
    for key in keys[:_MOST_OUTCOMES]:
        yield f"| `{key}` | " + " | ".join(percent(one.values.get(key, 0.0)) for one in series) + " |"
    rest = keys[_MOST_OUTCOMES:]
    if rest:
        sums = [percent(sum(one.values.get(key, 0.0) for key in rest)) for one in series]
        yield f"| {len(rest)} more together | " + " | ".join(sums) + " |"
