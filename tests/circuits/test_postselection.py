"""Shots that agree with known positions, joined part by part."""

from collections.abc import Sequence

import numpy as np
import pytest
from qiskit import QuantumCircuit

from circuits.decoding import Shots
from circuits.errors import BackendError
from circuits.gates import ClassicalGate, HalfCancellingGate, SuperpositionGate
from circuits.lean import Piece, Site, lean_circuit
from circuits.measurement import Bit, Known, Readout, measure_board
from circuits.postselection import MAX_ROUNDS, run_given
from circuits.register import board_circuit, her, occ, sym

# What 1+3 1-2 and 4+5 may fill: the first piece is in 2, the second in 5, and 9 holds one for certain.
FILLED = tuple(square in (2, 5, 9) for square in range(1, 10))


class Coins:
    """A backend whose bits are coins, whatever the circuit; it notes how many shots were asked for."""

    name = "coins"

    def __init__(self, *, herald: bool | None = None) -> None:
        self.herald = herald
        self.asked: list[int] = []
        self.given: list[Shots] = []

    def run(self, circuits: Sequence[QuantumCircuit], shots: int, rng: np.random.Generator) -> list[Shots]:
        (circuit,) = circuits
        self.asked.append(shots)
        bits = {register.name: rng.random((shots, len(register))) < 0.5 for register in circuit.cregs}
        if self.herald is not None:
            bits["flag"][:] = self.herald
        self.given.append(Shots.from_registers(bits, shots))
        return self.given[-1:]


def board() -> tuple[QuantumCircuit, Readout]:
    circuit = board_circuit()
    circuit.append(SuperpositionGate("O"), [occ(1), sym(1), occ(3), sym(3)])
    circuit.append(HalfCancellingGate("X"), [occ(1), sym(1), occ(2), sym(2), her(1)])
    circuit.append(SuperpositionGate("O"), [occ(4), sym(4), occ(5), sym(5)])
    circuit.append(ClassicalGate("O"), [occ(9), sym(9)])
    return circuit, measure_board(circuit, [1, 2, 3, 4, 5], heralds=[1], known={9: "O"})


def test_each_part_keeps_its_own_shots_in_their_order() -> None:
    circuit, readout = board()
    backend = Coins()
    shots = run_given(backend, circuit, readout, FILLED, 50, np.random.default_rng(1), batch=64)
    assert len(shots) == 50
    assert set(backend.asked) == {64}
    whole = Shots.concatenate(backend.given)
    first = ~whole.flag[:, 0] & (whole.pos[:, :3] == [False, True, False]).all(axis=1)
    second = (whole.pos[:, 3:] == [False, True]).all(axis=1)
    # A part is run on only until it has enough, and the parts need different numbers of shots.
    assert 0 < first.sum() - 50 < first[-64:].sum() + 1
    assert second[:-64].sum() > 50
    np.testing.assert_array_equal(shots.pos, np.tile([False, True, False, False, True], (50, 1)))
    np.testing.assert_array_equal(shots.mark[:, :3], whole.mark[first][:50, :3])
    np.testing.assert_array_equal(shots.mark[:, 3:], whole.mark[second][:50, 3:])
    assert not shots.flag.any()
    assert shots.flag.shape == (50, 1)


def test_symbols_of_certain_squares_do_not_depend_on_positions_elsewhere() -> None:
    """Their bits have the numbers that the positions of another part have in the register of those."""
    pieces = [Piece("X", (Site(1), Site(2))), Piece("X", (Site(3, attack="entangled", target=4),))]
    circuit, readout = lean_circuit(pieces, "standard")
    assert readout.occupancy[:4] == (Bit(0), Bit(1), Known(True), Known(True))
    assert readout.symbol[2:4] == (Bit(0), Bit(1))
    backend = Coins()
    filled = tuple(square in (2, 3, 4) for square in range(1, 10))
    shots = run_given(backend, circuit, readout, filled, 20, np.random.default_rng(4))
    (whole,) = backend.given
    np.testing.assert_array_equal(shots.mark, whole.mark[:20])
    np.testing.assert_array_equal(shots.pos, np.tile([False, True], (20, 1)))


def test_many_shots_are_run_at_once() -> None:
    circuit, readout = board()
    backend = Coins()
    assert len(run_given(backend, circuit, readout, FILLED, 30, np.random.default_rng(2), batch=8)) == 30
    assert set(backend.asked) == {30}


def test_positions_that_never_come_are_refused() -> None:
    circuit, readout = board()
    backend = Coins(herald=True)
    with pytest.raises(BackendError, match=f"'coins' gave no shot .* in {MAX_ROUNDS * 4} shots"):
        run_given(backend, circuit, readout, FILLED, 1, np.random.default_rng(3), batch=4)
    assert backend.asked == [4] * MAX_ROUNDS
