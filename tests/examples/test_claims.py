"""Every claim of guide, lessons and glossary is made where it belongs, and true; a seeded lie is found."""

import re
from itertools import pairwise

import pytest

from qttt.game.moves import Kind, Move
from qttt.game.result import decide
from qttt.game.rules import DEFAULT_LEVEL, LEVELS, Level, Rules, options_at
from qttt.game.squares import lines_of
from qttt.game.symbols import Mode, Symbol
from qttt.teaching.guide.glossary import TERMS
from qttt.teaching.guide.pages import overview, rules_markdown
from qttt.teaching.guide.sections import played
from qttt.teaching.lesson import rule_sentences
from tests.examples import claims, claims_at_the_table, claims_of_moves, claims_of_physics
from tests.examples.claims import Corpus, cleaned, goes_on, has_modes, kind_of, lesson_sentences, with_coins
from tests.support.games import random_game
from tests.teaching.lesson.test_lesson import decided

CLAIMS = [
    *claims.CLAIMS,
    *claims_of_moves.CLAIMS,
    *claims_at_the_table.CLAIMS,
    *claims_of_physics.CLAIMS,
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """What a player can read of each level: its page of the guide and the sentences of its lessons."""
    return {
        level.number: cleaned(" ".join([rules_markdown(level), *lesson_sentences(level)])) for level in LEVELS
    }


def all_faults(corpus: Corpus) -> list[str]:
    return [fault for claim in CLAIMS for fault in claim.faults(corpus)]


def test_every_claim_is_made_and_true(corpus: Corpus) -> None:
    assert all_faults(corpus) == []


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_the_page_decides_as_the_program_does(level: Level, corpus: Corpus) -> None:
    page = corpus[level.number].partition("## Deciding the game")[2]
    said = decided(page[: page.index(".") + 1].strip())
    rules = Rules.of(level.number)
    for board in ("XXXOO.OX.", "XXXOOO.XO", "XXXOOOXOX", "XXOOOXXXO", "XOXXOOOXX", "XXX.O.O.."):
        x, o = (lines_of(board, symbol) for symbol in Symbol)
        if "." not in board or level.number:
            assert said(x, o, "." not in board) == decide(board, rules)


@pytest.mark.parametrize("level", LEVELS[1:], ids=lambda level: level.name)
def test_after_an_observation_pieces_are_what_the_page_says(level: Level, corpus: Corpus) -> None:
    assert ("they are lone dice now" in corpus[level.number]) is (goes_on(level) == "lone die")


@pytest.mark.parametrize("first", Symbol)
@pytest.mark.parametrize("level", LEVELS[3:], ids=lambda level: level.name)
def test_a_cancel_names_the_state_that_it_leaves(level: Level, first: Symbol) -> None:
    game = played("5", level.number, first)
    said = rule_sentences.move_rule(Move.parse("5-6"), game.state.position, game.turn, level).sentence
    found = re.search(r"square in a (\w+) state, and no piece is added", " ".join(said.split()))
    assert found
    assert found[1] == kind_of("5 5-6", 6, first)


def test_levels_of_options_are_those_that_take_them() -> None:
    page = cleaned(rules_markdown(LEVELS[5]))
    for name, text in re.findall(r"\| ([\w=-]+) \| Level (\d): ", page):
        assert [level.number for level in LEVELS if name in options_at(level)] == [int(text)]


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_every_word_of_the_glossary_is_used_and_belongs_to_its_level(level: Level) -> None:
    page, words = cleaned(rules_markdown(level)).lower().split("## words")
    for term in TERMS:
        if term.since <= level.number:
            stem = term.word.removesuffix("ment")
            assert re.search(rf"\b{stem}", page), term.word
    assert "rotated mode" not in page + words or has_modes(level)


def test_the_overview_gives_the_levels_and_their_other_numbers() -> None:
    text = cleaned(str(overview()[0].parts[0]))
    assert re.findall(r"Level (\d) is what qttt plays", text) == [str(DEFAULT_LEVEL)]
    # Moves, and not rules: Level 5 opens what was closed, and Level 2 decides 1-1 as no other level does.
    assert "has all moves of the one below it" in text
    for below, above in pairwise(LEVELS):
        assert {kind for kind in Kind if below.allows(kind)} <= {kind for kind in Kind if above.allows(kind)}
    found = re.findall(r"call Level (\d) \((.*?)\) is Level (\d) here", text)
    assert len(found) == 3
    for theirs, name, ours in found:
        assert LEVELS[int(ours)].name == name
        assert "one lower" in text
        assert int(theirs) == int(ours) - 1


@pytest.mark.parametrize("tokens", ["1+3 1-2", "5 5-6", "1+3 1-2 9 3-4", "1+3 1*2 9 3-4"])
def test_forgetting_all_signs_shows_in_the_rotated_mode_only(tokens: str) -> None:
    """No look at Level 3 can tell the circuit from weighted coins; at Level 4 the rotated mode can."""
    for mode in Mode:
        exact = played(tokens, 4).state.odds(mode).outcomes()
        coins = with_coins(played(tokens, 4), mode)
        apart = sum(abs(exact.get(board, 0) - coins.get(board, 0)) for board in exact | coins) / 2
        assert (apart > 0.2) is (mode is Mode.ROTATED)


def test_cards_for_both_modes_can_do_what_a_board_does() -> None:
    """Filled squares have the same chances in both modes, so that boards for both can be drawn before."""
    for seed in range(10):
        state = random_game(4, seed, events=6).state
        first, second = (state.odds(mode).positions() for mode in Mode)
        assert first == pytest.approx(second)


#: Sentences and numbers, each changed into something plausible and false.
LIES = [
    ("observed in standard mode, your symbol", "observed in rotated mode, your symbol"),
    ("into 2, in standard mode", "into 2, in rotated mode"),
    ("△ with four-sided", "□ with four-sided"),
    ("the values are 4, 2, 1, −2", "the values are 4, 2, 1, −2, −1"),
    ("|v| quarters of the piece", "|v| eighths of the piece"),
    ("more than two dice", "more than three dice"),
    ("own shape with the 4 up", "own shape with the 2 up"),
    ("each with a chance of 50 %", "each with a chance of 25 %"),
    ("the die that you met is halved", "the die that you met is doubled"),
    ("will hold X and the other O", "will hold X and the other X"),
    ("then the piece shows four 1s", "then the piece shows two 1s"),
    ("your piece is alone", "your piece is entangled"),
    ("but of your opponent's shape, with −2 up", "but of your own shape, with −2 up"),
    ("2 if you are X, −2 if you are O", "−2 if you are X, 2 if you are O"),
    ("(△2 □2) if X cancelled, in a minus", "(△2 □−2) if X cancelled, in a minus"),
    ("it matters from Level 4 on", "it matters from Level 5 on"),
    ("still in 1 with 3.32 %", "still in 1 with 3.23 %"),
    ("½ − √½ = −0.2071", "½ − √½ = 0.2071"),
    ("squared 4.29 %", "squared 4.92 %"),
    ("and a lone □4 a minus △2 □−2", "and a lone □4 a minus △−2 □2"),
    ("but only once between", "but only twice between"),
    ("with 56.35 % and X with 1.66 %", "with 65.35 % and X with 1.66 %"),
    ("attacked in the rotated view, and nowhere", "attacked in the standard view, and nowhere"),
    ("plus reads △ and minus reads □", "plus reads □ and minus reads △"),
    ("opposite in both modes", "alike in both modes"),
    ("a lone die of value 4", "a lone die of value 2"),
    ("who did not initiate the observation", "who did initiate the observation"),
    ("makes it 1.59 if", "makes it 1.29 if"),
    ("81.53 % of the runs of", "63.06 % of the runs of"),
    ("adds the amplitudes of △ and □", "subtracts the amplitudes of △ and □"),
    ("right in 3 at most", "right in 2 at most"),
    ("each with 85.36 %", "each with 75 %"),
    ("superposition △ − □", "superposition △ + □"),
    ("It reads □ in rotated mode", "It reads △ in rotated mode"),
    ("times the root of |value|/4", "times the square of |value|/4"),
    ("in standard mode; in rotated mode its symbol", "in rotated mode; in standard mode its symbol"),
]


@pytest.mark.parametrize(("truth", "lie"), LIES, ids=lambda text: text[:30])
def test_a_seeded_lie_is_found(truth: str, lie: str, corpus: Corpus) -> None:
    seeded = {number: text.replace(truth, lie) for number, text in corpus.items()}
    assert seeded != corpus
    assert all_faults(seeded) != []
