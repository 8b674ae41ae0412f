"""The few parts from which every lean circuit is put together, and what each costs in CX gates.

All of them act on qubits of one `QuantumCircuit` in place and use only `ry`, `x` and `cx`.
"""

from math import acos, pi, sqrt

from qiskit.circuit import QuantumCircuit, Qubit

from circuits.gates import relative_toffoli


def turn(circuit: QuantumCircuit, qubit: Qubit, chance: float) -> None:
    """Turn a qubit in 0 so that it reads 1 with that probability. No CX."""
    if chance == 1:
        circuit.x(qubit)
    elif chance:
        circuit.ry(2 * acos(sqrt(1 - chance)), qubit)


def turn_if(circuit: QuantumCircuit, control: Qubit, target: Qubit, chance: float, when: bool = True) -> None:
    """Turn `target`, which is in 0, so that it reads 1 with that probability if `control` equals `when`.

    One CX, where a rotation under control of any state of the target needs two: between two turns of the
    target, the CX mirrors the first at the equator (an angle φ becomes π - φ), so the angles may be chosen
    such that they cancel for one value of the control and add up to the wanted one for the other.
    Amplitudes of 0 stay positive, so no phase depends on the control as long as the target is in 0.
    """
    angle = acos(sqrt(chance))
    circuit.ry(angle, target)
    circuit.cx(control, target)
    circuit.ry(-angle if when else angle - pi, target)


def tie(circuit: QuantumCircuit, left: Qubit, right: Qubit, chance: float, opposite: bool) -> None:
    """Put two qubits in 0 into one common yes or no. One CX.

    Afterwards `left` reads 1 with probability `chance`, and `right` the same bit, or the opposite one.
    """
    turn(circuit, left, chance)
    circuit.cx(left, right)
    if opposite:
        circuit.x(right)


def coin(circuit: QuantumCircuit, qubit: Qubit) -> None:
    """Put a qubit in 0 into (0 - 1)/√2. No CX."""
    circuit.ry(-pi / 2, qubit)


def oppose(circuit: QuantumCircuit, left: Qubit, right: Qubit) -> None:
    """Give `right`, which is in 0, the opposite of `left`. One CX.

    From a `coin` this makes (01 - 10)/√2, the pair that is opposite along every axis.
    """
    circuit.cx(left, right)
    circuit.x(right)


def singlet_unless(circuit: QuantumCircuit, control: Qubit, left: Qubit, right: Qubit) -> None:
    """Put two qubits in 0 into an opposite pair if `control` is 0; leave them in 0 if it is 1. Three CX."""
    turn_if(circuit, control, left, 0.5, when=False)
    circuit.cx(control, right)
    circuit.x(right)
    circuit.cx(left, right)


def share(circuit: QuantumCircuit, parent: Qubit, child: Qubit, chance: float) -> None:
    """Move a 1 of `parent` on to `child`, which is in 0, with that probability. Two CX."""
    turn_if(circuit, parent, child, chance)
    circuit.cx(child, parent)


def steer(circuit: QuantumCircuit, parent: Qubit, child: Qubit, control: Qubit) -> None:
    """Move a 1 of `parent` on to `child`, which is in 0, exactly if `control` is 1. Four CX, on a path.

    `parent` 0 is left exactly as it is, sign included.
    """
    relative_toffoli(circuit, parent, control, child)
    circuit.cx(child, parent)


def hadamard_if(circuit: QuantumCircuit, control: Qubit, target: Qubit) -> None:
    """Apply a Hadamard to `target`, in whatever state, if `control` is 1. One CX."""
    circuit.ry(-pi / 4, target)
    circuit.cx(control, target)
    circuit.ry(pi / 4, target)
