"""Computer players: legal, repeatable, as strong as their names say, and able to say why."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.squares import LINES
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol, View
from qttt.players import PLAYERS, Look, choices, get_player, lookahead
from qttt.players.choices import MAX_OBSERVATIONS, decider, limited, unlimited
from qttt.players.evaluation import estimate, line_shares
from qttt.players.explanations import chances
from qttt.players.immediate import odds_now
from qttt.players.lookahead import Budget, look_ahead
from qttt.players.strategies import HardPlayer, SearchPlayer, accepts_draw, solved_values
from qttt.solver import probe
from qttt.solver.blocks import blocks_of
from qttt.solver.places import Place, moved
from qttt.solver.probe import UnsolvedError, best_choices, ranked
from tests.support.games import advance_by_chance, game_of, make, random_states


@pytest.mark.parametrize(
    ("level", "options"),
    [
        (0, ""),
        (1, ""),
        (2, ""),
        (3, ""),
        (4, ""),
        (5, ""),
        (2, "measure-turn"),
        (2, "quantum-only,no-double-entanglement"),
        (5, "quantum-only"),
        (5, "view-switches=2,max-observations=3"),
        (5, "view=physical,no-ties"),
        (3, "tally"),
    ],
)
@pytest.mark.parametrize("name", ["random", "greedy", "easy", "medium", "search:0.02"])
def test_every_choice_is_legal(level: int, options: str, name: str) -> None:
    rng = np.random.default_rng(3)
    player = get_player(name, Rules.of(level, options), clock=False)
    for state in random_states(level, 3, options=options):
        choice = player.choose(state, rng)
        assert choice in choices(state)
        assert -1 <= player.value(state) <= 1
        assert player.reason(state, choice).endswith(".")


@pytest.mark.parametrize(
    "options", ["", "quantum-only", "quantum-only,view-switches=2", "quantum-only,no-double-entanglement"]
)
def test_the_search_makes_the_moves_that_the_rules_allow(options: str) -> None:
    few = [s for s in random_states(5, 400, options=options) if len(s.position.empty_squares) == 1]
    assert len(few) > 15
    for state in few:
        # The board is full after any of them, so a switch after the move changes nothing.
        after = [state.child(move).position for move in state.legal_moves() if not move.after]
        place = Place.of(state)
        expected = {(tuple(sorted(blocks_of(p))), p.view is View.ROTATED, 1 - place.turn) for p in after}
        found = {
            (tuple(sorted(next_.blocks)), next_.rotated, next_.turn) for next_ in moved(place, state.rules)
        }
        assert found == expected


def test_a_switch_after_a_move_is_counted_once() -> None:
    state = Game(5, "view-switches=2").play("1+3 5~").state
    found = {(place.switches, place.rotated) for place in moved(Place.of(state), state.rules)}
    # X to move has made none of two, O one; after the move O is to move.
    assert found == {((1, made), rotated) for made, rotated in ((0, True), (1, False), (2, True))}


def test_measuring_is_among_the_choices_where_the_option_allows_it() -> None:
    state = game_of("1+3 3*5", options="measure-turn").state
    assert [str(choice) for choice in choices(state)][-3:] == ["?1", "?3", "?5"]
    values = look_ahead(state, Budget(500)).values
    assert set(values) == set(choices(state))


@pytest.mark.parametrize("level", [1, 2])
def test_a_search_of_the_whole_phase_finds_the_solver_s_values(level: int) -> None:
    checked = 0
    for state in random_states(level, 80, seed=8):
        if 0 < len(state.position.empty_squares) <= 4:
            found = look_ahead(state, Budget(1 << 40))
            assert found.complete
            exact = probe.prober_for(state.rules).move_values(state)
            for choice, value in found.values.items():
                assert isinstance(choice, Move)
                if _leaves_few_empty(state.child(choice)):
                    assert value.value == pytest.approx(exact[choice].value, abs=1e-9)
                    checked += 1
    assert checked > 40


def _leaves_few_empty(state: State) -> bool:
    """Whether no observation of this phase can leave so many squares empty that a search only estimates."""
    certain = sum(row["."] == 0 for row in state.odds().squares())
    return certain >= 6


def test_best_only_finds_the_same_best_choices() -> None:
    for level in (2, 5):
        for state in random_states(level, 12, seed=4, least_moves=2):
            every = look_ahead(state, Budget(1 << 40), best_only=False) if _small(state) else None
            if every is None:
                continue
            best = look_ahead(state, Budget(1 << 40), best_only=True)
            assert best_choices(best.values, state.turn) == best_choices(every.values, state.turn)


def _small(state: State) -> bool:
    return state.phase is Phase.MODE or len(state.position.empty_squares) <= 2


def test_the_estimate_is_zero_sum_and_knows_that_an_entangled_pair_blocks_its_line() -> None:
    blocks = blocks_of(game_of("5 5*4").state.position)
    row = LINES.index((4, 5, 6))
    shares = line_shares(blocks[0], Mode.STANDARD)
    assert shares[row] == shares[8 + row] == 0
    assert shares[LINES.index((1, 5, 9))] == 0.5
    rules = Rules.of(2)
    for state in random_states(2, 20):
        if state.phase is not Phase.MOVE:
            continue
        value, tie = estimate(
            blocks_of(state.position), state.position.empty_squares, int(state.turn is Symbol.O), rules.level
        )
        assert -1 <= value <= 1
        assert 0 <= tie <= 1 - abs(value)


def test_greedy_takes_the_best_odds_at_once() -> None:
    # X can complete the left column, and greedy sees nothing beyond.
    state = game_of("1 5 4 9 8 6", level=0).state
    assert str(get_player("greedy", Rules.of(0)).choose(state, np.random.default_rng(1))) == "7"
    for state in random_states(2, 10, seed=5):
        values = odds_now(state)
        for choice, value in values.items():
            assert isinstance(choice, Move)
            odds = state.child(choice).result_odds()
            assert value.x == pytest.approx(odds[Result.X] + odds[Result.CONTINUE] / 2)
            assert value.tie == pytest.approx(odds[Result.TIE])


@pytest.mark.parametrize(
    ("record", "best"), [("7+9 3+6 1 1*2 3*4 9*5", "8"), ("2+3 1+7 1*5 2*4 7*6 8", "8*9")]
)
def test_of_equal_odds_greedy_takes_the_fewest_ties(record: str, best: str) -> None:
    """Both choices that are left win equally more often than they lose, and one ties less often."""
    state = game_of(record).state
    (first, second) = odds_now(state).values()
    assert first.value == pytest.approx(second.value)
    assert abs(first.tie - second.tie) > 0.03
    rng = np.random.default_rng(1)
    assert {str(get_player("greedy", state.rules).choose(state, rng)) for _ in range(20)} == {best}


@pytest.mark.parametrize("record", ["1+3 5 2+4", "1+3 1*2 9", "5 1+3 3*2 4 6 7"])
def test_what_measuring_a_square_is_worth_at_once_is_the_mean_of_its_results(record: str) -> None:
    state = game_of(record, options="measure-turn").state
    after: list[tuple[Move | Measurement, float]]
    for choice, value in odds_now(state).items():
        if isinstance(choice, Look):
            results = state.measurement_odds(choice.square).items()
            after = [(Measurement(choice.square, cell), chance) for cell, chance in results]
        else:
            assert isinstance(choice, Move)
            after = [(choice, 1.0)]
        mean = {
            result: sum(p * state.child(event).result_odds()[result] for event, p in after)
            for result in Result
        }
        assert value.value == pytest.approx(mean[Result.X] - mean[Result.O])
        assert value.tie == pytest.approx(mean[Result.TIE])


def test_easy_is_greedy_every_other_time() -> None:
    # Greedy completes the left column; of the three choices, one drawn at random is that one in a third.
    state = game_of("1 5 4 9 8 6", level=0).state
    easy, rng = get_player("easy", state.rules), np.random.default_rng(1)
    greedy = sum(str(easy.choose(state, rng)) == "7" for _ in range(2000))
    # Two thirds of 2,000, give or take four standard deviations of 21.
    assert 1250 <= greedy <= 1417
    assert easy.value(state) == get_player("greedy", state.rules).value(state) == 1
    assert easy.reason(state, Move.parse("7")).startswith("If the board were observed")
    assert easy.reason(state, Move.parse("2")).endswith("drawn at random.")


def test_the_mode_is_chosen_after_the_positions() -> None:
    record = "5 5-6 9 2 1+7 1*3 ~4 4*8 =p:####.#.##"
    state = game_of(record, level=5).state
    rng = np.random.default_rng(1)
    assert choices(state) == [Mode.STANDARD, Mode.ROTATED]
    # O initiated; in standard mode X wins far more often.
    odds = {mode: state.result_odds(mode) for mode in Mode}
    assert odds[Mode.ROTATED][Result.X] < odds[Mode.STANDARD][Result.X]
    for name in ("greedy", "hard", "medium"):
        assert get_player(name, state.rules, clock=False).choose(state, rng) is Mode.ROTATED


@pytest.mark.parametrize("level", range(6))
def test_hard_knows_the_best_openings_where_they_are_solved(level: int) -> None:
    hard = get_player("hard", Rules.of(level))
    for tokens in ("", "5", "1", "2 8"):
        state = game_of(tokens, level=level).state
        values = probe.prober_for(state.rules).move_values(state)
        choice = hard.choose(state, np.random.default_rng(level))
        assert choice in best_choices(solved_values(state), decider(state))
        assert hard.value(state) == probe.prober_for(state.rules).value(state).value
        assert isinstance(choice, Move)
        assert chances(values[choice]) in hard.reason(state, choice)


def test_hard_searches_openings_that_are_not_solved() -> None:
    state = game_of("", level=2, options="quantum-only").state
    assert -1 < get_player("hard", state.rules, clock=False).value(state) < 1


def test_hard_sees_the_win_that_the_level_5_text_asks_for() -> None:
    state = game_of("5 5-6 9 2 1+7 1*3 ~4 4*8 =r:XXOX.O.OX", level=5).state
    hard = get_player("hard", state.rules, clock=False)
    choice = hard.choose(state, np.random.default_rng(1))
    assert str(choice) in {"5+7", "5+7~"}
    assert "X wins 100 %" in hard.reason(state, choice)


def test_the_same_question_has_the_same_answer_whatever_was_asked_before() -> None:
    states = random_states(4, 6, seed=9, least_moves=1)
    forward = [look_ahead(state, Budget(600)) for state in states]
    backward = [look_ahead(state, Budget(600)) for state in reversed(states)]
    assert forward == backward[::-1]


def test_a_search_by_the_clock_ends_at_the_first_look_after_its_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a clock that goes on by a tenth of a second whenever somebody looks at it, from 0."""
    looks = count()
    monkeypatch.setattr(lookahead, "time", SimpleNamespace(monotonic=lambda: next(looks) / 10))
    state = game_of("5", level=5).state
    player = get_player("search:0.35", state.rules)
    assert player.choose(state, np.random.default_rng(1)) in choices(state)
    assert next(looks) == 5


@pytest.mark.skipif(not probe.is_solved(Rules.of(5)), reason="no table of Level 5")
def test_a_far_limit_does_not_keep_perfect_from_playing() -> None:
    rules = limited(Rules.of(5))
    assert rules.options.max_observations == MAX_OBSERVATIONS
    game = Game(rules=rules)
    game.play("5 5-6 9 2 1+7 1*3 ~4 4*8 =r:XXOX.O.OX")
    perfect = get_player("perfect", rules)
    choice = perfect.choose(game.state, np.random.default_rng(1))
    assert str(choice) in {"5+7", "5+7~"}
    assert perfect.value(game.state) == pytest.approx(1)
    # A near one changes the game, and no table knows it.
    with pytest.raises(UnsolvedError):
        get_player("perfect", limited(Rules.of(5, "max-observations=3")))
    assert limited(Rules.of(4)) == Rules.of(4)


def test_only_a_limit_far_away_is_as_good_as_none() -> None:
    assert limited(Rules.of(5)).options.max_observations == 50
    assert unlimited(Rules.of(5, "max-observations=50")).options.max_observations is None
    assert unlimited(Rules.of(5, "max-observations=49")).options.max_observations == 49
    assert unlimited(Rules.of(5)) == Rules.of(5)


@pytest.mark.parametrize(
    ("name", "clock", "without"),
    [
        ("search", Budget(1 << 60, 1.0), Budget(10_000)),
        ("search:2.5", Budget(1 << 60, 2.5), Budget(25_000)),
        ("search:3600", Budget(1 << 60, 3600), Budget(36_000_000)),
        ("search:0.00001", Budget(1 << 60, 0.00001), Budget(1)),
        ("medium", Budget(400), Budget(400)),
        ("hard", Budget(15_000, 1.5), Budget(15_000)),
    ],
)
def test_searches_look_as_far_as_their_names_say(name: str, clock: Budget, without: Budget) -> None:
    for budget, by_clock in ((clock, True), (without, False)):
        player = get_player(name, Rules.of(2), clock=by_clock)
        search = player._halves[0] if isinstance(player, HardPlayer) else player
        assert isinstance(search, SearchPlayer)
        assert search.budget == budget


def test_a_random_choice_says_how_many_there_were() -> None:
    rng = np.random.default_rng(1)
    player = get_player("random", Rules.of(0))
    for record, reason in (("", "1 is one of 9 legal choices"), ("1 2 3 4 6 5 7 9", "8 is one of one legal")):
        state = game_of(record, level=0).state
        assert player.reason(state, choices(state)[0]).startswith(reason)
        assert player.value(state) == 0
    assert {str(player.choose(State(Rules.of(0)), rng)) for _ in range(200)} == set("123456789")


def test_perfect_is_refused_where_nothing_is_solved() -> None:
    with pytest.raises(
        UnsolvedError, match="player 'perfect' needs solved rules, and Level 2 with measure-turn"
    ):
        get_player("perfect", Rules.of(2, "measure-turn"))


@pytest.mark.parametrize(
    "name", ["", "Hard", "search:", "search:0", "search:3601", "search:1e3", "search:-1", "human", "search:٣"]
)
def test_unknown_players_are_refused_by_name(name: str) -> None:
    with pytest.raises(UsageError, match="player"):
        get_player(name, Rules.of(2))


def test_perfect_plays_a_best_move_and_mixes_equals() -> None:
    rules = Rules.of(2)
    perfect = get_player("perfect", rules)
    rng = np.random.default_rng(2)
    for state in random_states(2, 20, seed=6):
        choice = perfect.choose(state, rng)
        exact = probe.prober_for(state.rules).move_values(state)
        assert isinstance(choice, Move)
        top = ranked(exact, state.turn)[0][1]
        assert exact[choice].for_player(state.turn) == top.for_player(state.turn)
    opening = {str(perfect.choose(State(rules), rng)) for _ in range(40)}
    assert len(opening) > 1


def test_perfect_chooses_the_better_mode_for_who_moved_last() -> None:
    for record, level in (
        ("1+3 1-2 9 3-4 5 6 7 8 =p:.#..#####", 4),
        ("1+3 1-2 9 3-4 5 6 7 8 =p:.#..#####", 5),
    ):
        state = game_of(record, level).state
        values = solved_values(state)
        best = max(values, key=lambda mode: values[mode].for_player(state.initiator))
        assert abs(values[Mode.STANDARD].value - values[Mode.ROTATED].value) > 1e-6
        assert get_player("perfect", state.rules).choose(state, np.random.default_rng(1)) is best


def test_a_search_explains_its_choice_by_what_it_has_searched_for_all() -> None:
    state = game_of("1+3 1*2 9 5 6", 2).state
    player = SearchPlayer("six", Budget(10_000))
    values = look_ahead(state, Budget(1 << 40)).values
    best = best_choices(values, state.turn)[0]
    other = min(values, key=lambda choice: values[choice].for_player(state.turn))
    gap = values[best].for_player(state.turn) - values[other].for_player(state.turn)
    assert gap > 0.01
    assert f"would be worth {gap:.3f} more to {state.turn}." in player.reason(state, other)
    assert "other choice" in player.reason(state, best)


def test_draws_are_taken_only_when_the_game_does_not_look_better() -> None:
    perfect = get_player("perfect", Rules.of(2))
    state = game_of("5").state
    worth = probe.prober_for(state.rules).value(state).value
    assert worth != 0
    assert accepts_draw(perfect, Symbol.X, state) == (worth <= 0)
    assert accepts_draw(perfect, Symbol.O, state) == (worth >= 0)
    assert accepts_draw(get_player("perfect", Rules.of(0)), Symbol.X, State(Rules.of(0)))


def test_every_player_is_described() -> None:
    rules = Rules.of(2)
    for name in PLAYERS:
        assert get_player(name, rules).name == name


@pytest.mark.slow
def test_hard_plays_a_game_of_level_5() -> None:
    """How long its answers take is printed by ``tests.benchmarks.answers``."""
    rng = np.random.default_rng(7)
    rules = Rules.of(5)
    hard = get_player("hard", rules)
    game = Game(rules=rules)
    while not game.over and len(game.events) < 40:
        if game.state.phase is Phase.OBSERVATION:
            advance_by_chance(game, rng)
            continue
        choice = hard.choose(game.state, rng)
        assert choice in choices(game.state)
        make(game, choice, rng)
    assert game.state.observations > 0
