"""What solving takes: memory, and the extra ``solve``."""

import os
from pathlib import Path

from qttt.errors import UsageError


def check_memory(what: str, needed: int) -> None:
    """Refuse to solve something in too little memory.

    Raises:
        UsageError: fewer than the needed MB are free.
    """
    free = available_memory()
    if free is not None and free < needed:
        raise UsageError(f"solving {what} takes {needed} MB of memory; {free:.0f} MB are free")


def numba_version(what: str) -> str:
    """The version of Numba, which compiles what solves something.

    Raises:
        UsageError: the extra ``solve`` is not installed.
    """
    try:
        import numba
    except ImportError as error:
        raise UsageError(
            f"solving {what} anew needs the extra 'solve': pip install 'tiqtaqtoe[solve]'"
        ) from error
    return str(numba.__version__)


def available_memory() -> float | None:
    """Memory that can be had without swapping, in MB; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError, AttributeError):
        return None
