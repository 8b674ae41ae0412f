"""A cross-check that waits in a job; no record waits with it, because a check changes none.

The job's file is one of `circuits.backends.job_store` with this payload:

    {"format": "qttt check", "record": the record,
     "views": whether the two readings of view switches are compared too,
     "modes": for the mode that each circuit reads, in their order:
        {"faulty": the probability of a fault that the device's errors predict, or null, "readout": null, or
         for each bit the probabilities of misreading 0 and 1, by which the distribution is corrected,
         "errors": what the device reported of the circuit (`circuits.backends.noise`), or null}}

A job of one circuit that was sent before there were several has "mode", "faulty" and "readout" beside
"record" instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from qttt.crosscheck.by_device import Prediction, check_runs
from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.job_file import HEADER
from qttt.observation.job_runs import (
    CHECK,
    OBSERVATION,
    PendingJob,
    free_file,
    has_readouts,
    load_job,
    resuming,
)
from qttt.records.files import load_record
from qttt.records.record import Record

if TYPE_CHECKING:
    from circuits.backends.base import ReadoutErrors
    from circuits.backends.job_store import Job
    from circuits.decoding import Shots
    from qttt.crosscheck.report import CheckReport


@dataclass(frozen=True)
class PendingCheck(PendingJob):
    """A cross-check whose job was, or will be, sent.

    Attributes:
        record: the game that is checked.
        path: the job's file, or None if nothing has to survive this process.
        predictions: for the mode that each circuit reads, in their order, what the device's errors predicted
            before the job was sent.
        views: the two readings of view switches are compared too.
        sent: the job, as far as it is known.
    """

    kind: ClassVar[str] = CHECK

    record: Record
    path: Path | None
    predictions: Mapping[Mode, Prediction]
    views: bool = False
    sent: "Job | None" = None

    def with_job(self, job: "Job") -> "PendingCheck":
        """The same with what is now known of the job."""
        return replace(self, sent=job)

    def payload(self) -> dict[str, Any]:
        """What the job's file keeps besides the job."""
        return {
            "record": str(self.record),
            "views": self.views,
            "modes": {
                str(mode): {
                    "faulty": prediction.faulty,
                    "readout": None if prediction.readout is None else [list(p) for p in prediction.readout],
                    "errors": None if prediction.errors is None else prediction.errors.to_json(),
                }
                for mode, prediction in self.predictions.items()
            },
        }

    def keep(self) -> None:
        """Nothing waits with the job."""

    def settle(self) -> None:
        """Nothing waited with the job."""

    def report(self, game: Game, runs: "Sequence[Shots]") -> "CheckReport":
        """The cross-check with the job's shots, those of each circuit.

        Its random numbers come from the job's seed, so that whoever fetches the job reports the same.

        Raises:
            UsageError: the shots are not of the circuits, or mitigation is not installed.
        """
        import numpy as np

        assert self.sent is not None
        rng = np.random.default_rng(self.sent.seed)
        return check_runs(game, self.sent.backend, self.predictions, self.sent.circuits, runs, rng)


def find_check(name: str) -> PendingCheck:
    """Find a pending cross-check by its job's file.

    Raises:
        UsageError: it is no such file; if it is an observation's, or a record that waits for one, the message
            names the command that takes it.
        QtttError: a file cannot be read.
    """
    path = Path(name)
    if path.suffix != ".job":
        if HEADER in load_record(path).headers:
            raise UsageError(
                f"{name} waits for an observation, not for a check: fetch it with "
                f"{resuming(OBSERVATION, name)}"
            )
        raise UsageError(f"{name} is no job: qttt check --resume takes the .job file that a check has named")
    return pending_check(load_job(path, CHECK), path)


def pending_check(sent: "Job", path: Path) -> PendingCheck:
    """Read what the file of a check's job says.

    Raises:
        UsageError: it is damaged.
    """
    payload = sent.payload
    try:
        record = Record.parse(payload["record"])
        views = payload["views"]
        modes = {payload["mode"]: payload} if "mode" in payload else payload["modes"]
        predictions = {Mode(mode): _prediction(said) for mode, said in modes.items()}
        labels = [item.label for item in sent.circuits]
        if (
            type(views) is not bool
            or labels != [str(mode) for mode in predictions]
            or not has_readouts(sent.circuits)
        ):
            raise UsageError("its circuits are not those of a check")
    except (*MALFORMED, QtttError) as error:
        raise UsageError(f"the job file {path} is damaged: {error}") from error
    return PendingCheck(record, path, predictions, views, sent)


def _prediction(said: Mapping[str, Any]) -> Prediction:
    from circuits.backends.noise import ReportedErrors

    faulty, errors = said["faulty"], said.get("errors")
    return Prediction(
        None if faulty is None else _probability(faulty),
        readout_errors(said["readout"]),
        # A job that was sent before there were any has none.
        None if errors is None else ReportedErrors.from_json(errors),
    )


def _probability(value: object) -> float:
    # By exact type: in Python true is an int.
    if type(value) not in (int, float) or not 0 <= value <= 1:  # type: ignore[operator]
        raise UsageError(f"{str(value)[:40]!r} is no probability")
    return float(value)  # type: ignore[arg-type]


def readout_errors(value: object) -> "ReadoutErrors | None":
    """Read the probabilities of misreading each bit, as a job's file has them.

    Raises:
        UsageError: they are no such pairs.
    """
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise UsageError("its readout errors are not pairs")
    return tuple((_probability(wrong_1), _probability(wrong_0)) for wrong_1, wrong_0 in value)


def free_check_path(file: Path | None) -> Path:
    """Where the job's file of a check goes: beside the record."""
    return free_file(file, "check", "check")
