"""Circuits in parts: the qubits that a circuit uses, what no gate connects, and what is simulated apart."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import rustworkx as rx
from qiskit.circuit import QuantumCircuit

_TOGETHER: Final = 6
"""Parts of a circuit that have no more qubits than this together are simulated in one run."""


def used_qubits(circuit: QuantumCircuit) -> list[int]:
    """Return the qubits that a circuit does something to, in order."""
    return sorted(
        {
            circuit.find_bit(qubit).index
            for item in circuit.data
            if item.name != "barrier"
            for qubit in item.qubits
        }
    )


def connected_qubits(circuit: QuantumCircuit) -> list[list[int]]:
    """Return the qubits that a circuit uses, in groups that no gate on two qubits connects, each in order."""
    graph: rx.PyGraph[int, None] = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(circuit.num_qubits))
    for item in circuit.data:
        if item.name != "barrier":
            places = [circuit.find_bit(qubit).index for qubit in item.qubits]
            graph.add_edges_from_no_data(list(pairwise(places)))
    live = set(used_qubits(circuit))
    return sorted(sorted(nodes) for nodes in rx.connected_components(graph) if live & nodes)


def on_part(circuit: QuantumCircuit, qubits: Sequence[int]) -> QuantumCircuit:
    """Return what a circuit does on a part of the device, as a circuit on that part, without barriers.

    Args:
        circuit: a compiled circuit on the whole device.
        qubits: the qubits of the part; the i-th becomes qubit i. No gate may lead out of it.
    """
    place = {circuit.qubits[qubit]: index for index, qubit in enumerate(qubits)}
    small = QuantumCircuit(len(qubits), global_phase=circuit.global_phase)
    small.add_bits(circuit.clbits)
    for register in circuit.cregs:
        small.add_register(register)
    for item in circuit.data:
        if item.name != "barrier" and item.qubits[0] in place:
            small.append(item.operation, [place[qubit] for qubit in item.qubits], item.clbits)
    return small


def simulated_parts(circuit: QuantumCircuit) -> list[tuple[QuantumCircuit, list[int]]]:
    """Return what is simulated apart, each as a circuit of its own, and its qubits on the device."""
    if not circuit.num_clbits:
        return []
    return [(on_part(circuit, qubits), qubits) for qubits in _groups(circuit)]


def _groups(circuit: QuantumCircuit) -> list[list[int]]:
    """Return the qubits of the parts that are simulated apart; small ones share a run.

    A part that is never measured is left out. A circuit with an `if`, or a bit that two parts write, is one.
    """
    writers: dict[int, set[int]] = {}
    for item in circuit.data:
        for bit in item.clbits:
            places = {circuit.find_bit(qubit).index for qubit in item.qubits}
            writers.setdefault(circuit.find_bit(bit).index, set()).update(places)
    parts = [
        part for part in connected_qubits(circuit) if any(places & set(part) for places in writers.values())
    ]
    shared = any(sum(bool(places & set(part)) for part in parts) > 1 for places in writers.values())
    if shared or circuit.has_control_flow_op():
        return [used_qubits(circuit)]
    groups: list[list[int]] = []
    for part in sorted(parts, key=len, reverse=True):
        fitting = next((group for group in groups if len(group) + len(part) <= _TOGETHER), None)
        if fitting is None:
            groups.append(list(part))
        else:
            fitting.extend(part)
    return [sorted(group) for group in groups]
