"""The whole command line as a parser: commands under their headings, and the flags of each."""

import argparse
import textwrap
from collections.abc import Callable
from shutil import get_terminal_size

from qttt.cli.commands import COMMANDS, Entry
from qttt.cli.console.parser import Parser
from qttt.game.moves import Kind

#: The longest line of help, in a terminal that is wider.
WIDTH = 79
#: Columns for the name of a command.
_NAME = 14

_DESCRIPTION = (
    "TiqTaqToe: quantum tic-tac-toe with dice, every move a quantum circuit. A game is written as its moves: "
    f"{', '.join(f'{kind.example} ({kind.word})' for kind in Kind)}, ~5 or 5~ (with a view switch)."
)
_BEGIN = (
    "To begin: qttt play --level 1 --o easy is a first game against an easy computer, qttt rules 1 its "
    "rules; qttt play --demo shows every move with its gates."
)
_MORE = "qttt help COMMAND explains a command and shows examples."


def build_parser(named: str | None = None, write: Callable[[str], None] | None = None) -> Parser:
    """The parser of the whole command line.

    Args:
        named: the only command whose module is imported and whose arguments are added; None for all.
        write: what writes help; None for the process's standard output.
    """
    parser = Parser(
        prog="qttt",
        usage="qttt [OPTIONS] COMMAND ...",
        description=_filled(_DESCRIPTION),
        epilog="\n\n".join((_listed(), _filled(_BEGIN), _filled(_MORE))),
        write=write,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version and end")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS, prog="qttt")
    for entry in COMMANDS:
        if named is None or named == entry.name:
            _add_command(commands, entry, write)
        else:
            commands.add_parser(entry.name, help=entry.summary, add_help=False)
    return parser


def _filled(text: str, first: str = "", others: str = "") -> str:
    """A paragraph as wide as the terminal, its first line and the others begun with something."""
    width = min(WIDTH, get_terminal_size().columns)
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=others)


def _listed() -> str:
    """The commands under their headings."""
    lines = []
    for group in dict.fromkeys(entry.group for entry in COMMANDS):
        lines += ["", f"{group}:"]
        lines += [
            _filled(entry.summary, f"  {entry.name:<{_NAME - 2}}", " " * _NAME)
            for entry in COMMANDS
            if entry.group == group
        ]
    return "\n".join(lines[1:])


def _add_command(
    commands: "argparse._SubParsersAction[Parser]", entry: Entry, write: Callable[[str], None] | None
) -> None:
    command = entry.load()
    parser = commands.add_parser(
        entry.name,
        help=entry.summary,
        description=_filled(command.explanation),
        epilog="\n".join(["examples:", *(f"  qttt {example}" for example in command.examples)]),
        write=write,
    )
    command.add_arguments(parser)
    only = "draw with ASCII characters only" if command.draws else argparse.SUPPRESS
    parser.add_argument("--ascii", action="store_true", help=only)
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.set_defaults(run=command.run)
