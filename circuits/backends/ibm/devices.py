"""Devices: what there is, what they are like, and the part of a simulated one that a circuit needs.

The simulated devices are snapshots that IBM's client carries as JSON files. Listing them reads those files
and imports nothing of it: 0.4 s for all of them, where making the objects takes 4.5 s.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from qiskit.providers import BackendV2, Options
from qiskit.transpiler import Target

from circuits.backends.plans import BackendRow
from circuits.backends.progress import Notify, ignore
from circuits.errors import UnknownBackendError


@cache
def _snapshots() -> dict[str, Path]:
    """Return the folder of every simulated device's snapshot, by the device's name."""
    spec = find_spec("qiskit_ibm_runtime")
    if spec is None or not spec.submodule_search_locations:
        return {}
    root = Path(spec.submodule_search_locations[0]) / "fake_provider" / "backends"
    return {f"fake_{path.parent.name}": path.parent for path in sorted(root.glob("*/conf_*.json"))}


def fake_names() -> tuple[str, ...]:
    """Return the names of all simulated devices, sorted; none if the client is not installed."""
    return tuple(_snapshots())


def _value(entries: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Return a reported error, None if it is not reported; 1 marks a part that is out of order."""
    return next((float(entry["value"]) for entry in entries if entry["name"] == name), None)


def _typical(errors: Sequence[float | None]) -> float | None:
    """Return the median of what is not out of order; 1 if everything is, None if nothing is reported."""
    known = [error for error in errors if error is not None]
    return median([error for error in known if error < 1] or known) if known else None


def _row(
    name: str,
    description: str,
    configuration: Mapping[str, Any],
    properties: Mapping[str, Any],
    queue: int | None = None,
) -> BackendRow:
    pairs = [
        _value(gate["parameters"], "gate_error") for gate in properties["gates"] if len(gate["qubits"]) == 2
    ]
    readouts = [_value(qubit, "readout_error") for qubit in properties["qubits"]]
    date = properties.get("last_update_date")
    return BackendRow(
        name=name,
        description=description,
        qubits=configuration["n_qubits"],
        two_qubit_error=_typical(pairs),
        readout_error=_typical(readouts),
        dynamic_circuits="if_else" in (configuration.get("supported_instructions") or ()),
        queue=queue,
        calibrated=date if isinstance(date, datetime) or date is None else datetime.fromisoformat(date),
    )


def list_simulated() -> list[BackendRow]:
    """Return a row for every simulated device, by name; none if the client is not installed."""
    rows = []
    for name, folder in _snapshots().items():
        configuration, properties = (
            json.loads(next(folder.glob(pattern)).read_text(encoding="utf-8"))
            for pattern in ("conf_*.json", "props_*.json")
        )
        rows.append(_row(name, "simulated device with its noise", configuration, properties))
    return rows


def list_account(notify: Notify = ignore) -> list[BackendRow]:
    """Return a row for every device of the saved account, by name, asking IBM Quantum over the network.

    Raises:
        BackendError: the account or the service fails.
    """
    from circuits.backends.ibm.accounts import connect
    from circuits.backends.ibm.errors import attempt

    service = connect(notify=notify)
    devices = attempt(service.backends, "asking for the devices", notify)
    rows = []
    for device in sorted(devices, key=lambda device: str(device.name)):
        properties = attempt(device.properties, f"asking {device.name} for its errors", notify)
        queue = attempt(device.status, f"asking {device.name} for its queue", notify).pending_jobs
        known = properties.to_dict() if properties else {"gates": [], "qubits": []}
        rows.append(_row(device.name, "IBM Quantum device", device.configuration().to_dict(), known, queue))
    return rows


def fake_device(name: str) -> BackendV2:
    """Return the simulated device of that name.

    Raises:
        UnknownBackendError: there is none; the message names the nearest.
    """
    from qiskit_ibm_runtime import fake_provider
    from qiskit_ibm_runtime.fake_provider.fake_backend import FakeBackendV2

    for candidate in vars(fake_provider).values():
        if (
            isinstance(candidate, type)
            and issubclass(candidate, FakeBackendV2)
            and getattr(candidate, "backend_name", None) == name
        ):
            return candidate()
    near = get_close_matches(name, fake_names(), n=3, cutoff=0.75)
    hint = f": is it {' or '.join(near)}?" if near else "; `qttt backends` lists them"
    raise UnknownBackendError(f"there is no simulated device {name!r}{hint}")


class PartialDevice(BackendV2):  # type: ignore[misc]
    """Some qubits of a device, with the gates among them and their errors, for simulating on.

    Aer makes a noise model of the whole device before it simulates a few qubits of it: 6 s for 133 qubits,
    0.05 s for six of them. The errors of the chosen qubits are the same.
    """

    def __init__(self, device: BackendV2, qubits: Sequence[int]) -> None:
        super().__init__(name=device.name)
        self._target = _restricted(device.target, qubits)

    @property
    def target(self) -> Target:
        """The gates that the part has."""
        return self._target

    @property
    def max_circuits(self) -> None:
        """No limit."""
        return None

    @classmethod
    def _default_options(cls) -> Options:
        return Options()

    def run(self, run_input: object, **options: object) -> None:
        """Refuse: it is run through IBM's sampler in local mode, as hardware is."""
        raise NotImplementedError("use a sampler")


def _restricted(target: Target, qubits: Sequence[int]) -> Target:
    place = {qubit: index for index, qubit in enumerate(qubits)}
    known = target.qubit_properties
    part = Target(
        num_qubits=len(qubits),
        dt=target.dt,
        granularity=target.granularity,
        min_length=target.min_length,
        pulse_alignment=target.pulse_alignment,
        acquire_alignment=target.acquire_alignment,
        qubit_properties=[known[qubit] for qubit in qubits] if known else None,
    )
    for name in target.operation_names:
        operation = target.operation_from_name(name)
        if isinstance(operation, type):
            part.add_instruction(operation, name=name)
            continue
        inside = {
            tuple(place[qubit] for qubit in where): properties
            for where, properties in target[name].items()
            if where is not None and place.keys() >= set(where)
        }
        if inside:
            part.add_instruction(operation, inside, name=name)
    return part
