"""A job on a simulated device, run on this computer."""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit_ibm_runtime.executor_sampler import Sampler

from circuits.backends.ibm.devices import PartialDevice, connected_qubits, on_part, used_qubits
from circuits.backends.ibm.options import sampler_options
from circuits.backends.job_store import Job, StoredCircuit
from circuits.backends.local_cost import SHOTS_AT_ONCE, LocalCost, noisy_cost
from circuits.decoding import Shots
from circuits.interrupts import interrupts_held
from circuits.measurement import REGISTER_NAMES

_TOGETHER: Final = 6
"""Parts of a circuit that have no more qubits than this together are simulated in one run."""


def simulate(job: Job, device: BackendV2) -> list[Shots]:
    """Simulate a job's circuits; Ctrl-C is answered between the runs of Aer, which holds Python's lock.

    Parts that no gate connects go apart: their errors are independent in the simulation, and parts of a few
    qubits take a hundredth of the time that the whole circuit would; their bits are joined by or.

    In local mode the sampler gives all circuits of a run one seed, and Aer gives shot i of it the seed plus
    i. So each part has as many seeds as there are shots for itself, and one to spare, and a run begins with
    the seed of its first shot: no two shots share one.

    Args:
        job: what to run.
        device: the device with whose noise it is run.

    Returns:
        The shots of every circuit. One without bits has nothing to run.
    """
    results = []
    started = 0
    for item in job.circuits:
        shots = no_bits(item.circuit, job.shots)
        for part, qubits in _parts(item.circuit):
            place = PartialDevice(device, qubits)
            for first in range(0, job.shots, SHOTS_AT_ONCE):
                some = slice(first, min(first + SHOTS_AT_ONCE, job.shots))
                sampler = Sampler(mode=place, options=sampler_options(job))
                seed = (job.seed + started * (job.shots + 1) + first) % 2**31
                sampler.options.simulator.seed_simulator = seed
                with interrupts_held():
                    run = sampler.run([part], shots=some.stop - first).result()
                found = shots_of(run[0].data, part, some.stop - first)
                for name in REGISTER_NAMES:
                    getattr(shots, name)[some] |= getattr(found, name)
            started += 1
        results.append(shots)
    return results


def simulation_cost(circuits: Iterable[StoredCircuit], shots: int) -> LocalCost:
    """Return what `simulate` takes for so many shots of each of these circuits."""
    parts = [part for item in circuits for part, _ in _parts(item.circuit)]
    return sum((noisy_cost(part, shots) for part in parts), LocalCost())


def _parts(circuit: QuantumCircuit) -> list[tuple[QuantumCircuit, list[int]]]:
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


def no_bits(circuit: QuantumCircuit, shots: int) -> Shots:
    """Return the shots of a circuit that measures nothing: whatever bits it has are 0."""
    blank = {register.name: np.zeros((shots, len(register)), dtype=np.bool_) for register in circuit.cregs}
    return Shots.from_registers(blank, shots)


def shots_of(data: Any, circuit: QuantumCircuit, shots: int) -> Shots:
    """Read a sampler's result. Twirling may run a few shots more than asked for: they are left out."""
    registers = {
        register.name: np.asarray(data[register.name].to_bool_array(order="little"), dtype=np.bool_)[:shots]
        for register in circuit.cregs
    }
    return Shots.from_registers(registers, shots)
