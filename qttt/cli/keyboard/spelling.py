"""What was typed, as notation has it; and what was nearly meant where it cannot be read."""

import re
from collections.abc import Iterable
from contextlib import suppress

from qttt.cli.console.parser import nearest
from qttt.errors import QtttError, quoted
from qttt.game.moves import Move
from qttt.game.state import State

_SIGNS = str.maketrans({"×": "*", "·": "*", "−": "-", "–": "-", "\uff0b": "+"})
_SQUARES = re.compile(r"(~?)\s*([1-9])\s*([+*x-])\s*([1-9])\s*(~?)", re.ASCII)
_APART = re.compile(r"([1-9])\s*(?:,|&|and|\s)\s*([1-9])", re.ASCII | re.IGNORECASE)
_ALONE = re.compile(r"([~?]?)\s*([1-9])\s*(~?)", re.ASCII)


def in_notation(typed: str) -> str:
    """A move as notation writes it: ``1 + 3`` is ``1+3``, ``5×6`` is ``5*6``; anything else as it is."""
    text = typed.translate(_SIGNS)
    if match := _SQUARES.fullmatch(text):
        return "".join(match.groups()).replace("x", "*")
    if match := _ALONE.fullmatch(text):
        return "".join(match.groups())
    return typed


def joined(typed: str) -> str | None:
    """The superposition move that two squares written side by side were meant as, if they were."""
    match = _APART.fullmatch(typed.strip())
    return "+".join(match.groups()) if match and match[1] != match[2] else None


def swapped(token: str, state: State) -> str | None:
    """The legal move that names the squares of an attack the other way round, if there is one."""
    with suppress(QtttError):
        move = Move.parse(token)
        if move.kind.attacks:
            other = Move(move.kind, move.squares[::-1], move.before, move.after)
            state.child(other)
            return str(other)
    return None


def unknown(typed: str, words: Iterable[str]) -> str:
    """What to say of a word that is none: which one was nearly meant, and where the words are listed."""
    meant = nearest(typed.split()[0].lower(), words)
    return f"cannot read {quoted(typed)}{meant}: help lists the words, help moves the moves"
