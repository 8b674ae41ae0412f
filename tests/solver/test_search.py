"""The solver's values against brute force through the game's own states, and against known games."""

from fractions import Fraction
from functools import cache
from random import Random

import pytest

from qttt.game.moves import Move
from qttt.game.outcomes import Observation, Positions
from qttt.game.rules import LEVELS, Rules
from qttt.game.squares import LINES
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.solver.probe import UnsolvedError, Value, best_choice, is_solved, prober_for, ranked
from qttt.solver.search import Search
from qttt.solver.tables import table_for
from tests.support.solver_brute import Brute, random_child, random_state

SOLVED = [level.number for level in LEVELS if is_solved(Rules(level))]


def value(state: State) -> Value:
    return prober_for(state.rules).value(state)


def move_values(state: State) -> dict[Move, Value]:
    return prober_for(state.rules).move_values(state)


def mode_values(state: State) -> dict[Mode, Value]:
    return prober_for(state.rules).mode_values(state)


def state_of(level: int, tokens: str, first: Symbol = Symbol.X) -> State:
    state = State(Rules.of(level), turn=first)
    for token in tokens.split():
        state = state.child(Observation(token[1:]) if token[0] == "=" else Move.parse(token))
    return state


@pytest.mark.parametrize(
    ("level", "empty", "count"),
    [
        (0, 4, 20),
        (1, 2, 8),
        (2, 1, 8),
        pytest.param(1, 3, 60, marks=pytest.mark.slow),
        pytest.param(2, 2, 30, marks=pytest.mark.slow),
    ],
)
def test_brute_force_through_the_game_gives_the_same_values(level: int, empty: int, count: int) -> None:
    rng, brute = Random(7 + level), Brute()
    for _ in range(count):
        state = random_state(Rules.of(level), empty, rng, phases=2)
        found = value(state)
        assert (found.value, found.tie) == brute.value(state), state


def test_level_0_is_plain_tic_tac_toe() -> None:
    @cache
    def plain(board: str, player: str) -> int:
        """P(X wins) − P(O wins) of a game that is decided when the board is full, as rules.md has it."""
        if "." not in board:
            x, o = (sum(all(board[i - 1] == p for i in line) for line in LINES) for p in "XO")
            return (x > o) - (x < o)
        other = "O" if player == "X" else "X"
        values = [plain(board[:i] + player + board[i + 1 :], other) for i in range(9) if board[i] == "."]
        return max(values) if player == "X" else min(values)

    rng = Random(3)
    for _ in range(200):
        state = random_state(Rules.of(0), 9, rng)
        board = "".join(contents[0].shape if contents else "." for contents in state.position.dice)
        assert value(state).value == plain(board, state.turn), board


@pytest.mark.parametrize(
    ("level", "worth", "tie"),
    [(0, Fraction(0), 1.0), (1, Fraction(1), 0.0), (2, Fraction(1, 8), 0.0)],
)
def test_the_value_of_the_game(level: int, worth: Fraction, tie: float) -> None:
    """Level 0 is a tie; at Level 1 the first player wins for certain; Level 2 is all but balanced."""
    assert value(State(Rules.of(level))) == Value(float(worth), tie, worth)
    assert value(State(Rules.of(level), turn=Symbol.O)) == Value(-float(worth), tie, -worth)


def fresh_and_shipped(level: int) -> Search:
    """A level solved anew, its values held against those of the shipped table."""
    search, table = Search(Rules.of(level)), table_for(Rules.of(level))
    search.value((), 0)
    assert len(search.known) == len(table)
    assert all(table.get(key) == pair for key, pair in search.known.items())
    return search


@pytest.mark.parametrize("level", [0, 1])
def test_a_fresh_solution_is_the_shipped_one(level: int) -> None:
    fresh_and_shipped(level)


@pytest.mark.slow
def test_a_fresh_solution_of_level_2_is_the_shipped_one_and_exact() -> None:
    search = fresh_and_shipped(2)
    # Values are multiples of 2^-8 and weights of 2^-9 at the least: no sum of products was ever rounded.
    pairs = list(search.known.values()) + list(search.full.values())
    assert max(Fraction(number).denominator for pair in pairs for number in pair) == 2**8


@pytest.mark.parametrize(
    "level", [pytest.param(level, marks=pytest.mark.slow) if level == 5 else level for level in SOLVED]
)
def test_perfect_players_get_the_value(level: int) -> None:
    """Games between perfect players: their mean is the value, within three standard errors."""
    rng, games = Random(11), 60 if level < 3 else 10
    start = State(Rules.of(level), turn=Symbol.O if level % 2 else Symbol.X)
    expected, scores = value(start), []
    for _ in range(games):
        state = start
        while state.phase is not Phase.OVER:
            if state.phase is Phase.MOVE:
                state = state.child(best_choice(move_values(state), state.turn))
            elif state.phase is Phase.MODE:
                mode = best_choice(mode_values(state), state.initiator)
                boards = state.odds(mode).outcomes()
                board = rng.choices(list(boards), list(boards.values()))[0]
                state = state.child(Observation(board, mode))
            else:
                state = random_child(state, rng)
        scores.append({"X": 1, "O": -1}.get(state.result, 0))
    mean = sum(scores) / games
    # The variance that the value's own odds imply; none where the result is certain.
    error = ((1 - expected.tie - expected.value**2) / games) ** 0.5
    assert abs(mean - expected.value) <= 3 * error + 1e-12


@pytest.mark.parametrize("level", SOLVED)
def test_the_best_move_is_worth_what_the_position_is(level: int) -> None:
    """Where the position is in the table and its children are searched, this holds one against the other."""
    rng, error = Random(5), table_for(Rules.of(level)).about["error"]
    for _ in range(30 if level < 3 else 12):
        state = random_state(Rules.of(level), 9 if level < 3 else 3, rng, phases=3)
        if state.phase is not Phase.MOVE:
            continue
        values = move_values(state)
        assert list(values) == state.legal_moves()
        best, whole = values[best_choice(values, state.turn)], value(state)
        assert (best.value, best.tie) == pytest.approx((whole.value, whole.tie), abs=error)
        assert best.x + best.tie + best.o == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("level", SOLVED)
def test_best_moves_are_found_without_the_value_of_every_other(level: int) -> None:
    rng = Random(29)
    for _ in range(12):
        state = random_state(Rules.of(level), 9 if level < 3 else 5, rng, phases=2)
        every, some = move_values(state), prober_for(state.rules).best_values(state)
        assert list(some) == list(every)
        most = max((worth.for_player(state.turn) for worth in every.values()), default=0.0)
        for move, found in some.items():
            if every[move].for_player(state.turn) > most - 1e-9:
                assert found == every[move]
            else:
                assert most > found.for_player(state.turn) >= every[move].for_player(state.turn) - 1e-12


@pytest.mark.parametrize("level", [level for level in SOLVED if level >= 3])
def test_a_phase_by_brute_force_gives_the_same_values(level: int) -> None:
    """The rest of a phase through the game itself, modes and switches included; boards from the table."""

    def after(state: State) -> tuple[float, float] | None:
        # Below Level 5, where play ends, boards with one empty square are played out as well.
        if level < 5 and len(state.position.empty_squares) < 2:
            return None
        found = value(state)
        return found.value, found.tie

    rng, brute = Random(17), Brute(after)
    for _ in range(12):
        state = random_state(Rules.of(level), 1, rng, phases=3)
        found = value(state)
        assert (found.value, found.tie) == pytest.approx(brute.value(state), abs=1e-12), state


@pytest.mark.parametrize("level", [level for level in SOLVED if level >= 4])
def test_the_initiator_chooses_the_mode_that_is_worth_most(level: int) -> None:
    rng, found = Random(23), 0
    while found < 12:
        state = random_state(Rules.of(level), 0, rng, phases=2)
        if state.phase is not Phase.OBSERVATION:
            continue
        found += 1
        total = 0.0
        for filled, probability in state.odds().positions().items():
            chosen = state.child(Positions(filled))
            modes = mode_values(chosen)
            best = modes[best_choice(modes, state.initiator)]
            assert value(chosen) == best
            assert best.for_player(state.initiator) == max(
                worth.for_player(state.initiator) for worth in modes.values()
            )
            total += probability * best.value
        assert total == pytest.approx(value(state).value, abs=1e-12)


@pytest.mark.parametrize("tokens", ["1 2 5 3 9", "1 2 5 4 9", "2 1 5 4 8"])
def test_a_line_of_dice_at_level_5_decides_nothing_yet(tokens: str) -> None:
    """Such positions are in the table; their children are partly searched, and tell the same."""
    state = state_of(5, tokens)
    found, best = value(state), best_choice(move_values(state), state.turn)
    assert abs(found.value) < 1
    assert move_values(state)[best].value == pytest.approx(found.value, abs=3e-12)


def test_without_positions_there_is_no_mode_to_choose() -> None:
    with pytest.raises(ValueError, match="no mode to choose"):
        mode_values(State(Rules.of(2)))


def test_equal_values_prefer_fewer_ties_and_then_the_canonical_order() -> None:
    values = {"a": Value(0.5, 0.5), "b": Value(0.5, 0.25), "c": Value(0.75, 0.25), "d": Value(0.5, 0.25)}
    assert [name for name, _ in ranked(values, Symbol.X)] == ["c", "b", "d", "a"]
    assert [name for name, _ in ranked(values, Symbol.O)] == ["b", "d", "a", "c"]


def test_moments_without_a_move() -> None:
    full = state_of(2, "1 2 3 4 5 6 7 8 9")
    assert value(full) == Value(1.0, 0.0, Fraction(1))
    over = full.child(Observation("XOXOXOXOX"))
    assert value(over) == Value(1.0, 0.0, Fraction(1))
    assert move_values(over) == {}


def test_rules_without_a_table_are_refused() -> None:
    state = State(Rules.of(5, "view=physical"))
    assert not is_solved(state.rules)
    with pytest.raises(UnsolvedError, match="Level 5 with view=physical is not solved"):
        value(state)
