"""An observation that waits in a job: the job's file beside the record, and the record's header ``Job``.

Both are on disk before anything is sent, so that whatever happens to this program, the observation is neither
lost nor made twice. The header is ``[Job "<device> <job id> <file>"]``; the file is one of
`circuits.backends.job_store` with this payload:

    {"format": "qttt observation", "record": the record as it was, "file": the record's file or null,
     "mode": the mode if it was chosen before, else null, "positions": those prepared from, or null,
     "policy": the square by which the circuit itself chooses the mode, or null,
     "encoding": that of the circuits}

A job of several games, which `qttt.observation.job_batch` makes, has

    {"format": "qttt observations", "games": [such an object for each, with "circuits": how many of the job's
     circuits are its own, in the order of the games]}

Once the outcome is there the header ``Job`` goes, and ``Jobs`` keeps the job's id.
"""

from collections.abc import Mapping, Sequence
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
from qttt.observation.job_runs import (
    BATCH,
    OBSERVATION,
    PendingJob,
    free_file,
    has_readouts,
    load_job,
    resuming,
)
from qttt.records.files import load_record, save_over
from qttt.records.record import Record

if TYPE_CHECKING:
    from circuits.backends.job_store import Job
    from circuits.decoding import Shots
    from circuits.lean import Encoding

ENCODINGS = ("masked", "strict", "coherent")
HEADER = "Job"
NAMES = "Jobs"
"""The header that keeps the ids of the jobs from which the observations came."""


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
        encoding: that of the circuits.
        sent: the job, as far as it is known.
        own: which of the job's circuits are this game's, from where to where; None for all of them.
    """

    kind: ClassVar[str] = OBSERVATION

    record: Record
    file: Path | None
    path: Path | None
    mode: Mode | None
    collapsed: bool = False
    policy: Policy | None = None
    encoding: "Encoding" = "masked"
    sent: "Job | None" = None
    own: tuple[int, int] | None = None

    @property
    def resuming(self) -> str:
        """The command line that fetches the result later: of several games in a job, this one's."""
        return resuming(self.kind, self.path if self.own is None or self.file is None else self.file)

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
            "encoding": self.encoding,
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

    def named(self) -> "Pending":
        """The same with the job's id in the record's header ``Jobs``, behind those of earlier ones."""
        if self.path is None or self.sent is None or self.sent.job_id is None:
            return self
        names = self.record.headers.get(NAMES, "").split()
        if self.sent.job_id in names:
            return self
        return replace(self, record=self.record.with_header(NAMES, " ".join([*names, self.sent.job_id])))

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
        for item, run in zip(self.sent.circuits[self._own], shots[self._own], strict=True):
            assert item.readout is not None
            found[Mode(item.label)] = read_shots(state, Mode(item.label), item.readout, run)
        return found

    @property
    def circuits(self) -> int:
        """How many of the job's circuits are this game's."""
        if self.own is None:
            return 0 if self.sent is None else len(self.sent.circuits)
        return self.own[1] - self.own[0]

    @property
    def _own(self) -> slice:
        return slice(None) if self.own is None else slice(*self.own)

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
        name: a job file of one game, or a record with a header ``Job``.

    Raises:
        UsageError: it is neither, the record does not wait for the job, or has gone on without it.
        QtttError: a file cannot be read.
    """
    from circuits.backends.job_store import JobState

    path, file = Path(name), None
    if path.suffix != ".job":
        file = path
        path = path.parent / job_file(load_record(path), name)
    sent = load_job(path, OBSERVATION, BATCH)
    if sent.payload["format"] == OBSERVATION:
        return _pending(sent.payload, sent, path, None)
    if sent.state is JobState.PREPARED:
        raise UsageError(
            f"the job for {name} was written down and never sent: {resuming(BATCH, path)} --yes sends it"
        )
    for payload, own in games_of(sent, path):
        if file is not None and payload.get("file") == file.name:
            return _pending(payload, sent, path, own)
    raise UsageError(f"{name} does not wait for the job in {path}")


def find_all(path: Path) -> list[Pending]:
    """Find the observations that wait for a job of several games.

    A game whose file has gone on does not wait any more; one without a file always does. Before the job is
    sent for the first time, a record that does not say yet that it waits for it does.

    Raises:
        UsageError: it is no such job, or is damaged, or a record is not the game that was to be sent.
        QtttError: a file cannot be read.
    """
    from circuits.backends.job_store import JobState

    sent = load_job(path, BATCH)
    unsent = sent.state is JobState.PREPARED
    found = []
    for payload, own in games_of(sent, path):
        pending = _pending(payload, sent, path, own, unlooked=True)
        if pending.file is None:
            found.append(pending)
            continue
        record = load_record(pending.file) if pending.file.exists() else Record()
        if HEADER not in record.headers:
            if unsent and record.events == pending.record.events:
                found.append(pending)
        elif job_file(record, str(pending.file)) == path.name:
            found.append(_pending(payload, sent, path, own))
    return found


def is_batch(name: str) -> bool:
    """Whether a name is that of the file of a job of several games.

    Raises:
        UsageError: it is the file of another job, or cannot be read.
    """
    path = Path(name)
    return path.suffix == ".job" and load_job(path, OBSERVATION, BATCH).payload["format"] == BATCH


def games_of(job: "Job", path: Path) -> list[tuple[dict[str, Any], tuple[int, int]]]:
    """What the file of a job of several games keeps of each, and which of the circuits are its own.

    Raises:
        UsageError: it is damaged.
    """
    found, first = [], 0
    games = job.payload.get("games")
    games = games if isinstance(games, list) else []
    for game in games:
        count = game.get("circuits") if isinstance(game, dict) else None
        # By exact type: in Python true is an int.
        if type(count) is not int or count < 1:
            break
        found.append((game, (first, first + count)))
        first += count
    if not found or len(found) != len(games) or first != len(job.circuits):
        raise UsageError(f"the job file {path} is damaged: its games do not share out its circuits")
    return found


def _pending(
    payload: Mapping[str, Any],
    sent: "Job",
    path: Path,
    own: tuple[int, int] | None,
    *,
    unlooked: bool = False,
) -> Pending:
    """Read what a job's file keeps of a game, and look whether its record waits for it, unless told."""
    try:
        before = Record.parse(payload["record"])
        mode = None if payload["mode"] is None else Mode(payload["mode"])
        file = None if payload["file"] is None else path.parent / Path(payload["file"]).name
        collapsed = payload["positions"] is not None
        policy = _policy(payload.get("policy"))
        # Files of before 0.2.0 know two encodings.
        encoding = payload.get("encoding", "strict" if payload.get("strict") else "masked")
        if encoding not in ENCODINGS:
            raise UsageError("its circuits are in an encoding that is none")
        circuits = sent.circuits if own is None else sent.circuits[slice(*own)]
        whole = has_readouts(circuits, None if policy else list(Mode))
        if not whole or (policy is not None and len(circuits) != 1):
            raise UsageError("its circuits are not those of an observation")
    except (*MALFORMED, QtttError) as error:
        raise UsageError(f"the job file {path} is damaged: {error}") from error
    record = before if file is None or unlooked else _waiting(file, path, before)
    return Pending(record, file, path, mode, collapsed, policy, encoding, sent, own)


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
