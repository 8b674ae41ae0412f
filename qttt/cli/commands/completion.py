"""``qttt completion``: a script with which a shell completes commands, flags, values and files."""

from argparse import ArgumentParser, Namespace

from qttt.cli.commands import Command
from qttt.cli.console.session import Session

SHELLS = ("bash", "zsh")


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))


def _run(arguments: Namespace, session: Session) -> int:
    import shtab

    from qttt.cli.commands.command_line import build_parser
    from qttt.game.rules import LEVELS
    from qttt.game.symbols import Symbol
    from qttt.players import PLAYERS
    from qttt.records.library import HUMAN

    players = (HUMAN, *PLAYERS)
    values: dict[str, tuple[str, ...]] = {
        "level": tuple(str(level.number) for level in LEVELS),
        "first": tuple(Symbol),
        "x": players,
        "o": players,
    }
    parser = build_parser()
    for commands in parser.subparsers():
        # What help lists in another way is completed all the same.
        commands.help = "command"
        for action in (action for command in commands.choices.values() for action in command._actions):
            if action.metavar in ("FILE", "RECORD"):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.choices is None and action.dest in values:
                action.choices = values[action.dest]
    session.write(shtab.complete(parser, shell=arguments.shell))
    return 0


COMMAND = Command(
    explanation=(
        "Prints a script that makes the shell complete commands, flags and files after Tab. In bash: add the "
        'line eval "$(qttt completion bash)" to ~/.bashrc; in zsh: save it as _qttt in a folder of $fpath.'
    ),
    examples=("completion bash", "completion zsh"),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
