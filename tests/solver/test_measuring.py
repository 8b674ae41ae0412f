"""The option measure-turn: the solver's boards, Level 1 as a whole, and the search, against brute force."""

import re
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from qttt.errors import UsageError
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement
from qttt.game.rules import Rules
from qttt.game.squares import EMPTY
from qttt.game.state import Phase as Moment
from qttt.game.state import State
from qttt.game.symbols import Symbol
from qttt.players.choices import Look, choices
from qttt.players.lookahead import Budget, look_ahead
from qttt.solver.blocks import BLOCKS, blocks_of
from qttt.solver.boards import BOARDS, board_text, verdicts
from qttt.solver.making.measuring.boards import BoardValues, Phase
from qttt.solver.making.measuring.making import packed, solve_measuring
from qttt.solver.measuring.positions import collapsed, marks_of
from qttt.solver.measuring.tables import board_pairs, going_on, opening_value
from qttt.solver.tables import pack_table, table_for, unpack_table
from tests.support.solver_brute import Brute, Pair, better, random_child
from tests.support.solver_brute import _mean as mean

ENDLESS = Budget(1 << 60)


class MeasuringBrute(Brute):
    """Brute force in which a turn may be spent on measuring a square."""

    def _value(self, state: State) -> Pair:
        if state.phase is not Moment.MOVE:
            return super()._value(state)
        best = super()._value(state)
        for square in state.measurable():
            best = better(self.measured(state, square), best, state.turn)
        return best

    def measured(self, state: State, square: int) -> Pair:
        odds = state.measurement_odds(square)
        return mean((p, self.value(state.child(Measurement(square, cell)))) for cell, p in odds.items())


def rules(level: int) -> Rules:
    return Rules.of(level, "measure-turn")


def observed_state(board: str, level: int) -> State:
    """The state after an observation, X to move."""
    start = State(rules(level))
    return State(rules(level), start.position.observed_as(board, in_play=False), observations=1)


@cache
def computed(level: int) -> BoardValues:
    return BoardValues(rules(level))


# Boards after an observation


@pytest.mark.parametrize("level", [1, 2])
def test_the_shipped_boards_are_those_of_the_rules(level: int) -> None:
    for number, pair in enumerate(board_pairs(rules(level))):
        found = computed(level).board_value(number)
        assert pair == found or (pair is None and np.isnan(found).all())


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(
    ("empty", "count"), [(1, 20), (2, 20), (3, 6), pytest.param(4, 3, marks=pytest.mark.slow)]
)
def test_boards_by_brute_force(level: int, empty: int, count: int) -> None:
    rng, brute = Random(level + 10 * empty), MeasuringBrute()
    same = [images for images in going_on(rules(level)) if board_text(images[0]).count(EMPTY) == empty]
    for images in rng.sample(same, count):
        number = rng.choice(images)
        state = observed_state(board_text(number), level)
        assert brute.value(state) == board_pairs(rules(level))[number], board_text(number)
        # The other player is in the same place with the symbols exchanged.
        exchanged = board_text(number).translate(str.maketrans("XO", "OX"))
        turned = observed_state(exchanged, level)
        value, tie = brute.value(State(turned.rules, turned.position, Symbol.O, observations=1))
        assert (-value, tie) == board_pairs(rules(level))[number]


@pytest.mark.parametrize("level", [1, 2])
def test_which_boards_are_valued(level: int) -> None:
    """All with four empty squares or fewer that decide nothing; no observation leaves more empty."""
    for number in range(BOARDS):
        empty = board_text(number).count(EMPTY)
        pair = board_pairs(rules(level))[number]
        assert (pair is None) == (empty > 4 and verdicts(Rules.of(level, "measure-turn"))[number] is None)


@pytest.mark.parametrize("level", [1, 2])
def test_values_of_boards_were_never_rounded(level: int) -> None:
    pairs = [pair for pair in board_pairs(rules(level)) if pair]
    # Four squares to measure at 1/4 and three pieces to observe: far from the 53 bits of a double.
    assert max(Fraction(part).denominator for pair in pairs for part in pair) <= 2**10


def test_positions_on_free_squares_are_those_of_the_game() -> None:
    """Every state that the game's own rules reach on three free squares, counted without symmetry."""
    for level, expected in ((1, 168), (2, 211)):
        seen: set[tuple[tuple[int, ...], int, Symbol]] = set()
        waiting = [observed_state("...XOXOXO", level)]
        while waiting:
            state = waiting.pop()
            key = (tuple(sorted(blocks_of(state.position))), marks_of(state), state.turn)
            if key in seen:
                continue
            seen.add(key)
            if state.phase is Moment.MOVE:
                waiting += [state.child(move) for move in state.legal_moves()]
                waiting += [
                    state.child(Measurement(square, cell))
                    for square in state.measurable()
                    for cell in state.measurement_odds(square)
                ]
        assert len(Phase(rules(level), 3).order) == expected
        # At Level 1 measuring one certain piece stands for all of them.
        assert len(seen) == {1: 181, 2: 211}[level]


@pytest.mark.slow
def test_the_guide_counts_positions_on_five_free_squares() -> None:
    assert len(Phase(rules(2), 5).order) == 62_796
    page = (Path(__file__).parents[2] / "examples" / "guide" / "measure-turn.md").read_text()
    assert "62,796 are" in page


def test_the_guide_s_table_of_collapses_is_that_of_the_dice() -> None:
    page = (Path(__file__).parents[2] / "examples" / "guide" / "measure-turn.md").read_text()
    rows = re.findall(r"^\| `\?(\d)=([XO.])` \| (\d+) % \|", page, re.MULTILINE)
    state = State(rules(2)).child(Move.parse("1+3")).child(Move.parse("1*2"))
    assert {(int(square), cell, int(chance) / 100) for square, cell, chance in rows} == {
        (square, cell, chance)
        for square in state.measurable()
        for cell, chance in state.measurement_odds(square).items()
    }


def test_a_block_collapses_as_its_dice_do() -> None:
    state = State(rules(2))
    for token in ("1+3", "1*2", "9", "3*4", "5", "9*8", "6"):
        state = state.child(Move.parse(token))
    blocks, measured = blocks_of(state.position), []
    for number in blocks:
        rest = [other for other in blocks if other != number]
        for square in BLOCKS[number].squares:
            measured.append(square)
            odds = state.measurement_odds(square)
            ends = {
                (odds[cell], frozenset(blocks_of(state.child(Measurement(square, cell)).position)))
                for cell in odds
            }
            assert ends == {
                (chance, frozenset([*rest, *put])) for chance, put, _ in collapsed(number, square)
            }
            assert sum(chance for chance, _, found in collapsed(number, square) if not found) == odds.get(
                EMPTY, 0
            )
    assert sorted(measured) == list(state.measurable())


# The search


def random_first_phase(level: int, rng: Random, most_dice: int) -> State:
    """A moment before the first observation with a single empty square and few squares to measure."""
    while True:
        state = State(rules(level), turn=rng.choice(list(Symbol)))
        while state.phase is Moment.MOVE:
            if len(state.position.empty_squares) == 1 and len(state.measurable()) <= most_dice:
                return state
            if state.measurable() and rng.random() < 0.5:
                square = rng.choice(state.measurable())
                odds = state.measurement_odds(square)
                cell = rng.choices(list(odds), list(odds.values()))[0]
                state = state.child(Measurement(square, cell))
            else:
                state = random_child(state, rng)


@pytest.mark.parametrize(
    ("level", "most_dice", "count"),
    [
        (1, 3, 6),
        (2, 3, 6),
        pytest.param(1, 4, 12, marks=pytest.mark.slow),
        pytest.param(2, 4, 15, marks=pytest.mark.slow),
    ],
)
def test_the_search_is_expectiminimax(level: int, most_dice: int, count: int) -> None:
    """A search that sees everything gives the exact value of every choice, measured squares included."""

    def known(state: State) -> Pair:
        number = sum(
            (1 + (cell != str(state.turn))) * 3**index
            for index, cell in enumerate(state.position.observed)
            if cell != EMPTY
        )
        pair = board_pairs(rules(level))[number]
        assert pair is not None
        return pair[0] * state.turn.sign, pair[1]

    rng, brute = Random(level), MeasuringBrute(known)
    for _ in range(count):
        state = random_first_phase(level, rng, most_dice)
        found = look_ahead(state, ENDLESS)
        assert found.complete
        assert list(found.values) == choices(state)
        for choice, worth in found.values.items():
            if isinstance(choice, Look):
                exact = brute.measured(state, choice.square)
            else:
                exact = brute.value(state.child(choice))  # type: ignore[arg-type]
            assert worth.value == pytest.approx(exact[0], abs=1e-12), (state, choice)
        assert found.position.value == pytest.approx(brute.value(state)[0], abs=1e-12)


def test_a_search_that_is_cut_short_says_so() -> None:
    found = look_ahead(State(rules(2)), Budget(200))
    assert not found.complete
    assert found.depth >= 1


# Level 1 as a whole


def test_level_1_is_still_won_by_who_begins() -> None:
    table = table_for(rules(1))
    assert opening_value(rules(1), (), 0) == (1.0, 0.0)
    assert table.about["states"] == 10_041_890
    start = State(rules(1))
    replies = {}
    for move in start.legal_moves():
        child = start.child(move)
        pair = opening_value(rules(1), blocks_of(child.position), 1)
        assert pair is not None
        replies[str(move)] = -pair[0]
    assert max(replies.values()) == 1.0
    assert [token for token, value in replies.items() if value == 1] == ["5"]
    assert replies["1+5"] == 13 / 16


def random_opening(rng: Random) -> State:
    """A moment of Level 1 with seven empty squares or more, after moves and measured squares."""
    while True:
        state = State(rules(1), turn=rng.choice(list(Symbol)))
        for _ in range(rng.randint(0, 6)):
            if state.measurable() and rng.random() < 0.6:
                square = rng.choice(state.measurable())
                state = state.child(Measurement(square, rng.choice(list(state.measurement_odds(square)))))
            else:
                state = state.child(rng.choice(state.legal_moves()))
        if len(state.position.empty_squares) >= 7:
            return state


def stored(state: State) -> Pair:
    pair = opening_value(rules(1), blocks_of(state.position), int(state.turn is Symbol.O), marks_of(state))
    assert pair is not None
    return pair[0] * state.turn.sign, pair[1]


def test_a_stored_position_is_worth_its_best_choice() -> None:
    """The table against itself, one turn on through the game's own rules."""
    rng = Random(12)
    for _ in range(12):
        state = random_opening(rng)
        pairs = [stored(state.child(move)) for move in state.legal_moves()]
        for square in state.measurable():
            odds = state.measurement_odds(square)
            pairs.append(
                mean((p, stored(state.child(Measurement(square, cell)))) for cell, p in odds.items())
            )
        best = pairs[0]
        for pair in pairs[1:]:
            best = better(pair, best, state.turn)
        assert stored(state) == best


def test_the_search_knows_solved_positions() -> None:
    found = look_ahead(State(rules(1)), Budget(1000))
    assert (found.complete, found.depth, found.position.value) == (True, 1, 1.0)
    assert {str(choice) for choice, value in found.values.items() if value.value == 1} == {"5"}


@pytest.mark.slow
def test_level_1_solved_anew_is_what_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    said: list[str] = []
    positions: dict[bytes, Pair] = {}

    def packed_and_seen(found: dict[bytes, Pair], about: dict[str, object]) -> bytes:
        positions.update(found)
        return pack_table(found, about)

    monkeypatch.setattr("qttt.solver.making.measuring.making.pack_table", packed_and_seen)
    fresh = unpack_table(solve_measuring(rules(1), said.append), Path("fresh"))
    shipped = table_for(rules(1))
    # The sum is that of all keys and values.
    assert fresh.about["sha256"] == shipped.about["sha256"]
    assert len(positions) == len(fresh) == len(shipped)
    assert all(shipped.get(key) == pair for key, pair in positions.items())
    assert fresh.about["states"] == shipped.about["states"]
    assert said[-2:] == ["the first phase", "the table"]
    # Every value is a mean of at most 2^20 results, with only halves among the weights: no sum was rounded.
    assert max(Fraction(part).denominator for pair in positions.values() for part in pair) <= 2**20


def test_too_little_memory_is_said_before_it_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.solver.making.needs.available_memory", lambda: 100.0)
    with pytest.raises(UsageError, match="Level 1 with measure-turn takes 700 MB of memory; 100 MB are free"):
        solve_measuring(rules(1))


def test_without_numba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(UsageError, match="needs the extra 'solve': pip install 'tiqtaqtoe"):
        solve_measuring(rules(1))


@pytest.mark.slow
def test_compiled_code_agrees_with_the_search_and_from_the_rules_alone() -> None:
    """Boards found by compiled code from the rules, and first-phase positions, both by another road too."""
    compiled = pytest.importorskip("qttt.solver.making.measuring.compiled")
    ends = np.array([pair or (compiled.GOES_ON, 0.0) for pair in verdicts(Rules.of(1, "measure-turn"))])
    memory = compiled.new_memory(ends, False, 1 << 20)
    for images in going_on(rules(1)):
        board = blocks_of(observed_state(board_text(images[0]), 1).position)
        assert compiled.find_value(packed(board, 0), memory) == board_pairs(rules(1))[images[0]]
    rng = Random(3)
    for _ in range(40):
        state = random_first_phase(1, rng, 9)
        blocks, turn = blocks_of(state.position), int(state.turn is Symbol.O)
        found = compiled.find_value(packed(blocks, turn, marks_of(state)), memory)
        assert found[0] * state.turn.sign == pytest.approx(look_ahead(state, ENDLESS).position.value)


@pytest.mark.slow
def test_two_more_passes_change_nothing() -> None:
    """Whoever would gain by a pass sees it answered by the other one; only the value, ties may be avoided."""
    compiled = pytest.importorskip("qttt.solver.making.measuring.compiled")
    ends = np.array([pair or (0.0, 0.0) for pair in board_pairs(rules(1))])
    memory = compiled.new_memory(ends, False, 1 << 22)
    rng = Random(4)
    for _ in range(30):
        state = random_first_phase(1, rng, 9)
        kinds, links, marks, passes, turn = packed(
            blocks_of(state.position), int(state.turn is Symbol.O), marks_of(state)
        )
        values = [
            compiled.find_value((kinds, links, marks, passes + more, turn), memory)[0] for more in (0, 2, 4)
        ]
        assert len(set(values)) == 1
