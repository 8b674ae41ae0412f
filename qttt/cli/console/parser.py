"""The argument parser of all commands."""

import argparse
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, NoReturn

from qttt.errors import LONGEST_QUOTED, UsageError


def nearest(typed: str, known: Iterable[str]) -> str:
    """The end of a sentence about a word that is unknown: which one was nearly meant, if any was."""
    near = get_close_matches(typed, list(known), 1, 0.6)
    return f" (did you mean {near[0]}?)" if near else ""


class Parser(argparse.ArgumentParser):
    """An argument parser whose problems are errors of ours: one line, no usage text."""

    def __init__(self, *, write: Callable[[str], None] | None = None, **settings: Any) -> None:
        """Take what writes help; None for the process's standard output."""
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        self.write = write

    def error(self, message: str) -> NoReturn:
        """Raise a usage error instead of leaving the process."""
        if match := re.match(
            r"argument COMMAND: invalid choice: '(.*)' \(choose from (.*)\)", message, re.DOTALL
        ):
            message = f"there is no command {match[1]!r}{nearest(match[1], re.findall('[a-z]+', match[2]))}"
            message += "; qttt help lists them"
        elif match := re.match("unrecognized arguments: (--[a-z-]+)", message):
            message += nearest(match[1], self._flags())
        if re.match(r"unrecognized arguments: [1-9~=?]", message):
            message += " (a record of several moves is one argument, in quotes: '5 5*6')"
        # What was typed stands in the message as it is, and may be of any length.
        raise UsageError(re.sub(rf"(\S{{{LONGEST_QUOTED}}})\S{{{LONGEST_QUOTED},}}", r"\1…", message))

    def _flags(self) -> list[str]:
        """The flags of this parser and of the one command whose arguments are known."""
        parsers = [self, *(p for action in self.subparsers() for p in action.choices.values())]
        return [flag for parser in parsers for flag in parser._option_string_actions]

    def subparsers(self) -> "list[argparse._SubParsersAction[Parser]]":
        """The arguments that name a command."""
        return [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]

    def print_help(self, file: Any = None) -> None:
        """Print the help where this parser's output goes."""
        if file is not None or self.write is None:
            super().print_help(file)
        else:
            # By itself argparse would say nothing of help that cannot be written.
            self.write(self.format_help())
