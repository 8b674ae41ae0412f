"""What a command talks to: its streams, its random numbers, and how its output is drawn."""

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from qttt.cli.console.characters import visible
from qttt.errors import QtttError
from qttt.storage import FileError, unreadable_input

if TYPE_CHECKING:
    import numpy as np
    from rich.console import RenderableType
    from rich.text import Text

    from qttt.display.text import Glyphs
    from qttt.game.game import Game
    from qttt.game.outcomes import Positions
    from qttt.game.position import Position

NARROWEST_DRAWING = 40
"""Columns that the widest box of a move and the names of its wires need."""

LOW = 20
"""Rows below which a terminal shows the flat board."""

LONGEST_LINE = 10_000
"""Characters of a typed line that are read at once."""


class StoppedError(QtttError):
    """The user ended it; what was reached until then is kept, and the message says how to go on."""


class QuestionUnansweredError(StoppedError):
    """The input ended, or the user interrupted, while a question waited for its answer."""


class _Sheet(io.StringIO):
    """What Rich draws on: it never touches the stream itself, so every write to that is ours to guard."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether the text is drawn for a terminal."""
        return self._terminal


@dataclass(slots=True)
class Session:
    """Input, output and randomness of one command.

    Attributes:
        stdin: where questions are answered and ``-`` reads from.
        stdout: where results go, and nothing else.
        stderr: where questions and problems go.
        rng: random numbers given by a caller from Python; they take precedence over any seed.
        ascii: draw with ASCII characters only.
        board_known: the board of the game stands on the screen already: answers do not show it again.
        added: what every JSON object of the command says besides.
    """

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    rng: "np.random.Generator | None" = None
    ascii: bool = False
    board_known: bool = False
    added: Mapping[str, Any] = field(default_factory=dict)
    _broken: bool = field(default=False, init=False)

    def generator(self, seed: "int | Sequence[int] | None") -> "np.random.Generator":
        """Random numbers for a command: the caller's, else from the seed or seeds, else from the system."""
        if self.rng is None:
            import numpy as np

            self.rng = np.random.default_rng(seed)
        return self.rng

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked something."""
        return self.stdin.isatty() and self.stderr.isatty()

    @property
    def takes_unicode(self) -> bool:
        """Whether standard output can carry the characters of drawings."""
        from qttt.display.text import UNICODE

        return self.glyphs is UNICODE

    @property
    def glyphs(self) -> "Glyphs":
        """The characters that standard output can carry."""
        from qttt.display.text import ASCII, glyphs_for

        return ASCII if self.ascii else glyphs_for(self.stdout.encoding)

    @property
    def columns(self) -> int:
        """How wide standard output is; 80 if it is not a terminal."""
        if not self.stdout.isatty():
            return 80
        from rich.console import Console

        return Console(file=self.stdout).width

    @property
    def drawing_columns(self) -> int:
        """How wide drawings of circuits are: a narrower terminal wraps them, which is better than nothing."""
        return max(self.columns, NARROWEST_DRAWING)

    @property
    def low(self) -> bool:
        """Whether standard output is a terminal with little room for a board of thirteen lines."""
        if not self.stdout.isatty():
            return False
        from rich.console import Console

        return Console(file=self.stdout).height < LOW

    def board(
        self, position: "Position", positions: "Positions | None" = None, marked: Iterable[int] = ()
    ) -> "Text":
        """The board as standard output can show it, some squares marked."""
        from qttt.display.text import FLAT, NARROW, WIDE, draw_board

        flat = self.low
        width = FLAT if flat else WIDE if self.columns > 3 * WIDE + 4 else NARROW
        return draw_board(position, self.glyphs, positions=positions, width=width, marked=marked, flat=flat)

    def show_game(self, game: "Game", *, to_stderr: bool = False) -> None:
        """Print how a game stands: a line, the board, and what its dice mean."""
        from qttt.display.status import describe_game, shown_position
        from qttt.display.text import draw_legend

        if self.board_known:
            return
        position = shown_position(game)
        board = self.board(position, positions=game.state.positions)
        legend = draw_legend(position, self.glyphs)
        self.show(describe_game(game), board, *([legend] if legend else []), to_stderr=to_stderr)

    def show(self, *items: "RenderableType", to_stderr: bool = False) -> None:
        """Print text, tables and drawings for people; in colour only on a terminal that wants it.

        Args:
            *items: strings, or what Rich can render, one below the other.
            to_stderr: for what belongs to a question rather than to the result.
        """
        from rich.table import Table
        from rich.text import Text

        from qttt.cli.console.console import SafeConsole
        from qttt.cli.console.tables import folded, least_width

        stream = self.stderr if to_stderr else self.stdout
        sheet = _Sheet(stream.isatty())
        console = SafeConsole(
            file=sheet,
            width=None if stream.isatty() else 100,
            force_jupyter=False,
            # Rich would keep bold type under NO_COLOR. An empty value counts as none, as the convention says.
            color_system=None if os.environ.get("NO_COLOR") else "auto",
        )
        width = console.width
        for item in items:
            # Sentences are wrapped between words, and the rows of tables become sentences where they do not
            # fit; drawings and records keep their lines whatever the width.
            sentence = stream.isatty() and isinstance(item, str | Text) and "\n" not in str(item)
            console.width = width
            if isinstance(item, Table):
                needed = least_width(item, console)
                if stream.isatty() and needed > width:
                    console.print(folded(item, width), soft_wrap=True)
                    continue
                console.width = max(width, needed)
            console.print(item, soft_wrap=not sentence)
        text = "\n".join(line.rstrip() for line in sheet.getvalue().split("\n"))
        if to_stderr:
            self.tell(text)
        else:
            self._put(text)

    def write_json(self, value: Mapping[str, Any]) -> None:
        """Print one JSON object on a line of its own."""
        self.write(json.dumps({**value, **self.added}, allow_nan=False) + "\n")

    def write(self, text: str) -> None:
        """Write data, a record or a circuit for example, to standard output: as it is, but for a terminal.

        When nobody reads it any more, the rest is dropped without a word.

        Raises:
            FileError: the output cannot be written, on a full disk for example.
        """
        self._put(visible(text) if self.stdout.isatty() else text)

    def _put(self, text: str) -> None:
        if self._broken:
            return
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except BrokenPipeError:
            self._silence()
        except OSError as error:
            self._silence()
            raise FileError("standard output", f"cannot write the output: {error.strerror}") from error

    def tell(self, text: str) -> None:
        """Write to standard error; where nobody listens the work goes on, and its status says its end."""
        with suppress(OSError):
            self.stderr.write(text)
            self.stderr.flush()

    def _silence(self) -> None:
        self._broken = True
        # The interpreter flushes standard output once more when it ends, and would complain.
        if self.stdout is sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def read_line(self) -> str:
        """A line of the input with its line feed; empty at the end. A line without end comes in parts.

        Raises:
            FileError: the input cannot be read, as it is closed for example.
        """
        try:
            return self.stdin.readline(LONGEST_LINE)
        except OSError as error:
            raise unreadable_input(error) from error

    def ask(self, question: str, answers: Sequence[str]) -> str:
        """Ask until one of the answers, or the only one that begins like what was typed, is given.

        Raises:
            QuestionUnansweredError: the input ended, or the user interrupted.
        """
        prompt = f"{question} [{'/'.join(answers)}] "
        while True:
            self.tell(prompt)
            try:
                line = self.read_line()
            except KeyboardInterrupt:
                line = ""
            if not line:
                self.tell("\n")
                raise QuestionUnansweredError("the question was not answered")
            typed = line.strip().lower()
            fitting = [answer for answer in answers if typed and answer.startswith(typed)]
            if len(fitting) == 1:
                return fitting[0]
