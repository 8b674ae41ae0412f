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


def test_a_stored_if_asks_the_bit_that_it_names_and_has_its_other_half_or_none() -> None:
    circuit = QuantumCircuit(2, 3)
    with circuit.if_test((circuit.clbits[2], 1)):
        circuit.x(0)
    with circuit.if_test((circuit.clbits[1], 0)) as otherwise:
        circuit.x(1)
    with otherwise:
        circuit.z(1)
    back = job_circuits.from_json(json.loads(json.dumps(job_circuits.to_json(circuit))))
    assert [back.find_bit(item.operation.condition[0]).index for item in back.data] == [2, 1]
    assert [item.operation.condition[1] for item in back.data] == [1, 0]
    assert [len(item.operation.blocks) for item in back.data] == [1, 2]
    named = [[block.data[0].operation.name for block in item.operation.blocks] for item in back.data]
    assert named == [["x"], ["x", "z"]]


@pytest.mark.parametrize(
    "instruction",
    [["barrier", [0], [1]], ["delay", [0, 1], [5, "dt"]], ["delay", [0], [5]], ["delay", [0], [5, "years"]]],
    ids=str,
)
def test_a_barrier_has_no_values_and_a_delay_one_qubit_a_length_and_a_unit(instruction: list[Any]) -> None:
    stored = job_circuits.to_json(QuantumCircuit(2))
    assert job_circuits.from_json(stored | {"instructions": [["barrier", [0, 1], []]]}).data
    with pytest.raises(BackendUsageError, match="unknown instruction"):
        job_circuits.from_json(stored | {"instructions": [instruction]})


def test_an_if_may_stand_in_seven_others_and_no_more() -> None:
    stored = job_circuits.to_json(QuantumCircuit(1, 1))
    nested: list[Any] = ["x", [0], []]
    for depth in range(1, 10):
        nested = ["if", [0], [0, 1], [[nested]]]
        if depth <= 8:
            assert job_circuits.from_json(stored | {"instructions": [nested]}).data
        else:
            with pytest.raises(BackendUsageError, match="bad instruction"):
                job_circuits.from_json(stored | {"instructions": [nested]})


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
