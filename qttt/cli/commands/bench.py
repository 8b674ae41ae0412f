"""``qttt bench``: how well chips play."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, file_name, refuse_beside
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.storage import MAX_BYTES, FileError, read_file, save_file

if TYPE_CHECKING:
    from rich.table import Table

    from qttt.crosscheck.bench import DeviceResult, Findings
    from qttt.observation.devices import DeviceObserver


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "backends", metavar="BACKEND", nargs="*", help="devices that are simulated here, such as fake_torino"
    )
    add_flags(parser, "--shots", help="shots of each observation (default 1024)")
    add_flags(parser, "--seed", help="another seed gives other shots (default 0)")
    parser.add_argument(
        "--file",
        metavar="FILE",
        type=file_name,
        help="keep what is done there, board by board, and go on from it the next time",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=file_name, help="write a page that needs no other file (.html)"
    )
    add_flags(parser, "--json")
    group = parser.add_argument_group("for a real chip, or one that is simulated here")
    group.add_argument(
        "--kit",
        action="store_true",
        help="one job by a plan that is fixed beforehand, at most 60 quantum seconds: pairs, their controls, "
        "1 1-2 from one preparation in both modes, a full board; an archive at its end",
    )
    add_flags(group, "--dry-run", "--yes", "--anyway")  # type: ignore[arg-type]
    group.add_argument(
        "--resume", metavar="JOBFILE", type=file_name, help="fetch the result of a kit that was sent before"
    )


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.crosscheck.bench import DEFAULT_SHOTS, TRIALS, bench_report, run_suite

    if arguments.kit or arguments.resume is not None:
        return _kit(arguments, session)
    for flag in ("dry_run", "yes", "anyway"):
        if getattr(arguments, flag):
            raise UsageError(f"--{flag.replace('_', '-')} goes with --kit")
    if not arguments.backends:
        raise UsageError("name the devices, for example fake_torino")
    names = list(dict.fromkeys(arguments.backends))
    _check_names(names)
    if arguments.out is not None and not arguments.out.lower().endswith(".html"):
        raise UsageError(f"--out {arguments.out}: the name must end with .html")
    shots, seed = arguments.shots or DEFAULT_SHOTS, arguments.seed or 0
    findings = _findings(arguments.file, shots, seed)
    results = []
    with waiting(session, "observing", len(names) * len(TRIALS)) as wait:

        def done() -> None:
            if arguments.file is not None:
                save_file(arguments.file, json.dumps(findings.to_json()) + "\n")
            wait.step()

        for name in names:
            wait.tell(f"observing on {name}")
            results.append(run_suite(_open(name), findings, done))
    results.sort(key=lambda result: -result.score)
    if arguments.out is not None:
        from qttt.teaching.lesson.bench_page import bench_html

        save_file(arguments.out, bench_html(results, shots))
    if arguments.json:
        session.write_json(bench_report(results, shots, seed))
    else:
        _show(results, shots, session)
        if arguments.out is not None:
            session.show("", f"Wrote {arguments.out}.")
    return 0


def _kit(arguments: Namespace, session: Session) -> int:
    """Run the kit on one device, or fetch one that was sent before."""
    from qttt.cli.console.device_plans import find_device, progress, show_dry_run
    from qttt.cli.console.job_output import confirm, fetch_job, job_remarks, run_job
    from qttt.crosscheck.kit import SHOTS, find_kit, free_kit_path, names_of, plan_kit
    from qttt.observation.job_runs import describe
    from qttt.tabletop.rolls import Rolls

    refused = ("--file", "--out")
    if arguments.resume is not None:
        refuse_beside(
            arguments, "--resume", (*refused, "--shots", "--seed", "--dry-run"), "the job has all of it"
        )
        if arguments.backends:
            raise UsageError("--resume takes a job's file alone: the job says on which device it is")
        pending, runs = fetch_job(find_kit(arguments.resume), session, arguments.yes, arguments.anyway)
    else:
        refuse_beside(arguments, "--kit", refused, "its archive has everything")
        if len(arguments.backends) != 1:
            raise UsageError("--kit takes one device, for example fake_torino")
        device = find_device(arguments.backends[0], Rolls.EXACT, session)
        with progress(session, device.backend.local) as notify:
            plan, pending = plan_kit(device, free_kit_path(), arguments.shots or SHOTS, notify)
        names = names_of(pending, plan)
        if arguments.dry_run:
            show_dry_run(plan, device, session, None, as_json=arguments.json, names=names)
            return 0
        confirm(plan, device, session, arguments.yes, arguments.anyway, names)
        pending, runs = run_job(device, plan, pending, session.generator(arguments.seed), session)
    report = pending.report(runs)
    if arguments.json:
        session.write_json(report | describe(pending))
    else:
        session.show(*_kit_words(report), *job_remarks(pending))
    return 0 if report["ok"] else 1


def _kit_words(report: "dict[str, Any]") -> "Iterator[Any]":
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent

    yield f"The kit on {report['backend']}, plan {report['plan']}, {report['shots']:,} shots a circuit:"
    yield ""
    table = plain_table("record", "planted", ">W", ">at least", ">S", "")
    for row in (*report["pairs"], *report["controls"]):
        s = f"{row['chsh']['s']:.4f}" if "chsh" in row else ""
        verdict = "entangled" if row["shown"] else "nothing is shown"
        figures = (f"{row['w']:.4f}", f"{row['w_lower']:.4f}", s)
        table.add_row(row["record"], row.get("plant", ""), *figures, verdict)
    yield table
    yield ""
    table = plain_table("record", "mode", ">impossible", ">distance", "")
    for check in report["checks"]:
        for mode, one in check.get("modes", {check["mode"]: check}).items():
            impossible = percent(one["illegal"] / one["shots"])
            verdict = "as an honest device" if one["ok"] else "NOT as an honest device"
            table.add_row(check["record"], mode, impossible, f"{one['sampled_tvd']:.4f}", verdict)
    yield table
    yield ""
    yield (
        "Pairs are shown, controls are not, boards are as expected."
        if report["ok"]
        else "Not all is as the plan demands."
    )


def _check_names(names: list[str]) -> None:
    """Refuse what is no device that is simulated here, before the first of them takes its minutes."""
    from circuits.backends import list_backends
    from qttt.observation.devices import is_device

    listed = {row.name for row in list_backends(False)[0]}
    for name in names:
        if name == "ibm" or name.startswith("ibm_"):
            raise UsageError(
                f"{name} is a real device, and bench runs on devices that are simulated here (fake_<name>)"
            )
        if not is_device(name):
            raise UsageError(f"{name} is no device: qttt backends lists them")
        if name not in listed:
            # What has no line may be a device all the same, or there is none: opening it says so.
            _open(name)


def _open(name: str) -> "DeviceObserver":
    from qttt.observation.devices import open_device

    observer = open_device(name)
    if not observer.backend.local:
        raise UsageError(f"{name} does not run here, and bench runs on devices that are simulated here")
    return observer


def _findings(file: str | None, shots: int, seed: int) -> "Findings":
    from pathlib import Path

    from qttt.crosscheck.bench import Findings

    if file is None or not Path(file).exists():
        return Findings(shots, seed)
    try:
        return Findings.from_json(json.loads(read_file(file, 16 * MAX_BYTES)), shots, seed)
    except (UsageError, ValueError, RecursionError) as error:
        raise FileError(file, f"cannot go on from {file}: {error}") from error


def _show(results: "list[DeviceResult]", shots: int, session: Session) -> None:
    from qttt.crosscheck.bench import BOARDS, REPEATS

    session.show(
        f"Six boards in both modes, each {REPEATS} times with {shots:,} shots; 100 is a perfect chip.",
        "",
        _scores(results),
    )
    for result in results:
        session.show("", f"{result.backend}, {snapshot_words(result)}, board by board:", "", _boards(result))
    session.show("", *(f"{n}  {record} (Level {level})" for n, (level, _, record) in enumerate(BOARDS, 1)))


def snapshot_words(result: "DeviceResult") -> str:
    """What a device's figures are of."""
    if result.snapshot is None:
        return "simulated"
    return f"simulated from a snapshot of {result.snapshot}"


def _scores(results: "list[DeviceResult]") -> "Table":
    from qttt.cli.console.tables import plain_table

    table = plain_table("device", ">score", "95 % interval", ">predicted", "")
    for result in results:
        low, high = result.score_interval
        predicted = result.predicted_score
        table.add_row(
            result.backend,
            f"{result.score:.2f}",
            f"{low:.2f} to {high:.2f}",
            "unknown" if predicted is None else f"{predicted:.2f}",
            snapshot_words(result),
        )
    return table


def _boards(result: "DeviceResult") -> "Table":
    from qttt.cli.console.tables import plain_table
    from qttt.crosscheck.bench import BOARDS
    from qttt.display.text import percent

    table = plain_table(
        ">board",
        "mode",
        "style",
        ">gates",
        ">impossible",
        ">predicted",
        ">distance",
        "95 % interval",
        ">chance",
        ">score",
    )
    numbers = {record: number for number, (_, _, record) in enumerate(BOARDS, 1)}
    for row in result.to_json()["boards"]:
        low, high = row["tvd_after_interval"]
        predicted = row["predicted_impossible"]
        table.add_row(
            str(numbers[row["record"]]),
            row["mode"],
            row["style"],
            f"{row['two_qubit_gates']:.1f}",
            percent(row["impossible"]),
            "unknown" if predicted is None else percent(predicted),
            f"{row['tvd_after']:.4f}",
            f"{low:.4f} to {high:.4f}",
            f"{row['chance_tvd']:.4f}",
            f"{row['score']:.2f}",
        )
    return table


COMMAND = Command(
    explanation=(
        "Scores how well chips play: six full boards of all kinds, in both modes, observed four times each "
        "on every device, compiled with other seeds each time. The score of an observation is 100, times "
        "the fraction of possible shots, times one minus their distance from the exact odds beyond that of "
        "chance; intervals are at 95 %, from the repeats. Beside what is found stands what the device's "
        "reported errors predict. A simulated device has the errors of one day, which every row says. With "
        "--file the same command goes on where it was stopped. --kit is for whoever has an account: one "
        "job of at most 60 quantum seconds, whose archive qttt check --archive comes to again."
    ),
    examples=(
        "bench fake_mumbai fake_torino --file bench.json --out bench.html",
        "bench fake_hanoi --shots 256 --json",
        "bench fake_torino --kit --seed 1",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
