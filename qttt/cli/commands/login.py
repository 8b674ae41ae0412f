"""``qttt login``: keep an IBM Quantum account that works on this computer, through IBM's own client."""

import getpass
import os
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags
from qttt.cli.console.device_plans import progress
from qttt.cli.console.session import LONGEST_LINE, Session, StoppedError
from qttt.errors import ServiceError, UsageError


class NoKeyError(StoppedError):
    """The user gave no key."""


class NotSavedError(ServiceError):
    """The key does not work, or could not be tried."""


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--instance",
        metavar="NAME",
        help="the instance that jobs are charged to, by name or CRN (default: IBM's client chooses, free "
        "plans first)",
    )
    parser.add_argument(
        "--offline", action="store_true", help="save the key without trying it, where there is no network"
    )
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    if find_spec("qiskit_ibm_runtime") is None:
        raise UsageError("an IBM Quantum account needs qiskit-ibm-runtime: install the extra 'ibm'")
    from circuits.backends import account_keeper

    key = _ask_key(session)
    report: dict[str, Any] = {"saved": True, "instance": arguments.instance, "plan": None, "paid": None}
    if not arguments.offline:
        report |= _tried(key, arguments.instance, session)
    account_keeper().save_account(key, arguments.instance)
    if arguments.json:
        session.write_json(report)
        return 0
    if arguments.offline:
        session.show("The key is saved untried in IBM's account file; qttt backends --account tries it.")
    else:
        cost = {True: "its quantum time costs money", False: "its quantum time is free"}
        session.show(
            f"It works: jobs go to instance {report['instance']}, plan {report['plan']}; "
            f"{cost.get(report['paid'], 'whether its quantum time is free is not known')}.",
            "The key is saved in IBM's account file; other programs of IBM's client use it too.",
        )
    if os.environ.get("QISKIT_IBM_TOKEN"):
        session.show("As long as QISKIT_IBM_TOKEN is set, that key is used instead.")
    session.show("Next: qttt backends --account, or qttt observe RECORD --backend ibm --dry-run")
    return 0


def _ask_key(session: Session) -> str:
    """Read the key without showing it; from a pipe, the first line.

    Raises:
        UsageError: it cannot be a key.
        NoKeyError: there was none.
    """
    from circuits.backends import account_keeper

    key = _typed(session)
    account_keeper().check_key(key)
    return key


def _typed(session: Session) -> str:
    if not session.stdin.isatty():
        line = session.read_line()
        # A longer line comes in parts, and the first might look like a key once the blanks are cut off.
        return line if len(line) == LONGEST_LINE else line.strip()
    session.show(
        "Make an API key on the IBM Quantum Platform and paste it here; it is not shown.",
        to_stderr=True,
    )
    try:
        return getpass.getpass("API key: ", stream=session.stderr).strip()
    except (EOFError, KeyboardInterrupt):
        raise NoKeyError("no key was given, and nothing was saved") from None


def _tried(key: str, instance: str | None, session: Session) -> dict[str, Any]:
    """Log in with a key that is not saved yet, and say what jobs will be charged to.

    Raises:
        NotSavedError: it does not work, or could not be tried.
    """
    from circuits.backends import account_keeper
    from circuits.errors import BackendError, UnreachableError

    try:
        with progress(session, local=False) as notify:
            state = account_keeper().try_account(key, instance, notify)
    except UnreachableError as error:
        raise NotSavedError(
            f"{error}; the key is untried and was not saved: qttt login --offline saves it all the same"
        ) from None
    except BackendError as error:
        raise NotSavedError(f"{error}; nothing was saved") from None
    return {"instance": state.instance, "plan": state.plan, "paid": state.paid}


COMMAND = Command(
    explanation=(
        "Tries an API key of the IBM Quantum Platform and, if it works, saves it through IBM's own client. "
        "The key is read without being shown, or from a pipe, never from the command line; it goes to IBM's "
        "account file (~/.qiskit/qiskit-ibm.json, readable by you alone) and nowhere else. An older account "
        "is replaced; if the new key does not work or cannot be tried, the older one stays as it is."
    ),
    examples=("login", "login --instance my-instance", "login --offline"),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
    usage_problem=(
        "login has the flags --instance NAME, --offline and --json, and asks for the key or reads it from a "
        "pipe. A key typed on the command line is not taken, and stays in the shell's history"
    ),
)
