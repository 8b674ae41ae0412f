"""The command line: parse, call the command, and turn every problem into one line and an exit status.

Exit statuses (notation.md): 0 done; 1 the question was answered with "no"; 2 bad input or usage; 3 a backend
or service failed; 130 interrupted.
"""

import errno
import io
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from circuits.errors import BackendError, CircuitsError
from qttt.cli.commands import COMMANDS
from qttt.cli.commands.command_line import build_parser
from qttt.cli.console.characters import visible
from qttt.cli.console.session import Session, StoppedError
from qttt.errors import QtttError, ServiceError, UsageError

if TYPE_CHECKING:
    import numpy as np

INTERRUPTED = 130
_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (StoppedError, INTERRUPTED),
    (ServiceError, 3),
    (BackendError, 3),
    (QtttError, 2),
    (CircuitsError, 2),
)
"""What the command line ends with for an error that nothing else handles: the first kind that it is of."""

_IN_ASCII = str.maketrans({"△": "X", "□": "O", "…": "...", "−": "-", "–": "-", "’": "'", "√": "sqrt "})


def main(
    argv: Sequence[str] | None = None,
    *,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    rng: "np.random.Generator | None" = None,
) -> int:
    """Run one command line.

    Args:
        argv: arguments without the program's name; None for the process's own.
        stdin: where ``-`` reads from and questions are answered; None for the process's own, as below.
        stdout: where the result goes.
        stderr: where problems go.
        rng: random numbers, instead of those of ``--seed``.

    Returns:
        The exit status.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    session = Session(
        _readable(stdin or sys.stdin or _Closed()),
        stdout or _tolerant(sys.stdout or _Closed()),
        stderr or sys.stderr or io.StringIO(),
        rng,
    )
    try:
        return _run(words, session)
    except KeyboardInterrupt:
        return _report("interrupted", INTERRUPTED, session, words)
    except (QtttError, CircuitsError) as error:
        status = next(status for kind, status in _STATUSES if isinstance(error, kind))
        return _report(str(error), status, session, words)
    except Exception as error:
        if _comes_of_an_interrupt(error):
            return _report("interrupted", INTERRUPTED, session, words)
        if _lacks_temporary_folder(error):
            return _report(_NO_TEMPORARY_FOLDER, 2, session, words)
        what = f"{type(error).__name__}: {error}".partition("\n")[0]
        message = f"this is a fault of the program, please report it with --debug: {what}"
        return _report(message, 3, session, words)


_NO_TEMPORARY_FOLDER = (
    "no folder for temporary files can be written to, and Qiskit needs one: set TMPDIR to one that can"
)


def _lacks_temporary_folder(error: BaseException) -> bool:
    # Python looks for one when a library first asks, and its error then says nothing of what to do.
    if not isinstance(error, OSError):
        return False
    import tempfile

    try:
        tempfile.gettempdir()
    except OSError:
        return True
    return False


def _comes_of_an_interrupt(error: BaseException | None) -> bool:
    # Qiskit's compiled parts turn an interrupt while they are imported into errors of their own.
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _run(words: list[str], session: Session) -> int:
    named = next((word for word in words if not word.startswith("-")), "")
    parser = build_parser(named, session.write)
    try:
        arguments = parser.parse_args(words)
    except SystemExit as end:  # After --help.
        return int(end.code or 0)
    except UsageError:
        if (said := _unspoken(named)) is None:
            raise
        raise UsageError(said) from None
    if arguments.version:
        from qttt.version import __version__

        session.write(f"qttt {__version__}\n")
        return 0
    if arguments.command is None:
        parser.print_help()
        return 0
    session.ascii = arguments.ascii
    status = arguments.run(arguments, session)
    assert isinstance(status, int)
    return status


def _unspoken(named: str) -> str | None:
    """What a command says of a usage problem instead of what was typed, also where the name runs on."""
    for entry in COMMANDS:
        if named.lower().startswith(entry.name):
            return entry.load().usage_problem
    return None


def _readable(stdin: TextIO) -> TextIO:
    """Input in which bytes that its encoding lacks read as U+FFFD: a line for the user to type again."""
    if isinstance(stdin, io.TextIOWrapper):
        stdin.reconfigure(errors="replace")
    return stdin


class _Closed(io.StringIO):
    """A stream that the process was started without: nothing was said there, and nothing can be."""

    def _refuse(self, *_: object) -> NoReturn:
        raise OSError(errno.EBADF, "it is closed")

    read = readline = write = _refuse


def _tolerant(stdout: TextIO) -> TextIO:
    """Standard output that writes what its encoding lacks as escapes."""
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="backslashreplace")
    return stdout


def _report(message: str, status: int, session: Session, words: Sequence[str]) -> int:
    if "--debug" in words:
        session.tell(visible(traceback.format_exc()))
    line = visible(" ".join(f"qttt: error: {message}".split("\n")))
    encoding = session.stderr.encoding or "utf-8"
    try:
        line.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        line = line.translate(_IN_ASCII).encode("ascii", "backslashreplace").decode()
    session.tell(f"{line}\n")
    return status
