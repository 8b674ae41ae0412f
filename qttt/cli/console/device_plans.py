"""What a device's job will cost, and what it does, shown to a person."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from qttt.cli.console.session import Session
from qttt.observation.devices import DeviceObserver, Plan, open_device
from qttt.observation.noise_gate import LEAST_FAULTLESS
from qttt.observation.observers import refuse_rolls
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    from qiskit.circuit import QuantumCircuit
    from rich.status import Status

    from circuits.backends.plans import Prepared
    from circuits.backends.progress import Progress


def plan_report(plan: Plan, observer: DeviceObserver) -> dict[str, Any]:
    """The object that ``qttt observe --dry-run --json`` prints."""
    cost = plan.prepared.cost
    return {
        "backend": observer.name,
        "encoding": observer.encoding,
        "collapsed": plan.collapsed is not None,
        "circuits": [
            {
                "mode": item.label,
                "qubits": circuit.qubits,
                "two_qubit_gates": circuit.two_qubit_gates,
                "depth": circuit.depth,
                "usable": circuit.faultless,
                "operations": _operations(item.circuit),
            }
            for circuit, item in zip(cost.circuits, plan.prepared.circuits, strict=True)
        ],
        "shots": cost.shots,
        "quantum_seconds": cost.quantum_seconds,
        "basis": cost.basis,
        "plan": cost.plan,
        "instance": cost.instance,
        "paid": cost.paid,
        "seconds_left": cost.seconds_left,
        "status": cost.status,
        "queue": cost.queue,
        "obstacles": list(plan.prepared.obstacles),
        "warnings": list(plan.prepared.warnings),
        "noise": plan.noise,
    }


def _usable(faultless: float | None) -> str:
    """What is promised of the shots: faults of some kinds do no harm, but nothing is promised of a few."""
    from qttt.display.text import percent

    if faultless is None:
        return "unknown"
    return "next to none" if faultless < LEAST_FAULTLESS else f"at least {percent(faultless)}"


def show_plan(plan: Plan, session: Session, *, to_stderr: bool = False, names: Sequence[str] = ()) -> None:
    """Print the circuits of a plan and what they will cost; circuits that have names of their own undrawn."""
    from circuits.drawing import draw
    from qttt.cli.console.characters import in_ascii

    for item, draft in zip(plan.prepared.circuits, plan.drafts, strict=True):
        if draft.num_qubits and not names:
            text = str(draw(draft, "text", width=session.drawing_columns))
            session.show(
                f"The circuit ({item.label}):",
                text if session.takes_unicode else in_ascii(text),
                "",
                to_stderr=to_stderr,
            )
    show_cost(plan.prepared, session, to_stderr=to_stderr, names=names)


def show_cost(
    prepared: "Prepared", session: Session, *, to_stderr: bool = False, names: Sequence[str] = ()
) -> None:
    """Print what the circuits of a job are like on its device, what they will cost, and how the device is.

    Args:
        prepared: the job.
        session: where it is shown.
        to_stderr: it belongs to a question.
        names: what each circuit is called; by default by its mode.
    """
    from qttt.cli.console.tables import plain_table

    cost = prepared.cost
    names = names or [item.label for item in prepared.circuits]
    table = plain_table(
        "mode", ">qubits", ">two-qubit gates", ">depth", ">usable shots", "operations", prose=5
    )
    for circuit, item, name in zip(cost.circuits, prepared.circuits, names, strict=True):
        table.add_row(
            name,
            str(circuit.qubits),
            str(circuit.two_qubit_gates),
            str(circuit.depth),
            _usable(circuit.faultless),
            ", ".join(f"{name} {count}" for name, count in _operations(item.circuit).items()),
        )
    unknown = any(circuit.faultless is None for circuit in cost.circuits)
    errors = "which reports no errors" if unknown else "as the device reports its errors"
    charged = "nothing is charged" if cost.plan is None else f"plan {cost.plan}"
    if cost.instance is not None:
        charged += f", instance {cost.instance}"
    if cost.seconds_left is not None:
        charged += f", with {cost.seconds_left:,.0f} quantum seconds left"
    session.show(
        f"On {prepared.backend}, {errors}:",
        table,
        f"{len(cost.circuits)} x {cost.shots:,} shots, about {cost.quantum_seconds:.1f} "
        f"quantum seconds ({cost.basis}); {charged}.",
        *([] if cost.status is None else [f"{prepared.backend} is {cost.status}{_waiting(cost.queue)}."]),
        *(f"Note: {remark}." for remark in (*prepared.warnings, *prepared.obstacles)),
        to_stderr=to_stderr,
    )


def _operations(circuit: "QuantumCircuit") -> dict[str, int]:
    return {str(name): int(count) for name, count in sorted(circuit.count_ops().items())}


def _waiting(queue: int | None) -> str:
    """How many jobs wait for a device, after a comma."""
    return (
        "" if queue is None else f", {queue} {'job is' if queue == 1 else 'jobs are'} waiting for the device"
    )


def show_dry_run(
    plan: Plan,
    observer: DeviceObserver,
    session: Session,
    level: int | None,
    *,
    as_json: bool,
    names: Sequence[str] = (),
) -> None:
    """Print what a job for games of a level would cost, for people or as JSON; see `show_plan`."""
    if as_json:
        session.write_json({"level": level, **plan_report(plan, observer)})
    else:
        show_plan(plan, session, names=names)


def find_device(name: str, rolls: Rolls, session: Session, **settings: Any) -> DeviceObserver:
    """Find the device of a name, with what it says meanwhile shown.

    Args:
        name: its name.
        rolls: how ``dice`` would roll; a device does not.
        session: where retries and remarks are shown.
        **settings: those of `qttt.observation.devices.open_device`.

    Raises:
        UsageError: there is no such device, or the extra ``ibm`` is not installed.
        ServiceError: the account or the service failed.
    """
    refuse_rolls(rolls, name)
    with progress(session, local=name.startswith("fake_")) as notify:
        return open_device(name, notify, **settings)


@contextmanager
def progress(session: Session, local: bool) -> "Iterator[Callable[[Progress], None]]":
    """Show on standard error what a job does: a moving line on a terminal, else a line for each change.

    Args:
        session: where it is shown.
        local: the device is simulated here; off a terminal, its few seconds are not worth a line.
    """
    if not session.stderr.isatty():
        yield lambda news: None if local else session.show(_line(news), to_stderr=True)
        return
    from qttt.cli.console.console import SafeConsole

    console = SafeConsole(file=session.stderr)
    with console.status("one moment") as status:
        # Lines are wrapped by the terminal, so that a command in them can be copied whole.
        yield _Moving(status, partial(console.print, soft_wrap=True))


class _Moving:
    """A status line; remarks and retries stay above it."""

    def __init__(self, status: "Status", show: Callable[[str], None]) -> None:
        self.status = status
        self.show = show

    def __call__(self, news: "Progress") -> None:
        from rich.text import Text

        if news.status in ("note", "retrying"):
            self.show(_line(news))
        else:
            # As a text: Rich would take what stands in brackets in a string for its markup.
            self.status.update(Text(_line(news)))


def _line(news: "Progress") -> str:
    text: str = news.status
    if news.job_id:
        text += f", job {news.job_id}"
    text += _waiting(news.queue)
    return f"{text}: {news.detail}" if news.detail else text
