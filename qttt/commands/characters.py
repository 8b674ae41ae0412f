"""Blocks of text in the characters that an output can carry."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from qttt.commands.session import Session
from qttt.textboard import UNICODE

_PLAIN = str.maketrans(
    {
        **{"△": "X", "□": "O", "·": ".", "−": "-", "–": "-", "×": "x"},
        **{"“": '"', "”": '"', "’": "'", "√": "sqrt", "→": "->", "…": "..."},
    }
)


def carried(blocks: Iterable[Text], session: Session) -> Iterator[Text]:
    """Blocks as they are, or with ASCII characters only where the output carries no others.

    Args:
        blocks: texts, for `Session.show`.
        session: whose output they go to.
    """
    if session.glyphs is UNICODE:
        yield from blocks
        return
    for block in blocks:
        yield Text(in_ascii(block.plain.translate(_PLAIN)), block.style)


# Box drawings and signs of circuit drawings, by the ASCII character most like them.
_LINES = {"─": "-", "═": "=", "│": "|", "║": "|", "■": "*", "π": "p"}


def in_ascii(drawing: str) -> str:
    """A text drawing of a circuit with every character that is not ASCII replaced by one of like shape."""
    return "".join(character if character.isascii() else _like(character) for character in drawing)


def _like(character: str) -> str:
    if "\u2500" <= character <= "\u257f":  # The block of box drawings.
        return _LINES.get(character, "+")
    return _LINES.get(character, "#")
