"""The argument parser of all commands."""

import argparse
import re
from typing import Any, NoReturn, TextIO

from qttt.errors import LONGEST_QUOTED, UsageError


class Parser(argparse.ArgumentParser):
    """An argument parser whose problems are errors of ours: one line, no usage text."""

    def __init__(self, *, stdout: TextIO | None = None, **settings: Any) -> None:
        """Take where help goes; None for the process's standard output."""
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        self.stdout = stdout

    def error(self, message: str) -> NoReturn:
        """Raise a usage error instead of leaving the process."""
        if re.match(r"unrecognized arguments: [1-9~=?]", message):
            message += " (a record of several moves is one argument, in quotes: '5 5*6')"
        # What was typed stands in the message as it is, and may be of any length.
        raise UsageError(re.sub(rf"(\S{{{LONGEST_QUOTED}}})\S{{{LONGEST_QUOTED},}}", r"\1…", message))

    def print_help(self, file: Any = None) -> None:
        """Print the help where this parser's output goes."""
        super().print_help(file or self.stdout)
