"""Text in the characters that an output can carry, and that a terminal shows rather than obeys."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

# What a terminal obeys: control characters but for tab and line feed, and those that turn the direction of
# writing or break lines. Halves of surrogate pairs, which no encoding has, come in file names.
_OBEYED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff]"
)
_PLAIN = str.maketrans(
    {
        **{"△": "X", "□": "O", "·": ".", "−": "-", "–": "-", "×": "x"},
        **{"“": '"', "”": '"', "’": "'", "√": "sqrt", "→": "->", "…": "..."},
    }
)


def visible(text: str) -> str:
    """A text for a terminal: what that would obey instead of showing it is written as Python's escape.

    Everything that comes from outside may hold such characters: file names, headers and comments of records,
    answers of services. They could recolour or clear a screen, retitle a window, and turn or hide words.
    """
    return _OBEYED.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def carried(blocks: "Iterable[Text]", *, takes_unicode: bool) -> "Iterator[Text]":
    """Blocks as they are, or with ASCII characters only where the output carries no others."""
    from rich.text import Text

    if takes_unicode:
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
