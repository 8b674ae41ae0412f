"""``qttt completion``: a script with which a shell completes commands and flags."""

from argparse import ArgumentParser, Namespace

from qttt.cli.commands import Command
from qttt.cli.console.session import Session

SHELLS = ("bash", "zsh")


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))


def _run(arguments: Namespace, session: Session) -> int:
    import shtab

    from qttt.cli.commands.command_line import build_parser

    parser = build_parser()
    for action in parser.subparsers():
        # What help lists in another way is completed all the same.
        action.help = "command"
    session.write(shtab.complete(parser, shell=arguments.shell))
    return 0


COMMAND = Command(
    explanation=(
        "Prints a script that makes the shell complete commands and flags after Tab. In bash: add the line "
        'eval "$(qttt completion bash)" to ~/.bashrc; in zsh: save it as _qttt in a folder of $fpath.'
    ),
    examples=("completion bash", "completion zsh"),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
