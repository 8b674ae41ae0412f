"""Measuring a square as a turn (option measure-turn): what a collapse leaves; games against the oracle."""

import random
from collections import Counter

import pytest

from qttt.errors import IllegalMoveError, MoveSyntaxError, UsageError
from qttt.game.game import Game, parse_event
from qttt.game.odds import distance
from qttt.game.outcomes import Measurement
from qttt.game.result import Result, decide
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.game.state import Phase, State
from qttt.game.symbols import Symbol
from qttt.tabletop.rolls import measure_by_rolls
from tests.support.oracle import random_game


def played(record: str, first: str = "X", level: int = 2, options: str = "measure-turn") -> Game:
    game = Game(level, options, first=Symbol(first))
    game.play(record)
    return game


# What is left of each root. Squares 1 to 4: the dice, the symbol placed, or ``.`` if it can be played on;
# behind ``|`` the squares open to X, then those open to O.
COLLAPSES = {
    "1": {"?1=X 1": "△ . . . | - -"},
    "1+3": {
        "?1=X 1/2": "△ . . . | - -",
        "?1=. 1/2": ". . △4 . | - 3",
        "?3=X 1/2": ". . △ . | - -",
        "?3=. 1/2": "△4 . . . | - 1",
    },
    "1 1*2": {
        "?1=X 1/2": "△ □4 . . | 2 -",
        "?1=O 1/2": "□ △4 . . | - 2",
        "?2=X 1/2": "□4 △ . . | 1 -",
        "?2=O 1/2": "△4 □ . . | - 1",
    },
    "1+3 1*2": {
        "?1=X 1/4": "△ □4 . . | 2 -",
        "?1=O 1/2": "□ △2 △2 . | - 23",
        "?1=. 1/4": ". □4 △4 . | 2 3",
        "?2=X 1/4": "□4 △ . . | 1 -",
        "?2=O 1/2": "△2 □ △2 . | - 13",
        "?2=. 1/4": "□4 . △4 . | 1 3",
        "?3=X 1/2": "□2 □2 △ . | 12 -",
        "?3=. 1/2": "△2□2 △2□2 . . | - -",
    },
    "1+3 1*2 9 3*4": {
        "?1=X 1/4": "△ □4 □2 □2 | 234 -",
        "?1=O 1/2": "□ △2 △1□2 △1□2 | - 2",
        "?1=. 1/4": ". □4 △2□2 △2□2 | 2 -",
        "?2=X 1/4": "□4 △ □2 □2 | 134 -",
        "?2=O 1/2": "△2 □ △1□2 △1□2 | - 1",
        "?2=. 1/4": "□4 . △2□2 △2□2 | 1 -",
        "?3=X 1/4": "□2 □2 △ □4 | 124 -",
        "?3=O 1/2": "△1□2 △1□2 □ △2 | - 4",
        "?3=. 1/4": "△2□2 △2□2 . □4 | 4 -",
        "?4=X 1/4": "□2 □2 □4 △ | 123 -",
        "?4=O 1/2": "△1□2 △1□2 △2 □ | - 3",
        "?4=. 1/4": "△2□2 △2□2 □4 . | 3 -",
    },
}
ROWS = [(record, event, left) for record, table in COLLAPSES.items() for event, left in table.items()]


def cells(state: State) -> str:
    found = []
    for square in range(1, 5):
        placed = state.position.observed[square - 1]
        symbol = placed if placed == "." else Symbol(placed).glyph
        found.append("".join(map(str, state.position.at(square))) or symbol)
    return " ".join(found)


def opened(state: State, player: Symbol) -> str:
    return "".join(str(s) for s in range(1, 5) if state.open_to(s) is player) or "-"


def mirrored(text: str) -> str:
    return text.translate(str.maketrans("△□XO", "□△OX"))


def mirrored_left(text: str) -> str:
    """What is left when the players' parts are exchanged: the shapes, and who may attack."""
    board, attackable = text.split(" | ")
    turned = []
    for cell in mirrored(board).split():
        dice = [cell[i : i + 2] for i in range(0, len(cell), 2)]
        # Triangles are named before squares.
        turned.append("".join(sorted(dice, key=lambda die: die[0] == "□")))
    x, o = attackable.split()
    return f"{' '.join(turned)} | {o} {x}"


@pytest.mark.parametrize("first", "XO")
@pytest.mark.parametrize(("record", "event", "left"), ROWS)
def test_what_a_collapse_leaves(record: str, event: str, left: str, first: str) -> None:
    token, chance = event.split()
    if first == "O":
        token, left = mirrored(token), mirrored_left(left)
    game = played(record, first)
    square = int(token[1])
    numerator, _, denominator = chance.partition("/")
    assert game.state.measurement_odds(square)[token[-1]] == int(numerator) / int(denominator or 1)
    before = game.turn
    game.play(token)
    assert f"{cells(game.state)} | {opened(game.state, Symbol.X)} {opened(game.state, Symbol.O)}" == left
    assert game.turn is before.opponent
    assert square not in game.state.measurable()


@pytest.mark.parametrize("record", COLLAPSES)
def test_the_table_has_every_collapse(record: str) -> None:
    state = played(record).state
    possible = {
        f"?{square}={cell}"
        for square in state.measurable()
        if square <= 4
        for cell in state.measurement_odds(square)
    }
    assert possible == {event.split()[0] for event in COLLAPSES[record]}
    for square in state.measurable():
        assert sum(state.measurement_odds(square).values()) == 1


# Games against the oracle


def compare(level: int, seed: int, options: str = "measure-turn") -> int:
    """Follow a random game and compare everything after every event; how many squares were measured."""
    rng = random.Random(seed)
    first = rng.choice("XO")
    game = Game(level, options, first=Symbol(first))
    measured = 0
    for token, oracle in random_game(level, rng, options, first=first):
        measured += token.startswith("?")
        game.play(token)
        state = game.state
        assert game.over == oracle.over, token
        if game.over:
            assert str(game.result) == oracle.result
            break
        assert str(state.turn) == oracle.turn
        assert {str(move) for move in state.legal_moves()} == set(oracle.legal())
        assert [f"?{square}" for square in state.measurable()] == oracle.measurable()
        assert all(str(state.open_to(s) or "") == (oracle.open_to(s) or "") for s in SQUARES)
        for square in state.measurable():
            assert distance(state.measurement_odds(square), oracle.measurement(square)) < 1e-9
        assert distance(state.odds().outcomes(), oracle.outcomes()) < 1e-9
    again = Game(level, options, first=Symbol(first))
    again.play(" ".join(map(str, game.events)))
    assert again.states == game.states
    return measured


@pytest.mark.parametrize("level", [1, 2])
def test_games_agree_with_the_oracle(level: int) -> None:
    assert sum(compare(level, seed) for seed in range(40)) > 40


@pytest.mark.parametrize("extra", ["quantum-only", "tally", "no-double-entanglement", "tally,quantum-only"])
def test_games_under_other_options_agree_with_the_oracle(extra: str) -> None:
    assert sum(compare(2, seed, f"measure-turn,{extra}") for seed in range(25)) > 25


def test_measuring_changes_no_odds_on_average() -> None:
    state = played("1+3 1*2 9 3*4").state
    for square in state.measurable():
        averaged: Counter[str] = Counter()
        for cell, chance in state.measurement_odds(square).items():
            for board, p in state.child(Measurement(square, cell)).odds().outcomes().items():
                averaged[board] += chance * p  # type: ignore[assignment]
        assert dict(averaged) == state.odds().outcomes()


# Tokens and rules


def test_tokens_round_trip() -> None:
    for square in SQUARES:
        for cell in "XO.":
            event = Measurement(square, cell)
            assert parse_event(str(event)) == event
            assert eval(repr(event)) == event


@pytest.mark.parametrize("token", ["?", "?5", "?5=", "?0=X", "?5=x", "?55=X", "?5=XO", "?5:X", "5?=X"])
def test_broken_tokens(token: str) -> None:
    with pytest.raises(MoveSyntaxError):
        parse_event(token)


@pytest.mark.parametrize(
    ("record", "token", "message"),
    [
        ("1+3", "?2=X", "?2=X by O is not allowed: square 2 is empty: there is nothing to measure"),
        ("1+3 ?1=X", "?1=X", "square 1 holds an observed symbol, and there is nothing left to measure"),
        ("1+3 ?1=. 1", "?1=X", "square 1 may be measured once between observations, and that has been done"),
        ("1+3", "?1=O", "?1=O by O is not allowed: the position cannot give it, only ?1=X or ?1=."),
        ("1", "?1=.", "the position cannot give it, only ?1=X"),
        ("1 2 3 4 5 6 7 8 9", "?1=X", "the board is full, so the observation phase comes first"),
        ("1 4 2 5 3 7 6 8 9 =XXXOOXOOX", "?1=X", "the game is over (X won)"),
    ],
)
def test_measurements_that_are_refused(record: str, token: str, message: str) -> None:
    game = played(record)
    before = game.state
    with pytest.raises(IllegalMoveError) as caught:
        game.play(token)
    assert message in str(caught.value)
    assert game.state is before


def test_without_the_option_nothing_can_be_measured() -> None:
    game = played("1+3", options="")
    assert game.state.measurable() == ()
    with pytest.raises(IllegalMoveError, match="only with the option measure-turn"):
        game.play("?1=X")


@pytest.mark.parametrize("level", [0, 3, 4, 5])
def test_the_option_belongs_to_levels_one_and_two(level: int) -> None:
    with pytest.raises(
        UsageError, match=f"option measure-turn needs Level 1 or 2, and this is Level {level}"
    ):
        Rules.of(level, "measure-turn")
    for other in (1, 2):
        assert str(Rules.of(other, "measure-turn").options) == "measure-turn"


def test_undo_does_not_pass_a_measurement() -> None:
    game = played("1+3 ?1=. 5")
    assert str(game.undo()) == "5"
    with pytest.raises(IllegalMoveError, match="an observation cannot be taken back"):
        game.undo()
    assert str(game.events[-1]) == "?1=."


def test_one_line_each_goes_on_with_the_option() -> None:
    board = "XXXOOO..."
    assert decide(board, Rules.of(2)) is Result.TIE
    assert decide(board, Rules.of(2, "measure-turn")) is Result.CONTINUE
    assert decide("XXXOOOXXX", Rules.of(2, "measure-turn")) is Result.X


def test_lines_of_measured_symbols_wait_for_the_observation_phase() -> None:
    game = played("1 4 2 5 3 ?1=X ?2=X 7 ?3=X")
    assert game.state.position.observed == "XXX......"
    assert game.state.phase is Phase.MOVE
    assert game.result is Result.CONTINUE


def test_an_observation_makes_squares_measurable_again() -> None:
    game = played("1+3 ?1=. 1+2 4 5 6 7 8 9")
    assert game.state.measurable() == ()
    assert game.state.measured == frozenset({1})
    game.play("=X.XOXOXOX")
    assert game.state.measured == frozenset()


@pytest.mark.parametrize(
    ("record", "square"), [("1+3 1*2", 1), ("1+3 1*2 9 3*4", 4), ("1 1*2", 2), ("1+3", 3)]
)
def test_measuring_by_rolls_gives_the_odds(record: str, square: int) -> None:
    state, rng, shots = played(record).state, random.Random(7), 2000
    counts: Counter[str] = Counter()
    for _ in range(shots):
        event, rolls = measure_by_rolls(state, square, rng)
        counts[event.cell] += 1
        state.child(event)
        assert [roll.yes for roll in rolls[:-1]] == [False] * (len(rolls) - 1)
        assert {roll.question.squares for roll in rolls} == {(square,)}
    odds = state.measurement_odds(square)
    assert set(counts) == set(odds)
    for cell, p in odds.items():
        # Four standard deviations of the binomial distribution.
        assert abs(counts[cell] - shots * p) <= 4 * (shots * p * (1 - p)) ** 0.5


def test_the_player_to_move_asks_first() -> None:
    state = played("1 1*2").state
    assert measure_by_rolls(state, 1, random.Random(1))[1][0].question.asker is state.turn
    swapped = played("1 1*2 9").state
    assert measure_by_rolls(swapped, 1, random.Random(1))[1][0].question.asker is swapped.turn
