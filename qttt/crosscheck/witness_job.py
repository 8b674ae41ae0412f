"""A witness that waits in a job; no record waits with it, because it changes none.

The job's file is one of `circuits.backends.job_store` with this payload:

    {"format": "qttt witness", "record": the record, "pairs": the pairs' squares, "plant": the planted state
     or null, "errors": for each bit the probabilities of misreading 0 and 1, or null}

Its circuits are named by their settings (`qttt.crosscheck.witness`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from qttt.crosscheck.by_job import readout_errors
from qttt.crosscheck.witness import CHSH, MODES, Pair, PairWitness, Plant, Readings, pairs_of
from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.observation.job_runs import WITNESS, PendingJob, free_file, has_readouts, load_job
from qttt.records.record import Record

if TYPE_CHECKING:
    from circuits.backends.base import ReadoutErrors
    from circuits.backends.job_store import Job
    from circuits.decoding import Shots


@dataclass(frozen=True)
class PendingWitness(PendingJob):
    """A witness whose job was, or will be, sent.

    Attributes:
        record: the game whose board is read.
        path: the job's file, or None if nothing has to survive this process.
        pairs: whose correlations are wanted.
        plant: what stands in their place.
        errors: how often each bit is misread, by what the device reported before; None if it did not.
        sent: the job, as far as it is known.
    """

    kind: ClassVar[str] = WITNESS

    record: Record
    path: Path | None
    pairs: tuple[Pair, ...]
    plant: Plant | None = None
    errors: "ReadoutErrors | None" = None
    sent: "Job | None" = None

    def with_job(self, job: "Job") -> "PendingWitness":
        """The same with what is now known of the job."""
        return replace(self, sent=job)

    def payload(self) -> dict[str, Any]:
        """What the job's file keeps besides the job."""
        return {
            "record": str(self.record),
            "pairs": [list(pair) for pair in self.pairs],
            "plant": None if self.plant is None else str(self.plant),
            "errors": None if self.errors is None else [list(pair) for pair in self.errors],
        }

    def keep(self) -> None:
        """Nothing waits with the job."""

    def settle(self) -> None:
        """Nothing waited with the job."""

    def readings(self, runs: "Sequence[Shots]") -> Readings:
        """The job's shots, by setting."""
        assert self.sent is not None
        circuits = self.sent.circuits
        readout = circuits[0].readout
        assert readout is not None
        names = [circuit.label for circuit in circuits]
        return Readings(readout, dict(zip(names, runs, strict=True)), self.errors)

    def report(self, runs: "Sequence[Shots]") -> list[PairWitness]:
        """What the shots say of each pair."""
        readings = self.readings(runs)
        return [readings.witness(pair) for pair in self.pairs]


def find_witness(name: str | Path) -> PendingWitness:
    """Find a pending witness by its job's file.

    Raises:
        UsageError: it is no such file; of another kind of job the message names the command that takes it.
        QtttError: the file cannot be read.
    """
    path = Path(name)
    if path.suffix != ".job":
        raise UsageError(f"{name} is no job: qttt witness --resume takes the .job file that it has named")
    return pending_witness(load_job(path, WITNESS), path)


def pending_witness(sent: "Job", path: Path) -> PendingWitness:
    """Read what the file of a witness's job says.

    Raises:
        UsageError: it is damaged.
    """
    payload = sent.payload
    try:
        record = Record.parse(payload["record"])
        known = pairs_of(record.game())
        pairs = tuple((int(a), int(b)) for a, b in payload["pairs"])
        plant = None if payload["plant"] is None else Plant(payload["plant"])
        settings = {circuit.label.partition("/")[0] for circuit in sent.circuits}
        whole = has_readouts(sent.circuits) and len({one.label for one in sent.circuits}) == len(
            sent.circuits
        )
        if not (whole and pairs and set(pairs) <= set(known) and settings in (set(MODES), {*MODES, *CHSH})):
            raise UsageError("its circuits are not those of a witness")
        return PendingWitness(record, path, pairs, plant, readout_errors(payload["errors"]), sent)
    except (*MALFORMED, QtttError) as error:
        raise UsageError(f"the job file {path} is damaged: {error}") from error


def free_witness_path(file: Path | None) -> Path:
    """Where the job's file of a witness goes: beside the record."""
    return free_file(file, "witness", "witness")
