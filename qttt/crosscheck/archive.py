"""The archive of a finished job: everything needed to come to its figures again, without the service.

It stands beside the job's file, as JSON:

    {"format": "qttt archive", "version": 1,
     "versions": of Python and of the packages that compiled and judged,
     "job": the whole of the job's file: compiled circuits, every shot's bits, the device's calibration as it
      was reported before the job was sent, what it used (`circuits.backends.job_store`),
     "circuits": for each that observes a game, {"record", "mode", "readout": what its bits mean,
      "counts": how often which bits were read, the registers apart in Qiskit's order, "figures": {...}},
     "pairs": of a witness, what the settings say of each (`qttt.crosscheck.witness`)}

The figures follow from the rest, and `recompute` finds those that do not.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from math import isclose
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, Final

from qttt.crosscheck.kit import parts_of
from qttt.crosscheck.witness_job import pending_witness
from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.game.odds import distance
from qttt.game.symbols import Mode
from qttt.observation.devices import DecodedShots, read_shots
from qttt.observation.dynamic import Policy, dynamic_odds, read_dynamic
from qttt.observation.exports import Export
from qttt.observation.job_file import games_of
from qttt.observation.job_runs import BATCH, CHECK, KIT, OBSERVATION, WITNESS
from qttt.records.record import Record
from qttt.stats import p_value
from qttt.storage import read_file, save_file

if TYPE_CHECKING:
    from circuits.backends.job_store import Job, StoredCircuit
    from circuits.decoding import Shots

FORMAT: Final = "qttt archive"
VERSION: Final = 1
_MOST_BYTES: Final = 64 * 2**20
_PACKAGES: Final = ("tiqtaqtoe", "qiskit", "qiskit-aer", "qiskit-ibm-runtime", "numpy")

_CHANCE: Final = 0.05
"""By how much a p-value may differ: it is drawn, by numbers that another version of numpy draws otherwise."""


@dataclass(frozen=True)
class Look:
    """A circuit of a job that observes a game.

    Attributes:
        record: the game, up to the moment at which it is observed.
        mode: the mode that it reads, or the policy by which it chooses it.
        circuit: the circuit, compiled.
        shots: its bits.
    """

    record: Record
    mode: Mode | Policy
    circuit: "StoredCircuit"
    shots: "Shots"

    def decoded(self) -> DecodedShots:
        """What the bits say of the board."""
        readout, state = self.circuit.readout, self.record.game().state
        assert readout is not None
        if isinstance(self.mode, Mode):
            return read_shots(state, self.mode, readout, self.shots)
        found = read_dynamic(state, self.mode, readout, self.shots)
        return DecodedShots(found, found.counts(), readout, dynamic_odds(state, self.mode))

    def counts(self) -> dict[str, int]:
        """How often which bits were read, by keys as Qiskit writes them."""
        parts = [bits for bits in (self.shots.flag, self.shots.mark, self.shots.pos) if bits.shape[1]]
        rows = zip(
            *(["".join(map(str, row)) for row in part[:, ::-1].astype(int)] for part in parts), strict=True
        )
        return dict(sorted(Counter(map(" ".join, rows)).items()) if parts else [("", len(self.shots))])

    def figures(self, job: "Job") -> dict[str, Any]:
        """What is said of the shots, and of the circuit by the errors that were reported."""
        import numpy as np

        from circuits.backends.calibration import reported_target
        from circuits.backends.transpile import circuit_cost

        shots = self.decoded()
        sample, total = shots.sample(), len(self.shots)
        target = reported_target(job.calibration or {"gates": []}, self.circuit.circuit.num_qubits)
        cost = circuit_cost(self.circuit.circuit, target)
        counts = sample.counts()
        after = {board: number / sample.kept for board, number in counts.items()}
        return {
            "qubits": cost.qubits,
            "two_qubit_gates": cost.two_qubit_gates,
            "depth": cost.depth,
            "faultless": cost.faultless if job.calibration else None,
            "shots": total,
            "kept": sample.kept,
            "illegal": sample.illegal,
            "herald_failed": sample.herald_failed,
            "kinds": dict(sorted(sample.kinds.items())),
            "boards": counts,
            "tvd_before": distance({board: n / total for board, n in shots.raw.items()}, shots.odds),
            "tvd_after": distance(after, shots.odds) if sample.kept else 1.0,
            "p_value": p_value(counts, shots.odds, np.random.default_rng(job.seed)),
        }

    def to_json(self, job: "Job") -> dict[str, Any]:
        """Its entry in the archive."""
        assert self.circuit.readout is not None
        mode = self.mode if isinstance(self.mode, Mode) else Mode.STANDARD
        return {
            "record": str(self.record),
            "mode": str(self.mode),
            "readout": Export(self.record, mode, self.circuit.readout).to_json() | {"mode": str(self.mode)},
            "counts": self.counts(),
            "figures": self.figures(job),
        }


def looks_of(job: "Job", where: Path) -> list[Look]:
    """The circuits of a finished job that observe a game; none of a job that is for something else.

    Raises:
        UsageError: what the job's file keeps of its games is damaged.
    """
    try:
        assert job.results is not None
        return list(_looks(job, where))
    except (*MALFORMED, AssertionError, QtttError) as error:
        raise UsageError(f"{where} is damaged: {error}") from error


def _looks(job: "Job", where: Path) -> Iterator[Look]:
    if job.payload.get("format") == KIT:
        for part in parts_of(job, where):
            assert part.sent is not None
            yield from _looks(part.sent, where)
        return
    kind, payload = job.payload.get("format"), job.payload
    games = [(payload, (0, len(job.circuits)))] if kind in (OBSERVATION, CHECK) else []
    for game, own in games_of(job, where) if kind == BATCH else games:
        record = Record.parse(game["record"])
        policy = None if game.get("policy") is None else Policy(game["policy"])
        for circuit, shots in zip(job.circuits[slice(*own)], (job.results or ())[slice(*own)], strict=True):
            yield Look(record, policy or Mode(circuit.label), circuit, shots)


def _pairs(job: "Job", where: Path) -> list[dict[str, Any]]:
    """What a witness's job, or each that a kit has, says of each pair; nothing of another job."""
    kind = job.payload.get("format")
    if kind == KIT:
        return [pair for part in parts_of(job, where) if part.sent for pair in _pairs(part.sent, where)]
    if kind != WITNESS:
        return []
    pending = pending_witness(job, where)
    what = {"record": str(pending.record), "plant": None if pending.plant is None else str(pending.plant)}
    return [what | one.to_json() for one in pending.report(job.results or ())]


def archive_path(job_path: Path) -> Path:
    """Where the archive of a job's file stands."""
    return job_path.with_suffix(".archive.json")


def keep_archive(job: "Job", path: Path) -> Path:
    """Write the archive of a finished job beside its file, unless it stands there.

    Args:
        job: the job, done.
        path: its file.

    Returns:
        The archive's file.

    Raises:
        UsageError: the job's payload is damaged.
        FileError: it cannot be written; the job's file has everything still.
    """
    from circuits.backends import job_store

    target = archive_path(path)
    if _tag_in(target) == job.tag:
        return target
    sections = {
        "format": FORMAT,
        "version": VERSION,
        "versions": _versions(),
        # An archive is for everybody, and the instance's name has that of an account in it.
        "job": job_store.to_json(replace(job, instance=None)),
        "circuits": [look.to_json(job) for look in looks_of(job, path)],
        "pairs": _pairs(job, path),
    }
    lines = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in sections.items())
    save_file(target, "{" + ",\n ".join(lines) + "}\n")
    return target


def _tag_in(path: Path) -> str | None:
    """The tag of the job whose archive stands in a file."""
    try:
        return str(json.loads(read_file(path, _MOST_BYTES))["job"]["tag"])
    except (*MALFORMED, QtttError):
        return None


def _versions() -> dict[str, str]:
    found = {"python": python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True)
class Recomputed:
    """A circuit of an archive whose figures were come to again.

    Attributes:
        look: the circuit.
        found: its entry, as it follows from the job.
        differ: what the archive says otherwise: by name what it says, and what follows.
    """

    look: Look
    found: Mapping[str, Any]
    differ: Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True)
class ArchiveReport:
    """What came of an archive.

    Attributes:
        job: the job.
        versions: with which it was made.
        circuits: each of its circuits that observes a game.
        pairs: of a witness, what follows of each pair.
        pairs_differ: the archive says otherwise of a pair.
    """

    job: "Job"
    versions: Mapping[str, Any]
    circuits: tuple[Recomputed, ...]
    pairs: tuple[Mapping[str, Any], ...] = ()
    pairs_differ: bool = False

    @property
    def ok(self) -> bool:
        """Whether every figure follows from the rest."""
        return not self.pairs_differ and not any(each.differ for each in self.circuits)

    def to_json(self) -> dict[str, Any]:
        """The object that ``qttt check --archive --json`` prints."""
        levels = {each.look.record.level.number for each in self.circuits}
        return {
            "level": levels.pop() if len(levels) == 1 else None,
            "ok": self.ok,
            "backend": self.job.backend,
            "job_id": self.job.job_id,
            "created": self.job.created.isoformat(),
            "calibrated": (self.job.calibration or {}).get("reported"),
            "quantum_seconds": self.job.quantum_seconds,
            "used_seconds": self.job.used_seconds,
            "versions": dict(self.versions),
            "circuits": [
                {
                    **{key: each.found[key] for key in ("record", "mode", "counts", "figures")},
                    "differ": {
                        name: {"archive": said, "recomputed": now}
                        for name, (said, now) in each.differ.items()
                    },
                }
                for each in self.circuits
            ],
            "pairs": [dict(pair) for pair in self.pairs],
        }


def recompute(path: Path) -> ArchiveReport:
    """Come to every figure of an archive again, from its circuits, bits and calibration.

    Raises:
        UsageError: it is no archive, or damaged.
        FileError: it cannot be read.
    """
    from circuits.backends import job_store
    from circuits.errors import CircuitsError

    data = job_store.parse_json(read_file(path, _MOST_BYTES), f"the archive {path}")
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageError(f"{path} is no archive of a job")
    if data.get("version") != VERSION:
        said = str(data.get("version"))[:20]
        raise UsageError(f"{path} is an archive of version {said!r}, and this program reads {VERSION}")
    entries, versions = data.get("circuits"), data.get("versions")
    try:
        job = job_store.from_json(data.get("job"))
    except CircuitsError as error:
        raise UsageError(f"{path} is damaged: {error}") from error
    if job.results is None:
        raise UsageError(f"{path} is damaged: its job is not done")
    looks = looks_of(job, path)
    if not isinstance(entries, list) or len(entries) != len(looks) or not isinstance(versions, dict):
        raise UsageError(f"{path} is damaged: it does not have the job's circuits and their versions")
    found = []
    for look, entry in zip(looks, entries, strict=True):
        try:
            now = look.to_json(job)
        except (*MALFORMED, AssertionError, QtttError, CircuitsError) as error:
            raise UsageError(f"{path} is damaged: {error}") from error
        found.append(Recomputed(look, now, dict(_differences(entry, now))))
    try:
        pairs = _pairs(job, path)
    except (*MALFORMED, AssertionError) as error:
        raise UsageError(f"{path} is damaged: {error}") from error
    return ArchiveReport(job, versions, tuple(found), tuple(pairs), not _alike(data.get("pairs", []), pairs))


def _differences(said: object, now: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """What an entry says otherwise than follows, figure by figure."""
    said = said if isinstance(said, dict) else {}
    for key in ("record", "mode", "counts"):
        if said.get(key) != now[key]:
            yield key, (said.get(key), now[key])
    readout = said.get("readout")
    readout = readout if isinstance(readout, dict) else {}
    for key, value in now["readout"].items():
        # The sentences for people may come to be worded otherwise.
        if key not in ("bits", "squares") and readout.get(key) != value:
            yield f"readout {key}", (readout.get(key), value)
    figures = said.get("figures")
    figures = figures if isinstance(figures, dict) else {}
    for key, value in now["figures"].items():
        if not _same(figures.get(key), value, _CHANCE if key == "p_value" else 1e-9):
            yield key, (figures.get(key), value)


def _alike(said: object, now: object) -> bool:
    """Whether two values from JSON are the same, numbers to 1e-9."""
    if isinstance(now, dict):
        return (
            isinstance(said, dict) and said.keys() == now.keys() and all(_alike(said[k], now[k]) for k in now)
        )
    if isinstance(now, list):
        return isinstance(said, list) and len(said) == len(now) and all(map(_alike, said, now))
    return _same(said, now, 1e-9)


def _same(said: object, now: object, within: float) -> bool:
    if isinstance(now, float) and isinstance(said, int | float) and not isinstance(said, bool):
        return isclose(said, now, rel_tol=0, abs_tol=within)
    return said == now
