"""A job on a simulated device, run on this computer."""

from typing import Any

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit_ibm_runtime.executor_sampler import Sampler

from circuits.backends.ibm.devices import PartialDevice
from circuits.backends.job_store import Job
from circuits.backends.local_cost import SHOTS_AT_ONCE
from circuits.backends.local_jobs import no_bits
from circuits.backends.parts import simulated_parts
from circuits.backends.plans import JobOptions
from circuits.decoding import Shots
from circuits.interrupts import interrupts_held
from circuits.measurement import REGISTER_NAMES


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
        for part, qubits in simulated_parts(item.circuit):
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


def shots_of(data: Any, circuit: QuantumCircuit, shots: int) -> Shots:
    """Read a sampler's result. Twirling may run a few shots more than asked for: they are left out."""
    registers = {
        register.name: np.asarray(data[register.name].to_bool_array(order="little"), dtype=np.bool_)[:shots]
        for register in circuit.cregs
    }
    return Shots.from_registers(registers, shots)


def sampler_options(job: Job) -> dict[str, Any]:
    """Return a job's options as the sampler takes them."""
    options = JobOptions.from_json(job.options)
    return {
        "dynamical_decoupling": {"enable": options.dynamical_decoupling},
        "twirling": {"enable_gates": options.twirling, "enable_measure": options.twirling},
        "environment": {"job_tags": [job.tag, *options.tags]},
        "max_execution_time": options.max_seconds,
    }
