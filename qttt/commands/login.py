"""``qttt login``: keep an IBM Quantum account on this computer, through IBM's own client."""

import getpass
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from typing import Any

from qttt.commands import Command
from qttt.commands.arguments import add_json_argument
from qttt.commands.deviceplans import progress
from qttt.commands.session import Session
from qttt.errors import QtttError, UsageError
from qttt.samples import service_errors


class NoKeyError(QtttError):
    """The user gave no key."""

    exit_status = 130


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--instance",
        metavar="NAME",
        help="the instance that jobs are charged to, by name or CRN (default: IBM's client chooses, free "
        "plans first)",
    )
    parser.add_argument("--offline", action="store_true", help="only save the key; do not try it")
    add_json_argument(parser)


def _run(arguments: Namespace, session: Session) -> int:
    if find_spec("qiskit_ibm_runtime") is None:
        raise UsageError("an IBM Quantum account needs qiskit-ibm-runtime: install the extra 'ibm'")
    from circuits.backends.ibm_accounts import save_account

    key = _ask_key(session)
    with service_errors():
        save_account(key, arguments.instance)
    report: dict[str, Any] = {"saved": True, "instance": arguments.instance, "plan": None, "paid": None}
    if not arguments.offline:
        report |= _tried(session)
    if arguments.json:
        session.write_json(report)
        return 0
    session.show("The key is saved in IBM's account file; other programs of IBM's client use it too.")
    if not arguments.offline:
        cost = {True: "its quantum time costs money", False: "its quantum time is free"}
        session.show(
            f"It works: jobs go to instance {report['instance']}, plan {report['plan']}; "
            f"{cost.get(report['paid'], 'whether its quantum time is free is not known')}."
        )
    session.show("Next: qttt backends --account, or qttt observe RECORD --backend ibm --dry-run")
    return 0


def _ask_key(session: Session) -> str:
    """Read the key without showing it; from a pipe, the first line."""
    if not session.stdin.isatty():
        return session.read_line().strip()
    session.show(
        "Make an API key on the IBM Quantum Platform and paste it here; it is not shown.",
        to_stderr=True,
    )
    try:
        return getpass.getpass("API key: ", stream=session.stderr).strip()
    except (EOFError, KeyboardInterrupt):
        raise NoKeyError("no key was given, and nothing was saved") from None


def _tried(session: Session) -> dict[str, Any]:
    """Log in with the saved key, and say what jobs will be charged to."""
    from circuits.backends.ibm_accounts import account_state, connect

    with progress(session, local=False) as notify, service_errors():
        state = account_state(connect(notify=notify), notify)
    return {"instance": state.instance, "plan": state.plan, "paid": state.paid}


COMMAND = Command(
    explanation=(
        "Saves an API key of the IBM Quantum Platform through IBM's own client, and tries it. The key is "
        "read without being shown, or from a pipe; it goes to IBM's account file (~/.qiskit/qiskit-ibm.json, "
        "readable by you alone) and nowhere else. An older account is replaced."
    ),
    examples=("login", "login --instance my-instance", "login --offline"),
    add_arguments=_add_arguments,
    run=_run,
)
