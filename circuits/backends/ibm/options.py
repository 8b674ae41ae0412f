"""How a job is compiled and run, and how IBM's sampler is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from circuits.backends.ibm.transpile import SEEDS
from circuits.backends.job_store import Job
from circuits.errors import BackendUsageError


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a job is compiled and run.

    Attributes:
        dynamical_decoupling: fill idle times with pulses that cancel slow noise.
        twirling: randomise gates and measurements so that coherent errors average out.
        seeds: with how many seeds the compiler is run; the best result is kept.
        max_seconds: quantum seconds after which the service stops the job, or None for the service's limit.
    """

    dynamical_decoupling: bool = False
    twirling: bool = False
    seeds: int = SEEDS
    max_seconds: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "JobOptions":
        """Read options as a job file has them; unknown ones are an error.

        Raises:
            BackendUsageError: an option is unknown or has the wrong type.
        """
        allowed = {item.name: type(item.default) for item in fields(cls)}
        for key, value in data.items():
            kind = (int, type(None)) if key == "max_seconds" else (allowed.get(key, type(...)),)
            if type(value) not in kind:
                raise BackendUsageError(
                    f"the job file has an unknown or wrong option {key!r}: {str(value)[:40]!r}"
                )
        return cls(**data)


def sampler_options(job: Job) -> dict[str, Any]:
    """Return a job's options as the sampler takes them."""
    options = JobOptions.from_json(job.options)
    return {
        "dynamical_decoupling": {"enable": options.dynamical_decoupling},
        "twirling": {"enable_gates": options.twirling, "enable_measure": options.twirling},
        "environment": {"job_tags": [job.tag]},
        "max_execution_time": options.max_seconds,
    }
