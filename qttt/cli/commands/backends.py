"""``qttt backends``: what a board can be observed on."""

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags
from qttt.cli.console.session import Session
from qttt.observation.observers import DICE


def backends_report(*, account: bool = False) -> dict[str, Any]:
    """The object that ``qttt backends --json`` prints.

    Args:
        account: also ask IBM Quantum for the devices of the saved account, over the network.

    Returns:
        Under ``backends`` a row for each: its name, what it is, and of a device also its qubits, the median
        errors of its two-qubit gates and measurements, whether dynamic circuits work, the queue, and when
        these numbers were measured; None where nothing is known. Under ``problems`` a line for whatever
        another distribution offers and cannot be used.

    Raises:
        CircuitsError: the account cannot be asked without the extra ``ibm``, or it or the service failed.
    """
    from circuits.backends import BackendRow, list_backends

    found, problems = list_backends(account)
    aer, *others = found
    lean = BackendRow(f"{aer.name}-lean", "this computer: Qiskit Aer, the lean circuit")
    dice = BackendRow(DICE, "this computer: tabletop rolls, no circuit at all")
    rows = [asdict(row) for row in (aer, lean, dice, *others)]
    for row in rows:
        row["calibrated"] = None if row["calibrated"] is None else row["calibrated"].isoformat()
    return {"backends": rows, "problems": problems}


def _run(arguments: Namespace, session: Session) -> int:
    report = backends_report(account=arguments.account)
    if arguments.json:
        session.write_json(report)
        return 0
    for problem in report["problems"]:
        session.show(f"Note: {problem}.", to_stderr=True)
    from qttt.cli.console.tables import plain_table

    local = plain_table("backend", "", prose=1)
    devices = plain_table("device", ">qubits", ">two-qubit error", ">readout error", "dynamic", ">queue")
    for row in report["backends"]:
        if row["qubits"] is None:
            local.add_row(row["name"], row["description"])
            continue
        two_qubit, readout = row["two_qubit_error"], row["readout_error"]
        devices.add_row(
            row["name"],
            str(row["qubits"]),
            "none" if row["qubits"] == 1 else _known(two_qubit),
            _known(readout),
            {True: "yes", False: "no", None: "unknown"}[row["dynamic_circuits"]],
            "" if row["queue"] is None else str(row["queue"]),
        )
    session.show(local)
    client = find_spec("qiskit_ibm_runtime") is not None
    if devices.row_count and not client:
        session.show("", devices)
    if client:
        session.show(
            "",
            devices,
            "",
            "Names with fake_ are simulated here, with the noise of the real device.",
            "With an account (qttt login) --account lists its devices, and ibm is the least busy one.",
        )
    else:
        session.show("", "With the extra 'ibm' there are simulated and real devices of IBM Quantum too.")
    return 0


def _known(error: float | None) -> str:
    from qttt.display.text import percent

    return "unknown" if error is None else percent(error)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--account", action="store_true", help="also ask IBM Quantum for the devices of the saved account"
    )
    add_flags(parser, "--json")


COMMAND = Command(
    explanation=(
        "Lists the backends on which observe and check can run, by the names that --backend takes: the "
        "simulator and the dice of this computer, with the extra 'ibm' IBM's devices, simulated with their "
        "noise or real, and what other installed distributions offer; of devices their qubits, median "
        "errors, whether dynamic circuits work, and the queue. --backend also takes module:callable, a "
        "Qiskit BackendV2 of your own or what returns one."
    ),
    examples=("backends", "backends --json"),
    add_arguments=_add_arguments,
    run=_run,
)
