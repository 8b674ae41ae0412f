"""The commands of ``qttt``: one module each, imported only when its command is named.

A module says what its command is in a constant ``COMMAND`` and is entered in ``COMMANDS`` with its name. Both
are light: whatever needs Qiskit or numpy is imported when the command runs.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qttt.cli.console.session import Session


@dataclass(frozen=True, slots=True)
class Command:
    """What the command line needs to know of a command.

    Attributes:
        explanation: one paragraph of its help.
        examples: command lines without the leading ``qttt``, as a shell takes them.
        add_arguments: adds its arguments to a parser.
        run: does it, and returns the exit status.
        usage_problem: what is said, in place of the words typed, where these may hold a secret; else None.
    """

    explanation: str
    examples: tuple[str, ...]
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, "Session"], int]
    usage_problem: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list of commands.

    Attributes:
        name: what is typed.
        module: the module whose ``COMMAND`` it is.
        summary: a few words for ``qttt --help``.
    """

    name: str
    module: str
    summary: str

    def load(self) -> Command:
        """Import the command."""
        command = import_module(self.module).COMMAND
        assert isinstance(command, Command)
        return command


COMMANDS: tuple[Entry, ...] = (
    Entry("play", "qttt.cli.commands.play", "a game at one keyboard, or a demonstration"),
    Entry("odds", "qttt.cli.commands.odds", "exact odds of the board, if it were observed now"),
    Entry("moves", "qttt.cli.commands.moves", "the legal moves"),
    Entry("dice", "qttt.cli.commands.dice", "the dice in every square"),
    Entry("observe", "qttt.cli.commands.observe", "observe a full board by circuit or dice"),
    Entry("check", "qttt.cli.commands.check", "hold dice, circuits and shots against each other"),
    Entry("circuit", "qttt.cli.commands.circuit", "the circuit of a game, drawn or as OpenQASM 3"),
    Entry("rules", "qttt.cli.commands.rules", "the rules of a level, with diagrams"),
    Entry("draw", "qttt.cli.commands.draw", "a board, a game or its odds as a picture"),
    Entry("explain", "qttt.cli.commands.explain", "explain a game move by move, also as a page or figures"),
    Entry("advise", "qttt.cli.commands.advise", "the best choice, its value and why"),
    Entry("review", "qttt.cli.commands.review", "what each choice of a game gave away, and what chance gave"),
    Entry("solve", "qttt.cli.commands.solve", "who wins with best play, and what first moves are worth"),
    Entry("selfplay", "qttt.cli.commands.selfplay", "a match of many games between computers"),
    Entry("puzzle", "qttt.cli.commands.puzzle", "a position with one best choice, to be found"),
    Entry("backends", "qttt.cli.commands.backends", "what a board can be observed on"),
    Entry("login", "qttt.cli.commands.login", "keep an IBM Quantum account on this computer"),
    Entry("perft", "qttt.cli.commands.perft", "count legal move sequences"),
)
