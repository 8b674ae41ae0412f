"""Run the command line inside the test process, with streams of the test's own."""

import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from qttt.cli.main import main


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class AtOnce:
    """A timer whose time has come when it is started, in place of that of ``qttt.cli.console.waiting``."""

    daemon = False

    def __init__(self, _seconds: float, begin: Callable[[], None]) -> None:
        self.start = begin

    def cancel(self) -> None:
        """Too late."""


class Run(NamedTuple):
    """What a command line did."""

    status: int
    out: str
    err: str


def run(*argv: str, stdin: str = "", terminal: bool = False) -> Run:
    stream = Terminal if terminal else io.StringIO
    out, err = stream(), stream()
    status = main(argv, stdin=stream(stdin), stdout=out, stderr=err)
    return Run(status, out.getvalue(), err.getvalue())


def run_json(*argv: str, stdin: str = "") -> Any:
    """The one JSON object that a command printed; it must have been done without a problem."""
    done = run(*argv, "--json", stdin=stdin)
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1
    return json.loads(done.out)


def refusal(*argv: str, stdin: str = "") -> str:
    """The one line with which a command refused bad input."""
    done = run(*argv, stdin=stdin)
    assert done.status == 2, done
    assert done.out == ""
    assert done.err.startswith("qttt: error: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    return done.err.removeprefix("qttt: error: ").rstrip("\n")


def play(typed: str, *words: str, status: int = 0) -> str:
    """Type lines into ``qttt play``; the output, after checking the exit status."""
    out, err = io.StringIO(), io.StringIO()
    found = main(["play", *words], stdin=io.StringIO(typed), stdout=out, stderr=err)
    assert found == status, err.getvalue()
    assert "Traceback" not in err.getvalue()
    return out.getvalue() + err.getvalue()
