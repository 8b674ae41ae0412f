"""IBM Quantum accounts: saving one, logging in with it, and what the next job would be charged to.

Everything goes through IBM's own client and its own file. A token is given to it and to nobody else.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import requests
from qiskit_ibm_runtime import QiskitRuntimeService

from circuits.backends.ibm_errors import attempt, calm, explain, hide
from circuits.backends.progress import Notify, ignore
from circuits.errors import BackendError, BackendUsageError

CHANNELS: Final = ("ibm_quantum_platform", "ibm_cloud")
"""The channels that exist today; `ibm_quantum` was shut down."""

_DAMAGED: Final = "IBM's account file (~/.qiskit/qiskit-ibm.json) is damaged: move it away and log in again"
_FREE: Final = frozenset({"free", "trial"})


@dataclass(frozen=True, slots=True)
class AccountState:
    """What a job would be charged to.

    Attributes:
        channel: the service's entrance, one of `CHANNELS`.
        instance: the instance's name, or None if none is active yet.
        crn: its full identifier, which job files keep.
        plan: e.g. `'open'`.
        paid: whether its time costs money; None if the service does not say.
        seconds_left: quantum seconds left in the plan's period, or None if there is no limit or none is told.
    """

    channel: str
    instance: str | None
    crn: str | None
    plan: str | None
    paid: bool | None
    seconds_left: float | None

    @property
    def warning(self) -> str | None:
        """What must be said before a job is sent, or None."""
        if self.paid:
            return f"instance {self.instance} has the plan {self.plan}: its quantum time costs money"
        if self.paid is None:
            name = self.instance or "(none)"
            return f"the plan of instance {name} is unknown: its quantum time may cost money"
        if self.seconds_left == 0:
            return (
                f"instance {self.instance} has no quantum time left: the job would wait until there is some"
            )
        return None


def save_account(
    token: str, instance: str | None = None, *, name: str | None = None, filename: str | None = None
) -> None:
    """Save an account through IBM's client, as the default, in the place of an older one.

    Args:
        token: the API key. It is neither shown nor kept anywhere else.
        instance: name or CRN of the instance to use; None leaves the choice to the client, which prefers free
            plans.
        name: a name for the account, or None for the default one.
        filename: another account file than IBM's own.

    Raises:
        BackendUsageError: the token is empty or has white space in it.
        BackendError: the client refuses the account, or cannot write its file.
    """
    hide(token)
    if not token or token.split() != [token]:
        raise BackendUsageError("an API key is one word: the text given is empty or has white space in it")
    # IBM's file holds the key as it is: nobody else may read it, neither while it is new nor afterwards.
    mask = os.umask(0o077)
    try:
        with calm():
            QiskitRuntimeService.save_account(
                token=token,
                instance=instance or "auto",
                name=name,
                filename=filename,
                overwrite=True,
                set_as_default=True,
            )
    except OSError as error:
        raise BackendError(f"the account file cannot be written: {error.strerror}") from None
    except json.JSONDecodeError:
        raise BackendError(_DAMAGED) from None
    except Exception as error:
        raise explain(error, "saving the account") from None
    finally:
        os.umask(mask)
        with suppress(OSError):
            (Path(filename) if filename else _account_file()).chmod(0o600)


def _account_file() -> Path:
    """Return where IBM's client documents that it keeps accounts."""
    return Path.home() / ".qiskit" / "qiskit-ibm.json"


def _only_dead_channels() -> bool:
    """Tell whether accounts are saved, but only for dead channels: the client ignores those."""
    with suppress(OSError, ValueError, RecursionError):
        accounts = json.loads(_account_file().read_text(encoding="utf-8"))
        if isinstance(accounts, dict) and accounts:
            known = [account for account in accounts.values() if isinstance(account, dict)]
            return bool(known) and all(account.get("channel") not in CHANNELS for account in known)
    return False


def connect(instance: str | None = None, notify: Notify = ignore) -> QiskitRuntimeService:
    """Log in with the saved account, or with the one that IBM's environment variables give.

    Args:
        instance: name or CRN of an instance to use instead of the account's own.
        notify: told of retries and of the client's remarks.

    Raises:
        BackendError: no account, its channel is gone, its key is not accepted, the instance is not its own,
            or the service cannot be reached.
    """
    hide(os.environ.get("QISKIT_IBM_TOKEN"))
    channel = os.environ.get("QISKIT_IBM_CHANNEL")
    if (channel and channel not in CHANNELS) or (
        not os.environ.get("QISKIT_IBM_TOKEN") and _only_dead_channels()
    ):
        raise BackendError(
            f"the saved account's channel {channel or 'ibm_quantum'} no longer exists: make a key on the "
            "present IBM Quantum Platform and run `qttt login`"
        )

    def log_in() -> QiskitRuntimeService:
        try:
            return QiskitRuntimeService(instance=instance)
        except requests.exceptions.RequestException:
            raise
        except json.JSONDecodeError:
            # Not an answer of the service, so it is the file.
            raise BackendError(_DAMAGED) from None

    service = attempt(log_in, "logging in", notify)
    hide((service.active_account() or {}).get("token"))
    return service


def account_state(service: QiskitRuntimeService, notify: Notify = ignore) -> AccountState:
    """Say what a job sent through this service would be charged to.

    Raises:
        BackendError: the service does not answer.
    """
    crn: str | None = service.active_instance()
    rows: list[dict[str, Any]] = list(attempt(service.instances, "asking for the instances", notify))
    row = next((row for row in rows if row["crn"] == crn), {})
    pricing = row.get("pricing_type") or "unknown"
    left = (
        attempt(service.usage, "asking for the time used", notify).get("usage_remaining_seconds")
        if crn
        else None
    )
    return AccountState(
        channel=service.channel,
        instance=row.get("name"),
        crn=crn,
        plan=row.get("plan"),
        paid=None if pricing == "unknown" else pricing not in _FREE,
        seconds_left=left,
    )
