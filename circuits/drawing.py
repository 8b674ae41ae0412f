"""Pictures of circuits, their OpenQASM text, and what they cost."""

import re
from io import BytesIO
from typing import Any, Final, Literal, TypedDict, overload

from qiskit import qasm3, transpile
from qiskit.circuit import QuantumCircuit, QuantumRegister, Qubit
from qiskit.providers import BackendV2

from circuits.errors import DrawingError
from circuits.matplotlibrc import own_settings

FORMATS: Final = ("text", "png", "svg", "pdf")
"""What `draw` can make."""

_ROLES: Final = ("occ", "sym", "her")

_SEED: Final = 5
"""Where the transpiler's seeds start; fixed, so that equal circuits have equal costs."""

_INCHES: Final = 0.7
"""Width and height of one cell of a drawing at Qiskit's own font size."""

# Spelt out, because a user's own Qiskit settings would change what is left to them.
_SAME_FOR_ALL: Final = {"cregbundle": True, "idle_wires": True, "reverse_bits": False}


class Stats(TypedDict):
    """What a circuit costs after optimisation, its measurements included.

    Attributes:
        qubits: the qubits of the circuit as given, 27 for a whole board.
        live_qubits: the qubits that some operation touches.
        two_qubit_gates: the number of gates on two qubits.
        two_qubit_depth: the depth if only those counted.
        depth: the depth of everything.
        operations: how often each operation occurs, by name.
    """

    qubits: int
    live_qubits: int
    two_qubit_gates: int
    two_qubit_depth: int
    depth: int
    operations: dict[str, int]


def _live(circuit: QuantumCircuit) -> set[Qubit]:
    return {qubit for item in circuit.data if item.name != "barrier" for qubit in item.qubits}


def _wire(circuit: QuantumCircuit, qubit: Qubit) -> tuple[tuple[int, int], str]:
    """Return where the qubit's wire belongs, and its name.

    On a whole board the wires of a square are neighbours; other circuits keep the order in which they were
    made.
    """
    found = circuit.find_bit(qubit)
    if not found.registers:
        return (0, found.index), f"q {found.index}"
    register, number = found.registers[0]
    if register.name in _ROLES and len(register) == 9:
        return (number, _ROLES.index(register.name)), f"{register.name} {number + 1}"
    named = re.fullmatch(f"({'|'.join(_ROLES)})([1-9])", register.name)
    name = f"{named[1]} {named[2]}" if named else register.name
    return (0, found.index), name if len(register) == 1 else f"{name} {number}"


def _named(circuit: QuantumCircuit, all_wires: bool) -> QuantumCircuit:
    """Return the circuit with one named register a wire, the live ones unless all are wanted."""
    shown = set(circuit.qubits) if all_wires else _live(circuit)
    wires = sorted(shown, key=lambda qubit: _wire(circuit, qubit))
    own = {qubit: QuantumRegister(1, _wire(circuit, qubit)[1]) for qubit in wires}
    drawn = QuantumCircuit(*own.values())
    drawn.add_bits(circuit.clbits)
    drawn.add_register(*circuit.cregs)
    for item in circuit.data:
        qubits = [own[qubit][0] for qubit in item.qubits if qubit in own]
        if item.name == "barrier":
            drawn.barrier(qubits)
        else:
            drawn.append(item.operation, qubits, item.clbits)
    return drawn


@overload
def draw(
    circuit: QuantumCircuit, format: Literal["text"] = "text", *, all_wires: bool = False, width: int = 80
) -> str: ...


@overload
def draw(
    circuit: QuantumCircuit, format: Literal["png", "svg", "pdf"], *, all_wires: bool = False, width: int = 80
) -> bytes: ...


@overload
def draw(
    circuit: QuantumCircuit, format: str, *, all_wires: bool = False, width: int = 80
) -> str | bytes: ...


def draw(
    circuit: QuantumCircuit, format: str = "text", *, all_wires: bool = False, width: int = 80
) -> str | bytes:
    """Draw a circuit, each block as one box.

    Wires are named after their square, such as `occ 5`; on a whole board those of a square are drawn
    together.

    Args:
        circuit: the circuit; blocks stay closed, pass `circuit.decompose()` to see inside.
        format: 'text', 'png', 'svg' or 'pdf'.
        all_wires: draw idle wires too, all 27 of a board.
        width: how many columns a text may have; longer circuits go on below. Pictures ignore it.

    Returns:
        The text, or the bytes of the picture. Equal circuits give equal SVG and PDF files.

    Raises:
        DrawingError: an unknown format; a circuit without wires to draw; or a width that one column of boxes
            exceeds, in which case the message says how wide it must be.
    """
    if format not in FORMATS:
        raise DrawingError(f"cannot draw {format!r}: there are {', '.join(FORMATS)}")
    drawn = _named(circuit, all_wires)
    if not drawn.qubits:
        raise DrawingError("the circuit has no live wire to draw")
    return _text(drawn, width) if format == "text" else _picture(drawn, format)


def _text(drawn: QuantumCircuit, width: int) -> str:
    def folded(columns: int) -> str:
        drawing = drawn.draw("text", fold=columns, **_SAME_FOR_ALL)
        # Qiskit would ask standard output, which may not be where the drawing goes.
        drawing.encoding = "utf-8"
        return str(drawing.single_string())

    # Qiskit folds between layers only; below this there is no room for the widest layer beside the names.
    lines = folded(width) if width > 0 else ""
    needed = max((len(line) for line in lines.splitlines()), default=1)
    if needed > width:
        raise DrawingError(f"the drawing does not fit into {width} columns: it needs {needed}")
    return lines


def _picture(drawn: QuantumCircuit, format: str) -> bytes:
    with own_settings():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        def paint(inches: tuple[float, float]) -> Figure:
            # A figure of our own: pyplot never hears of it, so nothing stays open and no backend is chosen.
            figure = Figure(figsize=inches)
            FigureCanvasAgg(figure)
            axes = figure.add_axes((0, 0, 1, 1))
            drawn.draw("mpl", ax=axes, style="iqp", fold=40, **_SAME_FOR_ALL)
            return figure

        # Qiskit scales fonts to the width it finds: the first pass only tells how large the drawing is.
        (axes,) = paint((1, 1)).axes
        size = [_INCHES * abs(end - start) for start, end in (axes.get_xlim(), axes.get_ylim())]
        buffer = BytesIO()
        undated: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        paint((size[0], size[1])).savefig(
            buffer,
            format=format,
            metadata=undated.get(format),
            backend="agg" if format == "png" else format,  # Else another may be registered for the format.
        )
        return buffer.getvalue()


def to_qasm3(circuit: QuantumCircuit) -> str:
    """Return the circuit as an OpenQASM 3 program, which `qiskit.qasm3.loads` reads; a move is a gate."""
    return str(qasm3.dumps(circuit))


def _stats(circuit: QuantumCircuit, optimised: QuantumCircuit) -> Stats:
    def joins(item: Any) -> bool:
        return len(item.qubits) == 2 and item.name != "barrier"

    operations = {str(name): int(count) for name, count in optimised.count_ops().items() if name != "barrier"}
    return {
        "qubits": circuit.num_qubits,
        "live_qubits": len(_live(optimised)),
        "two_qubit_gates": sum(map(joins, optimised.data)),
        "two_qubit_depth": optimised.depth(joins),
        "depth": optimised.depth(),
        "operations": operations,
    }


def stats(circuit: QuantumCircuit, backend: BackendV2 | None = None, *, seeds: int = 8) -> Stats:
    """Count what a circuit costs at optimisation level 3; the same circuit always gives the same numbers.

    Args:
        circuit: the circuit, with its measurements.
        backend: a device whose gates and connections to use; without one, every qubit reaches every other by
            CX, and any rotation of one qubit is a single gate `u`.
        seeds: how many layouts to try on a device; the one with the fewest two-qubit gates counts, then the
            smaller depth.

    Raises:
        DrawingError: `seeds` is below 1, or the device has too few qubits.
    """
    if seeds < 1:
        raise DrawingError(f"cannot try {seeds} layouts: at least one is needed")
    live = _named(circuit, all_wires=False)
    if backend is None:
        optimised = transpile(live, basis_gates=["u", "cx"], optimization_level=3, seed_transpiler=_SEED)
        return _stats(circuit, optimised)
    if live.num_qubits > backend.target.num_qubits:
        raise DrawingError(
            f"the circuit needs {live.num_qubits} qubits and {backend.name} has {backend.target.num_qubits}: "
            "choose a larger device"
        )
    tried = [
        _stats(circuit, transpile(live, backend, optimization_level=3, seed_transpiler=_SEED + number))
        for number in range(seeds)
    ]
    return min(tried, key=lambda cost: (cost["two_qubit_gates"], cost["two_qubit_depth"], cost["depth"]))
