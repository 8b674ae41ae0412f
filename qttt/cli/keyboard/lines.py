"""Lines typed by players: from a terminal with completion and history, or from a pipe."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from qttt.cli.console.session import Session
from qttt.cli.console.signals import Ended

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

TWICE = 2.0
"""Seconds within which a second Ctrl-C leaves, where no line is typed."""


class Keyboard(Protocol):
    """Where lines come from.

    Attributes:
        live: a person sits at a terminal, and may press Ctrl-C without wanting to leave.
    """

    live: bool

    def line(self, prompt: str, words: Sequence[str]) -> str:
        """Ask for one line.

        Args:
            prompt: what stands before it.
            words: what may sensibly be typed; offered as completions where there is a terminal.

        Raises:
            EOFError: the input ended.
            KeyboardInterrupt: the player pressed Ctrl-C.
        """
        ...


class PipeKeyboard:
    """Reads lines from any stream and writes them back, so that a transcript reads as a game did."""

    live = False

    def __init__(self, read: Callable[[], str], write: Callable[[str], None]) -> None:
        """Take what reads a line, empty at the end, and where prompts and what was read go."""
        self.read = read
        self.write = write

    def line(self, prompt: str, words: Sequence[str]) -> str:
        """Read one line."""
        self.write(prompt)
        line = self.read()
        if not line:
            self.write("\n")
            raise EOFError
        self.write(line if line.endswith("\n") else f"{line}\n")
        return line.strip()


class TerminalKeyboard:
    """Reads lines at a terminal, with completion by Tab and a history."""

    live = True
    _session: "PromptSession[str] | None" = None

    def line(self, prompt: str, words: Sequence[str]) -> str:
        """Ask for one line."""
        # Not before it is needed: the first board is shown without it.
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter

        if self._session is None:
            self._session = PromptSession()
        completer = WordCompleter(list(words), sentence=True)
        return self._session.prompt(prompt, completer=completer, complete_while_typing=False).strip()


def keyboard_for(session: Session) -> Keyboard:
    """The keyboard that suits a session: a terminal's own, or a pipe's."""
    import sys

    # prompt_toolkit talks to the process's own terminal, so it serves only where that is the session's.
    if session.stdin is sys.stdin and session.stdin.isatty() and session.stdout.isatty():
        return TerminalKeyboard()
    return PipeKeyboard(session.read_line, session.write)


class Prompt:
    """Asks for lines, and takes Ctrl-C: it clears the line, and stops what a line has asked for.

    Pressed twice without a line between, it leaves, as Ctrl-D does. Where no person sits at a terminal it
    leaves at once.
    """

    def __init__(self, keyboard: Keyboard, session: Session) -> None:
        """Take where lines come from, and where it is said how to leave."""
        self.keyboard, self._session = keyboard, session
        self._pressed = -TWICE
        self._cleared = False

    def line(self, prompt: str, words: Sequence[str]) -> str:
        """Ask for one line.

        Raises:
            EOFError: the input ended.
            KeyboardInterrupt: the player wants to leave.
        """
        while True:
            try:
                typed = self.keyboard.line(prompt, words)
            except Ended:
                raise
            except KeyboardInterrupt:
                if self._cleared or not self.keyboard.live:
                    raise
                self._cleared = True
                self._session.show("Ctrl-C again leaves; so does Ctrl-D.")
            else:
                self._cleared = False
                return typed

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Let Ctrl-C stop what is done here, and nothing else."""
        try:
            yield
        except Ended:
            raise
        except KeyboardInterrupt:
            if not self.keyboard.live:
                raise
            self._session.show("", "Stopped.")

    def pressed(self) -> None:
        """Count a Ctrl-C that is taken as something else.

        Raises:
            KeyboardInterrupt: it is the second within ``TWICE`` seconds.
        """
        before, self._pressed = self._pressed, monotonic()
        if self._pressed - before < TWICE:
            raise KeyboardInterrupt
