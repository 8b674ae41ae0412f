"""What holds for every test."""

import signal

from hypothesis import settings

# How long an example takes is for the benchmarks: on a busy machine a deadline fails without a fault.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    """Take interrupts again: a shell starts what is in its background with interrupts ignored.

    The programs that tests start would inherit that, and wait for ever for the one that a test sends.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
