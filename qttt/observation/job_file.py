"""An observation that waits in a job: the job's file beside the record, and the record's header ``Job``.

Both are on disk before anything is sent, so that whatever happens to this program, the observation is neither
lost nor made twice. The header is ``[Job "<device> <job id> <file>"]``; the file is one of
`circuits.backends.job_store` with this payload:

    {"format": "qttt observation", "record": the record as it was, "file": the record's file or null,
     "mode": the mode if it was chosen before, else null, "positions": those prepared from, or null,
     "policy": the square by which the circuit itself chooses the mode, or null, "strict": true or false}
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Positions
from qttt.game.squares import SQUARES
from qttt.game.symbols import Mode
from qttt.observation.devices import DecodedShots, read_shots
from qttt.observation.dynamic import Policy, dynamic_odds, read_dynamic
from qttt.observation.job_runs import OBSERVATION, PendingJob, free_file, has_readouts, load_job
from qttt.records.files import load_record, save_over
from qttt.records.record import Record

if TYPE_CHECKING:
    from circuits.backends.job_store import Job
    from circuits.decoding import Shots

HEADER = "Job"


@dataclass(frozen=True)
class Pending(PendingJob):
    """An observation whose job was, or will be, sent.

    Attributes:
        record: the record, without the header ``Job``; the events of the observation are added as they come.
        file: the record's file, or None if it has none.
        path: the job's file, or None if nothing has to survive this process.
        mode: the mode if it was chosen before the job was sent.
        collapsed: the job prepares what positions observed before have left of the state.
        policy: how the job's one circuit chooses the mode itself; None where people choose.
        strict: the circuits are in the encoding ``strict``.
        sent: the job, as far as it is known.
    """

    kind: ClassVar[str] = OBSERVATION

    record: Record
    file: Path | None
    path: Path | None
    mode: Mode | None
    collapsed: bool = False
    policy: Policy | None = None
    strict: bool = False
    sent: "Job | None" = None

    def with_job(self, job: "Job") -> "Pending":
        """The same with what is now known of the job."""
        return replace(self, sent=job)

    def payload(self) -> dict[str, Any]:
        """What the job's file keeps besides the job."""
        positions = self.record.game().state.positions
        return {
            "record": str(self.record),
            "file": None if self.file is None else self.file.name,
            "mode": None if self.mode is None else str(self.mode),
            "positions": positions.filled if positions is not None and self.collapsed else None,
            "policy": None if self.policy is None else self.policy.square,
            "strict": self.strict,
        }

    def marked(self) -> Record:
        """The record with its header ``Job``."""
        if self.path is None:
            return self.record
        device = self.sent.backend if self.sent else "-"
        name = (self.sent.job_id if self.sent else None) or "-"
        return self.record.with_header(HEADER, f"{device} {name} {self.path.name}")

    def keep(self) -> None:
        """Save the record with its header ``Job``.

        Raises:
            FileError: it cannot be saved, or its file has come to hold something else.
        """
        if self.file is not None:
            save_over(self.file, self.marked(), self.marked())

    def settle(self) -> None:
        """Save the record without the header: nothing is waited for any more."""
        if self.file is not None:
            save_over(self.file, self.record, self.marked())

    def updated(self, game: Game) -> "Pending":
        """The same with the record brought up to a game that went on."""
        return replace(self, record=self.record.updated(game))

    def readings(self, game: Game, shots: "Sequence[Shots]") -> dict[Mode, DecodedShots]:
        """What the job's shots say of the board of a game, by mode.

        Raises:
            UsageError: the shots are not those of the circuits.
        """
        assert self.sent is not None
        # Shots of the whole board are judged as such, also where positions were taken from them already.
        whole = game.state.positions is not None and not self.collapsed
        state = game.states[-2] if whole else game.state
        found = {}
        for item, run in zip(self.sent.circuits, shots, strict=True):
            assert item.readout is not None
            found[Mode(item.label)] = read_shots(state, Mode(item.label), item.readout, run)
        return found

    def reading_of_policy(self, game: Game, shots: "Sequence[Shots]") -> DecodedShots:
        """What the shots say of the board of a game whose mode the circuit chose.

        Raises:
            UsageError: the shots are not those of the circuit.
        """
        assert self.sent is not None
        assert self.policy is not None
        (item,), (run,) = self.sent.circuits, shots
        assert item.readout is not None
        decoded = read_dynamic(game.state, self.policy, item.readout, run)
        return DecodedShots(decoded, decoded.counts(), item.readout, dynamic_odds(game.state, self.policy))


def find(name: str) -> Pending:
    """Find a pending observation by its job's file, or by the record that waits for it.

    Args:
        name: a job file, or a record with a header ``Job``.

    Raises:
        UsageError: it is neither, the record does not wait for the job, or has gone on without it.
        QtttError: a file cannot be read.
    """
    path = Path(name)
    if path.suffix != ".job":
        record = load_record(path)
        path = path.parent / job_file(record, name)
    sent = load_job(path, OBSERVATION)
    payload = sent.payload
    try:
        before = Record.parse(payload["record"])
        mode = None if payload["mode"] is None else Mode(payload["mode"])
        file = None if payload["file"] is None else path.parent / Path(payload["file"]).name
        collapsed = payload["positions"] is not None
        policy = _policy(payload.get("policy"))
        strict = bool(payload.get("strict", False))
        whole = has_readouts(sent, None if policy else list(Mode))
        if not whole or (policy is not None and len(sent.circuits) != 1):
            raise UsageError("its circuits are not those of an observation")
    except (*MALFORMED, QtttError) as error:
        raise UsageError(f"the job file {path} is damaged: {error}") from error
    record = before if file is None else _waiting(file, path, before)
    return Pending(record, file, path, mode, collapsed, policy, strict, sent)


def _policy(square: object) -> Policy | None:
    if square is None:
        return None
    # By exact type: in Python true is an int.
    if type(square) is not int or square not in SQUARES:
        raise UsageError("its policy names no square")
    return Policy(square)


def job_file(record: Record, name: str) -> str:
    """The name of the job's file in a record's header.

    Raises:
        UsageError: the record has no such header, or a damaged one.
    """
    value = record.headers.get(HEADER)
    if value is None:
        raise UsageError(f"{name} waits for no job: it has no header {HEADER}")
    words = value.split(maxsplit=2)
    if len(words) != 3 or Path(words[2]).name != words[2]:
        raise UsageError(f"the header {HEADER} of {name} is not '<device> <job id> <file>'")
    return words[2]


def _waiting(file: Path, path: Path, before: Record) -> Record:
    """The record in a file, which must wait for the job and be where it was, or at the observed positions."""
    record = load_record(file)
    if HEADER not in record.headers or job_file(record, str(file)) != path.name:
        raise UsageError(f"{file} does not wait for the job in {path} (any more)")
    known = len(before.events)
    further = record.events[known:]
    if record.events[:known] != before.events or not all(isinstance(event, Positions) for event in further):
        raise UsageError(f"{file} is not the game that was sent with the job in {path}")
    return record.without_header(HEADER)


def free_path(file: Path | None, game: Game) -> Path:
    """Where a job's file goes: beside the record, numbered by the observation."""
    return free_file(file, str(game.state.observations + 1), "observation")
