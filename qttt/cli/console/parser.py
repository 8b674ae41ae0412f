"""The argument parser of all commands."""

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from qttt.errors import LONGEST_QUOTED, UsageError


class Parser(argparse.ArgumentParser):
    """An argument parser whose problems are errors of ours: one line, no usage text."""

    def __init__(self, *, write: Callable[[str], None] | None = None, **settings: Any) -> None:
        """Take what writes help; None for the process's standard output."""
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        self.write = write

    def error(self, message: str) -> NoReturn:
        """Raise a usage error instead of leaving the process."""
        if re.match(r"unrecognized arguments: [1-9~=?]", message):
            message += " (a record of several moves is one argument, in quotes: '5 5*6')"
        # What was typed stands in the message as it is, and may be of any length.
        raise UsageError(re.sub(rf"(\S{{{LONGEST_QUOTED}}})\S{{{LONGEST_QUOTED},}}", r"\1…", message))

    def print_help(self, file: Any = None) -> None:
        """Print the help where this parser's output goes."""
        if file is not None or self.write is None:
            super().print_help(file)
        else:
            # By itself argparse would say nothing of help that cannot be written.
            self.write(self.format_help())
