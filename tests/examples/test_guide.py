"""The guide is made, complete, and says what the program does."""

import re
from math import sqrt

import pytest

from examples.make import FOLDER, WRITTEN, made_files
from qttt.display.pictures.descriptions import describe_position
from qttt.errors import QtttError
from qttt.game.moves import Kind
from qttt.game.rules import LEVELS, SUMMARIES, Level, options_at
from qttt.game.symbols import Symbol
from qttt.teaching.guide.glossary import TERMS, terms_at
from qttt.teaching.guide.observation_rules import configuration_table
from qttt.teaching.guide.pages import LINE, overview, rules_markdown, rules_of, rules_text, title_of
from qttt.teaching.guide.sections import Diagram, Table, chance, played, share


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return made_files()


def test_the_guide_and_the_gallery_are_up_to_date(files: dict[str, str]) -> None:
    stale = [
        name
        for name, text in files.items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run: python -m examples.make"


def test_nothing_is_left_over_from_before(files: dict[str, str]) -> None:
    found = {
        str(path.relative_to(FOLDER))
        for name in ("guide", "gallery")
        for path in (FOLDER / name).rglob("*")
        if path.is_file()
    }
    assert found == set(files) | WRITTEN


def test_links_and_pictures_of_made_pages_exist(files: dict[str, str]) -> None:
    for name, text in files.items():
        if name.endswith(".md"):
            folder = name.rpartition("/")[0]
            headings = {
                re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            }
            for target in re.findall(r"\]\(([^)]+)\)", text):
                if target.startswith("#"):
                    assert target[1:] in headings, (name, target)
                else:
                    assert f"{folder}/{target}" in files.keys() | WRITTEN, (name, target)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_a_level_has_rules_for_what_it_allows_and_for_nothing_else(level: Level) -> None:
    text = rules_markdown(level)
    assert ("## Superposition move" in text) is level.allows(Kind.SUPERPOSITION)
    assert (
        ("## Entangling move" in text) is ("## Half-entangling move" in text) is level.allows(Kind.ENTANGLING)
    )
    assert (
        ("## Cancelling move" in text) is ("## Half-cancelling move" in text) is level.allows(Kind.CANCELLING)
    )
    assert ("## Switching the view" in text) is level.rotated_view
    assert ("chooses the mode" in text) is level.rotated_mode
    assert (
        "can be attacked" in text.partition("## Deciding")[2].partition("##")[0]
    ) is level.observed_in_play
    assert ("open to" in text) is level.allows(Kind.ENTANGLING)
    assert ("−" in text) is level.allows(Kind.CANCELLING)
    for name in SUMMARIES:
        assert (f"| `{name}` |" in text) is (name in options_at(level))


def test_the_table_of_levels_is_that_of_the_program() -> None:
    table = next(part for part in overview()[0].parts if isinstance(part, Table))
    assert [row[:2] for row in table.rows] == [(str(level.number), level.name) for level in LEVELS]
    assert [row[4] == "yes" for row in table.rows] == [level.allows(Kind.CANCELLING) for level in LEVELS]


def test_options_are_offered_only_where_they_mean_something() -> None:
    for option, level in (("quantum-only", 1), ("measure-turn", 2), ("max-observations=N", 5)):
        assert option in options_at(LEVELS[level])
    for option, level in (("quantum-only", 0), ("measure-turn", 3), ("max-observations=N", 4)):
        assert option not in options_at(LEVELS[level])


def test_configurations_grow_with_the_level_and_their_chances_sum_to_one() -> None:
    counts = [len(configuration_table(level).rows) for level in LEVELS]
    assert counts == [2, 4, 7, 15, 15, 17]
    for row in configuration_table(LEVELS[5]).rows:
        assert sum(float(cell.removesuffix(" %")) for cell in row[2:]) == pytest.approx(100, abs=0.02)
    chances = {row[:2]: row[2:] for row in configuration_table(LEVELS[5]).rows}
    # Halves that lie in the standard view as plus and minus, after a superposition move in the rotated one.
    half = ("plus-superposition", "X's red triangle 1 and X's red square 1")
    assert chances[half] == ("25 %", "25 %", "50 %")
    odds = played("~5+6 ~1", 5).state.odds().square(5)
    assert odds == {"X": 0.25, "O": 0.25, ".": 0.5}


def test_every_diagram_is_a_legal_game_and_frames_its_squares() -> None:
    for level in LEVELS:
        diagrams = [
            part for section in rules_of(level) for part in section.parts if isinstance(part, Diagram)
        ]
        assert len({diagram.name for diagram in diagrams}) == len(diagrams)
        for diagram in diagrams:
            assert diagram.level == level.number
            for square in diagram.marked:
                assert not diagram.position().is_empty(square)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_the_terminal_page_fits_and_names_every_term(level: Level) -> None:
    lines = "\n".join(block.plain for block in rules_text(title_of(level), rules_of(level))).splitlines()
    assert max(map(len, lines)) <= LINE
    text = " ".join(lines)
    for term in TERMS:
        assert (f"- {term.word}: " in text) is (term in terms_at(level))


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_the_moves_below_a_picture_lead_to_its_board(level: Level) -> None:
    found = re.findall(r"^!\[(.*?)\]\(.*?\)\n\n.*? Moves: `(.*?)`\.$", rules_markdown(level), re.MULTILINE)
    assert len(found) >= 2
    for described, tokens in found:
        boards = [played(tokens, level.number, first).state for first in Symbol]
        assert any(
            described == describe_position(state.position, state.open_squares()) for state in boards
        ), tokens


#: The squares of a half-cancelled piece before they are shared out anew (rules.md).
WHOLE = 0.5 + 0.25 + 0.5 + (0.5 - sqrt(0.5)) ** 2


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_the_table_of_squares_gives_what_dice_and_rules_say(level: Level) -> None:
    page = rules_markdown(level).partition("## Squares:")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z -]+) \| (X's .*?|O's .*?) \| (.*?) % \| (.*?) % \| (.*?) % \|$", page, re.M)
    assert len(rows) == len(configuration_table(level).rows)
    for kind, dice, *numbers in rows:
        words = [re.fullmatch(r"([XO])'s \w+ (triangle|square) (−?\d)", one) for one in dice.split(" and ")]
        shown = [(one[1], {"triangle": "X", "square": "O"}[one[2]], int(one[3].replace("−", "-")))
                 for one in words if one]  # fmt: skip
        said = dict(zip("XO.", (float(number) / 100 for number in numbers), strict=True))
        (_, shape, _), *_ = shown
        expected = dict.fromkeys("XO", 0.0)
        if kind == "cancelled":
            assert sum(value for _, _, value in shown) == 0
        elif kind == "half-cancelled":
            expected[shape] = (0.5 - sqrt(0.5)) ** 2 / WHOLE
        elif kind == "target of a half-cancel":
            for _, symbol, value in shown:
                expected[symbol] = abs(value) / 4 / WHOLE
        else:
            for _, symbol, value in shown:
                expected[symbol] += abs(value) / 4
        assert {symbol: said[symbol] for symbol in "XO"} == pytest.approx(expected, abs=6e-5), (kind, dice)
        assert said["."] == pytest.approx(1 - sum(expected.values()), abs=1.2e-4)


def test_terms_are_in_order_and_said_once() -> None:
    words = [term.word for term in TERMS]
    assert words == sorted(set(words))


def test_chances_are_computed() -> None:
    assert share(chance("1+3 1-2", 3, "X")) == "38.67 %"
    assert share(chance("5 5*6", 5, "X")) == "50 %"


def test_an_unknown_level_is_refused() -> None:
    from qttt.game.rules import parse_level

    with pytest.raises(QtttError, match="level '6' does not exist"):
        parse_level("6")
