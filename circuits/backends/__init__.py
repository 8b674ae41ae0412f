"""Backends by name. A backend's own libraries are only imported when it is asked for."""

from circuits.backends.base import Backend, Device, Provider
from circuits.backends.plans import BackendRow
from circuits.backends.providers import (
    Kind,
    account_keeper,
    get_backend,
    get_device,
    kind_of,
    list_backends,
    names_code,
    refit,
    resume,
)

__all__ = [
    "Backend",
    "BackendRow",
    "Device",
    "Kind",
    "Provider",
    "account_keeper",
    "get_backend",
    "get_device",
    "kind_of",
    "list_backends",
    "names_code",
    "refit",
    "resume",
]
