"""Who offers backends, and the backend of a name: nothing else in the program looks at a backend's name.

Ours stand in a table here, so that a plain checkout has them. A name that is none of ours is looked for among
the entry points of the group `qttt.backends` of other distributions; of a name with a colon in it,
`module:callable`, the module is imported and the callable asked. Both is code of others: whatever it raises
or gives becomes one line here.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from circuits.backends.base import AccountKeeper, Backend, Device
from circuits.backends.plans import BackendRow, Fetched, Prepared
from circuits.backends.progress import Notify, ignore
from circuits.errors import (
    BackendError,
    BackendUsageError,
    CircuitsError,
    DecodingError,
    NoSuchBackendError,
    UnknownBackendError,
    one_line,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import numpy as np
    from qiskit.circuit import QuantumCircuit

    from circuits.decoding import Shots

GROUP: Final = "qttt.backends"
"""The group of entry points by which other distributions offer backends."""

_NAME: Final = re.compile(r"[\w-]{1,100}\*?")


class Kind(Enum):
    """What a backend is."""

    IDEAL = "a simulator without errors"
    SIMULATED = "a device whose jobs run within this program"
    REAL = "a device whose jobs are sent, and asked for first"


@dataclass(frozen=True)
class _Ours:
    """One of our own backends, or a family of them.

    Attributes:
        pattern: its name, or with `*` the names of a family.
        kind: what it is; known without opening it.
        open: gives the backend of a name.
    """

    pattern: str
    kind: Kind
    open: Callable[[str, Notify], Backend]


def _open_aer(_name: str, _notify: Notify) -> Backend:
    from circuits.backends.aer import AerBackend

    return AerBackend()


def _open_simulated(name: str, _notify: Notify) -> Backend:
    _need_client(name)
    from circuits.backends.ibm.backend import get_simulated

    return get_simulated(name)


def _open_real(name: str, notify: Notify) -> Backend:
    _need_client(name)
    from circuits.backends.ibm.backend import get_backend

    return get_backend(name, notify=notify)


def _need_client(name: str) -> None:
    if find_spec("qiskit_ibm_runtime") is None:
        raise UnknownBackendError(f"backend {name!r} needs qiskit-ibm-runtime: install the extra 'ibm'")


_OURS: Final = (
    _Ours("aer", Kind.IDEAL, _open_aer),
    _Ours("fake_*", Kind.SIMULATED, _open_simulated),
    _Ours("ibm", Kind.REAL, _open_real),
    _Ours("ibm_*", Kind.REAL, _open_real),
)


def _ours(name: str) -> _Ours | None:
    return next((row for row in _OURS if fnmatchcase(name, row.pattern)), None)


def names_code(name: str) -> bool:
    """Whether a name is that of code to be run (`module:callable`): a file may not name such a backend."""
    return ":" in name


def get_backend(name: str, notify: Notify = ignore) -> Backend:
    """Return the backend of that name.

    Args:
        name: `'aer'` for the local simulator; `'fake_<device>'` for a simulated device with its noise,
            `'ibm'` for the least busy device of an IBM Quantum account, `'ibm_<device>'` for a certain one
            (these need the extra `ibm`); a name that another distribution offers; or `'module:callable'`.
        notify: told of retries and remarks while a service is asked.

    Raises:
        UnknownBackendError: there is no such backend, or its extra is not installed.
        BackendUsageError: what others offer under that name is no backend.
        BackendError: the service behind it failed.
    """
    row = _ours(name)
    return _foreign(name) if row is None else row.open(name, notify)


def get_device(name: str, notify: Notify = ignore) -> Device:
    """Return the device of that name; see `get_backend`.

    Raises:
        UnknownBackendError: besides, the backend of that name is no device.
    """
    backend = get_backend(name, notify)
    if not isinstance(backend, Device):
        raise UnknownBackendError(f"backend {name!r} is no device, so it runs no jobs")
    return backend


def kind_of(name: str) -> Kind:
    """What the backend of that name is. Ours are not opened for it.

    Raises:
        CircuitsError: as `get_backend`.
    """
    if (row := _ours(name)) is not None:
        return row.kind
    found = _foreign(name)
    if not isinstance(found, Device):
        return Kind.IDEAL
    return Kind.SIMULATED if found.local else Kind.REAL


def account_keeper() -> AccountKeeper:
    """Who keeps accounts: of ours, IBM's client.

    Raises:
        UnknownBackendError: the extra `ibm` is not installed.
    """
    _need_client("ibm")
    from circuits.backends.ibm import accounts

    return accounts


def resume(
    path: str | PathLike[str],
    notify: Notify = ignore,
    *,
    wait: bool = True,
    timeout: float | None = None,
    resubmit: Prepared | None = None,
    sleep: Callable[[float], None] | None = None,
) -> Fetched:
    """Get the result of the job in a file, whatever happened to the process that sent it.

    A done job is read from the file, without a network. A simulated job runs again, with its stored circuits
    and seed. What a service does is told in its own module.

    Args:
        path: the job file.
        notify: told of progress.
        wait: whether to wait for a job that is not done.
        timeout: seconds to wait at most.
        resubmit: what `refit` returned: send it if the job never reached the service, instead of saying so.
        sleep: how to wait between questions to a service; None to sleep.

    Raises:
        BackendUsageError: the file is not a valid job file.
        UnknownBackendError: the device of a simulated job no longer exists.
        NeverArrivedError: the job never arrived, and there is nothing to send.
        BackendError: the job failed, was cancelled or is unknown, or the service failed.
    """
    import time

    from circuits.backends import job_store

    job = job_store.load(path)
    if job.state is job_store.JobState.DONE:
        return Fetched(job, job.results)
    if job.over:
        raise BackendError(f"the job {job.state}: {job.reason or 'no reason was given'}")
    settings: dict[str, Any] = {
        "wait": wait,
        "timeout": timeout,
        "resubmit": resubmit,
        "sleep": sleep or time.sleep,
    }
    row = _ours(job.backend)
    if row is not None and row.kind is Kind.REAL:
        # Without asking for the device: it may be gone, and its jobs are still there.
        _need_client(job.backend)
        from circuits.backends.ibm import backend as ibm

        return ibm.resume(job, path, notify, **settings)
    provider: Any = None if row is not None else _offer(job.backend).provider
    if hasattr(provider, "resume"):
        found: object = provider.resume(job, path, notify, **settings)
        assert isinstance(found, Fetched)
        return found
    return get_device(job.backend).resume(job, path, notify, **settings)


def refit(path: str | PathLike[str], notify: Notify = ignore) -> Prepared:
    """Prepare the job in a file, which never reached the service, for its device as it is today.

    Args:
        path: the job file.
        notify: told of retries and remarks.

    Returns:
        The job with its present cost; compiled again where the device has other gates or connections by now.

    Raises:
        BackendUsageError: the file is not a valid job file, or the device does not take the job any more.
        BackendError: the device is gone, or the account or the service failed.
    """
    from circuits.backends import job_store

    job = job_store.load(path)
    row = _ours(job.backend)
    if row is not None and row.kind is Kind.REAL:
        _need_client(job.backend)
        from circuits.backends.ibm import backend as ibm

        return ibm.refit(job, notify)
    return get_device(job.backend).refit(job, notify)


def list_backends(account: bool = False, notify: Notify = ignore) -> tuple[list[BackendRow], list[str]]:
    """Return a row for every backend that can be listed.

    Args:
        account: also ask IBM Quantum, over the network.
        notify: told of retries and remarks.

    Returns:
        The rows: `aer`, IBM's simulated devices by name, then the account's by name, then others'. And a line
        for whatever others offer and cannot be used.

    Raises:
        BackendUsageError: the account cannot be asked without the extra `ibm`.
        BackendError: the account or the service fails.
    """
    rows = [BackendRow("aer", "this computer: Qiskit Aer, the move-by-move circuit")]
    if find_spec("qiskit_ibm_runtime") is not None:
        from circuits.backends.ibm.devices import list_account, list_simulated

        rows += list_simulated()
        rows += list_account(notify) if account else []
    elif account:
        raise BackendUsageError("--account needs qiskit-ibm-runtime: install the extra 'ibm'")
    offers, problems = _offers()
    for offer in offers:
        if _ours(offer.pattern) is not None:
            problems.append(f"{offer.source} offers {offer.pattern!r}, and that name is ours")
        elif offer.pattern.endswith("*"):
            rows.append(BackendRow(offer.pattern, f"a family of backends of {offer.distribution}"))
        else:
            try:
                found = _foreign(offer.pattern)
                described = found.describe() if isinstance(found, Device) else None
            except CircuitsError as error:
                if str(error) not in problems:
                    problems.append(str(error))
            else:
                rows.append(described or BackendRow(offer.pattern, f"a simulator of {offer.distribution}"))
    return rows, problems


# What others offer.


@dataclass(frozen=True)
class _Offer:
    """A name, or a family of names, that somebody offers.

    Attributes:
        pattern: the name, or with a final `*` the names of a family.
        provider: who gives the backend.
        source: the entry point, for messages.
        distribution: the name of the distribution that it belongs to.
    """

    pattern: str
    provider: Any
    source: str
    distribution: str


@dataclass(frozen=True)
class _One:
    """A provider of the one backend that an entry point names itself."""

    name: str
    found: object

    def names(self) -> tuple[str]:
        return (self.name,)

    def get(self, name: str) -> object:
        return self.found


@cache
def _foreign(name: str) -> Backend:
    """Return a backend that is none of ours. It is opened once: a vendor's client may ask its service."""
    if names_code(name):
        return _usable(_named_object(name), name)
    offer = _offer(name)
    with _told(f"{offer.source}: its get({name!r}) failed", BackendError):
        found = offer.provider.get(name)
    return _usable(found, name)


def _offer(name: str) -> _Offer:
    """Return who offers a name; one that is named exactly goes before a family.

    Raises:
        UnknownBackendError: nobody does, or several do.
    """
    offers, problems = _offers()
    fitting = [offer for offer in offers if offer.pattern == name]
    fitting = fitting or [offer for offer in offers if fnmatchcase(name, offer.pattern)]
    if len(fitting) > 1:
        sources = " and ".join(offer.source for offer in fitting)
        raise UnknownBackendError(f"the backend {name!r} is offered twice, by {sources}: uninstall one")
    if not fitting:
        known = [row.pattern.replace("*", "<device>") for row in _OURS]
        known += sorted({offer.pattern for offer in offers} - {row.pattern for row in _OURS})
        raise NoSuchBackendError(name, tuple(known), tuple(problems))
    return fitting[0]


def _offers() -> tuple[list[_Offer], list[str]]:
    """Return what the entry points of other distributions offer, and a line for each that cannot be used."""
    from importlib.metadata import entry_points

    offers: list[_Offer] = []
    problems: list[str] = []
    try:
        entries = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    except Exception as error:  # Anything may lie where packages are installed.
        return [], [f"the entry points of this environment cannot be read: {one_line(error)}"]
    for entry in entries:
        distribution = entry.dist.name if entry.dist is not None else "an unknown distribution"
        source = f"the entry point {entry.name!r} of {one_line(distribution)}"
        try:
            provider, names = _provider(entry, source)
        except CircuitsError as error:
            problems.append(str(error))
        else:
            offers += [_Offer(name, provider, source, one_line(distribution)) for name in names]
    return offers, problems


def _provider(entry: "EntryPoint", source: str) -> tuple[Any, Sequence[str]]:
    with _told(f"{source} cannot be imported", UnknownBackendError):
        provider: Any = entry.load()
    with _told(f"{source} failed", UnknownBackendError):
        if isinstance(provider, type) and hasattr(provider, "names") and hasattr(provider, "get"):
            provider = provider()
        if not (hasattr(provider, "names") and hasattr(provider, "get")):
            provider = _One(entry.name, provider)
        names = list(provider.names())
    wrong = next((name for name in names if not isinstance(name, str) or not _NAME.fullmatch(name)), None)
    if wrong is not None:
        raise UnknownBackendError(f"{source} offers {one_line(repr(wrong))}, which is no backend's name")
    return provider, names


def _named_object(name: str) -> object:
    """Import what `module:callable` names; modules of the working folder are found too, after all others."""
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        raise UnknownBackendError(f"a backend named by code is module:callable, not {name!r}")
    folder = os.getcwd()
    sys.path.append(folder)
    try:
        with _told(f"the backend {name!r} cannot be imported", UnknownBackendError):
            found: object = attrgetter(attribute)(import_module(module))
            return found
    finally:
        sys.path.remove(folder)


def _usable(found: Any, name: str) -> Backend:
    """Make a backend of what somebody gives under a name: an object, or what makes one.

    Raises:
        BackendError: what makes it raised.
        BackendUsageError: it is none.
    """
    from qiskit.providers import BackendV2

    if isinstance(found, type) or (callable(found) and not hasattr(found, "run")):
        with _told(f"the backend {name!r} failed", BackendError):
            found = found()
    if isinstance(found, BackendV2):
        from circuits.backends.qiskit_device import QiskitDevice

        return QiskitDevice(name, found)
    if isinstance(found, Device):
        return found
    if isinstance(found, Backend):
        return _Guarded(name, found)
    raise BackendUsageError(
        f"the backend {name!r} is a {type(found).__name__}: it must be Qiskit's BackendV2, or have "
        "a name and run(circuits, shots, rng)"
    )


class _Guarded:
    """Somebody's backend under the name by which it was found; what it gives is looked at."""

    def __init__(self, name: str, backend: Backend) -> None:
        self.name = name
        self._backend = backend

    def run(
        self, circuits: "Sequence[QuantumCircuit]", shots: int, rng: "np.random.Generator"
    ) -> "list[Shots]":
        """Run every circuit and return its bits."""
        from circuits.decoding import Shots

        if shots < 1:
            raise BackendUsageError(f"{self.name} runs at least 1 shot, not {shots}")
        with _told(f"the backend {self.name!r} failed", BackendError):
            try:
                found = list(self._backend.run(circuits, shots, rng))
            except DecodingError as error:
                raise BackendError(f"the backend {self.name!r} gave no bits: {error}") from error
        for circuit, run in zip(circuits, found, strict=False):
            widths = {register.name: register.size for register in circuit.cregs}
            if not isinstance(run, Shots) or len(run) != shots:
                raise BackendError(f"the backend {self.name!r} gave no {shots} Shots of a circuit")
            if any(getattr(run, name).shape[1] != widths.get(name, 0) for name in ("pos", "mark", "flag")):
                raise BackendError(f"the backend {self.name!r} gave other bits than the circuit has")
        if len(found) != len(circuits):
            raise BackendError(
                f"the backend {self.name!r} gave {len(found)} results for {len(circuits)} circuits"
            )
        return found


@contextmanager
def _told(what: str, kind: type[CircuitsError]) -> Iterator[None]:
    """Turn whatever somebody else's code raises into one line; errors of ours, meant so, pass."""
    try:
        yield
    except CircuitsError:
        raise
    except (Exception, SystemExit) as error:
        raise kind(f"{what}: {type(error).__name__}: {one_line(error)}") from error
