"""What holds for every test."""

import signal


def pytest_configure() -> None:
    """Take interrupts again: a shell starts what is in its background with interrupts ignored.

    The programs that tests start would inherit that, and wait for ever for the one that a test sends.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
