"""One preparation for both modes: what it gives, what it measures, and that devices run it as one."""

import random
from math import pi

import numpy as np
import pytest
from qiskit.circuit import QuantumCircuit

from circuits.backends.target_device import TargetDevice
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.rules import Rules
from qttt.game.symbols import Mode
from qttt.observation.compiler import Style, compile_lean
from qttt.observation.devices import open_device
from qttt.observation.observers import get_observer
from tests.campaigns.coherent import PLAYED, furthest, moment
from tests.support.cli_runs import refusal, run_json

DEVICES = ("fake_mumbai", "fake_torino", "fake_marrakesh")
BOARDS = ("1 1-2", "1+3 1-2 9 3-4 5 6 7 8", "1+3 1*2 9 3*4 5+6 7+8")


@pytest.mark.parametrize(("level", "options"), PLAYED)
def test_random_moments_in_both_modes(level: int, options: str) -> None:
    rules = Rules.of(level, options)
    rng = random.Random(f"7 {rules}")
    assert max(furthest(moment(rules, rng)) for _ in range(8)) < 1e-9


def gates(circuit: QuantumCircuit, *, wide: bool | None = None) -> list[tuple[object, ...]]:
    """The gates of a circuit in order, or those on two qubits alone, each with its qubits."""
    return [
        (item.name, tuple(item.params), tuple(circuit.find_bit(qubit).index for qubit in item.qubits))
        for item in circuit.data
        if item.name not in ("barrier", "measure") and (wide is None or (len(item.qubits) > 1) is wide)
    ]


def reads(circuit: QuantumCircuit) -> list[tuple[int, int]]:
    return [
        (circuit.find_bit(item.qubits[0]).index, circuit.find_bit(item.clbits[0]).index)
        for item in circuit.data
        if item.name == "measure"
    ]


@pytest.mark.parametrize("moves", BOARDS)
def test_the_rotated_mode_is_one_hadamard_a_symbol_and_nothing_else(moves: str) -> None:
    game = Game(4).play(moves)
    standard, rotated = (compile_lean(game, mode, encoding="coherent") for mode in Mode)
    assert rotated.readout is not None and standard.readout == rotated.readout
    before, after = gates(standard.circuit), gates(rotated.circuit)
    assert after[: len(before)] == before
    added = after[len(before) :]
    assert {name for name, _, _ in added} == {"h"}
    (marks,) = (register for register in rotated.circuit.cregs if register.name == "mark")
    assert len(added) == len(marks) == len(set(added))


def test_a_certain_square_has_its_symbol_and_an_observed_one_has_none() -> None:
    found = compile_lean(Game(4).play("1 2"), Mode.ROTATED, encoding="coherent").exact().outcomes
    assert found == pytest.approx({f"{x}{o}.......": 0.25 for x in "XO" for o in "XO"})
    seen = Game(1).play("1 2 3 5 4 6 8+9 7 =XOXXOOO.X 8")
    compiled = compile_lean(seen, encoding="coherent")
    # Of the piece in play the symbol is read; the eight that were looked at have no qubit.
    assert (compiled.circuit.num_qubits, compiled.circuit.num_clbits) == (1, 1)
    assert compile_lean(seen).circuit.num_qubits == 0


@pytest.mark.parametrize("name", DEVICES)
def test_on_a_device_both_modes_have_one_layout_and_the_same_gates_on_two_qubits(name: str) -> None:
    device = open_device(name, encoding="coherent")
    plan = device.plan_games([(Game(4).play(moves), list(Mode)) for moves in BOARDS], 100)
    circuits = [item.circuit for item in plan.prepared.circuits]
    for standard, rotated in zip(circuits[::2], circuits[1::2], strict=True):
        assert gates(standard, wide=True) == gates(rotated, wide=True)
        assert reads(standard) == reads(rotated)
        assert len(gates(rotated, wide=False)) > len(gates(standard, wide=False))


def test_a_certain_cancel_shows_its_minus_in_the_rotated_mode_only() -> None:
    device, game = open_device("fake_torino", encoding="coherent"), Game(4).play("1 1-2")
    shares = {}
    for mode in Mode:
        counts = device.sample(game, mode, 4000, np.random.default_rng(1)).counts()
        shares[mode] = counts[".O......."] / sum(counts.values())
    assert shares[Mode.ROTATED] >= 0.97
    assert shares[Mode.STANDARD] == pytest.approx(0.5, abs=0.04)


def test_symbols_are_read_along_any_axis() -> None:
    """At angle θ from the standard axis a certain X is read as X with probability cos²(θ/2)."""
    observer = open_device("fake_torino", encoding="coherent")
    plan = observer.plan(Game(4).play("1"), [Mode.STANDARD], 4000)
    device, item = observer.backend, plan.prepared.circuits[0]
    assert isinstance(device, TargetDevice)
    for angle in (0.0, pi / 4, pi / 2, 3 * pi / 4):
        turned = device.in_bases(item.circuit, {0: angle})
        again = device.prepare([turned], 4000, readouts=[item.readout], compiled=True)
        (shots,) = device.send(device.write_down(again, 5), None).wait()
        assert 1 - shots.mark.mean() == pytest.approx(np.cos(angle / 2) ** 2, abs=0.04)


def test_the_commands_take_the_style() -> None:
    assert run_json(
        "check", "1+3 1-2", "--level", "4", "--style", "coherent", "--seed", "1", "--shots", "500"
    )["ok"]
    full = "1 1-2 3 4 5 6 7 8 9"
    words = ("observe", full, "--level", "4", "--mode", "rotated", "--style", "coherent", "--seed", "1")
    assert ".O" in run_json(*words)["record"]
    assert run_json(*words, "--backend", "fake_torino", "--dry-run")["encoding"] == "coherent"
    assert "has none" in refusal("check", "5", "--style", "lean", "--backend", "dice")
    assert "one for both" in refusal(*words, "--strict", "--backend", "fake_torino")
    assert "a device runs" in refusal("check", "5", "--style", "moves", "--backend", "fake_torino")
    assert "contradicts" in refusal("check", "5", "--style", "moves", "--backend", "aer-lean")


def test_a_name_may_say_the_style() -> None:
    for style in (Style.LEAN, Style.COHERENT):
        assert get_observer(f"aer-{style}").name == get_observer("aer", style=style).name == f"aer-{style}"
    with pytest.raises(UsageError):
        get_observer("aer-strict")
