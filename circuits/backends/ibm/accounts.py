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

from circuits.backends.ibm.errors import attempt, calm, explain, hide, scrub
from circuits.backends.progress import Notify, Progress, ignore
from circuits.errors import BackendError, BackendUsageError
from circuits.storage import private_replacement

CHANNELS: Final = ("ibm_quantum_platform", "ibm_cloud")
"""The channels that exist today; `ibm_quantum` was shut down."""

KEY_LENGTHS: Final = range(8, 257)
"""How many characters an API key may have; IBM's have 44."""

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
        return None


def check_key(token: str) -> None:
    """Refuse a text that cannot be an API key, without repeating any of it.

    Raises:
        BackendUsageError: it is not one word of printable ASCII characters, or too short or too long.
    """
    if len(token) in KEY_LENGTHS and all("!" <= char <= "~" for char in token):
        return
    if not token:
        what = "is empty"
    elif any(char.isspace() for char in token):
        what = "has white space in it"
    elif len(token) not in KEY_LENGTHS:
        what = "is too short" if len(token) < KEY_LENGTHS[0] else "is too long"
    else:
        what = "has other characters in it"
    raise BackendUsageError(
        f"an API key is one word of {KEY_LENGTHS[0]} to {KEY_LENGTHS[-1]} printable ASCII characters, and "
        f"the text given {what}"
    )


def try_account(token: str, instance: str | None = None, notify: Notify = ignore) -> AccountState:
    """Log in with an account that is not saved, and say what its jobs would be charged to.

    Args:
        token: the API key. It is neither shown nor kept.
        instance: name or CRN of the instance to use; None leaves the choice to the client.
        notify: told of retries and of the client's remarks.

    Raises:
        BackendUsageError: the token cannot be an API key.
        BackendError: the key is not accepted, the instance is not its own, or the environment asks for a
            channel that is gone.
        UnreachableError: the service cannot be reached, so nothing is known of the key.
    """
    check_key(token)
    hide(token)
    channel = os.environ.get("QISKIT_IBM_CHANNEL") or CHANNELS[0]
    if channel not in CHANNELS:
        raise BackendError(
            f"the channel {scrub(channel)} that QISKIT_IBM_CHANNEL asks for does not exist: unset it"
        )

    def heard(news: Progress) -> None:
        # The client remarks that it takes the key given and not a saved one, as it is told to.
        if not news.detail.startswith("Loading account with the given token"):
            notify(news)

    service = attempt(
        lambda: QiskitRuntimeService(channel=channel, token=token, instance=instance or "auto"),
        "logging in",
        heard,
        "this key",
    )
    return account_state(service, notify)


def save_account(
    token: str, instance: str | None = None, *, name: str | None = None, filename: str | None = None
) -> None:
    """Save an account through IBM's client, as the default, in the place of an older one.

    The file is replaced as a whole, so a process that is killed leaves the older account as it was; no other
    user can read the new one at any moment.

    Args:
        token: the API key. It is neither shown nor kept anywhere else.
        instance: name or CRN of the instance to use; None leaves the choice to the client, which prefers free
            plans.
        name: a name for the account, or None for the default one.
        filename: another account file than IBM's own.

    Raises:
        BackendUsageError: the token cannot be an API key.
        BackendError: the client refuses the account, the account file is damaged or cannot be written.
    """
    check_key(token)
    hide(token)
    target = os.path.realpath(filename or _account_file())
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        with private_replacement(target) as beside, calm():
            Path(beside).write_text(_accounts(target), encoding="utf-8")
            QiskitRuntimeService.save_account(
                token=token,
                instance=instance or "auto",
                name=name,
                filename=beside,
                overwrite=True,
                set_as_default=True,
            )
    except OSError as error:
        raise BackendError(f"the account file cannot be written: {error.strerror}") from None
    except Exception as error:
        raise explain(error, "saving the account") from None


def _accounts(file: str) -> str:
    """Return the text of an account file, which IBM's client would take apart without looking.

    Raises:
        BackendError: it is damaged.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
        accounts = json.loads(text)
    except FileNotFoundError:
        return "{}"
    except (ValueError, RecursionError):
        raise BackendError(_DAMAGED) from None
    if not isinstance(accounts, dict) or not all(isinstance(item, dict) for item in accounts.values()):
        raise BackendError(_DAMAGED)
    return text


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
        except (json.JSONDecodeError, UnicodeDecodeError):
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
