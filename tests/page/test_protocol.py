"""What a page may send: the program takes exactly what the schema allows."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from qttt.game.moves import Kind
from qttt.game.rules import LEVELS, SUMMARIES
from qttt.page.answers import ANSWERS
from qttt.page.protocol import MessageError, error_message, read_message, schema
from qttt.page.states import catalogue
from tests.support.server import faults

PAGE = Draft202012Validator({"$ref": "#/$defs/page", "$defs": schema()["$defs"]})
TYPES = sorted(name.removeprefix("page.") for name in schema()["$defs"] if name.startswith("page."))
KEYS = sorted({key for name in TYPES for key in schema()["$defs"][f"page.{name}"]["properties"]})
VALUES = st.one_of(
    st.sampled_from(["X", "O", "rotated", "odds", "moves", "5*6", *TYPES, "x" * 65]),
    st.integers(-2, 20_000),
    st.sampled_from([2**53, 10**30, 1.5, True, None]),
    st.fixed_dictionaries({"seconds": st.integers(-1, 90), "increment": st.integers(-1, 9)}),
    st.lists(st.integers(), max_size=2),
)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@given(
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from([*KEYS, "more"]), VALUES, max_size=3),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_messages_are_taken_as_the_schema_says(kind: str, keys: dict[str, Any], complete: bool) -> None:
    message: dict[str, Any] = {"type": kind, "id": 1}
    if complete:
        needed = {"n": 0, "token": "5", "level": 2, "what": "odds", "of": 1}
        rules = schema()["$defs"][f"page.{kind}"]
        message |= {key: needed[key] for key in rules["required"] if key in needed}
    message |= keys
    try:
        taken = read_message(json.dumps(message)) == message
    except MessageError:
        taken = False
    assert taken == PAGE.is_valid(message)


def test_every_question_is_answered_by_somebody() -> None:
    asked = schema()["$defs"]["page.ask"]["properties"]["what"]["enum"]
    assert set(asked) == {*ANSWERS, "state", "lesson"}


def test_the_catalogue_has_every_row() -> None:
    rows = catalogue()
    assert [row["number"] for row in rows["levels"]] == [level.number for level in LEVELS]
    assert [row["written"] for row in rows["options"]] == list(SUMMARIES)
    assert [row["word"] for row in rows["kinds"]] == [kind.word for kind in Kind]
    assert rows["levels"][5] == {
        "number": 5,
        "name": "Fully quantum",
        "kinds": ["classical", "superposition", "entangling", "cancelling"],
        "modes": ["standard", "rotated"],
        "views": True,
    }


@pytest.mark.parametrize("text", ['{"type": "play", "id": 7}', '{"type": "no", "id": 7}'])
def test_a_wrong_message_is_answered_by_its_number(text: str) -> None:
    with pytest.raises(MessageError) as wrong:
        read_message(text)
    assert wrong.value.id == 7
    assert faults(error_message("two\nlines", 7)) == [] and error_message("two\nlines")["says"] == "two lines"


@pytest.mark.parametrize("id", ["7", -1, 1.0, True, 2**60, None])
def test_a_number_that_is_none_is_not_repeated(id: object) -> None:
    with pytest.raises(MessageError) as wrong:
        read_message(json.dumps({"type": "play", "id": id, "n": 0, "token": "5"}))
    assert wrong.value.id is None
