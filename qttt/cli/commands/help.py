"""``qttt help``: what there is, or what a command does."""

from argparse import ArgumentParser, Namespace

from qttt.cli.commands import COMMANDS, Command
from qttt.cli.console.session import Session


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "about",
        metavar="COMMAND",
        nargs="?",
        choices=[entry.name for entry in COMMANDS],
        help="the command to explain",
    )


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.cli.commands.command_line import build_parser

    about = [] if arguments.about is None else [arguments.about]
    try:
        build_parser(arguments.about or "", session.write).parse_args([*about, "--help"])
    except SystemExit as end:
        return int(end.code or 0)
    raise AssertionError("help does not end")


COMMAND = Command(
    explanation="Lists the commands, or explains one of them with its flags and examples.",
    examples=("help", "help observe"),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
