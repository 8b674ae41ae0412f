"""Looking back on a game: values against a brute-force solver, sums, marks, luck without skill and skill."""

import time
from collections.abc import Iterator
from random import Random

import pytest

from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.outcomes import Observation, Positions, filled_squares
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players.lookahead import Budget
from qttt.players.matches import Match, play_game
from qttt.players.puzzles import Aim, Grade, find_puzzle
from qttt.players.review import HALVING, MARKS, PLAY_ON, Entry, Review, accuracy, mark_of, review
from qttt.records.record import Record
from qttt.solver import probe
from tests.campaigns.luck import games, measured
from tests.support.games import game_of
from tests.support.solver_brute import Brute, random_child

EXACT = 1e-9
QUICK = Budget(3_000)


def total(looked_back: Review) -> float:
    """What the value of the result must be by the losses and the luck of the entries."""
    worth = looked_back.start
    for entry in looked_back.entries:
        worth += entry.luck or 0.0
        worth -= (entry.loss or 0.0) * (entry.player.sign if entry.player else 0)
    return worth


def steps(state: State, event: Event) -> Iterator[tuple[State, State | None]]:
    """The moments before and after each choice and chance of an event; None stands for the mode chosen."""
    if not isinstance(event, Observation) or len(state.modes) == 1:
        yield state, state.child(event)
        return
    if state.positions is None:
        known = state.child(Positions(filled_squares(event.board)))
        yield state, known
        state = known
    yield state, None
    yield state, state.child(event)


def table(state: State) -> tuple[float, float]:
    value = probe.prober_for(state.rules).value(state)
    return value.value, value.tie


@pytest.mark.parametrize(
    "level", [0, 1, 3, *(pytest.param(level, marks=pytest.mark.slow) for level in (2, 4))]
)
def test_values_losses_and_luck_are_those_of_a_brute_force_solver(level: int) -> None:
    # Above Level 2 games may go on for ever; there boards after an observation are worth what the table says.
    rng, brute = Random(level), Brute(table if level > 2 else None)
    compared = 0
    while compared < (30 if level < 3 else 10):
        game = Game(level)
        while game.phase is not Phase.OVER and len(game.events) < 25:
            game.push(next_event(game.state, random_child(game.state, rng), rng))
        looked_back = iter(review(game).entries)
        for state, event in zip(game.states, game.events, strict=False):
            for before, after in steps(state, event):
                entry = next(looked_back)
                if len(state.position.empty_squares) > 2:
                    continue
                compared += 1
                check_entry(entry, before, after, event, brute)
        assert next(looked_back, None) is None


def next_event(state: State, after: State, rng: Random) -> Event:
    """Any event that leads on; ``after`` only says of what kind."""
    if state.phase is Phase.MOVE:
        return rng.choice(state.legal_moves())
    if after.positions is not None:
        return after.positions
    mode = rng.choice(state.modes)
    boards = state.odds(mode).outcomes()
    return Observation(rng.choices(list(boards), list(boards.values()))[0], mode)


def check_entry(entry: Entry, before: State, after: State | None, event: Event, brute: Brute) -> None:
    if isinstance(event, Observation) and (after is None or before.positions is not None):
        # What the mode chosen is worth: the mean over its boards.
        odds = before.odds(event.mode)
        worth = sum(
            p * brute.value(before.child(Observation(board, event.mode)), observed=True)[0]
            for board, p in odds.outcomes().items()
        )
        if after is None:
            assert entry.step == "mode"
            assert entry.before == pytest.approx(brute.value(before)[0], abs=EXACT)
            assert entry.after == pytest.approx(worth, abs=EXACT)
            gap = (brute.value(before)[0] - worth) * before.initiator.sign
            assert entry.loss == pytest.approx(gap, abs=EXACT)
            return
        assert entry.before == pytest.approx(worth, abs=EXACT)
    else:
        assert entry.before == pytest.approx(brute.value(before)[0], abs=EXACT)
    assert after is not None
    worth = brute.value(after, observed=isinstance(event, Observation))[0]
    assert entry.after == pytest.approx(worth, abs=EXACT)
    if entry.kind == "chance":
        assert entry.luck == pytest.approx(entry.after - entry.before, abs=EXACT)
        if isinstance(event, Observation):
            chance = before.odds(event.mode).probability(event.board)
            filled = filled_squares(event.board)
            places = before.odds().positions()
            assert entry.chance == pytest.approx(places[filled] if entry.step == "positions" else chance)
    else:
        gap = (entry.before - entry.after) * before.turn.sign
        assert entry.loss == pytest.approx(gap, abs=EXACT)
        best = max(brute.value(before.child(move))[0] * before.turn.sign for move in before.legal_moves())
        assert entry.best_value == pytest.approx(best * before.turn.sign, abs=EXACT)
        choice = next(move for move in before.legal_moves() if str(move) == entry.best)
        assert brute.value(before.child(choice))[0] * before.turn.sign == pytest.approx(best, abs=EXACT)


@pytest.mark.parametrize("level", range(6))
def test_all_outcomes_and_all_choices_together_give_the_value_before(level: int) -> None:
    rng = Random(100 + level)
    for first in Symbol if level < 4 else (Symbol.O,):
        game = Game(level, first=first)
        stop = rng.randrange(8, 16)
        while game.phase is not Phase.OVER and len(game.events) < stop:
            game.push(next_event(game.state, random_child(game.state, rng), rng))
        looked_back = iter(review(game).entries)
        for state, event in zip(game.states, game.events, strict=False):
            for before, after in steps(state, event):
                entry = next(looked_back)
                assert entry.before == pytest.approx(summed(before, after, event), abs=EXACT)
                if after is not None:
                    assert entry.after == pytest.approx(table(after)[0], abs=EXACT)
        assert next(looked_back, None) is None


def summed(before: State, after: State | None, event: Event) -> float:
    """The value of a moment by all that may come next, each worth what the table says."""

    def mean(mode: Mode) -> float:
        odds = before.odds(mode).outcomes()
        return sum(p * table(before.child(Observation(board, mode)))[0] for board, p in odds.items())

    if after is None:
        return max((mean(mode) for mode in before.modes), key=lambda worth: worth * before.initiator.sign)
    if after.positions is not None:
        places = before.odds().positions()
        return sum(p * table(before.child(Positions(filled)))[0] for filled, p in places.items())
    if isinstance(event, Observation):
        return mean(event.mode)
    worths = [table(before.child(move))[0] for move in before.legal_moves()]
    return max(worths, key=lambda worth: worth * before.turn.sign)


@pytest.mark.parametrize("level", range(6))
def test_perfect_players_lose_nothing_and_the_sum_is_the_result(level: int) -> None:
    for game in games(level, "perfect", "perfect", range(4)):
        looked_back = review(game)
        assert max(side.lost for side in looked_back.players.values()) < (2e-3 if level == 5 else EXACT)
        assert total(looked_back) == pytest.approx(looked_back.end, abs=EXACT)
        assert [side.accuracy for side in looked_back.players.values()] == [1.0, 1.0]


@pytest.mark.parametrize("options", ["measure-turn", "quantum-only,max-observations=3", "measure-turn,tally"])
def test_without_a_table_the_sum_holds_and_the_search_is_named(options: str) -> None:
    level = 5 if "max" in options else 2
    game = next(games(level, "random", "random", range(1), options))
    looked_back = review(game, budget=QUICK)
    assert not looked_back.exact
    assert looked_back.result is not None
    assert total(looked_back) == pytest.approx(looked_back.end, abs=EXACT)
    assert all(-1 <= entry.before <= 1 and (entry.loss or 0) >= 0 for entry in looked_back.entries)


def test_a_measured_square_is_a_choice_and_a_chance() -> None:
    game = game_of("1 2 3 4 5+6 7+8 ?5=X", level=1, options="measure-turn")
    looked_back = review(game, budget=QUICK)
    assert not looked_back.exact
    assert review(Game(1, "measure-turn").play("1 2")).exact
    choice, chance = looked_back.entries[6:8]
    assert (choice.n, choice.step, choice.choice) == (7, "measure", "?5")
    assert (chance.n, chance.step, chance.chance) == (7, "square", 0.5)
    # The value before is that of both results, half each, and so is that of the choice.
    here, there = (
        review(Game(1, "measure-turn").play(record), budget=QUICK)
        for record in ("1 2 3 4 5+6 7+8 ?5=X", "1 2 3 4 5+6 7+8 ?5=.")
    )
    assert chance.before == pytest.approx((here.end + there.end) / 2, abs=EXACT)
    assert there.entries[7].before == pytest.approx(chance.before, abs=EXACT)
    assert choice.after == chance.before


def test_an_observation_in_rotated_mode_is_positions_a_mode_and_symbols() -> None:
    game = next(
        game
        for game in games(4, "random", "random", range(50))
        if any(isinstance(event, Observation) and event.mode == "rotated" for event in game.events)
    )
    record = Record.of(game)
    tokens = [str(event) for event in game.events]
    n = next(n for n, token in enumerate(tokens) if token.startswith("=r:"))
    whole = [token for token in tokens[: n + 1] if not token.startswith("=p:")]
    at_once = Record.of(Game(4)).game().play(" ".join(whole))
    entries = [entry for entry in review(at_once).entries if entry.n == len(whole)]
    assert [(entry.kind, entry.step) for entry in entries] == [
        ("chance", "positions"),
        ("choice", "mode"),
        ("chance", "symbols"),
    ]
    assert {entry.token for entry in entries} == {whole[-1]}
    assert entries[1].player is at_once.states[-2].initiator
    assert {entries[1].choice, entries[1].best} <= {"standard", "rotated"}
    in_two = [
        (entry.kind, entry.step, entry.before, entry.after)
        for entry in review(record.until(n + 1).game()).entries
    ][-3:]
    assert in_two == [(entry.kind, entry.step, entry.before, entry.after) for entry in entries]


@pytest.mark.parametrize("level", [2, 3, 4])
def test_the_tempting_move_of_a_hard_puzzle_is_a_mistake_and_its_solution_is_best(level: int) -> None:
    import numpy as np

    puzzle = find_puzzle(Rules.of(level), np.random.default_rng(level), Grade.HARD, Aim.BEST)
    greedy = max(
        (choice for choice, _ in puzzle.advice.choices if choice not in puzzle.solutions),
        key=lambda choice: result_now(puzzle.game.state.child(choice), puzzle.turn),  # type: ignore[arg-type]
    )
    wrong = review(puzzle.game.copy().play([str(greedy)])).entries[-1]
    assert wrong.mark in ("mistake", "blunder")
    assert wrong.best in [str(solution) for solution in puzzle.solutions]
    right = review(puzzle.game.copy().play([str(puzzle.solutions[0])])).entries[-1]
    assert (right.mark, right.loss) == ("best", 0.0)


def result_now(state: State, player: Symbol) -> float:
    odds = state.result_odds()
    return (odds[Result.X] - odds[Result.O]) * player.sign


def test_an_unlucky_defeat_of_a_perfect_player_shows_nothing_lost() -> None:
    lost = next(game for game in games(2, "perfect", "hard", range(200)) if game.result is Result.O)
    side = review(lost).players[Symbol.X]
    assert side.lost < EXACT
    assert side.accuracy == 1.0
    assert side.luck < -1


@pytest.mark.parametrize("level", [1, 2])
def test_the_mean_luck_of_random_games_is_nothing(level: int) -> None:
    mean, error = measured(level, range(100))
    assert abs(mean) <= 3 * error


def test_marks_and_accuracy() -> None:
    bounds = [most for _, most in MARKS]
    assert bounds == sorted(bounds)
    assert [mark_of(loss) for loss in (0.0, 0.02, 0.05, 0.2, 0.5, 2.0)] == [
        *("best", "good", "inaccuracy", "mistake", "blunder", "blunder"),
    ]
    assert accuracy(0) == 1
    assert accuracy(HALVING) == 0.5
    assert accuracy(2) < 1e-5
    game = game_of("5 5*6 1+3")
    looked_back = review(game)
    x, o = looked_back.players[Symbol.X], looked_back.players[Symbol.O]
    assert (x.lost, o.lost) == (0.03125, 0.0625)
    assert x.accuracy == pytest.approx((1 + accuracy(0.03125)) / 2)
    assert o.accuracy == accuracy(0.0625)


def test_games_without_events_or_an_end_and_o_first() -> None:
    empty = review(Game(2))
    assert (empty.entries, empty.result, empty.start, empty.end) == ((), None, 0.125, 0.125)
    assert empty.players[Symbol.X].accuracy is None
    mirrored = review(game_of("5 5*6 1+3", first=Symbol.O))
    straight = review(game_of("5 5*6 1+3"))
    assert mirrored.start == -straight.start
    for one, other in zip(mirrored.entries, straight.entries, strict=True):
        assert (one.before, one.after, one.loss) == (-other.before, -other.after, other.loss)
        assert one.player is not other.player


def test_a_draw_by_agreement_is_lost_by_the_player_who_was_ahead() -> None:
    ahead = Game(2).play("5 5*6").agree_on_draw()
    looked_back = review(ahead)
    last = looked_back.entries[-1]
    assert (last.token, last.player, last.best) == ("draw", Symbol.X, PLAY_ON)
    assert (last.loss, last.after, last.n) == (0.1875, 0.0, 2)
    assert looked_back.result is Result.TIE
    assert total(looked_back) == pytest.approx(0, abs=EXACT)
    even = review(Game(0).play("5 1").agree_on_draw()).entries[-1]
    assert (even.loss, even.mark, even.best) == (0, "best", "draw")


def test_what_is_no_game_is_refused() -> None:
    with pytest.raises(UsageError):
        review("5 5*6")  # type: ignore[arg-type]


def test_a_review_is_quick() -> None:
    seconds = {}
    for level in (2, 5):
        game = Record.parse(play_game(Match("random", "random", Rules.of(level), seed=8), 0).record).game()
        began = time.process_time()
        review(game)
        seconds[level] = time.process_time() - began
    assert seconds[2] < 2
    assert seconds[5] < 20


def test_progress_is_told_event_by_event() -> None:
    told: list[None] = []
    review(game_of("5 5*6 1+3"), lambda: told.append(None))
    assert len(told) == 3


@pytest.mark.parametrize(("on_time", "step"), [(False, "resign"), (True, "timeout")])
def test_a_game_given_up_is_a_choice_of_the_player_who_lost_it(on_time: bool, step: str) -> None:
    game = Game(2).play("5 5*6")
    ahead = review(game.copy().resign("X", on_time=on_time))
    last = ahead.entries[-1]
    assert (last.n, last.token, last.step, last.player) == (2, step, step, Symbol.X)
    assert (last.before, last.after, last.loss, last.mark, last.best) == (
        0.1875,
        -1,
        1.1875,
        "blunder",
        PLAY_ON,
    )
    assert (ahead.result, ahead.end) == (Result.O, -1)
    assert total(ahead) == pytest.approx(-1, abs=EXACT)
    by_o = review(game.resign("O", on_time=on_time))
    assert by_o.entries[-1].loss == 1 - 0.1875
    assert total(by_o) == pytest.approx(1, abs=EXACT)
    # Whoever has lost for certain gives nothing away.
    lost = review(game_of("1 5 2 9 3 4 6 7", level=0).resign("O")).entries[-1]
    assert (lost.before, lost.loss, lost.mark, lost.best) == (1, 0, "best", "resign")


def test_the_last_events_alone_are_judged_as_in_the_whole() -> None:
    game = next(games(4, "random", "random", range(1)))
    whole = review(game)
    for since in (len(game.events) - 1, 3):
        assert review(game, since=since).entries == tuple(e for e in whole.entries if e.n > since)


def test_why_values_are_not_proved_is_said() -> None:
    fair = game_of("5 5*6")
    assert (review(fair).exact, review(fair).doubt) == (True, "")
    far = Game(5, "max-observations=50").play("5 5*6")
    assert review(far).doubt == "exact if play were not to end after 50 observations"
    assert review(far).entries == review(Game(5).play("5 5*6")).entries
    near = review(Game(5, "max-observations=2").play("5 5*6"), budget=QUICK)
    assert (near.exact, near.doubt) == (False, "some are estimates of a search")
