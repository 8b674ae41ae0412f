"""Where a process of ``qttt`` begins: ``python -m qttt``, and the script of that name."""

import os
import signal
import sys


def main() -> int:
    """Run the process's own command line.

    Returns:
        The exit status. An interrupt while the command line is still being imported ends as a later one does.
    """
    _occupy_closed_streams()
    try:
        try:
            import qttt.own_circuits  # noqa: F401
        except ImportError as error:
            return _refused(str(error), 2)
        from qttt.cli.main import INTERRUPTED
        from qttt.cli.main import main as run

        status = run()
        if status != INTERRUPTED:
            # What is done is done: while the interpreter ends, an interrupt would end it by the signal.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return status
    except KeyboardInterrupt:
        return _refused("interrupted", 130)


def _refused(message: str, status: int) -> int:
    if sys.stderr is not None:
        sys.stderr.write(f"qttt: error: {message}\n")
    return status


def _occupy_closed_streams() -> None:
    """Open the null device in the place of a closed standard output or standard error.

    Else the next file opened might get its number, and with it what compiled libraries and worker processes
    write there. ``sys`` still says that the stream is closed. Nothing writes to standard input, and whoever
    opens ``/dev/stdin`` shall be told that there is none.
    """
    for number in (1, 2):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            if null != number:
                os.close(null)


if __name__ == "__main__":
    sys.exit(main())
