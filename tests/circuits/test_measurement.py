"""What is measured, and the readout that goes with it."""

import json
from typing import Any

import pytest

from circuits.errors import DecodingError, SquareError
from circuits.measurement import Bit, Known, Readout, measure_board
from circuits.register import board_circuit, her, occ, sym

EMPTY = (Known(False),) * 9


def test_only_live_qubits_are_measured() -> None:
    """Bits follow the squares, known squares are filled in, the others are empty."""
    circuit = board_circuit()
    readout = measure_board(circuit, {7, 2}, heralds=[7], known={5: "O", 1: "X"})
    wires = {
        (register.name, number): circuit.find_bit(item.qubits[0]).index
        for item in circuit.data
        for register, number in circuit.find_bit(item.clbits[0]).registers
    }
    assert wires == {
        ("pos", 0): occ(2),
        ("pos", 1): occ(7),
        ("mark", 0): sym(2),
        ("mark", 1): sym(7),
        ("flag", 0): her(7),
    }
    no, yes = Known(False), Known(True)
    assert readout.occupancy == (yes, Bit(0), no, no, yes, no, Bit(1), no, no)
    assert readout.symbol == (no, Bit(0), no, no, yes, no, Bit(1), no, no)
    assert (readout.heralds, readout.masked) == ((7,), False)


def test_registers_without_bits_are_left_out() -> None:
    """A board that is known needs no measurement at all."""
    circuit = board_circuit()
    measure_board(circuit, (), known={1: "X"})
    assert circuit.cregs == []
    assert not circuit.data


@pytest.mark.parametrize(
    ("squares", "known", "message"),
    [
        ([1], {1: "X"}, "square 1 cannot be known and measured, or is off the board"),
        ([1], {10: "X"}, "square 10 cannot be known and measured, or is off the board"),
        ([1], {2: "."}, "square 2 is said to hold '.': a symbol is 'X' or 'O'"),
        ([0], {}, "there is no square 0: squares are 1 to 9"),
    ],
)
def test_bad_squares(squares: list[int], known: dict[int, str], message: str) -> None:
    """Nothing is added to the circuit before the squares have been checked."""
    circuit = board_circuit()
    with pytest.raises(SquareError, match=f"^{message}$"):
        measure_board(circuit, squares, known=known)
    assert not circuit.data


def test_json_round_trip() -> None:
    """The plain form survives JSON, where true and 1 are different things."""
    readout = Readout((Bit(1), Bit(0), Known(True), *EMPTY[3:]), (Known(True), *EMPTY[1:]), (3, 1), True)
    stored = json.loads(json.dumps(readout.to_json()))
    assert stored["occupancy"][:4] == [1, 0, True, False]
    assert Readout.from_json(stored) == readout


GOOD: dict[str, Any] = {"occupancy": [False] * 9, "symbol": [False] * 9, "heralds": [], "masked": False}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"occupancy": [False] * 8}, "a readout needs nine sources of occupancy, not 8"),
        ({"symbol": ["x"] * 9}, "'x' where true, false or a bit index belongs"),
        ({"symbol": [-1] * 9}, "a readout cannot read bit -1 of symbol"),
        ({"heralds": [1, 1]}, r"heralds must be different squares, 1 to 9, not \(1, 1\)"),
        ({"heralds": [0]}, r"heralds must be different squares, 1 to 9, not \(0,\)"),
        ({"heralds": [True]}, r"has heralds \[True\] where squares belong"),
        ({"heralds": None}, "needs a list 'heralds', not None"),
        ({"masked": 0}, "needs 'masked' true or false, not 0"),
    ],
)
def test_damaged_readouts(change: dict[str, Any], message: str) -> None:
    """A damaged job file is told apart by what is wrong in it."""
    assert Readout.from_json(GOOD) == Readout(EMPTY, EMPTY)
    with pytest.raises(DecodingError, match=message):
        Readout.from_json(GOOD | change)


def test_every_square_may_have_a_herald() -> None:
    readout = Readout((Known(False),) * 9, (Known(False),) * 9, heralds=tuple(range(9, 0, -1)))
    assert Readout.from_json(readout.to_json()) == readout
