"""The text of a record: its parts, how they are read with their places, and how they are laid out.

Whether the moves are legal is not asked here; ``qttt.records.record`` replays them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from qttt.errors import MoveSyntaxError, RecordError, quoted, shown
from qttt.game.game import parse_event
from qttt.game.outcomes import Observation, Positions
from qttt.game.result import Result
from qttt.game.rules import LEVELS
from qttt.game.state import Event
from qttt.game.symbols import Symbol

#: The headers that the program knows, in the order in which a new record writes them. Others are kept.
KNOWN_HEADERS = (
    *("Level", "Options", "First", "X", "O", "Date", "Backend", "Rolls", "Seed"),
    *("Result", "Resigned", "Timeout", "Job"),
)
UNFINISHED = "*"
#: The headers that name who lost off the board, by whether their time ran out.
LOSSES = {False: "Resigned", True: "Timeout"}

_KEY = r"[A-Za-z][A-Za-z0-9_-]*"
_VALUE = r'(?:[^"\\\n]|\\["\\])*'
HEADER_PATTERN = rf'\[[ \t]*{_KEY}[ \t]+"{_VALUE}"[ \t]*\]'
COMMENT_PATTERN = r"\{[^}]*\}"
_HEADER = re.compile(rf'\[[ \t]*({_KEY})[ \t]+"({_VALUE})"[ \t]*\]')
_COMMENT = re.compile(COMMENT_PATTERN)
_WORD = re.compile(r"[^ \t\n{}\[\]]+")
_SPACE = re.compile(r"[ \t\n]+")
_NUMBER = re.compile(r"[0-9]+\.")
# Control characters other than tab and line feed, and halves of surrogate pairs: no text has them.
_BINARY = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LONGEST_TOKEN = 40


@dataclass(frozen=True, slots=True)
class Header:
    """A line ``[Key "value"]``.

    Attributes:
        key: letters, digits, ``_`` and ``-``.
        value: any text on one line.
        line: where it was read, 1-based; 0 if it was not read from text.
        column: likewise, in characters.
    """

    key: str
    value: str
    line: int = field(default=0, compare=False, repr=False)
    column: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        """The header as text, quotation marks and backslashes escaped."""
        value = self.value.replace("\\", "\\\\").replace('"', '\\"')
        return f'[{self.key} "{value}"]'


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment ``{…}``; the text is kept as it is, line breaks included."""

    text: str

    def __str__(self) -> str:
        """The comment in its braces."""
        return f"{{{self.text}}}"


@dataclass(frozen=True, slots=True)
class Token:
    """One move or observation.

    Attributes:
        event: what the token says.
        line: where it was read, 1-based; 0 if it was not read from text.
        column: likewise, in characters.
    """

    event: Event
    line: int = field(default=0, compare=False, repr=False)
    column: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        """The token in its canonical form."""
        return str(self.event)


Part = Header | Comment | Token


def error_at(header: Header | None, message: str) -> RecordError:
    """An error with the place of a header, if there is one."""
    return RecordError(message, header.line, header.column) if header else RecordError(message)


def scan(text: str) -> Iterator[Part]:
    """Read the parts of a record one after the other.

    Args:
        text: the whole record; a byte-order mark and CR LF line ends are accepted.

    Raises:
        RecordError: with the line and column of what cannot be read.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if match := _BINARY.search(text):
        line, column = _place(text, match.start())
        name = f"U+{ord(match[0]):04X}"
        raise RecordError(f"a record is text, and the character {name} has no place in it", line, column)
    events: dict[str, Event] = {}
    position, line, line_start = 0, 1, 0
    while position < len(text):
        column = position - line_start + 1
        if match := _SPACE.match(text, position):
            pass
        elif match := _WORD.match(text, position):
            if not _NUMBER.fullmatch(match[0]):
                yield Token(_read(match[0], events, line, column), line, column)
        elif match := _COMMENT.match(text, position):
            yield Comment(match[0][1:-1])
        elif match := _HEADER.match(text, position):
            yield Header(match[1], re.sub(r"\\(.)", r"\1", match[2]), line, column)
        else:
            raise RecordError(_unreadable(text[position]), line, column)
        breaks = text.count("\n", position, match.end())
        if breaks:
            line += breaks
            line_start = text.rindex("\n", position, match.end()) + 1
        position = match.end()


def _read(word: str, events: dict[str, Event], line: int, column: int) -> Event:
    """Read a token; games repeat few different ones, so each is read once."""
    if word not in events:
        if len(word) > _LONGEST_TOKEN:
            reason = f"cannot read {quoted(word)}: no token has {len(word)} characters"
            raise RecordError(reason, line, column)
        try:
            events[word] = parse_event(word)
        except MoveSyntaxError as error:
            raise RecordError(str(error), line, column) from error
    return events[word]


def _place(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1) + 1


def _unreadable(character: str) -> str:
    reasons = {
        "[": 'this header cannot be read: one is written [Key "value"] on one line, '
        'with \\" for a quotation mark and \\\\ for a backslash in the value',
        "]": "a ']' without the '[' of a header",
        "{": "this comment has no end: '}' is missing",
        "}": "a '}' without '{': comments are not nested, so the first '}' ends one",
    }
    return reasons[character]


def check_parts(parts: Iterable[Part]) -> None:
    """Refuse parts that could not have been read from a record.

    Raises:
        RecordError: at the header concerned, if it was read from text.
    """
    seen: set[str] = set()
    token: Token | None = None
    for part in parts:
        if isinstance(part, Token):
            token = part
        elif isinstance(part, Comment):
            if "}" in part.text or "\r" in part.text or _BINARY.search(part.text):
                raise RecordError(f"a comment cannot hold {part.text!r}")
        else:
            _check_header(part, seen)
            if token is not None:
                raise error_at(
                    part, f"the header {part} comes after the token {token}, and headers come first"
                )


def _check_header(header: Header, seen: set[str]) -> None:
    if not (isinstance(header.key, str) and isinstance(header.value, str)):
        raise error_at(header, f"a header is two texts, not {shown((header.key, header.value))}")
    if not re.fullmatch(_KEY, header.key):
        raise error_at(header, f"a header cannot be named {header.key!r}: use letters, digits, '_' and '-'")
    if "\n" in header.value or "\r" in header.value or _BINARY.search(header.value):
        raise error_at(
            header, f"the header {header.key} cannot hold {header.value!r}: a value is one line of text"
        )
    if header.key in seen:
        raise error_at(header, f"the header {header.key} is given twice")
    seen.add(header.key)
    spelled = next((key for key in KNOWN_HEADERS if key.lower() == header.key.lower()), header.key)
    if spelled != header.key:
        raise error_at(header, f"the header {header.key!r} is written {spelled!r}")
    choices = {
        "Level": tuple(str(level.number) for level in LEVELS),
        "First": tuple(Symbol),
        "Result": (Result.X, Result.O, Result.TIE, UNFINISHED),
        "Rolls": ("exact", "d6"),
        **dict.fromkeys(LOSSES.values(), tuple(Symbol)),
    }.get(header.key)
    if header.key == "Seed" and not re.fullmatch("[0-9]{1,20}", header.value):
        raise error_at(header, f"the header Seed cannot be {header.value!r}: it is a whole number")
    if choices is not None and header.value not in choices:
        raise error_at(
            header, f"the header {header.key} cannot be {header.value!r}: it is {_either(choices)}"
        )


def _either(choices: tuple[str, ...]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def layout(parts: Iterable[Part]) -> Iterator[str]:
    """Lines of a record's body: moves in numbered pairs, observations on lines of their own.

    Turns alternate, also over an observation: a pair that one divides has its second move on a line of its
    own without a number, since the number is that of the move of the player who started the game.
    """
    words: list[str] = []
    before: Event | None = None
    moves = 0
    for part in parts:
        if isinstance(part, Token):
            observed = isinstance(before, Observation | Positions)
            if isinstance(part.event, Observation | Positions):
                together = isinstance(before, Positions)
            else:
                together = moves % 2 == 1 and not observed
                moves += 1
            if not together:
                if words:
                    yield " ".join(words)
                words = []
                if not isinstance(part.event, Observation | Positions) and moves % 2:
                    words.append(f"{moves // 2 + 1}.")
            before = part.event
        words.append(str(part))
    if words:
        yield " ".join(words)
