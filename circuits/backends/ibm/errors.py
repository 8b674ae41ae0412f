"""What IBM's client raises, as one line each with the next step; and trying again when the network fails.

Tokens never get into a message: `hide` registers one, and `scrub` cuts it out of every text that leaves here.
"""

import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import requests
from ibm_cloud_sdk_core import ApiException  # type: ignore[import-untyped]
from qiskit.providers.exceptions import QiskitBackendNotFoundError
from qiskit_ibm_runtime.accounts.exceptions import (
    AccountNotFoundError,
    CloudResourceNameResolutionError,
    InvalidAccountError,
)
from qiskit_ibm_runtime.api.exceptions import RequestsApiError
from qiskit_ibm_runtime.exceptions import (
    IBMInputValueError,
    IBMNotAuthorizedError,
    RuntimeInvalidStateError,
    RuntimeJobFailureError,
    RuntimeJobMaxTimeoutError,
    RuntimeJobNotFound,
)
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from circuits.backends.progress import Notify, Progress, ignore
from circuits.errors import BackendError, CircuitsError, UnknownBackendError, UnreachableError

T = TypeVar("T")

ATTEMPTS: Final = 5
"""How often a request is made before giving up. IBM's client repeats each of them a few times itself."""

_WAIT: Final = wait_random_exponential(multiplier=1, max=30)
"""Seconds between attempts: random, with a bound that doubles up to half a minute."""

_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 524})
"""HTTP statuses that may be gone a moment later."""

_CREDENTIAL: Final = re.compile(r"(?i)\b(bearer|apikey|api_key|token)([\s=:'\"]+)[^\s'\",]{8,}")

_GONE: Final = re.compile(r"Unable to create configuration for ([\w-]{1,100})\.")
_ANSWER: Final = re.compile(r"[\s.:]*[\[{][\s\[{]*[\"'].*[\]}]['\"]?\s*$", re.DOTALL)

_secrets: set[str] = set()


def hide(secret: str | None) -> None:
    """Remember a token, so that `scrub` takes it out of every text from now on."""
    if secret and len(secret) >= 4:
        _secrets.add(secret)


def scrub(text: object) -> str:
    """Return a text on one line, of at most 400 characters, without any token or control character."""
    line = " ".join("".join(char if char.isprintable() else " " for char in str(text)).split())
    for secret in _secrets:
        line = line.replace(secret, "***")
    line = _CREDENTIAL.sub(r"\1\2***", line)
    return line if len(line) <= 400 else line[:397] + "…"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that led to it; `from None` hides a context from people, not from us."""
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or step.__context__


def _status(error: BaseException) -> int | None:
    """Return the HTTP status behind an error; -1 if there was no answer, None if no request was involved."""
    for step in _chain(error):
        if isinstance(step, RequestsApiError):
            return int(step.status_code)
        if isinstance(step, ApiException):
            return int(step.status_code)
        if isinstance(step, requests.exceptions.RequestException):
            return step.response.status_code if step.response is not None else -1
    return None


def _failure(error: BaseException) -> str:
    """Say what a request failed of: the client wraps a lost connection in advice on the key."""
    request = (RequestsApiError, ApiException, requests.exceptions.RequestException)
    cause = next((step for step in _chain(error) if isinstance(step, request)), error)
    return scrub(getattr(cause, "message", cause))


def is_passing(error: BaseException) -> bool:
    """Tell whether the request may succeed a moment later: time-outs, lost connections, a busy service."""
    final = (
        AccountNotFoundError,
        IBMNotAuthorizedError,
        RuntimeInvalidStateError,
        RuntimeJobFailureError,
        RuntimeJobMaxTimeoutError,
        RuntimeJobNotFound,
        CircuitsError,
    )
    if isinstance(error, final) or any(
        isinstance(step, requests.exceptions.SSLError) for step in _chain(error)
    ):
        return False
    status = _status(error)
    return status == -1 or status in _PASSING or isinstance(error, _NoListError)


def explain(error: Exception, doing: str, key: str = "the saved key") -> CircuitsError:
    """Say in one line what happened and what to do next.

    Args:
        error: what IBM's client raised.
        doing: what was tried, to follow "while", e.g. `'submitting the job'`.
        key: what the key is called that it was tried with.
    """
    text = scrub(getattr(error, "message", error))
    status = _status(error)
    match error:
        case CircuitsError():
            return error
        case AccountNotFoundError():
            return BackendError("no IBM Quantum account is saved on this computer: run `qttt login` first")
        case InvalidAccountError() if "channel" in text:
            return BackendError(
                "the saved account names a channel that no longer exists: run `qttt login` again with a key "
                f"of the present IBM Quantum Platform ({text})"
            )
        case RuntimeJobNotFound():
            return BackendError(
                f"the service knows no such job ({text}): it belongs to another instance or account, or was "
                "deleted"
            )
        case RuntimeJobMaxTimeoutError():
            return BackendError(f"the job ran into its time limit and was stopped: {text}")
        case RuntimeJobFailureError():
            return BackendError(f"the job failed on the service's side: {text}")
        case RuntimeInvalidStateError():
            return BackendError(f"the job was cancelled: {text}")
    if is_passing(error):
        return UnreachableError(
            f"IBM Quantum cannot be reached while {doing}: try again later; nothing is lost "
            f"({_failure(error)})"
        )
    # The token service answers 400 to a key that it does not know.
    unknown_key = status == 400 and any(isinstance(step, ApiException) for step in _chain(error))
    if isinstance(error, IBMNotAuthorizedError | InvalidAccountError) or status == 401 or unknown_key:
        return BackendError(
            f"IBM Quantum does not accept {key} while {doing}: it is expired, revoked or mistyped; "
            f"make a new one and run `qttt login` ({text})"
        )
    # The client takes what begins like a CRN apart without looking whether it is a whole one.
    no_crn = isinstance(error, AttributeError) and "'group'" in text
    if no_crn:
        text = "a whole CRN begins with crn:v1: and has nine colons"
    if (
        isinstance(error, CloudResourceNameResolutionError)
        or no_crn
        or status == 403
        or (isinstance(error, IBMInputValueError) and "instance" in text)
    ):
        return BackendError(
            f"the account has no access to the instance asked for while {doing}: run `qttt login` with one "
            f"of its own instances, or without one ({text})"
        )
    if isinstance(error, QiskitBackendNotFoundError):
        return UnknownBackendError(
            f"the account has no such device: `qttt backends --account` lists its own ({text})"
        )
    return BackendError(f"IBM Quantum refused while {doing}: {text}")


def attempt(call: Callable[[], T], doing: str, notify: Notify = ignore, key: str = "the saved key") -> T:
    """Make a request, again if the network or the service fails for a moment.

    Args:
        call: the request.
        doing: what it does, to follow "while".
        notify: told before every pause.
        key: what the key is called that it is tried with.

    Raises:
        BackendError: it failed for good; the message says why and what to do.
        UnknownBackendError: the account has no device of that name.
    """

    def pause(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        failure = "" if error is None else f" ({_failure(error)})"
        seconds = state.next_action.sleep if state.next_action else 0.0
        detail = f"attempt {state.attempt_number} of {ATTEMPTS} failed while {doing}; next in {seconds:.0f} s"
        notify(Progress("retrying", f"{detail}{failure}"))

    retrying = Retrying(
        retry=retry_if_exception(is_passing),
        stop=stop_after_attempt(ATTEMPTS),
        wait=_WAIT,
        before_sleep=pause,
        reraise=True,
    )
    try:
        return retrying(lambda: _listen(call, notify))
    except Exception as error:
        # Without the chain: a traceback of IBM's client may hold headers.
        raise explain(error, doing, key) from None


class _NoListError(Exception):
    """The devices could not be listed."""


def _listen(call: Callable[[], T], notify: Notify) -> T:
    """Make a call of IBM's client, and tell a missing device from a missing list of devices.

    The client only logs that it could not list an instance's devices, and then finds none.
    """
    unlisted = False

    def note(news: Progress) -> None:
        nonlocal unlisted
        unlisted = unlisted or news.detail.startswith("Invalid instance")
        notify(news)

    with calm(note):
        try:
            return call()
        except QiskitBackendNotFoundError as error:
            if unlisted:
                raise _NoListError("the devices could not be listed") from error
            raise


class _Collector(logging.Handler):
    def __init__(self, notify: Notify) -> None:
        super().__init__(logging.WARNING)
        self._notify = notify

    def emit(self, record: logging.LogRecord) -> None:
        self._notify(Progress("note", _remark(record.getMessage())))


def _remark(message: str) -> str:
    """A line of the client's log for people: without the service's answer in JSON behind its words."""
    if (gone := _GONE.match(message)) and "404" in message:
        return f"the service does not list {gone[1]} any more"
    return scrub(_ANSWER.sub("", message))


@contextmanager
def calm(notify: Notify = ignore) -> Iterator[None]:
    """Keep IBM's client from writing to standard error: its log lines and warnings go to `notify`."""
    logger = logging.getLogger("qiskit_ibm_runtime")
    handlers, logger.handlers = logger.handlers, [_Collector(notify)]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # These are for whoever changes this code: the tests look for them.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            yield
    finally:
        logger.handlers = handlers
    for warning in caught:
        notify(Progress("note", scrub(warning.message)))
