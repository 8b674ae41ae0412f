r"""Game records as text: headers, tokens and comments, read and written without loss (notation.md).

A record is a sequence of parts in the order of the text. Headers come before the first token; comments may
stand anywhere. In a header's value ``\"`` is a quotation mark and ``\\`` a backslash.

>>> record = Record.parse('[Level "2"] 5 {the middle} 5*6')
>>> print(record)
[Level "2"]
<BLANKLINE>
1. 5 {the middle} 5*6
>>> print(record.game().turn)
X
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from qttt.errors import IllegalMoveError, MoveSyntaxError, RecordError, UsageError
from qttt.game import Game, parse_event
from qttt.levels import DEFAULT_LEVEL, LEVELS, Level, parse_level
from qttt.options import parse_options
from qttt.outcomes import Observation, Positions
from qttt.rules import Rules
from qttt.state import Event
from qttt.symbols import Symbol
from qttt.verdict import Result

#: The headers that the program knows, in the order in which a new record writes them. Others are kept.
KNOWN_HEADERS = ("Level", "Options", "First", "X", "O", "Date", "Backend", "Seed", "Result", "Job")
UNFINISHED = "*"

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


@dataclass(frozen=True, slots=True)
class Record:
    """A game as text says it: not yet replayed, so its events may be illegal; ``game`` finds out.

    Attributes:
        parts: headers, comments and tokens in the order of the text.

    Raises:
        RecordError: on construction, if the parts could not have been read from a record.
    """

    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        """Refuse parts that could not be written and read back."""
        _check(self.parts)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a record.

        Args:
            text: the whole record; a byte-order mark and CR LF line ends are accepted.

        Raises:
            RecordError: with the line and column of what cannot be read.
        """
        return cls(tuple(_scan(text)))

    @classmethod
    def of(cls, game: Game, headers: Mapping[str, str] | None = None) -> Self:
        """The record of a game.

        Args:
            game: any game.
            headers: further headers such as ``Date``; what the game says itself (``Level``, ``Options``,
                ``First``, ``Result``) is written from the game.
        """
        rules = game.rules
        said = {"Level": str(rules.level.number)}
        if options := str(rules.options):
            said["Options"] = options
        if game.first is not Symbol.X:
            said["First"] = str(game.first)
        written = {**(headers or {}), **said}
        known = [key for key in KNOWN_HEADERS if key in written]
        others = [key for key in written if key not in KNOWN_HEADERS]
        return cls(tuple(Header(key, written[key]) for key in known + others)).updated(game)

    def __str__(self) -> str:
        """The record as text, in pairs of numbered moves, without a line feed at the end."""
        cut = max((i + 1 for i, part in enumerate(self.parts) if isinstance(part, Header)), default=0)
        head = "\n".join(str(part) for part in self.parts[:cut])
        body = "\n".join(_layout(self.parts[cut:]))
        return "\n\n".join(section for section in (head, body) if section)

    @property
    def headers(self) -> dict[str, str]:
        """Keys and values of all headers, in their order."""
        return {part.key: part.value for part in self.parts if isinstance(part, Header)}

    @property
    def events(self) -> tuple[Event, ...]:
        """Moves and observations, in their order."""
        return tuple(part.event for part in self.parts if isinstance(part, Token))

    @property
    def level(self) -> Level:
        """The level that the headers give, or the default."""
        return parse_level(self.headers.get("Level", str(DEFAULT_LEVEL)))

    @property
    def rules(self) -> Rules:
        """Level and options.

        Raises:
            RecordError: the options do not exist or mean nothing at the level.
        """
        header = self._header("Options")
        try:
            return Rules(self.level, parse_options(header.value if header else "", self.level))
        except UsageError as error:
            raise _at(header, str(error)) from error

    @property
    def first(self) -> Symbol:
        """Who starts."""
        return Symbol(self.headers.get("First", Symbol.X))

    def game(self) -> Game:
        """Replay the record.

        Raises:
            RecordError: the first token that is not possible, with its line, its column, the player and the
                rule that forbids it; or a ``Result`` that the game contradicts.
        """
        game = Game(self.rules, self.first)
        for part in self.parts:
            if not isinstance(part, Token):
                continue
            try:
                game.push(part.event)
            except IllegalMoveError as error:
                raise RecordError(str(error), part.line, part.column) from error
        self._settle(game)
        return game

    def _settle(self, game: Game) -> None:
        """Take the result of a game that ended by agreement, and refuse one that cannot be."""
        header = self._header("Result")
        if header is None or header.value in (UNFINISHED, game.result):
            return
        if game.over:
            raise _at(
                header, f"the header Result says {header.value!r}, and the game ended {str(game.result)!r}"
            )
        if header.value != Result.TIE:
            raise _at(header, f"the header Result says {header.value!r}, and the game has not ended")
        game.drawn = True

    def with_header(self, key: str, value: str) -> Self:
        """The record with a header set: in its old place, or after the other headers.

        Raises:
            RecordError: the key or the value cannot be written.
        """
        new = Header(key, value)
        if self._header(key) is not None:
            changed = (new if isinstance(part, Header) and part.key == key else part for part in self.parts)
            return type(self)(tuple(changed))
        cut = max((i + 1 for i, part in enumerate(self.parts) if isinstance(part, Header)), default=0)
        return type(self)((*self.parts[:cut], new, *self.parts[cut:]))

    def without_header(self, key: str) -> Self:
        """The record without a header."""
        return type(self)(
            tuple(part for part in self.parts if not (isinstance(part, Header) and part.key == key))
        )

    def completed(
        self, level: str | None = None, options: str | None = None, first: str | None = None
    ) -> Self:
        """The record with headers added for what was said beside it, on a command line for example.

        Args:
            level: a level number.
            options: options as the header writes them.
            first: ``X`` or ``O``.

        Raises:
            UsageError: something that does not exist, or contradicts a header.
        """
        record = self
        if level is not None:
            record = record._agreeing("Level", level, parse_level(level) == record.level)
        if options is not None:
            known = parse_options(options, record.level)
            agrees = "Options" in record.headers and record.rules.options == known
            record = record._agreeing("Options", str(known), agrees)
        if first is not None:
            if first not in tuple(Symbol):
                raise UsageError(f"first player {first!r} does not exist: the players are 'X' and 'O'")
            record = record._agreeing("First", first, first == record.first)
        return record

    def _agreeing(self, key: str, value: str, agrees: bool) -> Self:
        header = self._header(key)
        if header is None:
            return self.with_header(key, value) if value else self
        if not agrees:
            raise UsageError(
                f"--{key.lower()} {value or repr(value)} contradicts the record's header {header}"
            )
        return self

    def updated(self, game: Game) -> Self:
        """The record brought up to a game that went on from it, or went back by undo.

        Comments stay where they are as far as the moves agree. ``Result`` is set once the game has ended.
        """
        events, kept, agreed = game.events, list[Part](), 0
        for part in self.parts:
            if isinstance(part, Token):
                if agreed == len(events) or part.event != events[agreed]:
                    break
                agreed += 1
            kept.append(part)
        record = type(self)((*kept, *(Token(event) for event in events[agreed:])))
        if game.over:
            return record.with_header("Result", str(game.result))
        return record.with_header("Result", UNFINISHED) if "Result" in record.headers else record

    def _header(self, key: str) -> Header | None:
        return next((part for part in self.parts if isinstance(part, Header) and part.key == key), None)


def _at(header: Header | None, message: str) -> RecordError:
    return RecordError(message, header.line, header.column) if header else RecordError(message)


def _scan(text: str) -> Iterable[Part]:
    """Read the parts of a record one after the other."""
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
            reason = f"cannot read {word[:_LONGEST_TOKEN]!r}…: no token has {len(word)} characters"
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


def _check(parts: Iterable[Part]) -> None:
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
                raise _at(part, f"the header {part} comes after the token {token}, and headers come first")


def _check_header(header: Header, seen: set[str]) -> None:
    if not re.fullmatch(_KEY, header.key):
        raise _at(header, f"a header cannot be named {header.key!r}: use letters, digits, '_' and '-'")
    if "\n" in header.value or "\r" in header.value or _BINARY.search(header.value):
        raise _at(
            header, f"the header {header.key} cannot hold {header.value!r}: a value is one line of text"
        )
    if header.key in seen:
        raise _at(header, f"the header {header.key} is given twice")
    seen.add(header.key)
    spelled = next((key for key in KNOWN_HEADERS if key.lower() == header.key.lower()), header.key)
    if spelled != header.key:
        raise _at(header, f"the header {header.key!r} is written {spelled!r}")
    choices = {
        "Level": tuple(str(level.number) for level in LEVELS),
        "First": tuple(Symbol),
        "Result": (Result.X, Result.O, Result.TIE, UNFINISHED),
    }.get(header.key)
    if choices is not None and header.value not in choices:
        raise _at(header, f"the header {header.key} cannot be {header.value!r}: it is {_either(choices)}")


def _either(choices: tuple[str, ...]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def _layout(parts: Iterable[Part]) -> Iterable[str]:
    """Lines of a record's body: moves in numbered pairs, observations on lines of their own."""
    words: list[str] = []
    before: Event | None = None
    moves = number = 0
    for part in parts:
        if isinstance(part, Token):
            observation = isinstance(part.event, Observation | Positions)
            together = isinstance(before, Positions) if observation else 0 < moves < 2
            if not together:
                if words:
                    yield " ".join(words)
                words, moves = [], 0
                if not observation:
                    number += 1
                    words.append(f"{number}.")
            moves = 0 if observation else moves + 1
            before = part.event
        words.append(str(part))
    if words:
        yield " ".join(words)
