"""``qttt backends``: what a board can be observed on."""

from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from typing import Any

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags
from qttt.cli.console.session import Session
from qttt.observation.observers import DICE, LEAN_SUFFIX
from qttt.observation.samples import service_errors

_HERE = {
    "aer": "this computer: Qiskit Aer, the move-by-move circuit",
    f"aer{LEAN_SUFFIX}": "this computer: Qiskit Aer, the lean circuit",
    DICE: "this computer: tabletop rolls, no circuit at all",
}


def backends_report(*, account: bool = False) -> dict[str, Any]:
    """The object that ``qttt backends --json`` prints.

    Args:
        account: also ask IBM Quantum for the devices of the saved account, over the network.

    Returns:
        Under ``backends`` a row for each: its name, what it is, and of a device also its qubits, the median
        errors of its two-qubit gates and measurements, whether dynamic circuits work, the queue, and when
        these numbers were measured; None where nothing is known.

    Raises:
        UsageError: the account cannot be asked without the extra ``ibm``.
        ServiceError: the account or the service failed.
    """
    rows: list[dict[str, Any]] = [
        {"name": name, "description": description, **_device()} for name, description in _HERE.items()
    ]
    with service_errors():
        if find_spec("qiskit_ibm_runtime") is not None:
            from circuits.backends.ibm.devices import list_backends

            for row in list_backends(account):
                simulated = row.name.startswith("fake_")
                rows.append(
                    {
                        "name": row.name,
                        "description": "simulated device with its noise"
                        if simulated
                        else "IBM Quantum device",
                        **_device(
                            row.qubits,
                            row.two_qubit_error,
                            row.readout_error,
                            row.dynamic_circuits,
                            row.queue,
                        ),
                        "calibrated": None if row.calibrated is None else row.calibrated.isoformat(),
                    }
                )
        elif account:
            from circuits.errors import BackendUsageError

            raise BackendUsageError("--account needs qiskit-ibm-runtime: install the extra 'ibm'")
    return {"backends": rows}


def _device(
    qubits: int | None = None,
    two_qubit_error: float | None = None,
    readout_error: float | None = None,
    dynamic_circuits: bool | None = None,
    queue: int | None = None,
) -> dict[str, Any]:
    return {
        "qubits": qubits,
        "two_qubit_error": two_qubit_error,
        "readout_error": readout_error,
        "dynamic_circuits": dynamic_circuits,
        "queue": queue,
        "calibrated": None,
    }


def _run(arguments: Namespace, session: Session) -> int:
    report = backends_report(account=arguments.account)
    if arguments.json:
        session.write_json(report)
        return 0
    from qttt.cli.console.tables import plain_table
    from qttt.display.text import percent

    local = plain_table("backend", "", prose=1)
    devices = plain_table("device", ">qubits", ">two-qubit error", ">readout error", "dynamic", ">queue")
    for row in report["backends"]:
        if row["qubits"] is None:
            local.add_row(row["name"], row["description"])
            continue
        errors = (row["two_qubit_error"], row["readout_error"])
        devices.add_row(
            row["name"],
            str(row["qubits"]),
            *("" if error is None else percent(error) for error in errors),
            "yes" if row["dynamic_circuits"] else "no",
            "" if row["queue"] is None else str(row["queue"]),
        )
    session.show(local)
    if devices.row_count:
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


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--account", action="store_true", help="also ask IBM Quantum for the devices of the saved account"
    )
    add_flags(parser, "--json")


COMMAND = Command(
    explanation=(
        "Lists the backends on which observe and check can run, by the names that --backend takes: the "
        "simulator and the dice of this computer, and with the extra 'ibm' IBM's devices, simulated with "
        "their noise or real, with their qubits, median errors, whether dynamic circuits work, and the queue."
    ),
    examples=("backends", "backends --json"),
    add_arguments=_add_arguments,
    run=_run,
)
