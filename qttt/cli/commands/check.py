"""``qttt check``: dice, circuits and shots held against each other."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_backend_arguments,
    add_device_arguments,
    add_json_argument,
    add_record_arguments,
    add_seed_argument,
    add_shots_argument,
    alone,
    file_name,
    mode_of,
    names_device,
    observer_of,
    read_as,
    record_of,
)
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import ServiceError, UsageError
from qttt.game.symbols import Mode
from qttt.records.record import Record
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    from qttt.crosscheck.by_device import DeviceVerdict
    from qttt.crosscheck.by_job import PendingCheck
    from qttt.crosscheck.check import ViewDifference
    from qttt.crosscheck.report import CheckReport, ModeCheck

VIEWS = ("tabletop", "physical", "both")
STATUS = {True: 0, False: 1, None: 3}
"""The exit status of a verdict."""


def view_differences(record: Record, modes: Iterable[Mode]) -> "dict[Mode, ViewDifference]":
    """What the two readings of a view switch make of one record (decision D5), in each mode.

    Args:
        record: a Level-5 record.
        modes: modes of observation.

    Raises:
        RecordError: an earlier observation in the record is impossible in one of the readings.
    """
    from qttt.crosscheck.check import compare_views

    tabletop, physical = (read_as(record, physical=physical).game() for physical in (False, True))
    return {mode: compare_views(tabletop.state.odds(mode), physical.state.odds(mode)) for mode in modes}


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, optional=True, views=VIEWS)
    parser.add_argument(
        "--mode",
        choices=[str(mode) for mode in Mode],
        help="look at this mode of observation alone (default every mode that the position has)",
    )
    add_backend_arguments(parser)
    add_shots_argument(parser, "shots to take in each mode (default 4096)")
    add_seed_argument(parser)
    add_json_argument(parser)
    add_device_arguments(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what a job would cost, and send nothing")
    parser.add_argument(
        "--yes",
        action="store_true",
        help="send a job to a real device without asking; with --resume, also one that never arrived there",
    )
    parser.add_argument(
        "--mitigate",
        action="store_true",
        help="on a device also correct the distribution for faulty measurements (extra 'mitigation')",
    )
    parser.add_argument(
        "--self",
        action="store_true",
        help="check this installation by a battery of records of its own, in some ten seconds at most",
    )
    parser.add_argument(
        "--resume",
        metavar="JOBFILE",
        type=file_name,
        help="fetch the result of a job that was sent before, and judge it",
    )


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.crosscheck.check import DEFAULT_SHOTS, check, modes_to_check

    if arguments.self:
        return _check_installation(arguments, session)
    if arguments.resume is not None:
        from qttt.cli.commands.check_by_job import resume

        found = resume(arguments, session)
        pending = found.pending
        differences = view_differences(pending.record, pending.predictions) if pending.views else {}
        return _tell(found.report, differences, arguments, session, pending)
    if arguments.record is None:
        raise UsageError("name the record to check, or with --resume the job to fetch")
    record = record_of(arguments, session, exploring=True)
    game = record.game()
    # A named mode is refused here if the level does not have it, before anything is drawn or sent.
    modes = modes_to_check(game, None if arguments.mode is None else mode_of(arguments, game))
    differences = {}
    if arguments.view == "both":
        if not game.rules.level.rotated_view:
            raise UsageError(f"--view both needs Level 5, and this is Level {game.rules.level.number}")
        differences = view_differences(record, modes)
    shots = arguments.shots or DEFAULT_SHOTS
    if not names_device(arguments):
        observer, rng = observer_of(arguments), session.generator(arguments.seed)
        mode = None if arguments.mode is None else modes[0]
        with waiting(session, f"checking with {shots:,} shots"):
            report = check(game, mode, observer, rng, shots=shots, rolls=Rolls(arguments.rolls))
        return _tell(report, differences, arguments, session)
    if arguments.dry_run:
        from qttt.cli.commands.check_by_job import dry_run

        return dry_run(game, modes, shots, arguments, session)
    from qttt.cli.commands.check_by_job import check_by_job

    found = check_by_job(record, game, modes, shots, arguments, session)
    return _tell(found.report, differences, arguments, session, found.pending)


def _check_installation(arguments: Namespace, session: Session) -> int:
    """``--self``: hold the battery, and print its cases."""
    from qttt.cli.console.tables import plain_table
    from qttt.crosscheck.selfcheck import hold_battery
    from qttt.display.text import small

    alone(
        arguments,
        "--self",
        "its records are settled",
        *("--mode", "--mitigate", "--dry-run", "--yes", "--resume"),
    )
    with waiting(session, "checking this installation"):
        cases = hold_battery(session.generator(arguments.seed or 0))
    ok = all(case.ok for case in cases)
    if arguments.json:
        session.write_json({"ok": ok, "cases": [case.to_json() for case in cases]})
        return STATUS[ok]
    table = plain_table(">level", "record", "mode", "shots", ">exact distance", ">p-value", "")
    for case in cases:
        table.add_row(
            "" if case.level is None else str(case.level),
            case.record,
            str(case.mode),
            case.backend,
            small(case.exact_tvd),
            f"{case.p_value:.4f}",
            "agrees" if case.ok else "DIFFERS",
        )
    failed = sum(not case.ok for case in cases)
    session.show(
        table,
        "",
        f"All {len(cases)} cases agree." if ok else f"{failed} of {len(cases)} cases do NOT agree.",
    )
    return STATUS[ok]


def _tell(
    report: "CheckReport",
    differences: "Mapping[Mode, ViewDifference]",
    arguments: Namespace,
    session: Session,
    pending: "PendingCheck | None" = None,
) -> int:
    """Print what was found, and the job that it was found with.

    Raises:
        ServiceError: nothing speaks against the circuits, but in a mode no shot counts.
    """
    if arguments.json:
        from qttt.observation.job_runs import describe

        job = {} if pending is None else describe(pending)
        session.write_json({**_to_json(report, differences), **job})
    else:
        _show(report, differences, session)
        if pending is not None and pending.path is not None:
            session.show(f"The job is kept in {pending.path}.")
    if report.ok is None:
        empty = next(one for one in report.modes if one.ok is None)
        why = empty.sample.nothing
        if empty.sample.kept:
            why = f"{empty.backend} reports no errors to hold its shots against"
        raise ServiceError(f"nothing can be said of the {empty.mode} mode: {why}")
    return STATUS[report.ok]


def _to_json(report: "CheckReport", differences: "Mapping[Mode, ViewDifference]") -> dict[str, Any]:
    """The report, each mode with what the readings of view switches make of it, and the farthest on top."""
    found = report.to_json()
    if differences:
        found["views"] = _views_json(max(differences.values(), key=lambda difference: difference.distance))
        for mode, one in found.get("modes", {}).items():
            one["views"] = _views_json(differences[Mode(mode)])
    return found


def _views_json(difference: "ViewDifference") -> dict[str, Any]:
    return {
        "distance": difference.distance,
        "boards": {
            board: {"tabletop": one, "physical": other} for board, (one, other) in difference.boards.items()
        },
        "squares": [
            {"square": square, "symbol": str(symbol), "tabletop": one, "physical": other}
            for (square, symbol), (one, other) in difference.squares.items()
        ],
    }


_WHY_NO_PROMISE = (
    "- where the dice's values alone say less: half-cancelled roots are renormalised, and half-entangled",
    "squares read otherwise in the rotated mode; or a view switch turned the state and not the dice.",
)


_VERDICTS = {True: "Everything agrees.", False: "This does NOT agree.", None: "Nothing can be said."}


def _show(report: "CheckReport", differences: "Mapping[Mode, ViewDifference]", session: Session) -> None:
    for one in report.modes:
        if len(report.modes) > 1:
            session.show(*([] if one is report.modes[0] else [""]), f"{str(one.mode).capitalize()} mode", "")
        _show_mode(one, session)
        if one.mode in differences:
            _show_views(differences[one.mode], session)
    if report.unresolved:
        session.show("", "Faults that this record would not show, since its odds would stay as they are:")
        session.show(*(f"- {fault}" for fault in report.unresolved))
    agrees = _VERDICTS[report.ok]
    if report.ok and report.modes[0].device is not None:
        agrees = "The descriptions agree, and the device keeps within what its errors predict."
    session.show("", agrees)


def _show_mode(report: "ModeCheck", session: Session) -> None:
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent, small

    exact = plain_table("exact distance between", "")
    for pair, distance in report.distances.items():
        exact.add_row(pair.replace("-", " and "), small(distance))
    sample = report.sample
    by_d6 = report.rolled_by is Rolls.D6
    columns = [">dice", ">exact", *([">d6"] if by_d6 else []), ">measured", "99 % interval"]
    squares = plain_table("square", "symbol", *columns)
    for row in report.squares:
        squares.add_row(
            str(row.square),
            str(row.symbol),
            "-" if row.dice is None else percent(row.dice),
            percent(row.exact),
            *([] if row.rolled is None else [percent(row.rolled)]),
            percent(row.measured),
            f"{percent(row.low)} to {percent(row.high)}",
        )
    odds = "odds of the d6 rolls" if by_d6 else "exact odds"
    judged = "" if report.device is not None else f" ({report.threshold:g} or less would fail)"
    session.show(
        exact,
        "",
        f"{_counted(sample.shots, 'shot', 'shots')} on {report.backend} in {report.mode} mode: "
        f"{_counted(sample.kept, 'counts', 'count')}, {_counted(sample.illegal, 'is', 'are')} illegal, "
        f"{_counted(sample.herald_failed, 'has', 'have')} a failed herald "
        f"({percent(report.herald_expected)} expected).",
        f"Distance of the shots from the {odds} {report.sampled_tvd:.4f}, "
        f"p-value {report.p_value:.4f}{judged}.",
    )
    if report.device is not None:
        _show_device(report.device, session)
    for board, count in report.impossible.items():
        session.show(f"Impossible, and yet measured {count:,} times: {board}")
    session.show("", squares)
    if any(row.dice is None for row in report.squares):
        session.show("", *_WHY_NO_PROMISE)
    for rolls in report.rolls:
        parts = zip(rolls.squares, rolls.configurations, rolls.by_square, strict=True)
        where = ", ".join(f"{square} ({kind}) {gap:.4f}" for square, kind, gap in parts)
        session.show(
            f"Rolled with a d6, {rolls.distance:.4f} away from the exact odds; each square alone: {where}."
        )


def _counted(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _show_device(verdict: "DeviceVerdict", session: Session) -> None:
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent

    table = plain_table("the device's shots", ">measured", ">at most")
    table.add_row("impossible", percent(verdict.impossible), percent(verdict.impossible_limit))
    for kind, count in verdict.kinds.items():
        table.add_row(f"  {kind}", f"{count:,}", "")
    table.add_row("distance before post-selection", f"{verdict.tvd_before:.4f}", "")
    table.add_row("distance after post-selection", f"{verdict.tvd_after:.4f}", f"{verdict.tvd_limit:.4f}")
    if verdict.tvd_mitigated is not None:
        table.add_row("distance after readout mitigation too", f"{verdict.tvd_mitigated:.4f}", "")
    session.show(
        "",
        table,
        "It reports no errors, so there is nothing to hold its shots against."
        if verdict.predicted is None
        else f"Its reported errors predict a fault in {percent(verdict.predicted)} of the shots.",
    )


def _show_views(difference: "ViewDifference", session: Session) -> None:
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent

    if not difference.boards:
        session.show("", "View switches read as at the table or physically: no difference here.")
        return
    table = plain_table("square or board", ">at the table", ">physically")
    for (square, symbol), (one, other) in difference.squares.items():
        table.add_row(f"{symbol} in {square}", percent(one), percent(other))
    for board, (one, other) in difference.boards.items():
        table.add_row(board, percent(one), percent(other))
    session.show(
        "",
        f"View switches read as at the table or physically: the distance is {difference.distance:.4f}.",
        table,
    )


COMMAND = Command(
    explanation=(
        "Holds three independent descriptions of a board against each other: the dice, the move-by-move "
        "circuit and the lean circuit. First exactly, by amplitudes; then by shots, with a p-value and a "
        "test that no impossible board occurs; then square by square, the value of the dice over four "
        "against the measured frequency. Every mode that the position has is looked at; true circuits fail "
        "at most once in a thousand checks. Some faults would leave the odds of a record as they are, in "
        "every mode: they are named. The exit status is 1 if something does not agree, and 3 if no shot "
        "counts, so that nothing can be said. --self checks this installation by a battery of records that "
        "together leave nothing unseen. On a device with noise "
        "the verdict is whether impossible shots, and the distance after throwing them away, stay within "
        "what its reported errors predict. The job's file is on disk before anything is sent, and --resume "
        "fetches the result after Ctrl-C or a crash."
    ),
    examples=(
        "check '1+3 1*2 9 3*4 5+6 7+8' --seed 1",
        "check '1+3 1-2' --level 4 --mode rotated --shots 1000 --seed 1 --json",
        "check --self",
        "check '1+3 1-2' --level 3 --backend dice --rolls d6 --seed 1",
        "check '5~ 1+3 1*2' --level 5 --view both --seed 1",
        "check '1+3 1*2' --backend fake_torino --shots 1000 --seed 1",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
