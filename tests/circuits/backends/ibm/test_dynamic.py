"""Circuits that the hardware would refuse are refused before they are sent, with the block named."""

from collections.abc import Callable

import pytest
from qiskit.circuit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit.classical import expr

from circuits.backends.ibm.devices import fake_device
from circuits.backends.ibm.dynamic import dynamic_check
from circuits.errors import BackendUsageError
from tests.support.ibm_circuits import chain, dynamic

pytestmark = pytest.mark.ibm


Build = Callable[[QuantumCircuit], None]


def wide(bits: int) -> QuantumCircuit:
    return QuantumCircuit(QuantumRegister(2), ClassicalRegister(bits, "pos"), ClassicalRegister(8, "mark"))


def nested(circuit: QuantumCircuit) -> None:
    with circuit.if_test((circuit.clbits[0], 1), label="1*2"), circuit.if_test((circuit.clbits[1], 1)):
        circuit.x(0)


def reset_inside(circuit: QuantumCircuit) -> None:
    with circuit.if_test((circuit.clbits[0], 1)):
        circuit.x(0)
    with circuit.if_test((circuit.clbits[1], 1), label="3-4") as otherwise:
        circuit.x(0)
    with otherwise:
        circuit.reset(1)


def measurement_inside(circuit: QuantumCircuit) -> None:
    with circuit.if_test((circuit.clbits[0], 1)):
        circuit.measure(0, 1)


def loop(circuit: QuantumCircuit) -> None:
    with circuit.for_loop(range(3)):
        circuit.x(0)


def arithmetic(circuit: QuantumCircuit) -> None:
    with circuit.if_test(expr.equal(expr.add(circuit.cregs[1], 1), 3)):
        circuit.x(0)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (nested, r"cannot run block 1 \(1\*2\) of the circuit: it has another block in it"),
        (reset_inside, r"cannot run block 2 \(3-4\) of the circuit: it has a reset in it"),
        (measurement_inside, "cannot run block 1 of the circuit: it has a measurement in it"),
        (loop, "block 1 of the circuit: it is a for_loop, and only `if` is allowed"),
        (arithmetic, "block 1 of the circuit: its condition calculates"),
    ],
)
def test_refused(build: Build, message: str) -> None:
    circuit = wide(2)
    build(circuit)
    with pytest.raises(BackendUsageError, match=message):
        dynamic_check(circuit, fake_device("fake_torino"))


@pytest.mark.parametrize("as_expression", [False, True])
def test_operand_width(as_expression: bool) -> None:
    for bits in (32, 33):
        circuit = wide(bits)
        register = circuit.cregs[0]
        condition = expr.equal(register, 5) if as_expression else (register, 5)
        with circuit.if_test(condition):
            circuit.x(0)
        if bits == 32:
            dynamic_check(circuit, fake_device("fake_torino"))
        else:
            with pytest.raises(BackendUsageError, match="it looks at 33 bits at once, and 32 are allowed"):
                dynamic_check(circuit, fake_device("fake_torino"))


def test_one_bit_of_a_wide_register_is_fine() -> None:
    circuit = wide(50)
    with circuit.if_test((circuit.clbits[40], 1)):
        circuit.x(0)
    dynamic_check(circuit, fake_device("fake_torino"))


def test_device_without_if() -> None:
    with pytest.raises(BackendUsageError, match="fake_mumbai cannot act on measurements"):
        dynamic_check(dynamic(), fake_device("fake_mumbai"))
    dynamic_check(chain(2), fake_device("fake_mumbai"))
