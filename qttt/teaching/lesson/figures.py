"""The pictures of a lesson: one of the board, of the circuit and of the gates for each step."""

from dataclasses import replace

from qttt.display.pictures.bars import Series, bars_scene
from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.circuits import gates_scene, moves_scene
from qttt.display.pictures.games import captioned
from qttt.display.pictures.palette import Theme
from qttt.display.pictures.raster import pdf
from qttt.display.pictures.scene import Scene, stacked
from qttt.game.position import START
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


def lesson_pdf(lesson: Lesson, theme: Theme = Theme.LIGHT) -> bytes:
    """The figures of a lesson as a vector PDF, a page a step: board, circuit, gates, distributions."""
    return pdf(lesson_pages(lesson), theme, lesson.title)


def lesson_pages(lesson: Lesson) -> list[Scene]:
    """The pages of a lesson's PDF: one a step, or the empty board."""
    pages = [_page(step) for step in lesson.steps]
    return pages or [captioned(board_scene(START, lesson.title))]


def _page(step: LessonStep) -> Scene:
    title = f"{step.number}. {step.title}"
    scenes = [captioned(replace(step_board(step), title=title))]
    circuit = step_circuit(step)
    if circuit is not None:
        scenes.append(captioned(circuit))
    if step.circuit is not None:
        scenes += [captioned(box_gates(box)) for box in step.circuit.boxes]
    if step.distribution is not None:
        if step.distribution.results:
            scenes.append(bars_scene(RESULTS_TITLE, result_series(step.distribution)))
        scenes.append(outcome_bars(step.distribution))
    return stacked(scenes, 18, title)
