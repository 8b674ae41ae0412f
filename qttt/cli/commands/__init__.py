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
        draws: ``--ascii`` says something: the command draws in its text.
        usage_problem: what is said, in place of the words typed, where these may hold a secret; else None.
    """

    explanation: str
    examples: tuple[str, ...]
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, "Session"], int]
    draws: bool = True
    usage_problem: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list of commands.

    Attributes:
        name: what is typed.
        module: the module whose ``COMMAND`` it is.
        summary: a few words for ``qttt --help``.
        group: the heading under which that lists it.
    """

    name: str
    module: str
    summary: str
    group: str

    def load(self) -> Command:
        """Import the command."""
        command = import_module(self.module).COMMAND
        assert isinstance(command, Command)
        return command


def _group(heading: str, *rows: tuple[str, str]) -> tuple[Entry, ...]:
    return tuple(Entry(name, f"{__name__}.{name}", summary, heading) for name, summary in rows)


COMMANDS: tuple[Entry, ...] = (
    *_group(
        "play",
        ("play", "a game at one keyboard, against a computer, or a demonstration"),
        ("serve", "the board in a browser"),
        ("games", "the games played here: list, show, export, results"),
        ("puzzle", "a position with one best choice, to be found"),
        ("selfplay", "a match of many games between computers"),
    ),
    *_group(
        "learn",
        ("rules", "the rules of a level, with diagrams"),
        ("explain", "explain a game move by move, also as a page or figures"),
        ("draw", "a board, a game or its odds as a picture"),
        ("review", "what each choice of a game gave away, and what chance gave"),
    ),
    *_group(
        "look into a game",
        ("odds", "exact odds of the board, if it were observed now"),
        ("moves", "the legal moves"),
        ("dice", "the dice in every square"),
        ("advise", "the best choice, its value and why"),
        ("openings", "what the choices of an opening are worth"),
        ("solve", "who wins with best play, and what first moves are worth"),
        ("perft", "count legal move sequences"),
    ),
    *_group(
        "circuits and devices",
        ("circuit", "the circuit of a game, drawn or as OpenQASM 3"),
        ("observe", "observe a full board by circuit or dice"),
        ("submit", "send the observations of several games in one job"),
        ("check", "hold dice, circuits and shots against each other"),
        ("witness", "whether a device's pairs are entangled"),
        ("decode", "turn counts from any provider into boards"),
        ("backends", "what a board can be observed on"),
        ("bench", "how well chips play: a score from six boards"),
        ("login", "keep an IBM Quantum account on this computer"),
    ),
    *_group(
        "help",
        ("help", "what there is, or what a command does"),
        ("completion", "a script that completes commands in bash or zsh"),
    ),
)
