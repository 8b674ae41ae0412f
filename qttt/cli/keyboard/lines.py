"""Lines typed by players: from a terminal with completion and history, or from a pipe."""

from collections.abc import Callable, Sequence
from typing import Protocol

from qttt.cli.console.session import Session


class Keyboard(Protocol):
    """Where lines come from."""

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

    def __init__(self) -> None:
        """Start a history of its own."""
        from prompt_toolkit import PromptSession

        self._session: PromptSession[str] = PromptSession()

    def line(self, prompt: str, words: Sequence[str]) -> str:
        """Ask for one line."""
        from prompt_toolkit.completion import WordCompleter

        completer = WordCompleter(list(words), sentence=True)
        return self._session.prompt(prompt, completer=completer, complete_while_typing=False).strip()


def keyboard_for(session: Session) -> Keyboard:
    """The keyboard that suits a session: a terminal's own, or a pipe's."""
    import sys

    # prompt_toolkit talks to the process's own terminal, so it serves only where that is the session's.
    if session.stdin is sys.stdin and session.stdin.isatty() and session.stdout.isatty():
        return TerminalKeyboard()
    return PipeKeyboard(session.read_line, session.write)
