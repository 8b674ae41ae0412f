"""How long a job will keep a device of IBM's, before it is sent."""

from typing import Final

from qiskit.circuit import QuantumCircuit
from qiskit.exceptions import QiskitError
from qiskit.providers import BackendV2

OVERHEAD: Final = 2.0
"""Quantum seconds that a job takes besides its shots, as IBM's guide to workload usage has it."""

_REPETITION_DELAY: Final = 250e-6
"""Seconds between shots on most devices, for one that does not report its own."""

_LENGTH: Final = 100e-6
"""Seconds of a circuit whose instructions' lengths are not reported, the guide's upper figure."""


def quantum_seconds(circuits: list[QuantumCircuit], device: BackendV2, executions: int) -> float:
    """Estimate how long a job keeps the device: the overhead, and every shot's delay, reset and circuit.

    This is the formula of IBM's guide; the service's own estimate is only known once the job is sent.

    Args:
        circuits: compiled circuits.
        device: the device.
        executions: shots of each circuit, those that twirling adds included.
    """
    configuration = device.configuration() if hasattr(device, "configuration") else None
    delay = getattr(configuration, "default_rep_delay", None) or _REPETITION_DELAY
    resets = device.target["reset"].values() if "reset" in device.target.operation_names else ()
    reset = max((item.duration for item in resets if item is not None and item.duration), default=0.0)
    total = OVERHEAD
    for circuit in circuits:
        try:
            length = float(circuit.estimate_duration(device.target, unit="s"))
        except QiskitError:
            # Old snapshots do not say how long their gates take, and an `if` has no fixed length.
            length = _LENGTH
        total += executions * (delay + reset + length)
    return total
