"""What to run first on a real chip: one job by a plan that is fixed beforehand, and an archive at its end.

The plan has a whole and a half-entangled pair with the witness of both (CHSH for the first), the four
controls that the witness must not show, `1 1-2` from one preparation in both modes, and one full board. It is
one job, so that no figure can be chosen afterwards. The job's file is one of `circuits.backends.job_store`,
with

    {"format": "qttt kit", "plan": the plan's name, "parts": [for each part the payload that its own job would
     have, its "format" included, and "circuits": how many of the job's circuits are its own, in this order]}
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from qttt.crosscheck.by_device import predict
from qttt.crosscheck.by_job import PendingCheck, pending_check
from qttt.crosscheck.witness import Looks, Plant, pairs_of, plan_witness, reported_readings
from qttt.crosscheck.witness_job import PendingWitness, pending_witness
from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.devices import DeviceObserver, Plan
from qttt.observation.job_runs import CHECK, KIT, WITNESS, PendingJob, free_file, load_job
from qttt.records.record import Record

if TYPE_CHECKING:
    from circuits.backends.job_store import Job
    from circuits.backends.progress import Notify
    from circuits.decoding import Shots
    from circuits.lean import Encoding

PLAN: Final = "1"
"""The plan's name: another plan will have another."""

SHOTS: Final = 1024
MOST_SECONDS: Final = 60.0
"""The most quantum time that a kit may take."""

PAIRS: Final = (("5 5*6", True), ("1+3 1*2", False))
"""Moves of Level 2, and whether CHSH is read too."""

CONTROLLED: Final = "5 5*6"
BOARDS: Final[tuple[tuple[str, "Encoding"], ...]] = (
    ("1 1-2", "coherent"),
    ("1+3 1*2 9 3*4 5+6 7+8", "masked"),
)
"""Moves of Level 4, checked in both modes."""

Part = PendingWitness | PendingCheck


@dataclass(frozen=True)
class PendingKit(PendingJob):
    """A kit whose job was, or will be, sent.

    Attributes:
        parts: what is waited for, in the order of the job's circuits.
        sizes: how many circuits each part has.
        path: the job's file, or None if nothing has to survive this process.
        sent: the job, as far as it is known.
    """

    kind: ClassVar[str] = KIT

    parts: tuple[Part, ...]
    sizes: tuple[int, ...]
    path: Path | None
    sent: "Job | None" = None

    def with_job(self, job: "Job") -> "PendingKit":
        """The same with what is now known of the job."""
        return replace(self, sent=job)

    def payload(self) -> dict[str, Any]:
        """What the job's file keeps besides the job."""
        return {
            "plan": PLAN,
            "parts": [
                {"format": part.kind, **part.payload(), "circuits": size}
                for part, size in zip(self.parts, self.sizes, strict=True)
            ],
        }

    def keep(self) -> None:
        """Nothing waits with the job."""

    def settle(self) -> None:
        """Nothing waited with the job."""

    def report(self, runs: "Sequence[Shots]") -> dict[str, Any]:
        """What the shots say, the object that ``qttt bench --kit --json`` prints but for the job."""
        assert self.sent is not None
        found: dict[str, Any] = {"plan": PLAN, "backend": self.sent.backend, "shots": self.sent.shots}
        found |= {"pairs": [], "controls": [], "checks": []}
        for part, own in zip(
            parts_of(self.sent, self.path or Path("the job")), slices(self.sizes), strict=True
        ):
            record = {"record": " ".join(map(str, part.record.events))}
            if isinstance(part, PendingWitness):
                (pair,) = part.report(runs[own])
                planted = {} if part.plant is None else {"plant": str(part.plant)}
                found["controls" if planted else "pairs"].append(record | planted | pair.to_json())
            else:
                report = part.report(part.record.game(), runs[own])
                found["checks"].append(record | report.to_json())
        shown = all(pair["shown"] for pair in found["pairs"])
        hidden = not any(control["shown"] for control in found["controls"])
        agree = all(check["ok"] for check in found["checks"])
        return found | {"ok": shown and hidden and agree}


def slices(sizes: Sequence[int]) -> Iterator[slice]:
    """Which of a job's circuits each part has."""
    first = 0
    for size in sizes:
        yield slice(first, first + size)
        first += size


def plan_kit(
    observer: DeviceObserver, path: Path | None, shots: int, notify: "Notify | None" = None
) -> tuple[Plan, PendingKit]:
    """Compile all circuits of the plan for one job.

    Args:
        observer: the device.
        path: the job's file.
        shots: of each circuit.
        notify: told of retries and remarks.

    Raises:
        UsageError: the device does not take the circuits, or it would take more than ``MOST_SECONDS``.
        ServiceError: the account or the service failed.
    """
    from circuits.backends.progress import ignore

    parts: list[tuple[Part, Plan]] = []
    looked = [(moves, None, chsh) for moves, chsh in PAIRS] + [(CONTROLLED, plant, False) for plant in Plant]
    device = observer.backend
    for moves, plant, chsh in looked:
        game = Game(2).play(moves)
        pairs = tuple(pairs_of(game))
        reader = DeviceObserver(device, encoding="coherent", options=observer.options)
        plan = plan_witness(Looks(pairs, plant, chsh, device), game, reader, shots, notify)
        errors = reported_readings(observer, plan)
        parts.append((PendingWitness(Record.of(game), None, pairs, plant, errors), plan))
    for moves, encoding in BOARDS:
        game = Game(4).play(moves)
        reader = DeviceObserver(device, encoding=encoding, options=observer.options)
        plan = reader.plan(game, list(Mode), shots, notify)
        predicted = dict(zip(Mode, predict(reader, plan), strict=True))
        parts.append((PendingCheck(Record.of(game), None, predicted), plan))
    circuits = [item for _, plan in parts for item in plan.prepared.circuits]
    prepared = device.prepare(
        [item.circuit for item in circuits],
        shots,
        labels=[item.label for item in circuits],
        readouts=[item.readout for item in circuits],
        options=observer.options,
        compiled=True,
        notify=notify or ignore,
    )
    if prepared.cost.quantum_seconds > MOST_SECONDS:
        raise UsageError(
            f"--shots {shots}: the kit would take {prepared.cost.quantum_seconds:.0f} quantum seconds, and "
            f"it is to take at most {MOST_SECONDS:.0f}"
        )
    drafts = tuple(draft for _, plan in parts for draft in plan.drafts)
    sizes = tuple(len(plan.drafts) for _, plan in parts)
    return Plan(prepared, drafts, ()), PendingKit(tuple(part for part, _ in parts), sizes, path)


def names_of(pending: PendingKit, plan: Plan) -> list[str]:
    """What each circuit is called where the job's cost is shown."""
    names = []
    for part, own in zip(pending.parts, slices(pending.sizes), strict=True):
        what = "" if isinstance(part, PendingCheck) or part.plant is None else f" {part.plant}"
        moves = " ".join(map(str, part.record.events))
        names += [f"{moves}{what}, {item.label}" for item in plan.prepared.circuits[own]]
    return names


def parts_of(job: "Job", where: Path) -> list[Part]:
    """The parts of a kit's job, each with its own circuits as its job.

    Raises:
        UsageError: the job's file is damaged.
    """
    try:
        if job.payload["plan"] != PLAN:
            raise UsageError(
                f"it is of plan {str(job.payload['plan'])[:20]!r}, and this program has plan {PLAN!r}"
            )
        told: Sequence[Mapping[str, Any]] = job.payload["parts"]
        sizes = [int(part["circuits"]) for part in told]
        if min(sizes) < 1 or sum(sizes) != len(job.circuits):
            raise UsageError("its circuits are not those of a kit")
        parts: list[Part] = []
        for part, own in zip(told, slices(sizes), strict=True):
            results = None if job.results is None else job.results[own]
            alone = replace(job, circuits=job.circuits[own], results=results, payload=part)
            is_witness = {WITNESS: True, CHECK: False}[part["format"]]
            parts.append(pending_witness(alone, where) if is_witness else pending_check(alone, where))
        return parts
    except (*MALFORMED, QtttError) as error:
        raise UsageError(f"the job file {where} is damaged: {error}") from error


def find_kit(name: str | Path) -> PendingKit:
    """Find a pending kit by its job's file.

    Raises:
        UsageError: it is no such file; of another kind of job the message names the command that takes it.
        QtttError: the file cannot be read.
    """
    path = Path(name)
    if path.suffix != ".job":
        raise UsageError(f"{name} is no job: qttt bench --resume takes the .job file that --kit has named")
    sent = load_job(path, KIT)
    parts = parts_of(sent, path)
    sizes = tuple(int(part["circuits"]) for part in sent.payload["parts"])
    return PendingKit(tuple(parts), sizes, path, sent)


def free_kit_path(folder: Path = Path()) -> Path:
    """Where the job's file of a kit goes."""
    return free_file(None, "kit", "kit", folder)
