"""A puzzle at the prompt: answers in notation, hints, and the next one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from circuits.errors import CircuitsError
from qttt.cli.console.session import Session
from qttt.cli.console.tables import plain_table
from qttt.cli.keyboard.game import ALIASES, MOVE_LIKE, split_words
from qttt.cli.keyboard.lines import Prompt
from qttt.cli.keyboard.seats import hints
from qttt.cli.keyboard.spelling import in_notation, swapped, unknown
from qttt.errors import IllegalMoveError, QtttError, UsageError
from qttt.players.choices import choices
from qttt.players.puzzles import Puzzle
from qttt.records.record import Record

ASIDES: Final = ("moves", "dice", "odds", "circuit")
"""Commands of the command line that give no answer away."""

WORDS: Final = {
    "help": "these lines, or h",
    "hint": "a hint; once more says more",
    "board": "the board again",
    "moves": "the legal moves",
    "dice": "what lies in every square",
    "odds": "the odds if the board were observed now",
    "circuit": "the circuit of the moves",
    "solution": "give up, and see the answer",
    "next": "the next puzzle, or skip",
    "quit": "leave, or q (Ctrl-D too); the answer is not told",
}
"""What the prompt of a puzzle takes besides answers."""

_ONE_ONLY: Final = ("next",)


@dataclass
class PuzzleGame:
    """One puzzle, answered at the keyboard.

    Attributes:
        puzzle: what is asked.
        session: where it is shown.
        prompt: where lines come from.
        run_aside: runs a command of ``ASIDES``, given its name and its words.
        more: there is a next puzzle.
    """

    puzzle: Puzzle
    session: Session
    prompt: Prompt
    run_aside: Callable[[str, Sequence[str], Session], None]
    more: bool
    _hinted: int = field(default=0, init=False)
    _done: bool = field(default=False, init=False)
    _next: bool = field(default=False, init=False)

    def ask(self) -> bool:
        """Let a person answer until they go on or leave.

        Returns:
            Whether they want the next puzzle; False if there is none and this one is done.

        Raises:
            EOFError: they leave.
            KeyboardInterrupt: they leave by Ctrl-C.
        """
        names = [name for name in WORDS if self.more or name not in _ONE_ONLY]
        answers = [str(choice) for choice in choices(self.puzzle.game.state)]
        while not self._next and (self.more or not self._done):
            asked = "next or quit> " if self._done else f"{self.puzzle.turn}'s choice> "
            typed = self.prompt.line(asked, [*answers, *names])
            if not typed:
                continue
            try:
                with self.prompt.stoppable():
                    self._line(typed, names)
            except (QtttError, CircuitsError) as error:
                self.session.show(str(error))
        return self._next

    def _line(self, typed: str, names: list[str]) -> None:
        word, _, rest = typed.partition(" ")
        word = ALIASES.get(word.lower(), word.lower())
        puzzle, show = self.puzzle, self.session.show
        if word == "quit":
            raise EOFError
        if word == "help":
            table = plain_table("", "", prose=1)
            for name in names:
                table.add_row(name, WORDS[name])
            show("Type the move, or the mode, or one of:", table)
        elif word == "hint":
            said = hints(puzzle.solutions[0])
            show(said[self._hinted] if self._hinted < len(said) else "That was all; solution gives it away.")
            self._hinted = min(self._hinted + 1, len(said))
        elif word == "board":
            self.session.show_game(puzzle.game)
        elif word == "solution":
            show("", f"Solution: {puzzle.answer}")
            self._done = True
        elif word in ("next", "skip") and self.more:
            self._next = True
        elif word in ASIDES:
            self.session.board_known = True
            try:
                self.run_aside(word, [str(Record.of(puzzle.game)), *split_words(rest)], self.session)
            finally:
                self.session.board_known = False
        else:
            self._answer(in_notation(typed), names)

    def _answer(self, token: str, names: list[str]) -> None:
        puzzle = self.puzzle
        fitting = [
            str(c) for c in choices(puzzle.game.state) if str(c).isalpha() and str(c).startswith(token)
        ]
        token = fitting[0] if len(fitting) == 1 else token.lower()
        if not MOVE_LIKE.match(token) and not fitting:
            raise UsageError(unknown(token, [*names, *ALIASES]))
        try:
            solved = puzzle.solved_by(token)
        except IllegalMoveError as error:
            if (other := swapped(token, puzzle.game.state)) is None:
                raise
            raise UsageError(f"{error}. Did you mean {other}? The invaded square comes first") from error
        self.session.show(*(["", f"Right. {puzzle.answer}"] if solved else [puzzle.refutation(token)]))
        self._done = self._done or solved
