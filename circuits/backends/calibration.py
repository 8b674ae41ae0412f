"""What a device reported of the parts that some circuits use, as plain JSON, to be kept with their job.

    {"reported": when the numbers were measured, or null,
     "qubits": {"3": {"t1": seconds, "t2": seconds, "readout": [P(1 read | 0), P(0 read | 1)] or null}},
     "gates": [{"name": "cz", "qubits": [3, 4], "error": probability or null, "seconds": length or null}]}

What is not reported is null. Measurements stand among the gates.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from qiskit.circuit import ControlFlowOp, Measure, QuantumCircuit
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit.providers import BackendV2
from qiskit.transpiler import InstructionProperties, Target

from circuits.errors import BackendUsageError


def calibration_of(circuits: Iterable[QuantumCircuit], device: BackendV2) -> dict[str, Any]:
    """Return what a device reports of the gates and qubits of circuits in its own gates."""
    target = device.target
    used = sorted({part for circuit in circuits for part in _parts(circuit, range(circuit.num_qubits))})
    properties: Any = None
    # A courtesy to who reads the numbers later: no device has to have them.
    with suppress(Exception):
        properties = device.properties()
    gates = []
    for name, places in used:
        known = target[name].get(places) if name in target.operation_names else None
        gates.append(
            {
                "name": name,
                "qubits": list(places),
                "error": None if known is None else known.error,
                "seconds": None if known is None else known.duration,
            }
        )
    of = target.qubit_properties
    return {
        "reported": _date(properties),
        "qubits": {
            str(qubit): {
                "t1": None if not of else getattr(of[qubit], "t1", None),
                "t2": None if not of else getattr(of[qubit], "t2", None),
                "readout": _readout(properties, qubit),
            }
            for qubit in sorted({place for _, places in used for place in places})
        },
        "gates": gates,
    }


def _parts(circuit: QuantumCircuit, places: Sequence[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the instructions of a circuit and of the branches in it, with their qubits on the device."""
    where = dict(zip(circuit.qubits, places, strict=True))
    for item in circuit.data:
        qubits = tuple(where[qubit] for qubit in item.qubits)
        if isinstance(item.operation, ControlFlowOp):
            for block in item.operation.blocks:
                yield from _parts(block, qubits)
        elif item.name != "barrier":
            yield item.name, qubits


def _date(properties: Any) -> str | None:
    date: Any = getattr(properties, "last_update_date", None)
    return date.isoformat() if hasattr(date, "isoformat") else None


def _readout(properties: Any, qubit: int) -> list[float] | None:
    """The probabilities of reading 1 for 0, and 0 for 1."""
    with suppress(Exception):
        reported = [
            properties.qubit_property(qubit, name)[0] for name in ("prob_meas1_prep0", "prob_meas0_prep1")
        ]
        return [float(each) for each in reported]
    return None


def reported_target(calibration: Mapping[str, Any], num_qubits: int) -> Target:
    """Return a target with nothing but the gates of a calibration, and their errors.

    Raises:
        BackendUsageError: the calibration is damaged.
    """
    known = get_standard_gate_name_mapping() | {"measure": Measure()}
    rows: dict[str, dict[tuple[int, ...], InstructionProperties]] = {}
    try:
        for gate in calibration["gates"]:
            places = tuple(int(place) for place in gate["qubits"])
            error = None if gate["error"] is None else float(gate["error"])
            if not all(0 <= place < num_qubits for place in places) or not (error is None or 0 <= error <= 1):
                raise ValueError(f"{str(gate)[:60]} is no gate of this device")
            if gate["name"] in known:
                rows.setdefault(gate["name"], {})[places] = InstructionProperties(error=error)
        target = Target(num_qubits=num_qubits)
        for name, properties in rows.items():
            target.add_instruction(known[name], properties, name=name)
    except Exception as error:
        raise BackendUsageError(f"the calibration is damaged: {str(error)[:100]}") from error
    return target
