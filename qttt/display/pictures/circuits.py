"""Circuits as pictures: the moves of a game as boxes on wires, and the gates inside one box.

Small drawings for lessons, made of the same scenes as boards; ``circuits.drawing`` makes the large ones.
"""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from math import isclose, pi
from typing import TYPE_CHECKING

from qttt.display.pictures.scene import Circle, Curve, Scene, Shape, Text, rectangle
from qttt.observation.compiler import CompiledBoard

if TYPE_CHECKING:
    from circuits.program import GateStep

_WIRE, _NAMES, _TOP = 20.0, 54.0, 44.0
_BOX, _PITCH = 96.0, 112.0
_GATE, _GATE_PITCH = 34.0, 42.0


def moves_scene(compiled: CompiledBoard, highlighted: Collection[int], title: str) -> Scene:
    """Draw a move-by-move circuit, one labelled box a block, on the wires that some block touches.

    Args:
        compiled: the circuit with its blocks.
        highlighted: indices of the blocks to show in full; all others are faded.
        title: what the picture is called.
    """
    from circuits.register import qubit_name

    circuit = compiled.circuit
    index = {qubit: number for number, qubit in enumerate(circuit.qubits)}
    touched = [
        [index[qubit] for qubit in instruction.qubits] for instruction in circuit.data[: len(compiled.blocks)]
    ]
    wires = sorted({qubit for qubits in touched for qubit in qubits}, key=lambda qubit: (qubit % 9, qubit))
    place = {qubit: _TOP + _WIRE * (row + 0.5) for row, qubit in enumerate(wires)}
    width = _NAMES + _PITCH * len(touched) + 16
    shapes = _wires([(qubit_name(qubit), place[qubit]) for qubit in wires], width)
    words = []
    for number, (block, qubits) in enumerate(zip(compiled.blocks, touched, strict=True)):
        shown = number in highlighted
        x = _NAMES + _PITCH * number + 10
        rows = [place[qubit] for qubit in qubits]
        line, weight = ("box-line", 2.4) if shown else ("faint", 1.2)
        # A box a run of neighbouring wires, joined by a line that crosses the wires which only pass by.
        shapes.append(Curve(((x + _BOX / 2, min(rows)), (x + _BOX / 2, max(rows))), line, weight))
        shapes += [
            rectangle(
                x,
                top - 8,
                _BOX,
                bottom - top + 16,
                fill="box" if shown else "dim-box",
                stroke=line,
                width=weight,
            )
            for top, bottom in _runs(sorted(rows))
        ]
        shapes += [Circle((edge, y), 2.6, fill=line) for y in rows for edge in (x, x + _BOX)]
        shapes.append(
            Text((x + _BOX / 2, _TOP - 6), block.label, 11, "ink" if shown else "muted", "middle", bold=shown)
        )
        if block.move is not None:
            turn = compiled.turns[block.move]
            shapes.append(Text((x + _BOX / 2, _TOP - 22), turn, 11, "ink", "middle", bold=shown))
        where = ", ".join(qubit_name(qubit) for qubit in qubits)
        turn = f"{compiled.turns[block.move]}: " if block.move is not None else ""
        words.append(f"{'this move: ' if shown else ''}{turn}{block.label} on {where}")
    height = _TOP + _WIRE * len(wires) + 8
    return Scene(width, height, tuple(shapes), title, "; then ".join(words))


def wire_names(scene: Scene) -> Scene:
    """The names of a circuit's wires alone, on paper: to stand still while the rest scrolls."""
    names = [shape for shape in scene.shapes if isinstance(shape, Text) and shape.at[0] < _NAMES]
    ground = rectangle(0, 0, _NAMES - 2, scene.height, fill="paper")
    return Scene(
        _NAMES - 2, scene.height, (ground, *names), "The names of the wires", ", ".join(n.text for n in names)
    )


def _runs(rows: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The first and the last of each run of neighbouring wires."""
    first = rows[0]
    for here, after in zip(rows, [*rows[1:], rows[-1] + 2 * _WIRE], strict=True):
        if after - here > 1.5 * _WIRE:
            yield first, here
            first = after


def gates_scene(steps: Sequence["GateStep"], title: str) -> Scene:
    """Draw elementary gates one by one on the wires that they touch."""
    from circuits.register import qubit_name

    wires = sorted({qubit for step in steps for qubit in step.qubits}, key=lambda qubit: (qubit % 9, qubit))
    place = {qubit: 10 + _WIRE * 1.3 * (row + 0.5) for row, qubit in enumerate(wires)}
    columns = _columns(steps, place)
    width = _NAMES + _GATE_PITCH * (max(columns, default=0) + 1) + 16
    shapes = _wires([(qubit_name(qubit), place[qubit]) for qubit in wires], width)
    for step, column in zip(steps, columns, strict=True):
        shapes += _gate(step, _NAMES + _GATE_PITCH * (column + 0.5) + 4, place)
    words = "; ".join(
        f"{gate_name(step)} on {' and '.join(qubit_name(qubit) for qubit in step.qubits)}" for step in steps
    )
    return Scene(width, 20 + _WIRE * 1.3 * len(wires), tuple(shapes), title, words)


def gate_name(step: "GateStep") -> str:
    """An elementary gate as it is written in text, for example ``ry(π/2)``."""
    angles = ", ".join(map(angle_text, step.params))
    return f"{step.name}({angles})" if angles else step.name


def angle_text(angle: float) -> str:
    """An angle in radians, as a simple fraction of π where it is one."""
    ratio = Fraction(angle / pi).limit_denominator(16)
    if not isclose(float(ratio) * pi, angle, abs_tol=1e-9):
        return f"{angle:.3f}".replace("-", "−")
    if not ratio:
        return "0"
    sign = "−" if ratio < 0 else ""
    times = "" if abs(ratio.numerator) == 1 else str(abs(ratio.numerator))
    over = "" if ratio.denominator == 1 else f"/{ratio.denominator}"
    return f"{sign}{times}π{over}"


def _wires(names: Sequence[tuple[str, float]], width: float) -> list[Shape]:
    shapes: list[Shape] = []
    for name, y in names:
        shapes.append(Curve(((_NAMES, y), (width - 6, y)), "faint", 1.2))
        shapes.append(Text((_NAMES - 6, y + 4), name, 11, "ink", "end"))
    return shapes


def _columns(steps: Sequence["GateStep"], place: dict[int, float]) -> list[int]:
    """Put every gate as far left as the wires between its qubits allow."""
    free = dict.fromkeys(place, 0)
    columns = []
    for step in steps:
        rows = [place[qubit] for qubit in step.qubits]
        covered = [qubit for qubit, y in place.items() if min(rows) <= y <= max(rows)]
        column = max(free[qubit] for qubit in covered)
        columns.append(column)
        free.update(dict.fromkeys(covered, column + 1))
    return columns


def _gate(step: "GateStep", x: float, place: dict[int, float]) -> list[Shape]:
    rows = [place[qubit] for qubit in step.qubits]
    if step.name in {"cx", "cz"}:
        control, target = rows
        shapes: list[Shape] = [
            Curve(((x, control), (x, target)), "box-line", 1.6),
            Circle((x, control), 3.6, fill="box-line"),
        ]
        if step.name == "cz":
            return [*shapes, Circle((x, target), 3.6, fill="box-line")]
        return [
            *shapes,
            Circle((x, target), 8, fill="paper", stroke="box-line", width=1.6),
            Curve(((x - 8, target), (x + 8, target)), "box-line", 1.6),
            Curve(((x, target - 8), (x, target + 8)), "box-line", 1.6),
        ]
    (y,) = rows
    shapes = [rectangle(x - _GATE / 2, y - 11, _GATE, 22, fill="box", stroke="box-line", width=1.4)]
    if not step.params:
        return [*shapes, Text((x, y + 4), step.name, 11, "ink", "middle", bold=True)]
    return [
        *shapes,
        Text((x, y - 1), step.name, 10, "ink", "middle", bold=True),
        Text((x, y + 8), angle_text(step.params[0]), 8.5, "ink", "middle"),
    ]
