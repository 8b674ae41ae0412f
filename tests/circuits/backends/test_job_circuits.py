"""Circuits in job files: what is written comes back, and what no device can run is refused."""

import json
from typing import Any

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, QuantumCircuit
from qiskit.circuit.classical import expr
from qiskit.circuit.library import QFTGate
from qiskit_aer import AerSimulator

from circuits.backends import job_circuits
from circuits.errors import BackendUsageError
from tests.support.ibm_circuits import dynamic


def test_angles_come_back_to_the_last_bit() -> None:
    circuit = QuantumCircuit(1)
    angles = [np.pi / 2, np.nextafter(np.pi / 2, 0), 1e-300, -0.1, 1.2345678901234567]
    for angle in angles:
        circuit.rz(angle, 0)
    back = job_circuits.from_json(json.loads(json.dumps(job_circuits.to_json(circuit))))
    assert [float(item.operation.params[0]) for item in back.data] == angles


def test_a_stored_if_still_decides() -> None:
    circuit = dynamic()
    with circuit.if_test((circuit.cregs[0], 0)) as otherwise:
        circuit.z(0)
    with otherwise:
        circuit.x(1)
    circuit.measure(0, 1)
    circuit.delay(16, 0, "dt")
    circuit.reset(1)
    stored = job_circuits.to_json(circuit)
    back = job_circuits.from_json(json.loads(json.dumps(stored)))
    assert job_circuits.to_json(back) == stored
    simulator = AerSimulator(seed_simulator=5)
    assert simulator.run(back, shots=200).result().get_counts() == (
        simulator.run(circuit, shots=200).result().get_counts()
    )


def test_what_cannot_be_stored() -> None:
    unknown = QuantumCircuit(2)
    unknown.append(QFTGate(2), [0, 1])
    with pytest.raises(BackendUsageError, match="'qft' cannot be stored"):
        job_circuits.to_json(unknown)
    loose = QuantumCircuit(1, 1)
    loose.add_bits([ClassicalRegister(1)[0]])
    with pytest.raises(BackendUsageError, match="loose or shared classical bits"):
        job_circuits.to_json(loose)
    computed = QuantumCircuit(1, 1)
    with computed.if_test(expr.logic_not(computed.clbits[0])):
        computed.x(0)
    with pytest.raises(BackendUsageError, match="`if` on an expression"):
        job_circuits.to_json(computed)


@pytest.mark.parametrize(
    ("length", "unit"),
    [
        (1, {}),
        (1, []),
        (1, None),
        (10**19, "dt"),
        (-1, "dt"),
        (0.5, "dt"),
        (-0.5, "s"),
        (1e300, "ns"),
        (10**400, "s"),
    ],
)
def test_delays_that_no_device_can_make_are_refused(length: float, unit: Any) -> None:
    circuit = {"qubits": 1, "registers": [], "phase": 0, "instructions": [["delay", [0], [length, unit]]]}
    with pytest.raises(BackendUsageError, match="a stored circuit has"):
        job_circuits.from_json(circuit)


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_angles_beyond_all_floats_are_refused(number: int) -> None:
    circuit = {"qubits": 1, "registers": [], "phase": 0, "instructions": [["rz", [0], [number]]]}
    with pytest.raises(BackendUsageError, match="where an angle belongs"):
        job_circuits.from_json(circuit)
