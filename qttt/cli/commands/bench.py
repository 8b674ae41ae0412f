"""``qttt bench``: how well chips play."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, file_name
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
        "backends", metavar="BACKEND", nargs="+", help="devices that are simulated here, such as fake_torino"
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


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.crosscheck.bench import DEFAULT_SHOTS, TRIALS, bench_report, run_suite

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
        "on every device, compiled with other seeds each time. The score of an observation is 100, times the "
        "fraction of possible shots, times one minus their distance from the exact odds beyond that of "
        "chance; intervals are at 95 %, from the repeats. Beside what is found stands what the device's "
        "reported errors predict. A simulated device has the errors of one day, which every row says. With "
        "--file the same command goes on where it was stopped."
    ),
    examples=(
        "bench fake_mumbai fake_torino --file bench.json --out bench.html",
        "bench fake_hanoi --shots 256 --json",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
