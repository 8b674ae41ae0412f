"""``qttt check``: dice, circuits and shots held against each other."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    DEVICE_FLAGS,
    MOMENT_FLAGS,
    RECORD_FLAGS,
    Source,
    add_device_flags,
    add_flags,
    add_moment_flags,
    add_record_arguments,
    encoding_of,
    file_name,
    mode_of,
    read_as,
    record_of,
    refuse_beside,
    source_of,
    style_of,
)
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import ServiceError, UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.records.record import Record
from qttt.tabletop.rolls import Rolls

if TYPE_CHECKING:
    from qttt.crosscheck.by_job import PendingCheck
    from qttt.crosscheck.report import CheckReport, DeviceVerdict, ModeCheck
    from qttt.crosscheck.views import ViewDifference

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
    from qttt.crosscheck.views import compare_views

    tabletop, physical = (read_as(record, physical=physical).game() for physical in (False, True))
    return {mode: compare_views(tabletop.state.odds(mode), physical.state.odds(mode)) for mode in modes}


_ON_DEVICES = ("--dry-run", "--yes", "--anyway", *DEVICE_FLAGS, "--mitigate")
_SHOTS = (*RECORD_FLAGS, *MOMENT_FLAGS, "--backend", "--style", "--rolls", "--shots", *DEVICE_FLAGS)
_OWN_RECORDS = (*_SHOTS, "--mode", "--mitigate", "--dry-run", "--yes", "--anyway", "--resume", "--archive")
"""What ``--self`` has settled."""
_IN_ARCHIVE = (*_OWN_RECORDS[:-1], "--seed")
"""What ``--archive`` has settled."""
_SENT_FOR = (*_SHOTS, "--seed", "--mode", "--mitigate", "--dry-run")
"""What a job that was sent has settled."""


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser, optional=True, views=VIEWS)
    add_moment_flags(parser)
    add_flags(
        parser,
        "--mode",
        help="look at this mode of observation alone (default every mode that the position has)",
    )
    add_flags(parser, "--backend", "--style", "--rolls")
    add_flags(parser, "--shots", help="shots to take in each mode (default 4096)")
    add_flags(parser, "--seed", "--json")
    add_device_flags(parser)
    add_flags(parser, "--dry-run", "--yes", "--anyway")
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
        "--archive",
        metavar="FILE",
        type=file_name,
        help="come to every figure in the archive of a finished job again, without device or account",
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
    if arguments.archive is not None:
        return _check_archive(arguments, session)
    if arguments.resume is not None:
        return _resume(arguments, session)
    if arguments.record is None:
        raise UsageError("name the record to check, or with --resume the job to fetch")
    record = record_of(arguments, session, exploring=True, looking_back=not arguments.json)
    game = record.game()
    # A named mode is refused here if the level does not have it, before anything is drawn or sent.
    modes = modes_to_check(game, None if arguments.mode is None else mode_of(arguments, game))
    differences = {}
    if arguments.view == "both":
        if not game.rules.level.rotated_view:
            raise UsageError(f"--view both needs Level 5, and this is Level {game.rules.level.number}")
        differences = view_differences(record, modes)
    shots = arguments.shots or DEFAULT_SHOTS
    source = source_of(arguments)
    if source.on_device(arguments, _ON_DEVICES):
        return _by_device(record, game, modes, shots, differences, source, arguments, session)
    from qttt.observation.observers import get_observer

    observer, rng = (
        get_observer(source.backend, source.rolls, style=style_of(arguments)),
        session.generator(source.seed),
    )
    mode = None if arguments.mode is None else modes[0]
    with waiting(session, f"checking with {shots:,} shots"):
        report = check(game, mode, observer, rng, shots=shots, rolls=source.rolls)
    return _tell(report, record, differences, arguments, session)


def _by_device(
    record: Record,
    game: Game,
    modes: tuple[Mode, ...],
    shots: int,
    differences: "Mapping[Mode, ViewDifference]",
    source: Source,
    arguments: Namespace,
    session: Session,
) -> int:
    """Send a job to a device and judge its shots, or say what it would cost."""
    from qttt.cli.console.device_plans import find_device, progress, show_dry_run
    from qttt.cli.console.job_output import confirm, run_job
    from qttt.crosscheck.by_device import predict
    from qttt.crosscheck.by_job import PendingCheck, free_check_path
    from qttt.records.files import names_file

    device = find_device(
        source.backend,
        source.rolls,
        session,
        encoding=encoding_of(arguments),
        decoupling=arguments.dd,
        twirling=arguments.twirl,
    )
    if arguments.dry_run:
        plan = device.plan(game, modes, shots)
        show_dry_run(plan, device, session, game.rules.level.number, as_json=arguments.json)
        return 0
    with progress(session, device.backend.local) as notify:
        plan = device.plan(game, modes, shots, notify)
    predicted = predict(device, plan, mitigated=arguments.mitigate)
    confirm(plan, device, session, arguments.yes, arguments.anyway)
    file = Path(arguments.record) if names_file(arguments.record) else None
    path = free_check_path(file) if device.keeps_job(file) else None
    if path is not None and device.backend.local and not os.access(path.parent, os.W_OK):
        # A check leaves the record as it is, so that it may be anywhere; and nothing paid for can be lost.
        path = None
    pending = PendingCheck(record, path, dict(zip(modes, predicted, strict=True)), arguments.view == "both")
    pending, runs = run_job(device, plan, pending, session.generator(source.seed), session)
    return _tell(pending.report(game, runs), record, differences, arguments, session, pending)


def _resume(arguments: Namespace, session: Session) -> int:
    """Fetch the result of a job that was sent before, and judge its shots."""
    from qttt.cli.console.job_output import fetch_job
    from qttt.crosscheck.by_job import find_check
    from qttt.observation.samples import check_request

    refuse_beside(arguments, "--resume", _SENT_FOR, "the job says what it was sent for")
    pending = find_check(arguments.resume)
    game = pending.record.game()
    for mode in pending.predictions:
        check_request(game.state, mode, 1)
    pending, runs = fetch_job(pending, session, arguments.yes, arguments.anyway)
    report = pending.report(game, runs)
    differences = view_differences(pending.record, pending.predictions) if pending.views else {}
    return _tell(report, pending.record, differences, arguments, session, pending)


def _check_installation(arguments: Namespace, session: Session) -> int:
    """``--self``: hold the battery, and print its cases."""
    from qttt.cli.console.tables import plain_table
    from qttt.crosscheck.selfcheck import hold_battery
    from qttt.display.text import small

    refuse_beside(arguments, "--self", _OWN_RECORDS, "its records are settled")
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


def _check_archive(arguments: Namespace, session: Session) -> int:
    """``--archive``: come to the figures of a finished job again."""
    from qttt.cli.console.tables import plain_table
    from qttt.crosscheck.archive import recompute
    from qttt.display.text import percent

    refuse_beside(arguments, "--archive", _IN_ARCHIVE, "the archive has all of it")
    with waiting(session, "reckoning"):
        report = recompute(Path(arguments.archive))
    found = report.to_json()
    if arguments.json:
        session.write_json(found)
        return STATUS[report.ok]
    used = "" if report.job.used_seconds is None else f", used {report.job.used_seconds:g} quantum seconds"
    session.show(
        f"Job {report.job.job_id} on {report.job.backend}, {found['created']}{used}; calibration of "
        f"{found['calibrated'] or 'an unknown time'}.",
        "",
    )
    table = plain_table(
        "record", "mode", ">shots", ">count", ">faultless", ">distance", ">p-value", "", prose=0
    )
    for each in report.circuits:
        moves, figures = " ".join(map(str, each.look.record.events)), each.found["figures"]
        faultless = figures["faultless"]
        table.add_row(
            moves,
            each.found["mode"],
            f"{figures['shots']:,}",
            f"{figures['kept']:,}",
            "unknown" if faultless is None else percent(faultless),
            f"{figures['tvd_after']:.4f}",
            f"{figures['p_value']:.4f}",
            "DIFFERS" if each.differ else "agrees",
        )
    if report.circuits:
        session.show(table, "")
    for pair in report.pairs:
        a, b = pair["squares"]
        planted = "" if pair["plant"] is None else f", {pair['plant']}"
        verdict = "entangled" if pair["shown"] else "nothing is shown"
        session.show(
            f"Squares {a} and {b}{planted}: W = {pair['w']:.4f}, at least {pair['w_lower']:.4f} with 99.9 % "
            f"confidence: {verdict}."
        )
    for each in report.circuits:
        for name, (said, now) in each.differ.items():
            session.show(f"{each.found['mode']} mode: the archive says {name} {said}, and it is {now}.")
    session.show(
        "Every figure follows from the bits." if report.ok else "The figures do NOT follow from the bits."
    )
    return STATUS[report.ok]


def _tell(
    report: "CheckReport",
    record: Record,
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
        level = {"level": record.rules.level.number}
        session.write_json({**level, **_to_json(report, differences), **job})
    else:
        _show(report, differences, session)
        if pending is not None:
            from qttt.cli.console.job_output import job_remarks

            session.show(*job_remarks(pending))
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
        agrees = "The descriptions agree, and the device errs as an honest one may."
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

    known = verdict.impossible_expected is not None
    table = plain_table("the device's shots", ">measured", ">expected", ">at most")
    expected = "" if verdict.impossible_expected is None else percent(verdict.impossible_expected)
    table.add_row("impossible", percent(verdict.impossible), expected, percent(verdict.impossible_limit))
    for kind, count in verdict.kinds.items():
        table.add_row(f"  {kind}", f"{count:,}", "", "")
    table.add_row("distance before post-selection", f"{verdict.tvd_before:.4f}", "", "")
    table.add_row("distance after post-selection", f"{verdict.tvd_after:.4f}", "", f"{verdict.tvd_limit:.4f}")
    if verdict.tvd_mitigated is not None:
        table.add_row("distance after readout mitigation too", f"{verdict.tvd_mitigated:.4f}", "", "")
    session.show("", table)
    if verdict.tvd_mitigated_interval is not None:
        low, high = verdict.tvd_mitigated_interval
        assumed = {
            "equal": "0 and 1 are misread equally often, as in the simulation of a device",
            "unequal": "0 and 1 are misread as often as the device's calibration says of each",
        }
        session.show(
            f"After mitigation the distance is {low:.4f} to {high:.4f} with 99 %; assumed: "
            f"{assumed[str(verdict.mitigated_with)]}."
        )
    if not known:
        session.show("It does not report all of its errors, so there is nothing to hold its shots against.")
        return
    events = plain_table(
        "square or pattern",
        ">exact",
        ">expected",
        "honest devices",
        ">measured",
        "99 % interval",
        ">bias seen",
        "",
    )
    for group in verdict.groups:
        for event in group.events:
            events.add_row(
                event.name,
                percent(event.exact),
                percent(event.expected),
                f"{percent(event.lowest)} to {percent(event.highest)}",
                percent(event.measured),
                f"{percent(event.low)} to {percent(event.high)}",
                "none" if event.detectable is None else percent(event.detectable),
                "" if event.ok else "FAILS",
            )
    p = ""
    if verdict.p_value is not None:
        p = f", and p-value {verdict.p_value:.4f} if it errs exactly as it reports"
    session.show(
        "",
        *([events] if events.row_count else []),
        f"Its reported errors predict a fault in {percent(verdict.predicted or 0.0)} of the shots{p}.",
    )
    if verdict.detectable is not None:
        session.show(
            "The smallest bias of any row that this check would have caught with 95 % probability is "
            f"{percent(verdict.detectable)}."
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
        "the verdict is whether every square, every pattern, the impossible shots and the distance after "
        "throwing them away are as on an honest device: one with half to twice the errors that it reports, "
        "0 and 1 misread unequally, and gates that turn a little too far. The smallest bias that would have "
        "been caught is named. The job's file is on disk before anything is sent, and --resume "
        "fetches the result after Ctrl-C or a crash. --archive comes to the figures of a finished job again, "
        "from the archive that lies beside it; the exit status is 1 if one does not follow."
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
