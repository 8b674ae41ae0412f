"""Jobs as values: how one is run, what it will cost, and what is known of the devices that run it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from circuits.errors import BackendUsageError

if TYPE_CHECKING:
    from circuits.backends.job_store import Job, StoredCircuit
    from circuits.decoding import Shots

_TAG: Final = re.compile(r"[a-z0-9-]{1,64}")

SEEDS: Final = 4
"""With how many seeds each circuit is compiled; the likeliest to succeed is kept."""


@dataclass(frozen=True, slots=True)
class BackendRow:
    """A line of the list of backends.

    Attributes:
        name: what `get_backend` takes; with a `*`, a family of names.
        description: what it is, in a few words.
        qubits: how many it has; None for a simulator without noise, or if it is not known.
        two_qubit_error: the median error of its two-qubit gates, or None if it has or reports none.
        readout_error: the median error of its measurements, or None.
        dynamic_circuits: whether it can act on measurements within a circuit, or None.
        queue: how many jobs wait, or None where there is no queue.
        calibrated: when the numbers were measured, or None.
    """

    name: str
    description: str
    qubits: int | None = None
    two_qubit_error: float | None = None
    readout_error: float | None = None
    dynamic_circuits: bool | None = None
    queue: int | None = None
    calibrated: datetime | None = None


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a job is compiled and run.

    Attributes:
        dynamical_decoupling: fill idle times with pulses that cancel slow noise.
        twirling: randomise gates and measurements so that coherent errors average out.
        seeds: with how many seeds the compiler is run; the best result is kept.
        max_seconds: quantum seconds after which the service stops the job, or None for the service's limit.
        tags: names by which the job is found in the service's lists, beside its own.
    """

    dynamical_decoupling: bool = False
    twirling: bool = False
    seeds: int = SEEDS
    max_seconds: int | None = None
    tags: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "JobOptions":
        """Read options as a job file has them; unknown ones are an error.

        Raises:
            BackendUsageError: an option is unknown or has the wrong type.
        """
        allowed = {item.name: type(item.default) for item in fields(cls)}
        tags = data.get("tags", [])
        if type(tags) not in (list, tuple) or not all(
            isinstance(tag, str) and _TAG.fullmatch(tag) for tag in tags
        ):
            raise BackendUsageError(f"the job file has wrong tags: {str(tags)[:40]!r}")
        data = {**data, "tags": tuple(tags)}
        for key, value in data.items():
            kind = (int, type(None)) if key == "max_seconds" else (allowed.get(key, type(...)),)
            if type(value) not in kind:
                raise BackendUsageError(
                    f"the job file has an unknown or wrong option {key!r}: {str(value)[:40]!r}"
                )
        return cls(**data)


@dataclass(frozen=True, slots=True)
class CircuitCost:
    """One compiled circuit.

    Attributes:
        qubits: how many it acts on.
        two_qubit_gates: how many gates on two qubits it has.
        depth: its depth in the device's gates, measurement included.
        faultless: the probability that a shot has no fault at all, from the errors that the device reports;
            None if it reports none. It bounds the fraction of usable shots from below: some faults make
            another possible board.
    """

    qubits: int
    two_qubit_gates: int
    depth: int
    faultless: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """A job.

    Attributes:
        circuits: one entry a circuit.
        shots: shots of each circuit.
        quantum_seconds: how long the device will be busy with it, estimated.
        basis: where that number comes from.
        plan: the plan that it is charged to, or None where nothing is charged.
        instance: the instance's name, or None.
        paid: whether that plan costs money; None if unknown.
        seconds_left: quantum seconds left in the plan, or None if there is no limit or none is told.
        status: what the device says of itself, such as ``active``; None if it says nothing.
        queue: how many jobs wait for it, or None where there is no queue.
    """

    circuits: tuple[CircuitCost, ...]
    shots: int
    quantum_seconds: float
    basis: str
    plan: str | None = None
    instance: str | None = None
    paid: bool | None = False
    seconds_left: float | None = None
    status: str | None = None
    queue: int | None = None


@dataclass(frozen=True)
class Prepared:
    """A job that is ready to be sent.

    Attributes:
        backend: the device's full name.
        circuits: compiled circuits with the callers' labels and readouts.
        cost: what it will cost and how good it will be.
        options: how it will be run.
        instance: what the service charges it to, by the service's own name, or None.
        warnings: what the caller should say before it sends the job, a line each.
        obstacles: why the job would not run at present, a clause each.
    """

    backend: str
    circuits: "tuple[StoredCircuit, ...]"
    cost: Cost
    options: JobOptions = field(default_factory=JobOptions)
    instance: str | None = None
    warnings: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()

    @property
    def shots(self) -> int:
        """Shots of each circuit."""
        return self.cost.shots


@dataclass(frozen=True)
class Fetched:
    """What `circuits.backends.resume` found.

    Attributes:
        job: the job as it now is on disk.
        shots: the shots of every circuit, or None if it is not done yet.
    """

    job: "Job"
    shots: "tuple[Shots, ...] | None"
