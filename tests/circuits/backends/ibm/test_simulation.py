"""Simulating the parts of a circuit apart gives the distribution of simulating it as one."""

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit_ibm_runtime.executor_sampler import Sampler
from scipy.stats import chi2_contingency

from circuits.backends import parts
from circuits.backends.ibm.backend import get_simulated as get_backend
from circuits.backends.ibm.devices import PartialDevice
from circuits.backends.parts import _groups, on_part, used_qubits
from tests.support.ibm_circuits import chain, dynamic

pytestmark = pytest.mark.ibm


def three_parts() -> QuantumCircuit:
    """A pair, a line of three with its bits out of order, and a qubit that nobody reads."""
    circuit = QuantumCircuit(
        QuantumRegister(7, "q"), ClassicalRegister(3, "pos"), ClassicalRegister(2, "mark")
    )
    circuit.h([0, 2])
    circuit.cx(0, 5)
    circuit.cx(2, 3)
    circuit.cx(3, 4)
    circuit.x(4)
    circuit.h(6)
    circuit.barrier()
    circuit.measure([0, 5, 2, 3, 4], [4, 0, 1, 3, 2])
    return circuit


def test_which_parts_are_simulated_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _groups(three_parts()) == [[0, 2, 3, 4, 5]]
    monkeypatch.setattr(parts, "_TOGETHER", 1)
    assert _groups(three_parts()) == [[2, 3, 4], [0, 5]]
    assert _groups(chain(4)) == [[0, 1, 2, 3]]
    assert _groups(dynamic()) == [[0, 1]]
    assert _groups(QuantumCircuit(3, 1)) == []
    # A bit that both write, the later one last.
    twice = QuantumCircuit(2, 1)
    twice.measure(0, 0)
    twice.measure(1, 0)
    assert _groups(twice) == [[0, 1]]


def test_parts_by_themselves_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns of five bits, simulated in parts and in one piece: one distribution by a chi-square test."""
    monkeypatch.setattr(parts, "_TOGETHER", 1)
    backend = get_backend("fake_mumbai")
    prepared = backend.prepare([three_parts()], 4000)
    (split,) = backend.submit(prepared, seed=21).wait()
    compiled = prepared.circuits[0].circuit
    qubits = used_qubits(compiled)
    sampler = Sampler(mode=PartialDevice(backend.device, qubits))
    sampler.options.simulator.seed_simulator = 4
    data = sampler.run([on_part(compiled, qubits)], shots=4000).result()[0].data
    whole = np.concatenate([data[name].to_bool_array(order="little") for name in ("pos", "mark")], axis=1)
    apart = np.concatenate([split.pos, split.mark], axis=1)
    table = np.array([np.bincount(rows @ (1 << np.arange(5)), minlength=32) for rows in (apart, whole)])
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    assert table.shape[1] > 8
    assert chi2_contingency(table).pvalue > 0.001
    # Two bits that belong together, and two that do not.
    assert (split.mark[:, 1] == split.pos[:, 0]).mean() > 0.9
    assert 0.45 < (split.mark[:, 1] == split.pos[:, 1]).mean() < 0.55


def test_a_register_that_nothing_is_measured_into_reads_0() -> None:
    circuit = QuantumCircuit(QuantumRegister(1), ClassicalRegister(1, "pos"))
    circuit.x(0)
    (shots,) = get_backend("fake_manila").run([circuit], 5, np.random.default_rng(1))
    assert not shots.pos.any()
    assert shots.pos.shape == (5, 1)
