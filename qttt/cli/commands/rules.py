"""``qttt rules``: the complete rules of a level, with diagrams."""

from argparse import ArgumentParser, Namespace

from qttt.cli.commands import Command
from qttt.cli.console.session import Session


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("level", metavar="LEVEL", nargs="?", help="0 to 5 (default: the levels at a glance)")


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.cli.console.characters import carried
    from qttt.game.rules import parse_level
    from qttt.teaching.guide.pages import overview, rules_of, rules_text, title_of

    if arguments.level is None:
        title, sections = "TiqTaqToe: quantum tic-tac-toe", overview()
    else:
        level = parse_level(arguments.level)
        title, sections = title_of(level), rules_of(level)
    text = rules_text(title, sections, session.glyphs, session.columns)
    session.show(*carried(text, takes_unicode=session.takes_unicode))
    return 0


COMMAND = Command(
    explanation=(
        "Prints the complete rules of a level: dice, moves, observation, deciding, options and the words of "
        "the game, with diagrams. The chances in them are computed from the dice."
    ),
    examples=("rules", "rules 2", "rules 5"),
    add_arguments=_add_arguments,
    run=_run,
)
