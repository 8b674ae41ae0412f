"""``qttt check`` on a device: send a job, or fetch the result of one that was sent before."""

import os
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.cli.commands.arguments import device_of, resume_alone
from qttt.cli.console.device_plans import progress, show_dry_run
from qttt.cli.console.job_output import confirm, fetch_job, run_job
from qttt.cli.console.session import Session
from qttt.crosscheck.by_device import predict
from qttt.crosscheck.by_job import PendingCheck, find_check, free_check_path
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.observation.samples import check_request
from qttt.records.files import names_file
from qttt.records.record import Record

if TYPE_CHECKING:
    from qttt.crosscheck.report import CheckReport


@dataclass(frozen=True)
class Checked:
    """A cross-check on a device, and its job.

    Attributes:
        report: what was found.
        pending: the job; nothing is pending any more.
    """

    report: "CheckReport"
    pending: PendingCheck


def dry_run(game: Game, modes: tuple[Mode, ...], shots: int, arguments: Namespace, session: Session) -> int:
    """Say what a job would cost, and send nothing."""
    observer = device_of(arguments, session)
    show_dry_run(observer.plan(game, modes, shots), observer, session, as_json=arguments.json)
    return 0


def check_by_job(
    record: Record, game: Game, modes: tuple[Mode, ...], shots: int, arguments: Namespace, session: Session
) -> Checked:
    """Send a job and judge its shots.

    Args:
        record: the record to check.
        game: its game.
        modes: the modes to check, one circuit each.
        shots: how many shots of each circuit.
        arguments: what else was given.
        session: where it is shown and asked.

    Raises:
        UsageError: there is no such device, mitigation is not possible, or nobody can be asked.
        ServiceError: the device failed.
        StillQueuedError: the user interrupted the wait.
    """
    observer = device_of(arguments, session)
    with progress(session, observer.backend.local) as notify:
        plan = observer.plan(game, modes, shots, notify)
    predicted = predict(observer, plan, mitigated=arguments.mitigate)
    confirm(plan, observer, session, arguments.yes)
    file = Path(arguments.record) if names_file(arguments.record) else None
    path = free_check_path(file) if observer.keeps_job(file) else None
    if path is not None and observer.backend.local and not os.access(path.parent, os.W_OK):
        # A check leaves the record as it is, so that it may be anywhere; and nothing paid for can be lost.
        path = None
    pending = PendingCheck(record, path, dict(zip(modes, predicted, strict=True)), arguments.view == "both")
    pending, runs = run_job(observer, plan, pending, session.generator(arguments.seed), session)
    return Checked(pending.report(game, runs), pending)


def resume(arguments: Namespace, session: Session) -> Checked:
    """Fetch the result of a job that was sent before, and judge its shots.

    Raises:
        UsageError: the job is no check's.
        ServiceError: the job failed, is unknown, or never arrived; or the service failed.
        StillQueuedError: the user interrupted the wait.
    """
    resume_alone(arguments, "--mode", "--mitigate", "--dry-run")
    pending = find_check(arguments.resume)
    game = pending.record.game()
    for mode in pending.predictions:
        check_request(game.state, mode, 1)
    pending, runs = fetch_job(pending, session, arguments.yes)
    return Checked(pending.report(game, runs), pending)
