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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from qttt.errors import IllegalMoveError, RecordError, UsageError, shown
from qttt.game.game import Game, check_game
from qttt.game.outcomes import Observation, Positions
from qttt.game.result import Loss, Result
from qttt.game.rules import DEFAULT_LEVEL, Level, Rules, parse_level, parse_options
from qttt.game.state import Event
from qttt.game.symbols import Symbol
from qttt.records.text import (
    KNOWN_HEADERS,
    LOSSES,
    UNFINISHED,
    Comment,
    Header,
    Part,
    Token,
    check_parts,
    error_at,
    layout,
    scan,
)

#: A game of more moves and observations than this would take seconds to replay. With 1,000 observation
#: phases, the most that can be asked for, there are fewer.
MOST_EVENTS = 12_000
#: The headers that say what came of a game, or what it waits for.
ENDS = ("Result", *LOSSES.values(), "Job")

__all__ = ["MOST_EVENTS", "Comment", "Header", "Part", "Record", "Token"]


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
        if not isinstance(self.parts, tuple) or not all(isinstance(part, Part) for part in self.parts):
            raise RecordError(f"a record is made of headers, comments and tokens, not {shown(self.parts)}")
        check_parts(self.parts)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a record.

        Args:
            text: the whole record; a byte-order mark and CR LF line ends are accepted.

        Raises:
            RecordError: with the line and column of what cannot be read.
        """
        if not isinstance(text, str):
            raise RecordError(f"a record is text, not {shown(text)}")
        return cls(tuple(scan(text)))

    @classmethod
    def of(cls, game: Game, headers: Mapping[str, str] | None = None) -> Self:
        """The record of a game.

        Args:
            game: any game.
            headers: further headers such as ``Date``; what the game says itself (``Level``, ``Options``,
                ``First``, ``Result``, ``Resigned``, ``Timeout``) is written from the game.

        Raises:
            UsageError: what is no game.
        """
        check_game(game)
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
        body = "\n".join(layout(self.parts[cut:]))
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
            raise error_at(header, str(error)) from error

    @property
    def first(self) -> Symbol:
        """Who starts."""
        return Symbol(self.headers.get("First", Symbol.X))

    @property
    def result(self) -> str:
        """``X``, ``O`` or ``tie`` as the headers have it, not replayed; ``*`` for a game that goes on."""
        for key in LOSSES.values():
            if (loser := self.headers.get(key)) is not None:
                return str(Symbol(loser).opponent)
        return self.headers.get("Result", UNFINISHED)

    def game(self) -> Game:
        """Replay the record.

        Raises:
            RecordError: the first token that is not possible, with its line, its column, the player and the
                rule that forbids it; or a ``Result``, ``Resigned`` or ``Timeout`` that the game contradicts;
                or more than ``MOST_EVENTS``.
        """
        tokens = [part for part in self.parts if isinstance(part, Token)]
        if len(tokens) > MOST_EVENTS:
            extra = tokens[MOST_EVENTS]
            raise RecordError(
                f"a game has at most {MOST_EVENTS:,} moves and observations, and this record has "
                f"{len(tokens):,}",
                extra.line,
                extra.column,
            )
        game = Game(rules=self.rules, first=self.first)
        for token in tokens:
            try:
                game.push(token.event)
            except IllegalMoveError as error:
                raise RecordError(str(error), token.line, token.column) from error
        self._settle(game)
        return game

    def _settle(self, game: Game) -> None:
        """Take the result of a game that ended off the board, and refuse one that cannot be."""
        for on_time, key in LOSSES.items():
            if (lost := self._header(key)) is not None:
                if game.over:
                    how = game.settlement or f"the game ended {str(game.result)!r}"
                    raise error_at(lost, f"the header {key} says {lost.value!r}, and {how}")
                game.loss = Loss(Symbol(lost.value), on_time)
        header = self._header("Result")
        if header is None or header.value in (UNFINISHED, game.result):
            return
        if game.over:
            raise error_at(
                header, f"the header Result says {header.value!r}, and the game ended {str(game.result)!r}"
            )
        if header.value != Result.TIE:
            raise error_at(header, f"the header Result says {header.value!r}, and the game has not ended")
        game.drawn = True

    def until(self, n: int) -> Self:
        """The record after its first events, as it was written then: without what came of the game later.

        Args:
            n: how many events; all of them leave the record as it is.
        """
        if n >= len(self.events):
            return self
        kept, told = list[Part](), 0
        for part in self.parts:
            told += isinstance(part, Token)
            if told > n:
                break
            kept.append(part)
        return type(self)(
            tuple(part for part in kept if not isinstance(part, Header) or part.key not in ENDS)
        )

    def observed_phases(self) -> list[int]:
        """For each phase that was observed, if only in its positions: how many events came before that."""
        events = self.events
        return [
            n
            for n, event in enumerate(events)
            if isinstance(event, Positions)
            or (isinstance(event, Observation) and not (n and isinstance(events[n - 1], Positions)))
        ]

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

    def without_game(self) -> Self:
        """The same players by the same rules before the first move."""
        kept = ("Level", "Options", "First", "X", "O", "Backend", "Rolls")
        return type(self)(tuple(p for p in self.parts if isinstance(p, Header) and p.key in kept))

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

        Comments stay where they are as far as the moves agree. ``Result`` is set once the game has ended, and
        ``Resigned`` or ``Timeout`` if that was off the board.
        """
        events, kept, agreed = game.events, list[Part](), 0
        for part in self.parts:
            if isinstance(part, Token):
                if agreed == len(events) or part.event != events[agreed]:
                    break
                agreed += 1
            kept.append(part)
        record = type(self)((*kept, *(Token(event) for event in events[agreed:])))
        for on_time, key in LOSSES.items():
            if game.loss and game.loss.on_time == on_time:
                record = record.with_header(key, str(game.loss.player))
            else:
                record = record.without_header(key)
        if game.over:
            return record.with_header("Result", str(game.result))
        return record.with_header("Result", UNFINISHED) if "Result" in record.headers else record

    def _header(self, key: str) -> Header | None:
        return next((part for part in self.parts if isinstance(part, Header) and part.key == key), None)
