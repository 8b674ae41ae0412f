"""Drawings, costs and OpenQASM."""

import matplotlib
import matplotlib.pyplot as plt
import pytest
from qiskit import qasm3
from qiskit.circuit import QuantumCircuit, QuantumRegister
from qiskit.providers.fake_provider import GenericBackendV2

from circuits.drawing import FORMATS, draw, stats, to_qasm3
from circuits.errors import DrawingError
from circuits.exact import exact_distribution
from circuits.gates import ClassicalGate, EntanglingGate, HalfEntanglingGate, SuperpositionGate
from circuits.measurement import measure_board
from circuits.register import board_circuit
from tests.support.boards import level_five, place


def pair() -> QuantumCircuit:
    """`5 5*6`, measured."""
    circuit = board_circuit()
    place(circuit, ClassicalGate("X"), 5)
    place(circuit, EntanglingGate("O"), 5, 6)
    measure_board(circuit, [5, 6])
    return circuit


def wires(drawing: str) -> list[str]:
    """Read the names of the wires off a text that is not folded."""
    return [line.split(":")[0].strip() for line in drawing.splitlines() if ":" in line]


def test_text_names_live_wires_square_by_square() -> None:
    """Only live wires, the two of a square together, each move a box with its label."""
    drawing = draw(pair())
    assert wires(drawing) == ["occ 5", "sym 5", "occ 6", "sym 6", "pos", "mark"]
    assert "X places" in drawing
    assert "O entangles" in drawing


def test_all_wires() -> None:
    """27 of them, heralds included."""
    names = wires(draw(pair(), all_wires=True))
    assert names[:6] == ["occ 1", "sym 1", "her 1", "occ 2", "sym 2", "her 2"]
    assert len(names) == 27 + 2


def test_text_folds() -> None:
    """No line is wider than asked; the width it says it needs is enough, and one less is not."""
    circuit = level_five()[0]
    for width in (60, 80, 200):
        assert max(map(len, draw(circuit, width=width).splitlines())) <= width
    with pytest.raises(DrawingError, match=r"does not fit into 5 columns: it needs \d+") as caught:
        draw(circuit, width=5)
    needed = int(str(caught.value).split()[-1])
    assert draw(circuit, width=needed)
    with pytest.raises(DrawingError, match=f"does not fit into {needed - 1} columns: it needs {needed}"):
        draw(circuit, width=needed - 1)


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures(format: str, start: bytes) -> None:
    """A picture is made without a figure left open, a setting changed or a backend chosen."""
    before = dict(matplotlib.rcParams)
    picture = draw(pair(), format)
    assert isinstance(picture, bytes)
    assert picture.startswith(start)
    assert plt.get_fignums() == []
    assert dict(matplotlib.rcParams) == before
    if format != "png":
        assert draw(pair(), format) == picture


def test_pictures_have_room_for_their_circuit() -> None:
    """A wider circuit gives a larger picture, at the same font size."""

    def size(picture: bytes) -> tuple[int, int]:
        return int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")

    small, large = size(draw(pair(), "png")), size(draw(level_five()[0], "png"))
    assert large[0] > 1.5 * small[0]
    assert large[1] > 1.5 * small[1]


def test_other_circuits_keep_their_own_order_and_names() -> None:
    """Registers of one qubit that are named after a square are written like a board's; barriers stay."""
    registers = [QuantumRegister(1, "sym5"), QuantumRegister(1, "occ5"), QuantumRegister(2, "work")]
    circuit = QuantumCircuit(*registers)
    circuit.h([0, 1, 3])
    circuit.barrier()
    circuit.cx(1, 0)
    drawing = draw(circuit)
    assert wires(drawing) == ["sym 5", "occ 5", "work 1"]
    assert "░" in drawing


def test_drawings_that_cannot_be() -> None:
    """The message lists the formats, or says that there is nothing to draw."""
    with pytest.raises(DrawingError, match="cannot draw 'gif': there are text, png, svg, pdf"):
        draw(pair(), "gif")
    with pytest.raises(DrawingError, match="the circuit has no live wire to draw"):
        draw(board_circuit())
    assert set(FORMATS) == {"text", "png", "svg", "pdf"}


def test_stats_of_the_pair() -> None:
    """Two occupancy qubits get an X, which becomes a `u`; the singlet is one CX between two rotations."""
    assert stats(pair()) == {
        "qubits": 27,
        "live_qubits": 4,
        "two_qubit_gates": 1,
        "two_qubit_depth": 1,
        "depth": 3,
        "operations": {"u": 4, "cx": 1, "measure": 4},
    }


def test_stats_of_the_roots() -> None:
    """Two-qubit gates a root, move by move: below the study's numbers in physics.md (1, 3; 9, 12)."""
    found = {}
    for owner, attacker in ("XO", "OX"):
        circuit = board_circuit()
        place(circuit, SuperpositionGate(owner), 1, 2)
        found[owner, "superposition"] = stats(circuit)["two_qubit_gates"]
        place(circuit, HalfEntanglingGate(attacker), 1, 3)
        found[owner, "half-entangled"] = stats(circuit)["two_qubit_gates"]
    assert found[("X", "superposition")] == 1
    assert found[("O", "superposition")] == 3
    assert found[("X", "half-entangled")] == 6
    assert found[("O", "half-entangled")] <= 11


def test_stats_on_a_device() -> None:
    """A device's own gates count, and more layouts never make it worse."""
    chain = [[a, b] for a in range(20) for b in (a - 1, a + 1) if 0 <= b < 20]
    device = GenericBackendV2(20, basis_gates=["rz", "sx", "x", "cz"], coupling_map=chain, seed=3)
    circuit = level_five()[0]
    one, three = stats(circuit, device, seeds=1), stats(circuit, device, seeds=3)
    assert three["operations"].keys() <= {"rz", "sx", "x", "cz", "measure"}
    assert three["operations"]["cz"] == three["two_qubit_gates"] <= one["two_qubit_gates"]
    assert three["qubits"] == 27
    assert three["operations"]["measure"] == 20
    with pytest.raises(DrawingError, match="cannot try 0 layouts"):
        stats(circuit, device, seeds=0)


def test_qasm3_round_trip() -> None:
    """What is read back has the same registers and the same distribution."""
    circuit, readout = level_five()
    program = to_qasm3(circuit)
    assert program.startswith("OPENQASM 3")
    assert "gate half_cancelling_o" in program
    back = qasm3.loads(program)
    assert [register.name for register in back.qregs] == ["occ", "sym", "her"]
    expected, found = exact_distribution(circuit, readout), exact_distribution(back, readout)
    assert found.outcomes == pytest.approx(expected.outcomes, abs=1e-12)
    assert found.herald_failed == pytest.approx(expected.herald_failed, abs=1e-12)
