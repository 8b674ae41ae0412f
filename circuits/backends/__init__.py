"""Backends by name. A backend's own libraries are only imported when it is asked for."""

from importlib.util import find_spec

from circuits.backends.base import Backend
from circuits.backends.progress import Notify, ignore
from circuits.errors import UnknownBackendError

__all__ = ["Backend", "get_backend"]


def get_backend(name: str, notify: Notify = ignore) -> Backend:
    """Return the backend of that name.

    Args:
        name: `'aer'` for the local simulator; `'fake_<device>'` for a simulated device with its noise,
            `'ibm'` for the least busy device of an IBM Quantum account, `'ibm_<device>'` for a certain one.
            The last three need the extra `ibm`.
        notify: told of retries and remarks while a service is asked.

    Raises:
        UnknownBackendError: there is no such backend, or its extra is not installed.
        BackendError: the service behind it failed.
    """
    if name == "aer":
        from circuits.backends.aer import AerBackend

        return AerBackend()
    if name == "ibm" or name.startswith(("ibm_", "fake_")):
        if find_spec("qiskit_ibm_runtime") is None:
            raise UnknownBackendError(f"backend {name!r} needs qiskit-ibm-runtime: install the extra 'ibm'")
        from circuits.backends.ibm.backend import get_backend as get_ibm_backend

        return get_ibm_backend(name, notify=notify)
    raise UnknownBackendError(f"there is no backend {name!r}: try aer, fake_<device>, ibm, ibm_<device>")
