"""Tabletop rolls: the roll tables row by row; rolled distributions against the amplitudes, in every order."""

import json
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qttt.errors import IllegalMoveError, UsageError
from qttt.game import Game
from qttt.game.odds import distance, observation_odds
from qttt.game.outcomes import Measurement, Positions, filled_squares
from qttt.game.roots import read_roots, root_distribution
from qttt.game.surds import ONE, ZERO, Surd
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.d6 import RollRule
from qttt.tabletop.questions import Asks, Cluster, Question, Step
from qttt.tabletop.rolls import (
    Rolls,
    measure_by_rolls,
    observe_by_rolls,
    roll_odds,
    roll_step,
    rolled_odds,
    rolled_out,
    table_of,
    throw,
)
from qttt.tabletop.table import Table
from tests.support.chance import Constant
from tests.support.oracle import random_game

ROWS = json.loads((Path(__file__).parents[1] / "data" / "roll_tables.json").read_text())


def played(level: int, record: str, first: str = "X", options: str = "") -> Game:
    game = Game(level, options, first=Symbol(first))
    game.play(record)
    return game


def surd(rational: str, root: str = "0") -> Surd:
    return Surd(Fraction(rational), Fraction(root))


# The d6 and its readings


@pytest.mark.parametrize(
    ("reading", "chance", "yes"),
    [
        (RollRule.EVEN, "1/2", [(2,), (4,), (6,)]),
        (RollRule.ONE_OR_TWO, "2/5", [(1,), (2,)]),
        (RollRule.NOT_ONE_OR_TWO, "2/3", [(3,), (4,), (5,), (6,)]),
        (RollRule.SNAKE_EYES, "1/36", [(1, 1)]),
    ],
)
def test_readings(reading: RollRule, chance: str, yes: list[tuple[int, ...]]) -> None:
    faces = (
        [(a,) for a in range(1, 7)]
        if reading.dice == 1
        else [(a, b) for a in range(1, 7) for b in range(1, 7)]
    )
    assert [face for face in faces if reading.answer(face)] == yes
    assert reading.chance == Fraction(chance)


def test_snake_eyes_and_their_opposite_disagree_on_every_throw() -> None:
    for a in range(1, 7):
        for b in range(1, 7):
            assert RollRule.SNAKE_EYES.answer((a, b)) is not RollRule.NOT_SNAKE_EYES.answer((a, b))
    assert RollRule.NOT_SNAKE_EYES.chance == Fraction(35, 36)


class Scripted:
    """A generator that throws the given faces."""

    def __init__(self, *faces: int) -> None:
        self.faces = list(faces)

    def random(self) -> float:
        return (self.faces.pop(0) - 0.5) / 6


def test_a_six_is_thrown_again_where_the_reading_says_so() -> None:
    assert RollRule.ONE_OR_TWO.throw(Scripted(6, 6, 2)) == ((6, 6, 2), True)
    assert RollRule.ONE_OR_TWO.throw(Scripted(6, 3)) == ((6, 3), False)
    assert RollRule.EVEN.throw(Scripted(6)) == ((6,), True)
    assert RollRule.SNAKE_EYES.throw(Scripted(1, 2)) == ((1, 2), False)


def test_every_face_is_thrown_equally_often_and_no_other() -> None:
    rng = random.Random(5)
    faces = Counter(RollRule.EVEN.throw(rng)[0][0] for _ in range(6000))
    assert sorted(faces) == [1, 2, 3, 4, 5, 6]
    # Binomial(6000, 1/6): standard deviation 29.
    assert all(abs(count - 1000) < 4 * 29 for count in faces.values())


# The Player Reference's roll tables

HALF, TWO_FIFTHS, TWO_THIRDS = surd("1/2"), surd("2/5"), surd("2/3")
ONE_CANCEL = surd("3", "-2") / surd("8", "-2")
TWO_CANCELS = surd("3", "-2") / surd("12", "-4")
TARGET_ROTATED = surd("1/2", "1/3")

POSITION_ROWS = [
    # level, record, answers so far, the question: squares, what is asked, exact chance, reading
    (3, "1+3", "", (1,), Asks.MINE, HALF, RollRule.EVEN),
    (3, "1+3 1-2", "", (1,), Asks.MINE, ONE_CANCEL, RollRule.SNAKE_EYES),
    (3, "1+3 1-2", "n", (3,), Asks.MINE, TWO_FIFTHS, RollRule.ONE_OR_TWO),
    (3, "1+3 3-2", "", (3,), Asks.MINE, ONE_CANCEL, RollRule.SNAKE_EYES),
    (3, "1+3 3-2", "n", (1,), Asks.MINE, TWO_FIFTHS, RollRule.ONE_OR_TWO),
    (3, "1+3 1*2 9 3-4", "", (3,), Asks.MINE, ONE_CANCEL, RollRule.SNAKE_EYES),
    (3, "1+3 1*2 9 3-4", "n", (1, 2), Asks.HALF, TWO_FIFTHS, RollRule.ONE_OR_TWO),
    (3, "1+3 1-2 9 3-4", "", (1,), Asks.MINE, TWO_CANCELS, RollRule.SNAKE_EYES),
    (3, "1+3 1-2 9 3-4", "n", (3,), Asks.MINE, TWO_CANCELS / (ONE - TWO_CANCELS), RollRule.SNAKE_EYES),
    (3, "1+3 1-2 9 3-4", "nn", (2,), Asks.FILLED, HALF, RollRule.EVEN),
    (3, "1+3 1-2 9 3-4", "nn", (4,), Asks.FILLED, HALF, RollRule.EVEN),
    (3, "1+3 1*2", "", (3,), Asks.MINE, HALF, RollRule.EVEN),
    (3, "1+3 1*2", "", (1, 2), Asks.HALF, HALF, RollRule.EVEN),
    (3, "1+3 1*2 9 3*4", "", (1, 2), Asks.HALF, HALF, RollRule.EVEN),
    (3, "1+3 1*2 9 3*4", "", (3, 4), Asks.HALF, HALF, RollRule.EVEN),
    (5, "~1+3", "", (1,), Asks.MINE, HALF, RollRule.EVEN),
    (5, "~1+3 1-2", "n", (3,), Asks.MINE, TWO_FIFTHS, RollRule.ONE_OR_TWO),
]


@pytest.mark.parametrize("first", "XO")
@pytest.mark.parametrize("row", POSITION_ROWS, ids=lambda row: f"{row[1]}-{row[2]}-{row[3]}")
def test_rolling_for_positions(row: tuple[Any, ...], first: str) -> None:
    level, record, answers, squares, asks, chance, reading = row
    table = table_of(played(level, record, first).state)
    for answer in answers:
        table = table.answer(root_questions(table)[0], yes=answer == "y")
    (question,) = {
        q
        for q in root_questions(table)
        if q.squares == squares and (asks is not Asks.FILLED or q.asker == first)
    }
    assert question == Question(Symbol(first), squares, asks, chance, reading)
    assert question.d6_is_exact is (chance == Surd(reading.chance))


def root_questions(table: Table) -> list[Question]:
    """The questions about squares 1 to 4, where the rows' roots are; 9 only keeps the turn."""
    return [question for question in table.questions if question.square != 9]


@pytest.mark.parametrize("record", ["1+3 1-2 9 3-4", "1+3 3-4 9 1-2", "2+3 3-1 9 2-4", "1+4 4-2 9 1-3"])
def test_of_two_half_cancelled_squares_the_smaller_is_rolled_first(record: str) -> None:
    """The order matters to d6 rolls, whose two chances are 1/36 and 35/1296."""
    table = table_of(played(3, record).state)
    smaller, larger = int(record[0]), int(record[2])
    (first,) = root_questions(table)
    (second,) = root_questions(table.answer(first, yes=False))
    assert (first.squares, second.squares) == ((smaller,), (larger,))


def test_cancelled_squares_are_cleared_without_a_roll() -> None:
    table = table_of(played(4, "1 1-2").state)
    assert table.position.is_empty(1)
    assert table.questions == ()
    assert table.filled == ".#......."


SYMBOL_ROWS = [
    # level, record, which position answers, mode, square, the roller is the first player, chance, reading
    (4, "1", "", Mode.STANDARD, 1, True, ONE, None),
    (4, "1", "", Mode.ROTATED, 1, True, HALF, RollRule.EVEN),
    (4, "1 1*2", "", Mode.STANDARD, 1, True, HALF, RollRule.EVEN),
    (4, "1 1*2", "", Mode.ROTATED, 1, True, HALF, RollRule.EVEN),
    (4, "1 1*2", "", Mode.ROTATED, 1, False, HALF, RollRule.EVEN),
    (4, "1 1-2", "", Mode.STANDARD, 2, False, HALF, RollRule.EVEN),
    (4, "1 1-2", "", Mode.ROTATED, 2, False, ONE, None),
    (4, "1+3 1-2", "nn", Mode.STANDARD, 2, False, TWO_THIRDS, RollRule.NOT_ONE_OR_TWO),
    (4, "1+3 1-2", "nn", Mode.ROTATED, 2, False, TARGET_ROTATED, RollRule.NOT_SNAKE_EYES),
    (4, "1+3 1-2 9 3-4", "nnn", Mode.STANDARD, 4, False, TWO_THIRDS, RollRule.NOT_ONE_OR_TWO),
    (4, "1+3 1-2 9 3-4", "nnn", Mode.ROTATED, 4, False, TARGET_ROTATED, RollRule.NOT_SNAKE_EYES),
    (4, "1+3 1-2", "y", Mode.STANDARD, 1, True, ONE, None),
    (4, "1+3 1-2", "y", Mode.ROTATED, 1, True, HALF, RollRule.EVEN),
    (5, "~1", "", Mode.STANDARD, 1, True, HALF, RollRule.EVEN),
    (5, "~1", "", Mode.ROTATED, 1, True, ONE, None),
    (5, "~1+3", "y", Mode.STANDARD, 1, True, HALF, RollRule.EVEN),
    (5, "~1+3", "y", Mode.ROTATED, 1, True, ONE, None),
]


@pytest.mark.parametrize("first", "XO")
@pytest.mark.parametrize("row", SYMBOL_ROWS, ids=lambda row: f"{row[1]}-{row[2]}-{row[3]}-{row[4]}")
def test_rolling_for_symbols(row: tuple[Any, ...], first: str) -> None:
    level, record, answers, mode, square, own, chance, reading = row
    game = played(level, record, first)
    player = Symbol(first) if own else Symbol(first).opponent
    table = table_of(game.state)
    for answer in answers:
        table = table.answer(root_questions(table)[0], yes=answer == "y")
    table = table.choose(mode)
    if chance == ONE:
        assert table.board[square - 1] == player
        assert not table.position.at(square)
        return
    (question,) = [q for q in table.questions if q.squares == (square,) and q.asker is player]
    assert (question.asks, question.chance, question.reading) == (Asks.MINE, chance, reading)
    assert table.answer(question, yes=True).board[square - 1] == player
    assert table.answer(question, yes=False).board[square - 1] == player.opponent


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['state']}-{row['first']}")
def test_every_row_as_exact_and_as_d6_number(row: dict[str, Any]) -> None:
    state = played(row["level"], row["record"], row["first"]).state
    mode = Mode(row["mode"])
    table = table_of(state)
    for rolls, expected in ((Rolls.EXACT, row["exact"]), (Rolls.D6, float(Fraction(row["d6"])))):
        boards = {
            board: p
            for board, p in rolled_odds(table, mode, rolls).outcomes().items()
            if all(board[int(square) - 1] == cell for square, cell in row["given"].items())
        }
        cell = {"empty": ".", "filled": "XO"}.get(row["result"], row["result"])
        hit = sum(p for board, p in boards.items() if board[row["square"] - 1] in cell)
        assert hit / sum(boards.values()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("record", "positions"),
    [
        ("1+3 1-2", {"#..": "1/36", "..#": "7/18", ".#.": "7/12"}),
        ("1+3 1-2 9 3-4", {"#...": "1/36", "..#.": "35/1296", ".#..": "1225/2592", "...#": "1225/2592"}),
        ("1+3 1*2 9 3-4", {"##..": "7/18", "#.#.": "1/72", ".##.": "1/72", "#..#": "7/24", ".#.#": "7/24"}),
    ],
)
def test_d6_numbers_of_half_cancels(record: str, positions: dict[str, str]) -> None:
    table = table_of(played(3, record).state)
    group = next(group for group in table.groups if 1 in group.squares)
    rolled: dict[str, Surd] = {}
    for pattern, p in rolled_out(group.cluster, Mode.STANDARD, Rolls.D6):
        cells = dict(zip(group.squares, pattern, strict=True))
        key = "".join(filled_squares(cells[square]) for square in sorted(cells))
        rolled[key] = rolled.get(key, ZERO) + p
    assert rolled == {key: surd(p) for key, p in positions.items()}


# Any order gives the amplitudes' distribution

LOW_SHAPES = ["1", "1+3", "1 1*2", "1+3 1*2", "1+3 3*2", "1+3 1*2 9 3*4", "1+3 3*2 9 1*4"]
HIGH_SHAPES = [
    *LOW_SHAPES,
    *("1 1-2", "1+3 1-2", "1+3 3-2", "1+3 1-2 9 3-4", "1+3 1*2 9 3-4", "1+3 1-2 9 3*4"),
    *("~1", "~1+3", "~1+3 1*2", "~1+3 3-2", "~1+3 1*2 9 3-4", "~1 1-2", "~1 1*2", "1+3 ~4"),
]


@cache
def rolled_in_every_order(cluster: Cluster, mode: Mode) -> tuple[tuple[str, Surd], ...]:
    """The distribution of a cluster, after checking that whatever is asked first it is the same."""
    if not cluster.answers:
        if cluster.step is Step.POSITIONS:
            return rolled_in_every_order(cluster.read(mode), mode)
        assert not any(cluster.dice), "no question is left, but dice are"
        return ((cluster.symbols, ONE),)
    found = []
    for question, yes, no in cluster.answers:
        merged: dict[str, Surd] = {}
        for weight, left in ((question.chance, yes), (ONE - question.chance, no)):
            for pattern, p in rolled_in_every_order(left, mode):
                merged[pattern] = merged.get(pattern, ZERO) + weight * p
        found.append(tuple(sorted(merged.items())))
    assert len(set(found)) == 1
    return found[0]


@pytest.mark.parametrize("first", "XO")
@pytest.mark.parametrize(
    ("level", "record"),
    [(2, record) for record in LOW_SHAPES] + [(5, record) for record in HIGH_SHAPES],
)
def test_rolls_in_any_order_give_the_exact_distribution(level: int, record: str, first: str) -> None:
    state = played(level, record, first).state
    table = table_of(state)
    roots = {root.squares: root for root in read_roots(state.position.standard())}
    assert {group.squares for group in table.groups} == set(roots)
    for group in table.groups:
        for mode in state.modes:
            rolled = dict(rolled_in_every_order(group.cluster, mode))
            assert rolled == root_distribution(roots[group.squares], mode)
            assert rolled == dict(rolled_out(group.cluster, mode, Rolls.EXACT))


def test_ones_are_never_rolled_up_to_level_two() -> None:
    table = table_of(played(2, "3+7 3*6 9 7*1").state)
    asked = {(question.asker, question.squares) for question in table.questions}
    assert asked == {(Symbol.O, (square,)) for square in (1, 3, 6, 7)}


def random_state(level: int, seed: int, options: str = "") -> Game:
    """A random game stopped at a random moment of its first phases, the board sometimes full."""
    rng = random.Random(seed)
    game = Game(level, options, first=Symbol(rng.choice("XO")))
    stop = rng.randrange(1, 14)
    for index, (token, _) in enumerate(random_game(level, rng, options, phases=2, first=str(game.first))):
        game.play(token)
        if index >= stop and (game.state.position.full or rng.random() < 0.3):
            break
    return game


def expanded(table: Table, rng: random.Random, mode: Mode, weight: Surd) -> dict[str, Surd]:
    """Every board with its probability, the next question picked at random at every node."""
    if table.step is Step.POSITIONS and table.settled:
        return expanded(table.choose(mode), rng, mode, weight)
    if table.done:
        return {table.board: weight}
    question = rng.choice(table.questions)
    result: dict[str, Surd] = {}
    for p, yes in ((question.chance, True), (ONE - question.chance, False)):
        for board, probability in expanded(table.answer(question, yes=yes), rng, mode, weight * p).items():
            result[board] = result.get(board, ZERO) + probability
    return result


@settings(max_examples=60, deadline=None)
@given(level=st.integers(0, 5), seed=st.integers(0, 2**32))
def test_random_positions_rolled_in_random_orders(level: int, seed: int) -> None:
    state = random_state(level, seed).state
    if state.result != "continue":
        return
    rng = random.Random(seed)
    for mode in state.modes:
        exact = state.odds(mode).outcomes()
        table = table_of(state)
        assert distance(rolled_odds(table, mode, Rolls.EXACT).outcomes(), exact) < 1e-12
        if len(exact) <= 64:
            rolled = expanded(table, rng, mode, ONE)
            assert sum(rolled.values(), ZERO) == ONE
            assert distance({board: float(p) for board, p in rolled.items()}, exact) < 1e-12


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_dice_left_show_the_odds_that_are_left(seed: int) -> None:
    """Up to Level 2 the table is a position after every roll, and its own odds average to those before."""
    game = random_state(2, seed)
    state = game.state
    if state.result != "continue":
        return
    rng = random.Random(seed)
    table = table_of(state)
    while not table.done:
        question = rng.choice(table.questions)
        before, average = odds_shown(table), dict.fromkeys(odds_shown(table), 0.0)
        for yes in (True, False):
            for board, p in odds_shown(table.answer(question, yes=yes)).items():
                average[board] += p / 2
        assert average == before
        table = table.answer(question, yes=rng.random() < 0.5)


def odds_shown(table: Table) -> dict[str, float]:
    return observation_odds(table.position).outcomes()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_physical_views_are_rolled_exactly(seed: int) -> None:
    state = random_state(5, seed, "view=physical,view-switches=2").state
    if state.result != "continue":
        return
    for mode in state.modes:
        rolled = rolled_odds(table_of(state), mode, Rolls.EXACT).outcomes()
        assert distance(rolled, state.odds(mode).outcomes()) < 1e-12


def test_a_twisted_square_is_rolled_for_what_its_dice_do_not_show() -> None:
    game = played(5, "~1+3 1-2~ 4 5", options="view=physical")
    table = table_of(game.state)
    for _ in range(2):
        table = table.answer(root_questions(table)[0], yes=False)
    question = next(q for q in table.choose(Mode.STANDARD).questions if q.square == 2)
    tabletop = table_of(played(5, "~1+3 1-2~ 4 5").state)
    for _ in range(2):
        tabletop = tabletop.answer(root_questions(tabletop)[0], yes=False)
    plain = next(q for q in tabletop.choose(Mode.STANDARD).questions if q.square == 2)
    assert (question.hidden, plain.hidden) == (True, False)
    assert (question.chance, plain.chance) == (TARGET_ROTATED, TWO_THIRDS)


def test_d6_is_refused_where_dice_are_an_approximation() -> None:
    state = played(5, "1", options="view=physical").state
    message = "d6 rolls do not go with the option view=physical"
    with pytest.raises(UsageError, match=message):
        roll_odds(state, Mode.STANDARD, Rolls.D6)
    with pytest.raises(UsageError, match=message):
        observe_by_rolls(state, Mode.STANDARD, random.Random(1), Rolls.D6)


def test_d6_differs_from_exact_only_after_half_cancels() -> None:
    for level, record, differs in ((2, "1+3 1*2 9 3*4", False), (4, "1 1-2", False), (4, "1+3 1-2", True)):
        state = played(level, record).state
        for mode in state.modes:
            gap = distance(roll_odds(state, mode, Rolls.D6).outcomes(), state.odds(mode).outcomes())
            assert (gap > 1e-4) is differs
    assert roll_odds(state, Mode.ROTATED, Rolls.EXACT) == state.odds(Mode.ROTATED)


def test_a_mode_that_the_level_lacks_is_refused() -> None:
    with pytest.raises(IllegalMoveError, match="starts at Level 4"):
        roll_odds(played(3, "1").state, Mode.ROTATED)
    with pytest.raises(ValueError, match="rotated mode cannot be chosen"):
        observe_by_rolls(played(2, "1").state, Mode.ROTATED, random.Random(1))


# Rolling


def test_players_take_turns_and_the_initiator_begins() -> None:
    game = played(2, "4+9 3+7 3*6 5 7*1 2 2*8", "O")
    for seed in range(20):
        _, rolls = observe_by_rolls(game.state, Mode.STANDARD, random.Random(seed))
        askers = [str(entry.question.asker) for entry in rolls]
        assert askers[0] == "O"
        table = table_of(game.state)
        for entry, previous in zip(rolls[1:], rolls, strict=False):
            table = table.answer(previous.question, yes=previous.yes)
            able = {question.asker for question in table.questions}
            expected = previous.question.asker.opponent
            assert entry.question.asker is (expected if expected in able else expected.opponent)


def test_drawn_chances_show_their_number_and_thrown_ones_their_faces() -> None:
    table = table_of(played(3, "1+3 1-2").state)
    (question,) = table.questions
    drawn = throw(question, Scripted(1))
    assert (drawn.thrown, drawn.yes) == ((), False)
    assert drawn.drawn == pytest.approx(0.5 / 6)
    assert str(drawn) == "X points at 1: is this square mine? (drawn: below 0.0332 means yes) 0.0833: no"
    rolled = throw(question, Scripted(1, 1), Rolls.D6)
    after = table.answer(question, yes=rolled.yes)
    assert str(rolled) == "X points at 1: is this square mine? (two dice, both showing 1, mean yes) 1 1: yes"
    assert after.board == "X........"
    assert after.done


def test_questions_of_another_table_are_refused() -> None:
    table = table_of(played(2, "1+3 5+6").state)
    question = next(question for question in table.questions if question.square == 1)
    with pytest.raises(ValueError, match="this is not asked now: X points at 1"):
        table.answer(question, yes=True).answer(question, yes=True)


FULL = "5 5-6 9 2 1+7 1*3 ~4 4*8"


def test_positions_first_and_the_mode_later_carry_on_from_the_same_table() -> None:
    game = played(5, FULL)
    rng = random.Random(3)
    _, table = roll_step(table_of(game.state), rng)
    assert table.step is Step.POSITIONS
    later = game.state.child(Positions(table.filled))
    for mode in Mode:
        assert table_of(later).choose(mode) == table.choose(mode)
        assert distance(rolled_odds(table, mode, Rolls.EXACT).outcomes(), later.odds(mode).outcomes()) < 1e-12
        board, rolls = observe_by_rolls(later, mode, rng)
        assert filled_squares(board) == table.filled
        assert rolls[0].question.asker is game.state.initiator


def test_positions_that_the_dice_cannot_give_are_refused() -> None:
    table = table_of(played(4, "1+3").state)
    assert table.given("..#......").board == "........."
    for filled in ("#.#......", ".........", "##......."):
        with pytest.raises(ValueError, match="impossible"):
            table.given(filled)


def test_the_mode_waits_for_the_positions() -> None:
    table = table_of(played(4, "1+3").state)
    with pytest.raises(ValueError, match="when the positions are settled"):
        table.choose(Mode.STANDARD)
    with pytest.raises(ValueError, match="still to be rolled"):
        _ = table.filled


@pytest.mark.parametrize(("level", "record"), [(2, "4+9 3+7 3*6 5 7*1 2 2*8"), (4, "1+3 1-2 9 3-4 5 6 7 8")])
@pytest.mark.parametrize("rolls", Rolls)
def test_rolled_boards_come_as_often_as_the_odds_say(level: int, record: str, rolls: Rolls) -> None:
    state, shots = played(level, record).state, 4000
    mode = state.modes[-1]
    rng = random.Random(11)
    counts = Counter(observe_by_rolls(state, mode, rng, rolls)[0] for _ in range(shots))
    odds = roll_odds(state, mode, rolls).outcomes()
    assert set(counts) <= set(odds)
    # Pearson's statistic, cells of 5 and more expected, up to 5 standard deviations above its mean.
    cells = [(counts[board], shots * p) for board, p in odds.items() if shots * p >= 5]
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
    assert statistic < len(cells) + 5 * (2 * len(cells)) ** 0.5


def test_a_drawn_chance_is_yes_below_it_only() -> None:
    """3.318 % is drawn, since no d6 gives it; the number itself is the first that means no."""
    game = Game(3)
    game.play("1+3 1-2")
    question = next(asked for asked in table_of(game.state).questions if not asked.d6_is_exact)
    chance = float(question.chance)
    answers = [throw(question, Constant(number)).yes for number in (0.0, chance - 1e-9, chance, 0.5)]
    assert answers == [True, True, False, False]


def test_a_square_is_measured_by_rolls_until_somebody_finds_a_piece_or_nobody_can() -> None:
    """Faces below 1/6 are a 1, an odd face and a no; from 1/6 on they are a 2 and a yes."""
    game = Game(2, "measure-turn")
    game.play("1+2 1*3 5")
    # X's half has 1 left in its square, and so the attacker is asked about first.
    no, yes = Constant(0.0), Constant(0.2)
    for square, rng, cell, answers in ((1, yes, "O", [True]), (5, no, "X", []), (2, no, ".", [False])):
        event, rolls = measure_by_rolls(game.state, square, rng)
        assert (event, [roll.yes for roll in rolls]) == (Measurement(square, cell), answers)
    # After the attacker's no, X's die there has doubled and is asked about in turn.
    event, rolls = measure_by_rolls(game.state, 1, no)
    assert event.cell == "."
    assert [(roll.question.asker, roll.yes) for roll in rolls] == [("O", False), ("X", False)]
