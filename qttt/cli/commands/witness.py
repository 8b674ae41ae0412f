"""``qttt witness``: whether a device's pairs are entangled."""

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    MOMENT_FLAGS,
    RECORD_FLAGS,
    add_flags,
    add_moment_flags,
    add_record_arguments,
    file_name,
    record_of,
    refuse_beside,
)
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.records.record import Record

if TYPE_CHECKING:
    from qttt.crosscheck.witness import PairWitness, Plant
    from qttt.crosscheck.witness_job import PendingWitness

PLANTS = ("mixture", "dephased", "depolarised", "product")
_SENT_FOR = (*RECORD_FLAGS, *MOMENT_FLAGS, "--backend", "--squares", "--shots", "--chsh", "--plant", "--seed")
"""What a job that was sent has settled."""


def _two_squares(text: str) -> tuple[int, int]:
    a, _, b = text.partition(",")
    if len(a) != 1 or len(b) != 1 or not {a, b} <= set("123456789") or a == b:
        raise ArgumentTypeError(f"it must be two squares such as 1,2, not {text!r}")
    return int(a), int(b)


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, optional=True)
    add_moment_flags(parser)
    add_flags(parser, "--backend", help="who reads: a device (qttt backends lists them), or aer")
    parser.add_argument(
        "--squares",
        metavar="A,B",
        type=_two_squares,
        help="this pair alone (default every pair)",
    )
    add_flags(parser, "--shots", help="shots of each setting (default 4096)")
    parser.add_argument(
        "--chsh", action="store_true", help="read four more settings, whose directions lie between the modes"
    )
    parser.add_argument(
        "--plant",
        metavar="STATE",
        choices=PLANTS,
        help=f"a control: put a state without entanglement in each pair's place ({', '.join(PLANTS)})",
    )
    add_flags(parser, "--seed", "--json", "--dd", "--twirl", "--dry-run", "--yes", "--anyway")
    parser.add_argument(
        "--resume", metavar="JOBFILE", type=file_name, help="fetch the result of a job that was sent before"
    )


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.crosscheck.witness import DEFAULT_SHOTS, Looks, Plant, chosen_pairs, run_ideal
    from qttt.observation.devices import is_device

    if arguments.resume is not None:
        return _resume(arguments, session)
    if arguments.record is None:
        raise UsageError("name the record whose pairs are read, or with --resume the job to fetch")
    if arguments.backend is None:
        raise UsageError("say with --backend who reads: a device, or aer for a run without noise")
    record, backend = record_of(arguments, session), arguments.backend
    game, shots = record.game(), arguments.shots or DEFAULT_SHOTS
    pairs = chosen_pairs(game, arguments.squares)
    plant = None if arguments.plant is None else Plant(arguments.plant)
    if not pairs:
        return _tell([], record, plant, backend, shots, arguments, session)
    if is_device(backend):
        return _by_device(record, pairs, plant, shots, arguments, session)
    from circuits.backends import Kind, get_backend, kind_of
    from circuits.errors import NoSuchBackendError

    try:
        if kind_of(backend) is not Kind.IDEAL:
            raise UsageError(f"{backend} runs no circuits")
    except NoSuchBackendError as error:
        raise UsageError(str(error)) from error
    for flag in ("dd", "twirl", "dry_run", "yes", "anyway"):
        if getattr(arguments, flag):
            name = flag.replace("_", "-")
            raise UsageError(f"--{name} goes with a device, for example --backend fake_torino")
    looks = Looks(pairs, plant, arguments.chsh, get_backend(backend))
    with waiting(session, "reading"):
        readings = run_ideal(looks, game, shots, session.generator(arguments.seed))
    found = [readings.witness(pair) for pair in pairs]
    return _tell(found, record, plant, backend, shots, arguments, session)


def _by_device(
    record: Record,
    pairs: list[tuple[int, int]],
    plant: "Plant | None",
    shots: int,
    arguments: Namespace,
    session: Session,
) -> int:
    """Send a job and wait for it, or say what it would cost."""
    from qttt.cli.console.device_plans import find_device, progress, show_dry_run
    from qttt.cli.console.job_output import confirm, run_job
    from qttt.crosscheck.witness import Looks, plan_witness, reported_readings
    from qttt.crosscheck.witness_job import PendingWitness, free_witness_path
    from qttt.records.files import names_file
    from qttt.tabletop.rolls import Rolls

    device = find_device(
        arguments.backend,
        Rolls.EXACT,
        session,
        encoding="coherent",
        decoupling=arguments.dd,
        twirling=arguments.twirl,
    )
    game, looks = record.game(), Looks(pairs, plant, arguments.chsh, device.backend)
    with progress(session, device.backend.local) as notify:
        plan = plan_witness(looks, game, device, shots, notify)
    names = [item.label for item in plan.prepared.circuits]
    if arguments.dry_run:
        level = game.rules.level.number
        show_dry_run(plan, device, session, level, as_json=arguments.json, names=names)
        return 0
    errors = reported_readings(device, plan)
    confirm(plan, device, session, arguments.yes, arguments.anyway, names)
    file = Path(arguments.record) if names_file(arguments.record) else None
    path = free_witness_path(file) if device.keeps_job(file) else None
    if path is not None and device.backend.local and not os.access(path.parent, os.W_OK):
        path = None
    pending = PendingWitness(record, path, tuple(pairs), plant, errors)
    pending, runs = run_job(device, plan, pending, session.generator(arguments.seed), session)
    found = pending.report(runs)
    return _tell(found, record, plant, device.name, shots, arguments, session, pending)


def _resume(arguments: Namespace, session: Session) -> int:
    """Fetch the result of a job that was sent before."""
    from qttt.cli.console.job_output import fetch_job
    from qttt.crosscheck.witness_job import find_witness

    refuse_beside(arguments, "--resume", (*_SENT_FOR, "--dry-run"), "the job says what it was sent for")
    pending = find_witness(arguments.resume)
    pending, runs = fetch_job(pending, session, arguments.yes, arguments.anyway)
    assert pending.sent is not None
    found, shots = pending.report(runs), pending.readings(runs).shots
    name = pending.sent.backend
    return _tell(found, pending.record, pending.plant, name, shots, arguments, session, pending)


def _tell(
    found: "list[PairWitness]",
    record: Record,
    plant: "Plant | None",
    backend: str,
    shots: int,
    arguments: Namespace,
    session: Session,
    pending: "PendingWitness | None" = None,
) -> int:
    """Print what was found; 0 if every pair is shown."""
    shown = bool(found) and all(one.shown for one in found)
    if arguments.json:
        from qttt.observation.job_runs import describe

        report: dict[str, Any] = {
            "level": record.rules.level.number,
            "backend": backend,
            "shots": shots,
            "plant": None if plant is None else str(plant),
            "pairs": [one.to_json() for one in found],
        }
        session.write_json(report | ({} if pending is None else describe(pending)))
        return 0 if shown else 1
    if not found:
        session.show("No pair of squares is entangled on this board.")
        return 1
    for one in found:
        session.show(*_words(one, plant, backend, shots), "")
    from qttt.crosscheck.witness import ASSUMED, ASSUMED_OF_CHSH

    session.show(
        "This assumes:", *(f"- {text}" for text in (*ASSUMED, *([ASSUMED_OF_CHSH] * arguments.chsh)))
    )
    if pending is not None:
        from qttt.cli.console.job_output import job_remarks

        session.show(*job_remarks(pending))
    return 0 if shown else 1


def _words(one: "PairWitness", plant: "Plant | None", backend: str, shots: int) -> list[Any]:
    from qttt.cli.console.tables import plain_table
    from qttt.crosscheck.witness import CHSH, CONFIDENCE, MODES
    from qttt.display.text import percent

    a, b = one.pair
    what = "" if plant is None else f" A {plant} state is planted there."
    table = plain_table("setting", ">both filled", ">product", f"{100 * CONFIDENCE:g} % interval")
    for name in one.settings:
        setting = one.settings[name]
        low, high = setting.interval(CONFIDENCE)
        shown = name if name in MODES else f"{CHSH[name][0]}° and {CHSH[name][1]}°"
        kept = setting.kept / setting.shots if setting.shots else 0.0
        table.add_row(shown, percent(kept), f"{setting.mean:+.4f}", f"{low:+.4f} to {high:+.4f}")
    lines: list[Any] = [
        f"Squares {a} and {b} on {backend}, {shots:,} shots a setting, those with both filled.{what}",
        "",
        table,
        "",
        f"W = {one.w:.4f}, at least {one.w_lower:.4f} with {100 * CONFIDENCE:g} % confidence. Without "
        "entanglement it is at most 1; an ideal pair has 2.",
    ]
    if one.kept_p_value < 1 - CONFIDENCE:
        lines.append(
            f"But the settings keep different fractions (p-value {one.kept_p_value:.5f}): they did not see "
            "the same preparation."
        )
    if one.shown:
        lines.append(
            f"So the pair is entangled. Its fidelity with the ideal one is at least {one.w_lower / 2:.4f}."
        )
    else:
        lines.append("So nothing is shown: a mixture of answers fixed beforehand could give these counts.")
    if one.mitigated is not None:
        zz, xx = one.mitigated
        lines.append(
            f"Corrected for the reported errors of reading W = {-zz - xx:.4f}; that decides nothing."
        )
    if CHSH.keys() <= one.settings.keys():
        low, high = one.s_interval
        lines.append(
            f"CHSH: S = {one.s:.4f}, {low:.4f} to {high:.4f} at {100 * CONFIDENCE:g} %. Answers fixed "
            "beforehand have at most 2, an ideal pair 2.8284."
        )
    return lines


COMMAND = Command(
    explanation=(
        "Reads every entangled pair of a board in both modes, from one preparation, and says whether the "
        "counts show that it is entangled. Only shots with both squares filled are kept, and nothing else "
        "is asked of them. W is minus the mean product of the symbols in standard mode, minus that in "
        "rotated mode: without entanglement it is at most 1. A pair is shown if the lower 99.9 % bound of "
        "the raw W exceeds 1; the exit status is 1 if one is not. --plant puts a state without "
        "entanglement in each pair's place, which must not be shown. The board need not be full. All "
        "settings go in one job, whose file is on disk before anything is sent; --resume fetches its "
        "result."
    ),
    examples=(
        "witness '5 5*6' --backend fake_torino --seed 1",
        "witness '1+3 1*2' --backend fake_mumbai --chsh --seed 1",
        "witness '5 5*6' --backend fake_torino --plant mixture --seed 1",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
