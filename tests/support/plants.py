"""Faults, planted for real: each takes the place of true gates or of true decoding for the rest of a test."""

import sys
from typing import Any

import pytest
from qiskit.circuit import QuantumCircuit

from circuits import decoding, gates
from circuits.decoding import Bits, Decoded, Shots
from circuits.measurement import Readout


def _then(kind: type[gates.MoveGate], names: str, qubit: int, patch: pytest.MonkeyPatch) -> None:
    """Gates of a kind end with some gates too many."""
    true = kind._build

    def build(gate: gates.MoveGate, circuit: QuantumCircuit) -> None:
        true(gate, circuit)
        for name in names:
            getattr(circuit, name)(qubit)

    patch.setattr(kind, "_build", build)


def _wider(kind: type[gates.MoveGate], number: int, patch: pytest.MonkeyPatch) -> None:
    """One rotation of the gates of a kind turns 1 % too far, counted as it stands in their definition."""
    true = kind._build

    def build(gate: gates.MoveGate, circuit: QuantumCircuit) -> None:
        whole = QuantumCircuit(circuit.num_qubits)
        true(gate, whole)
        rotations = [index for index, step in enumerate(whole.data) if step.operation.name == "ry"]
        # A gate on squares that are certain may have none.
        wide = rotations[number] if rotations else -1
        for index, step in enumerate(whole.data):
            factor = 1.01 if index == wide else 1
            angles = [factor * angle for angle in step.operation.params]
            qubits = [whole.find_bit(qubit).index for qubit in step.qubits]
            getattr(circuit, step.operation.name)(*angles, *qubits)

    patch.setattr(kind, "_build", build)


def _left_out(kind: type[gates.MoveGate], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kind, "_build", lambda gate, circuit: None)


def _misread(patch: pytest.MonkeyPatch, **change: Any) -> None:
    """The decoder reads the bits of some registers otherwise."""
    true = decoding.decode

    def decode(readout: Readout, shots: Shots) -> Decoded:
        registers: dict[str, Bits] = {name: getattr(shots, name) for name in ("pos", "mark", "flag")}
        return true(readout, Shots(**registers | {name: change[name](registers[name]) for name in change}))

    # Some have it by name already; those that import it later get it from its own module.
    for module in list(sys.modules.values()):
        if vars(module).get("decode") is true:
            patch.setattr(module, "decode", decode)


def plus_sign(patch: pytest.MonkeyPatch) -> None:
    _then(gates.EntanglingGate, "hxh", 1, patch)


def plus_sign_of_a_half(patch: pytest.MonkeyPatch) -> None:
    _then(gates.HalfEntanglingGate, "hxh", 1, patch)


def coin_of_a_pair(patch: pytest.MonkeyPatch) -> None:
    _wider(gates.EntanglingGate, 0, patch)


def angle_of_a_herald(patch: pytest.MonkeyPatch) -> None:
    _wider(gates.HalfCancellingGate, 0, patch)


def angle_of_a_toffoli(patch: pytest.MonkeyPatch) -> None:
    _wider(gates.HalfEntanglingGate, 2, patch)


def angle_of_a_plus(patch: pytest.MonkeyPatch) -> None:
    _wider(gates.CancellingGate, 0, patch)


def angle_of_a_rotation(patch: pytest.MonkeyPatch) -> None:
    _wider(gates.ModeRotationGate, 0, patch)


def herald_in_gate(patch: pytest.MonkeyPatch) -> None:
    _then(gates.HalfCancellingGate, "x", 4, patch)


def herald_in_decoding(patch: pytest.MonkeyPatch) -> None:
    _misread(patch, flag=lambda bits: ~bits)


def ignored_heralds(patch: pytest.MonkeyPatch) -> None:
    _misread(patch, flag=lambda bits: bits & False)


def reversed_bits(patch: pytest.MonkeyPatch) -> None:
    _misread(patch, pos=lambda bits: bits[:, ::-1], mark=lambda bits: bits[:, ::-1])


def swapped_symbols(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(decoding, "_LETTERS", decoding._LETTERS[[0, 2, 1]])


def no_mode_rotation(patch: pytest.MonkeyPatch) -> None:
    _left_out(gates.ModeRotationGate, patch)


def no_view_switch(patch: pytest.MonkeyPatch) -> None:
    _left_out(gates.ViewSwitchGate, patch)
