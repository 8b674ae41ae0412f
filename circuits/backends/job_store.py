"""Jobs on disk: everything needed to get a result later, written before there is one.

A job file is JSON, small, and safe to read from anybody (see `circuits.backends.job_circuits`). It is
replaced as a whole, never written in place, so that a crash leaves the old file or the new one. Its states:

    prepared     written down, nothing sent
    submitting   about to be sent: after a crash here the service is asked whether the job arrived, by its tag
    submitted    the service has it, under `job_id`
    done         the shots are in the file
    failed, cancelled    there will be no shots; `reason` says why

What the caller wants to keep with it, such as a game's record, is the `payload`, which nothing here reads.
"""

import base64
import binascii
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt
from qiskit.circuit import QuantumCircuit

from circuits.backends import job_circuits
from circuits.decoding import Shots
from circuits.errors import BackendError, BackendUsageError, DecodingError
from circuits.measurement import REGISTER_NAMES, Readout
from circuits.opening import read_at_most
from circuits.storage import replace_file

T = TypeVar("T")

FORMAT: Final = "quantum circuit job"
VERSION: Final = 1
MAX_BYTES: Final = 16 * 2**20
"""A million shots of both modes of a full board take 9 MiB."""

MAX_VALUES: Final = 2_000_000
"""The most values in a file: small ones, such as empty lists, take thirty times their text in memory."""

MAX_SHOTS: Final = 1_000_000
"""The most shots of a job, in a file too: no more than can be asked for."""

_TAG: Final = re.compile(r"[a-z0-9-]{8,64}")
_NAME: Final = re.compile(r"[\w-]{1,100}")


class JobState(StrEnum):
    """How far a job is; see the module's text."""

    PREPARED = "prepared"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class StoredCircuit:
    """One circuit of a job.

    Attributes:
        circuit: compiled for the job's backend.
        label: the caller's name for it, such as the mode of observation that it reads.
        readout: how its bits make a board, or None if the caller keeps that itself.
    """

    circuit: QuantumCircuit
    label: str = ""
    readout: Readout | None = None


@dataclass(frozen=True)
class Job:
    """What a job file holds.

    Attributes:
        backend: the backend's full name, e.g. `'fake_torino'`; never `'ibm'`.
        circuits: the job's circuits, in order.
        shots: shots of each.
        seed: where the seeds of a simulated device come from, 0 to 2**31 - 1; a real one ignores it.
        tag: a name that the service keeps with the job, by which it is found after a crash.
        created: when the job was made.
        state: how far it is.
        job_id: the service's name for it, once it has one.
        instance: the CRN of the instance that it is charged to, or None.
        options: how it is run, as `circuits.backends.ibm.backend.JobOptions` has it.
        quantum_seconds: the estimated time on the device, the service's own once it is known.
        used_seconds: the quantum seconds that the service has charged, once the job is done and it says so.
        seconds_left: those left in the plan after that, or None if there is no limit or none is told.
        calibration: what the device reported of the circuits' gates and qubits before the job was sent, as
            `circuits.backends.calibration` has it, or None.
        reason: why there will be no shots.
        results: the shots of every circuit, once they are there.
        payload: the caller's own data; any JSON object.
    """

    backend: str
    circuits: tuple[StoredCircuit, ...]
    shots: int
    seed: int
    tag: str
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    state: JobState = JobState.PREPARED
    job_id: str | None = None
    instance: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    quantum_seconds: float | None = None
    used_seconds: float | None = None
    seconds_left: float | None = None
    calibration: Mapping[str, Any] | None = None
    reason: str | None = None
    results: tuple[Shots, ...] | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)

    def at(self, state: JobState, **changes: Any) -> "Job":
        """Return the job in another state, with other changes besides."""
        return replace(self, state=state, **changes)


def to_json(job: Job) -> dict[str, Any]:
    """Return a job as a plain dictionary.

    Raises:
        BackendUsageError: a circuit has something that cannot be stored.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "state": str(job.state),
        "backend": job.backend,
        "instance": job.instance,
        "job_id": job.job_id,
        "tag": job.tag,
        "created": job.created.isoformat(),
        "seed": job.seed,
        "shots": job.shots,
        "options": dict(job.options),
        "quantum_seconds": job.quantum_seconds,
        "used_seconds": job.used_seconds,
        "seconds_left": job.seconds_left,
        "calibration": None if job.calibration is None else dict(job.calibration),
        "reason": job.reason,
        "payload": dict(job.payload),
        "circuits": [
            {
                "label": item.label,
                "readout": item.readout.to_json() if item.readout else None,
                "circuit": job_circuits.to_json(item.circuit),
            }
            for item in job.circuits
        ],
        "results": [_shots_to_json(shots) for shots in job.results] if job.results is not None else None,
    }


def _shots_to_json(shots: Shots) -> dict[str, Any]:
    stored = {}
    for name, bits in zip(REGISTER_NAMES, (shots.pos, shots.mark, shots.flag), strict=True):
        packed = np.packbits(bits, axis=None, bitorder="little").tobytes()
        stored[name] = {"bits": bits.shape[1], "data": base64.b64encode(packed).decode("ascii")}
    return stored


def from_json(data: object) -> Job:
    """Build the job that `to_json` described.

    Raises:
        BackendUsageError: something is missing, of the wrong type or out of range; the message names it.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BackendUsageError("this is not a job file")
    if data.get("version") != VERSION:
        raise BackendUsageError(
            f"the job file has version {str(data.get('version'))[:20]!r} and this program reads {VERSION}"
        )
    shots = _field(data, "shots", int, lambda value: value >= 1)
    if shots > MAX_SHOTS:
        raise BackendUsageError(f"the job file asks for {shots:,} shots, and {MAX_SHOTS:,} is the most")
    circuits = tuple(
        _circuit(entry) for entry in _field(data, "circuits", list, lambda value: 0 < len(value) <= 1000)
    )
    results = _optional(data, "results", list, lambda value: len(value) == len(circuits))
    state = _field(data, "state", str, lambda value: value in list(JobState))
    if (state == JobState.DONE) != (results is not None):
        raise BackendUsageError("the job file must have results exactly if the job is done")
    return Job(
        backend=_field(data, "backend", str, lambda value: _NAME.fullmatch(value) is not None),
        circuits=circuits,
        shots=shots,
        seed=_field(data, "seed", int, lambda value: 0 <= value < 2**31),
        tag=_field(data, "tag", str, lambda value: _TAG.fullmatch(value) is not None),
        created=_date(_field(data, "created", str)),
        state=JobState(state),
        job_id=_optional(data, "job_id", str, lambda value: _NAME.fullmatch(value) is not None),
        instance=_optional(data, "instance", str, lambda value: 0 < len(value) <= 500),
        options=_field(data, "options", dict),
        quantum_seconds=_optional(data, "quantum_seconds", float, lambda value: value >= 0),
        used_seconds=_optional(data, "used_seconds", float, lambda value: value >= 0),
        seconds_left=_optional(data, "seconds_left", float, lambda value: value >= 0),
        calibration=_optional(data, "calibration", dict),
        # Shown as it is: nothing in it may speak to a terminal.
        reason=_optional(data, "reason", str, str.isprintable),
        results=tuple(_shots_from_json(entry, shots) for entry in results) if results is not None else None,
        payload=_field(data, "payload", dict),
    )


def _field(data: Mapping[str, Any], key: str, kind: type[T], fits: Callable[[T], bool] = lambda _: True) -> T:
    value = data.get(key)
    if kind is float and type(value) is int and abs(value) <= sys.float_info.max:
        value = float(value)
    # By exact type: in Python true is an int.
    if type(value) is not kind or not fits(value):
        raise BackendUsageError(f"the job file's {key!r} is missing or wrong: {str(value)[:60]!r}")
    return value


def _optional(
    data: Mapping[str, Any], key: str, kind: type[T], fits: Callable[[T], bool] = lambda _: True
) -> T | None:
    return None if data.get(key) is None else _field(data, key, kind, fits)


def _date(text: str) -> datetime:
    with suppress(ValueError):
        date = datetime.fromisoformat(text)
        if date.tzinfo is not None:
            return date
    raise BackendUsageError(f"the job file's 'created' is not a time with its zone: {text[:60]!r}")


def _circuit(entry: object) -> StoredCircuit:
    if not isinstance(entry, dict):
        raise BackendUsageError("the job file's 'circuits' must be a list of objects")
    readout = _optional(entry, "readout", dict)
    try:
        return StoredCircuit(
            circuit=job_circuits.from_json(entry.get("circuit")),
            label=_field(entry, "label", str),
            readout=Readout.from_json(readout) if readout is not None else None,
        )
    except DecodingError as error:
        raise BackendUsageError(f"the job file has a damaged readout: {error}") from error


def _shots_from_json(entry: object, shots: int) -> Shots:
    if not isinstance(entry, dict):
        raise BackendUsageError("the job file's 'results' must be a list of objects")
    registers: dict[str, npt.NDArray[np.bool_]] = {}
    for name in REGISTER_NAMES:
        stored = _field(entry, name, dict)
        bits = _field(stored, "bits", int, lambda value: 0 <= value <= 64)
        try:
            packed = base64.b64decode(_field(stored, "data", str), validate=True)
        except (binascii.Error, ValueError) as error:
            raise BackendUsageError(f"the job file's results have a damaged {name!r}") from error
        if len(packed) != (shots * bits + 7) // 8:
            raise BackendUsageError(
                f"the job file's results have {len(packed)} bytes of {name!r} for {shots} shots"
            )
        flat = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=shots * bits, bitorder="little")
        registers[name] = flat.view(np.bool_).reshape(shots, bits)
    return Shots.from_registers(registers, shots)


def save(job: Job, path: str | os.PathLike[str]) -> None:
    """Write a job file so that a crash at any moment leaves the old one or the new one.

    How, and what becomes of what a kill leaves beside it, is told in `circuits.storage`.

    Raises:
        BackendError: the file cannot be written.
        BackendUsageError: a circuit has something that cannot be stored, the payload is not JSON, or all of
            it is too large.
    """
    target = Path(path)
    try:
        text = json.dumps(to_json(job), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BackendUsageError(f"the job's payload is not JSON: {error}") from error
    if len(text) > MAX_BYTES:
        raise BackendUsageError(
            f"the job needs {len(text):,} bytes, and a job file has {MAX_BYTES:,} at most"
        )
    try:
        replace_file(target, text.encode(), mode=0o600)
    except OSError as error:
        raise BackendError(f"the job file {target} cannot be written: {error.strerror or error}") from error


def load(path: str | os.PathLike[str]) -> Job:
    """Read and check a job file.

    Raises:
        BackendUsageError: there is no such file, it is too large, or not a valid job file.
    """
    target = Path(path)
    try:
        # A pipe or a device shows no size, so what is read is limited too.
        if (size := target.stat().st_size) <= MAX_BYTES:
            content = read_at_most(target, MAX_BYTES + 1)
            size = len(content)
        if size > MAX_BYTES:
            raise BackendUsageError(f"the job file {target} is larger than {MAX_BYTES >> 20} MiB")
    except OSError as error:
        raise BackendUsageError(f"the job file {target} cannot be read: {error.strerror or error}") from error
    data = parse_json(content, f"the job file {target}")
    try:
        return from_json(data)
    except BackendUsageError as error:
        raise BackendUsageError(f"{target}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise BackendUsageError(f"the job file {target} is damaged: {str(error)[:100]}") from error


def parse_json(content: bytes, what: str) -> Any:
    """Read JSON that may come from anybody.

    Args:
        content: the file's bytes.
        what: the file, for messages.

    Raises:
        BackendUsageError: it is no JSON, or would take much more memory than its size.
    """
    if sum(map(content.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise BackendUsageError(f"{what} has more than {MAX_VALUES:,} values")
    try:
        return json.loads(content.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BackendUsageError(f"{what} is not JSON: {str(error)[:100]}") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    """Read a number; one too large for a float, such as 1e999, would become an infinity."""
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits)
