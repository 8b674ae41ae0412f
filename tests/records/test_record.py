"""Records: read with places, printed without loss, replayed against the rules."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qttt.errors import QtttError, RecordError, UsageError
from qttt.game.game import Game, parse_event
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.symbols import Symbol
from qttt.records.record import Comment, Header, Part, Record, Token

FINISHED = "1 5 2 6 3+4 7 8 9 =XXX.OOOXO"


def token(text: str) -> Token:
    return Token(parse_event(text))


def test_parts_are_read_in_order() -> None:
    record = Record.parse(
        '{first}\n[Level "4"]\n[Note "a \\"b\\" \\\\ c"]{x}1. 5 3+1{ two\nlines }\n=s:XXX......\n'
    )
    assert record.parts == (
        Comment("first"),
        Header("Level", "4"),
        Header("Note", 'a "b" \\ c'),
        Comment("x"),
        token("5"),
        token("1+3"),
        Comment(" two\nlines "),
        token("=XXX......"),
    )
    places = [(part.line, part.column) for part in record.parts if not isinstance(part, Comment)]
    assert places == [(2, 1), (3, 1), (3, 28), (3, 30), (5, 1)]
    assert record.headers == {"Level": "4", "Note": 'a "b" \\ c'}


def test_printed_layout() -> None:
    record = Record.parse(
        '[Level "4"] {start} [X "Ada"] {opening} 5 {middle} 5*6 1 2 3 4 7+8 9 =p:##.##.### {hm} '
        "=r:XX.XO.OXO 3 {end}"
    )
    assert str(record) == (
        '[Level "4"]\n{start}\n[X "Ada"]\n\n{opening}\n1. 5 {middle} 5*6\n2. 1 2\n3. 3 4\n4. 7+8 9\n'
        "=p:##.##.### {hm} =r:XX.XO.OXO\n5. 3 {end}"
    )
    assert str(Record()) == ""
    for parts in ([Comment("a list")], (Comment("a text"), "5")):
        with pytest.raises(RecordError, match="headers, comments and tokens"):
            Record(parts)  # type: ignore[arg-type]
    assert str(Record.parse("{only}")) == "{only}"


TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)
TOKENS = st.sampled_from(
    ["5", "1+3", "5*6", "5-6", "~5", "5~", "~1+2~", "=XO.XXO.OX", "=r:XO.XXO.OX", "=p:##.##.#.#", "~2-9"]
).map(token)
COMMENTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="}"), max_size=12
).flatmap(lambda text: st.sampled_from(["", "\n", "\t"]).map(lambda space: Comment(text + space + text)))
HEADERS = st.dictionaries(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True).filter(
        lambda key: (
            key.lower()
            not in {"level", "options", "first", "x", "o", "date", "backend", "seed", "result", "job"}
        )
    ),
    TEXTS,
    max_size=3,
).map(lambda values: [Header(key, value) for key, value in values.items()])


@given(HEADERS, st.lists(COMMENTS, max_size=2), st.lists(TOKENS | COMMENTS, max_size=12))
def test_printing_and_reading_round_trips(
    headers: list[Header], between: list[Comment], body: list[Part]
) -> None:
    record = Record((*between[:1], *headers, *between[1:], *body))
    again = Record.parse(str(record))
    assert again == record
    assert str(again) == str(record)


@given(st.text(max_size=60) | st.text(st.sampled_from('15+*-~=XO.#:rp?{}[]" \n\\Level'), max_size=60))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    try:
        record = Record.parse(text)
    except RecordError as error:
        assert "\n" not in str(error)
        assert error.line >= 1
        assert error.column >= 1
    else:
        assert Record.parse(str(record)) == record


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(ends: str, mark: str) -> None:
    text = mark + ends.join(['[Level "5"]', "1. 5 {a", "b} 6", "2. 7"])
    record = Record.parse(text)
    assert record == Record.parse('[Level "5"]\n5 {a\nb} 6 7')
    last = record.parts[-1]
    assert isinstance(last, Token)
    assert (last.line, last.column) == (4, 4)


BROKEN = [
    ("5 5*", 1, 3, "cannot read '5*'"),
    ("1. 5\n2. 1+1", 2, 4, "square 1 is named twice"),
    ("\n  0", 2, 3, "cannot read '0'"),
    ("1.5", 1, 1, "cannot read '1.5'"),
    ("\u0665", 1, 1, "cannot read '\u0665'"),
    ("5 \uff11+\uff12", 1, 3, "cannot read"),
    ("5\u20112", 1, 1, "cannot read"),
    ("5 \u200f6", 1, 3, "cannot read '\\u200f6'"),
    ("5\xa06", 1, 1, "cannot read '5\\xa06'"),
    ("5" * 5000, 1, 1, "no token has 5000 characters"),
    ("=XO.XXO.O", 1, 1, "cannot read '=XO.XXO.O'"),
    ("5 {never closed", 1, 3, "'}' is missing"),
    ("5 {a {b} c} 6", 1, 10, "cannot read 'c'"),
    ("{a {b} }", 1, 8, "comments are not nested"),
    ("5 ]", 1, 3, "without the '['"),
    ("[Level 5]", 1, 1, "cannot be read"),
    ('[Level "5]\n5"]', 1, 1, "cannot be read"),
    ('[Note "a \\n"]', 1, 1, "cannot be read"),
    ('[Level "5"', 1, 1, "cannot be read"),
    ('5 [Level "5"]', 1, 3, "headers come first"),
    ('[Level "2"]\n[Level "2"]', 2, 1, "given twice"),
    ('[level "2"]', 1, 1, "'level' is written 'Level'"),
    ('[Level "6"]', 1, 1, "cannot be '6': it is 0, 1, 2, 3, 4 or 5"),
    ('[Level "\u0665"]', 1, 1, "cannot be"),
    ('[First "Y"]', 1, 1, "cannot be 'Y': it is X or O"),
    ('[Result "1-0"]', 1, 1, "cannot be '1-0': it is X, O, tie or *"),
    ("5 \x00", 1, 3, "U+0000"),
    ("{\x1b[31m}", 1, 2, "U+001B"),
    ("5\n\x7fELF", 2, 1, "U+007F"),
    ("5 \ud800", 1, 3, "U+D800"),
]


@pytest.mark.parametrize(("text", "line", "column", "reason"), BROKEN)
def test_broken_text_is_refused_with_its_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        Record.parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "parts",
    [
        (Comment("}"),),
        (Comment("\r"),),
        (Header("A b", "c"),),
        (Header("A", 5),),  # type: ignore[arg-type]
        (Header(5, "c"),),  # type: ignore[arg-type]
        (Header("A", "two\nlines"),),
        (Header("A", "\x00"),),
        (token("5"), Header("A", "b")),
    ],
)
def test_parts_that_no_text_gives_are_refused(parts: tuple[Any, ...]) -> None:
    with pytest.raises(RecordError):
        Record(parts)


@pytest.mark.slow
def test_one_mebibyte_is_read() -> None:
    """How long that takes is printed by ``tests.benchmarks.answers``."""
    text = "1. 5 {note} " * (2**20 // 12)
    record = Record.parse(text)
    assert len(record.events) == len(text) // 12
    with pytest.raises(RecordError):
        Record.parse("[" * 2**20)
    with pytest.raises(RecordError):
        Record.parse("{" * 2**20)


ILLEGAL = [
    ("5 5", 1, 3, "5 by O is not allowed: square 5 must be empty"),
    ("5\n6 5*7", 2, 3, "5*7 by X is not allowed: square 5 holds X's own die"),
    ("5 5*6 1 5*7", 1, 9, "square 5 is closed"),
    ("5 5-6", 1, 3, "5-6 by O is not allowed: cancelling moves start at Level 3"),
    ("~5", 1, 1, "~5 by X is not allowed: the view cannot be switched at Level 2"),
    ("5 =XO.XXO.OX", 1, 3, "observed only once it is full"),
    ("1 2 3 4 5 6 7 8 9 =OXOXOXOXO", 1, 19, "cannot give this board"),
    ("1 2 3 4 5 6 7 8 9 =r:XOXOXOXOX", 1, 19, "rotated mode starts at Level 4"),
    ("1 2 3 4 5 6 7 8 9 =p:#########", 1, 19, "no mode to choose"),
    ('[Level "1"]\n' + FINISHED + " 4", 2, 30, "4 by X is not allowed: the game is over (X won)"),
    ('[Level "1"]\n' + FINISHED + " =XXX.OOOXO", 2, 30, "the game is over (X won)"),
    ("1 2 3 4 5 6 7 8 9 1", 1, 19, "1 by O is not allowed: the board is full"),
]


@pytest.mark.parametrize(("text", "line", "column", "reason"), ILLEGAL)
def test_illegal_tokens_are_named_with_place_player_and_rule(
    text: str, line: int, column: int, reason: str
) -> None:
    record = Record.parse(text)
    with pytest.raises(RecordError) as caught:
        record.game()
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in str(caught.value)


def test_options_that_mean_nothing_are_refused_at_their_header() -> None:
    with pytest.raises(RecordError, match=r"line 2, column 1: option no-ties needs Level 5"):
        Record.parse('[Level "4"]\n[Options "no-ties"]').game()
    assert Record.parse('[Options "no-ties"]\n[Level "5"]').game().rules == Rules.of(5, "no-ties")


def test_headers_make_the_game() -> None:
    game = Record.parse('[Level "5"][Options "view-switches=2"][First "O"] ~5~').game()
    assert game.rules == Rules.of(5, "view-switches=2")
    assert game.first is Symbol.O
    assert game.turn is Symbol.X
    assert Record().game().rules == Rules.of(2)


def test_result_header() -> None:
    def result(value: str, tokens: str) -> Game:
        return Record.parse(f'[Level "1"][Result "{value}"] {tokens}').game()

    assert result("X", FINISHED).result is Result.X
    assert result("*", FINISHED).result is Result.X
    assert not result("*", "5").over
    drawn = result("tie", "5")
    assert drawn.drawn
    assert drawn.over
    assert drawn.result is Result.TIE
    with pytest.raises(RecordError, match=r"line 1, column 12: .*'O', and the game ended 'X'"):
        result("O", FINISHED)
    with pytest.raises(RecordError, match="'tie', and the game ended 'X'"):
        result("tie", FINISHED)
    with pytest.raises(RecordError, match="'X', and the game has not ended"):
        result("X", "5")


def test_record_of_a_game() -> None:
    game = Game(5, "view-switches=2,tally", first=Symbol.O)
    game.play("~5~ 6")
    record = Record.of(game, {"Zeta": "z", "Date": "2026-11-30", "X": "Ada", "Level": "ignored"})
    assert str(record) == (
        '[Level "5"]\n[Options "tally,view-switches=2"]\n[First "O"]\n[X "Ada"]\n[Date "2026-11-30"]\n'
        '[Zeta "z"]\n\n1. ~5~ 6'
    )
    replayed = Record.parse(str(record)).game()
    assert replayed.states == game.states
    finished = Game(1)
    finished.play(FINISHED)
    assert Record.of(finished).headers == {"Level": "1", "Result": "X"}
    agreed = Game().agree_on_draw()
    assert Record.of(agreed).headers["Result"] == "tie"
    assert Record.parse(str(Record.of(agreed))).game().drawn


def test_updating_keeps_comments_as_far_as_the_moves_agree() -> None:
    record = Record.parse('[Result "*"] {a} 5 {b} 6 {c}')
    game = record.game()
    game.play("7")
    longer = record.updated(game)
    assert str(longer) == '[Result "*"]\n\n{a}\n1. 5 {b} 6 {c}\n2. 7'
    game.undo()
    game.undo()
    assert str(longer.updated(game)) == '[Result "*"]\n\n{a}\n1. 5 {b}'
    game.play("4")
    assert str(longer.updated(game)) == '[Result "*"]\n\n{a}\n1. 5 {b} 4'
    game.drawn = True
    over = longer.updated(game)
    assert over.headers["Result"] == "tie"
    game.drawn = False
    assert over.updated(game).headers["Result"] == "*"


def test_headers_can_be_set_and_removed() -> None:
    record = Record.parse('[Level "2"]\n{c}\n[Note "n"] 5')
    assert str(record.with_header("Level", "3")) == '[Level "3"]\n{c}\n[Note "n"]\n\n1. 5'
    assert str(record.with_header("Job", 'j"1')) == '[Level "2"]\n{c}\n[Note "n"]\n[Job "j\\"1"]\n\n1. 5'
    assert record.with_header("Job", "1").without_header("Job") == record
    with pytest.raises(RecordError):
        record.with_header("Level", "9")


def test_flags_stand_in_for_headers() -> None:
    record = Record.parse("5")
    completed = record.completed("5", "view-switches=2", "O")
    assert completed.headers == {"Level": "5", "Options": "view-switches=2", "First": "O"}
    assert completed.completed("5", "view-switches=2", "O") == completed
    assert record.completed() == record
    assert record.completed(options="") == record


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ({"level": "3"}, '--level 3 contradicts the record\'s header [Level "5"]'),
        ({"options": "tally"}, '--options tally contradicts the record\'s header [Options "no-ties"]'),
        ({"options": ""}, "--options '' contradicts the record's header [Options \"no-ties\"]"),
        ({"first": "X"}, '--first X contradicts the record\'s header [First "O"]'),
        ({"first": "x"}, "first player 'x' does not exist"),
        ({"level": "6"}, "level '6' does not exist"),
        ({"options": "nonsense"}, "unknown option 'nonsense'"),
    ],
)
def test_contradicting_flags_are_refused(flags: dict[str, str], reason: str) -> None:
    record = Record.parse('[Level "5"][Options "no-ties"][First "O"]')
    with pytest.raises(UsageError, match=re.escape(reason)):
        record.completed(**flags)


def test_errors_are_one_tree() -> None:
    assert issubclass(RecordError, QtttError)


def test_a_pair_that_an_observation_divides_keeps_its_number() -> None:
    played = Record.parse('[Level "1"] 1+2 3+4 5+6 7+8 9 =.X.OX.O.X 1')
    assert str(played) == '[Level "1"]\n\n1. 1+2 3+4\n2. 5+6 7+8\n3. 9\n=.X.OX.O.X\n1'
    # O made the move in 1, the second of the third pair; the fourth begins with X's.
    longer = Record.parse(f"{played} 3 6")
    assert str(longer).endswith("=.X.OX.O.X\n1\n4. 3 6")
    assert [str(state.turn) for state in longer.game().states[-4:]] == ["O", "X", "O", "X"]


def test_who_lost_off_the_board_stands_in_the_record_until_undone() -> None:
    for lost, header in (
        (Game().play("5 6").resign(), "Resigned"),
        (Game().resign("O", on_time=True), "Timeout"),
    ):
        record = Record.of(lost)
        loser = str(lost.loss.player) if lost.loss else ""
        assert (record.headers[header], record.result) == (loser, "O" if loser == "X" else "X")
        assert Record.parse(str(record)).game() == lost
    game = Game().play("5 6").resign()
    record = Record.of(game)
    assert record.until(1).headers.keys() == {"Level"}
    game.undo()
    assert record.updated(game).headers == {"Level": "2", "Result": "*"}
    # As older versions wrote it: without a result.
    old = Record.parse('[Resigned "X"] [Result "*"] 5')
    assert (old.result, str(old.game().result), old.updated(old.game()).headers["Result"]) == ("O", "O", "O")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[Resigned "Ada"] 5', "the header Resigned cannot be 'Ada': it is X or O"),
        ('[timeout "X"] 5', "the header 'timeout' is written 'Timeout'"),
        ('[Resigned "X"] [Timeout "O"] 5', "the header Timeout says 'O', and X resigned"),
        ('[Resigned "X"] [Result "X"] 5', "the header Result says 'X', and the game ended 'O'"),
        ('[Level "0"] [Resigned "X"] 1 5 2 9 3 4 6 7 8 =XXXOOXOXO', "says 'X', and the game ended 'X'"),
    ],
)
def test_an_end_off_the_board_that_cannot_be_is_refused(text: str, why: str) -> None:
    with pytest.raises(RecordError, match=re.escape(why)):
        Record.parse(text).game()
