"""What holds for every test."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes is for the benchmarks: on a busy machine a deadline fails without a fault.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def no_user_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that tests play at a terminal are kept in a folder of their own, never in the user's."""
    monkeypatch.setenv("QTTT_DATA_DIR", str(tmp_path_factory.getbasetemp() / "data"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Share all the tests between two workers; chosen files run in the process itself, which is sooner."""
    return 2 if config.args_source is pytest.Config.ArgsSource.TESTPATHS else 0


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out, on Windows, the test files that use what only other systems have (forks, terminals)."""
    if os.name != "nt" or not collection_path.name.startswith("test_"):
        return None
    from tests.support.portability import is_for_posix

    return is_for_posix(collection_path, config.rootpath) or None


def pytest_configure() -> None:
    """Take interrupts again: a shell starts what is in its background with interrupts ignored.

    The programs that tests start would inherit that, and wait for ever for the one that a test sends.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
