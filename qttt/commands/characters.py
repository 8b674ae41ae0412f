"""Blocks of text in the characters that an output can carry."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from qttt.commands.circuit import in_ascii
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
