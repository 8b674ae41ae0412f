"""OpenSpiel as an outside judge: its own test suites, its own search against our values, its own files."""

import random
import unittest
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel here")

from absl import flags  # noqa: E402
from open_spiel.python.algorithms import generate_playthrough  # noqa: E402
from open_spiel.python.algorithms.minimax import expectiminimax  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from qttt.errors import UsageError  # noqa: E402
from qttt.game import Game  # noqa: E402
from qttt.game.outcomes import Measurement, Observation, Positions  # noqa: E402
from qttt.game.state import Phase, State  # noqa: E402
from qttt.game.symbols import Mode  # noqa: E402
from qttt.integrations.openspiel import MOST_OBSERVATIONS, TiqTaqToeState  # noqa: E402
from qttt.records.record import Record  # noqa: E402
from qttt.solver.probe import prober_for  # noqa: E402
from tests.support.solver_brute import Brute  # noqa: E402

OPTIONS = (
    *((level, "") for level in range(6)),
    (1, "measure-turn"),
    (2, "measure-turn+tally"),
    (2, "quantum-only+no-double-entanglement"),
    (3, "tally"),
    (5, "no-ties+view-switches:2+max-observations:4"),
    (5, "view=physical+quantum-only".replace("=", ":")),
)
STRINGS = [f"tiqtaqtoe(level={level},options={options})" for level, options in OPTIONS]


def after(game: Any, tokens: str) -> TiqTaqToeState:
    """The state of a line of play, each token taken as the actions and outcomes that OpenSpiel knows."""
    state: TiqTaqToeState = game.new_initial_state()
    for token in tokens.split():
        for step in _steps(state, token):
            state.apply_action(state.string_to_action(step))
    return state


def _steps(state: TiqTaqToeState, token: str) -> list[str]:
    if token.startswith("?"):
        return [token[:2], token]
    if not token.startswith("=") or token.startswith("=p:") or len(state.moment.modes) == 1:
        return [token]
    mode = "=r:" if token.startswith("=r:") else "=s:"
    observation = token.replace("=s:", "=")
    filled = "".join("." if cell == "." else "#" for cell in token[-9:])
    return [*([f"=p:{filled}"] if state.moment.positions is None else []), mode, observation]


@pytest.mark.parametrize("string", STRINGS)
def test_openspiels_own_simulations_pass(string: str) -> None:
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    game = pyspiel.load_game(string)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    GamesSimTest().sim_game(game)


def test_openspiels_own_interface_tests_pass() -> None:
    from open_spiel.integration_tests import api_test

    flags.FLAGS(["test", "--test_only_games=^tiqtaqtoe$"])
    classes = [case for case in api_test._create_test_case_classes() if "tiqtaqtoe" in case.__name__]
    assert classes
    for case in classes:
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        assert result.testsRun
        assert not result.failures + result.errors


@pytest.mark.parametrize("string", STRINGS)
def test_a_playthrough_in_openspiels_format_replays_to_itself(string: str) -> None:
    text = generate_playthrough.playthrough(string, None)
    again = generate_playthrough.playthrough(**generate_playthrough._playthrough_params(text.splitlines()))
    # The numbers of the random choices are said, so the whole text comes again.
    assert [line.rstrip() for line in again.splitlines()] == [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize(("level", "options"), OPTIONS)
def test_random_games_agree_with_the_rules(level: int, options: str) -> None:
    game = pyspiel.load_game(f"tiqtaqtoe(level={level},options={options})")
    rng = random.Random(f"{level} {options}")
    for _ in range(6):
        state, twin = game.new_initial_state(), Game(rules=game.rules)
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = dict(state.chance_outcomes())
                assert sum(outcomes.values()) == pytest.approx(1, abs=1e-12)
                action = rng.choices(list(outcomes), list(outcomes.values()))[0]
                token = state.action_to_string(action)
                assert outcomes[action] == pytest.approx(chance_of(twin.state, token), abs=1e-15)
                twin.push(token)
            else:
                moment = twin.state
                assert state.current_player() == "XO".index(
                    moment.turn if moment.phase is Phase.MOVE else moment.initiator
                )
                legal = state.legal_actions()
                assert legal == sorted(legal)
                words = [state.action_to_string(action) for action in legal]
                if moment.phase is Phase.MOVE:
                    moves = [*map(str, moment.legal_moves()), *(f"?{n}" for n in moment.measurable())]
                    assert words == moves
                else:
                    assert words == ["=s:", "=r:"]
                action = rng.choice(legal)
                if moment.phase is Phase.MOVE and not words[legal.index(action)].startswith("?"):
                    twin.push(words[legal.index(action)])
            state.apply_action(action)
        assert state.returns() == {"X": [1, -1], "O": [-1, 1], "tie": [0, 0]}[twin.result]
        # A record of ours, read by us, is the same game.
        assert Record.parse(state.record()).game() == twin


def chance_of(state: State, token: str) -> float:
    """The probability of an observation, of positions or of a measured square, from the dice."""
    if token.startswith("?"):
        measured = Measurement.parse(token)
        return state.measurement_odds(measured.square)[measured.cell]
    if token.startswith("=p:"):
        return state.odds().positions()[token[3:]]
    mode = Mode.ROTATED if token.startswith("=r:") else Mode.STANDARD
    return state.odds(mode).outcomes()[token[-9:]]


class Cut:
    """A state of OpenSpiel that is over where an observation phase ends, worth what ``worth`` says there."""

    def __init__(self, state: TiqTaqToeState, phase: int, worth: Callable[[State], float]) -> None:
        self.state, self.phase, self.worth = state, phase, worth

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def clone(self) -> "Cut":
        return Cut(self.state.clone(), self.phase, self.worth)

    def is_terminal(self) -> bool:
        return self.state.is_terminal() or self.state.moment.observations > self.phase

    def player_return(self, player: int) -> float:
        if self.state.is_terminal():
            return float(self.state.returns()[player])
        return self.worth(self.state.moment) * (1 - 2 * player)


def searched(state: TiqTaqToeState, worth: Callable[[State], float]) -> float:
    value, _ = expectiminimax(Cut(state, state.moment.observations, worth), 30, None, 0)
    return float(value)


@pytest.mark.parametrize(
    ("level", "options", "line"),
    [
        (0, "", "5 1 3 7"),
        (1, "", "1+3 5 2+4 6+7"),
        (1, "quantum-only", "1+3 5+6 2+4 7+8"),
        (1, "tally", "1+3 5 2+4 6+7"),
        (2, "", "1+3 1*2 9 4+5 6"),
        (2, "", "5 1+2 3 4+6 7+8 9 =O.XOX..XO"),
        (2, "tally", "5 1+2 3 4+6 7+8 9 =O.XOX..XO"),
        (2, "no-double-entanglement", "1+3 1*2 9 4+5 6"),
        (2, "quantum-only+tally", "1+3 1*2 8+9 4+5 6+7"),
        (3, "", "1+3 1-2 9 3-4 5+6"),
        (3, "quantum-only", "1+3 1-2 5+6 3-4 7+8"),
        (3, "tally+no-double-entanglement", "1+3 1*2 9 3-4 5+6"),
        (4, "", "1+3 1*2 9 3-4 5 6 7"),
        (4, "", "1+3 1-2 9 3-4 5 6 7 8"),
        (4, "tally", "1+3 1-2 9 3-4 5 6 7 8"),
        (4, "quantum-only+no-double-entanglement", "1+3 1*2 5+6 3-4 7+8"),
        (5, "", "1+3 1-2 9 3-4 5 6 7"),
        (5, "", "~1+3 1*2~ 9 4 5 6 7"),
    ],
)
def test_openspiels_search_gives_our_solvers_value(level: int, options: str, line: str) -> None:
    """Expectiminimax over OpenSpiel's states, cut where the phase ends at the table's value."""
    endless = "max-observations:1000" * (level == 5)
    game = pyspiel.load_game(f"tiqtaqtoe(level={level},options={options or endless})")
    start = Game(level, options.replace("+", ","))
    prober = prober_for(start.rules)

    def worth(moment: State) -> float:
        return prober.value(replace(moment, rules=start.rules)).value

    ours = start.play(line).state
    assert searched(after(game, line), worth) == pytest.approx(prober.value(ours).value, abs=1e-9)


@pytest.mark.parametrize(
    ("level", "options", "line"),
    [
        (1, "measure-turn", "1 2 3 5 4 6+8 ?1=X ?2=O ?3=X ?5=O ?4=X"),
        (2, "measure-turn", "1 2 3 5 4 7+9 7*8 ?1=X ?2=O ?3=X ?5=O ?4=X"),
        (2, "tally", "1 2 3 5 4 6 7+8 9 =XOXXOO.XO"),
        (2, "quantum-only", "1+2 3+4 5+6 1*7"),
        (2, "no-double-entanglement", "1+3 1*2 5 4 6 7"),
        (5, "max-observations:1", "1+3 1-2 5 4 6 7 8"),
        (5, "no-ties+max-observations:2", "1 2 3 5 4 6 8 7 9 =r:XOXXOOOXX"),
        (5, "view-switches:2+max-observations:1", "1+3 1-2 5 4 6 7 8"),
        (5, "view:physical+max-observations:1", "1+3 1-2~ 5 4 6 7 8"),
    ],
)
def test_openspiels_search_of_each_option_gives_a_brute_force_value(
    level: int, options: str, line: str
) -> None:
    """Down to the end of the game, against the same search over the states of the rules."""
    state = after(pyspiel.load_game(f"tiqtaqtoe(level={level},options={options})"), line)
    value, _ = expectiminimax(state, 60, None, 0)
    assert value == pytest.approx(brute(state.moment), abs=1e-9)


def brute(state: State) -> float:
    if not state.rules.options.measure_turn:
        return Brute().value(state)[0]
    return measured_value(state, {})


def measured_value(state: State, known: dict[State, float]) -> float:
    """Brute force where a turn may measure a square, which ``Brute`` does not do."""
    if state.phase is Phase.OVER:
        return {"X": 1.0, "O": -1.0, "tie": 0.0}[state.result]
    if state in known:
        return known[state]
    if state.phase is Phase.OBSERVATION:
        value = sum(
            p * measured_value(state.child(Observation(board)), known)
            for board, p in state.odds().outcomes().items()
        )
    else:
        values = [measured_value(state.child(move), known) for move in state.legal_moves()]
        values += [
            sum(
                p * measured_value(state.child(Measurement(square, cell)), known)
                for cell, p in state.measurement_odds(square).items()
            )
            for square in state.measurable()
        ]
        value = max(values) if state.turn == "X" else min(values)
    known[state] = value
    return value


def test_a_mode_is_chosen_by_who_moved_last_after_the_filled_squares() -> None:
    state = after(pyspiel.load_game("tiqtaqtoe(level=4)"), "1+3 1-2 9 3-4 5 6 7 8")
    assert state.is_chance_node()
    outcomes = {state.action_to_string(n): p for n, p in state.chance_outcomes()}
    assert outcomes == {str(Positions(f)): p for f, p in state.moment.odds().positions().items()}
    state.apply_action(state.string_to_action("=p:.#..#####"))
    assert state.current_player() == 1
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["=s:", "=r:"]
    state.apply_action(state.string_to_action("=r:"))
    assert str(state).endswith("=p:.#..##### =r:")
    boards = {state.action_to_string(n): p for n, p in state.chance_outcomes()}
    assert boards == {f"=r:{board}": p for board, p in state.moment.odds(Mode.ROTATED).outcomes().items()}


def test_a_game_of_level_5_ends_after_fifty_observations_unless_the_options_say_otherwise() -> None:
    assert pyspiel.load_game("tiqtaqtoe(level=5)").rules.options.max_observations == MOST_OBSERVATIONS == 50
    game = pyspiel.load_game("tiqtaqtoe(level=5,options=max-observations:3)")
    assert game.rules.options.max_observations == 3
    assert "max-observations=50" in pyspiel.load_game("tiqtaqtoe(level=5)").new_initial_state().record()


def test_the_tensor_tells_apart_what_the_rules_tell_apart() -> None:
    game = pyspiel.load_game("tiqtaqtoe(level=5,options=view-switches:2+view:physical)")
    observation = make_observation(game)
    rng = random.Random(5)
    seen: dict[bytes, State] = {}
    for _ in range(12):
        state = game.new_initial_state()
        while not state.is_terminal() and state.move_number() < 60:
            observation.set_from(state, player=0)
            if not state.is_chance_node():
                first = seen.setdefault(observation.tensor.tobytes(), state.moment)
                assert first == state.moment
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(seen) > 80
    observation.set_from(after(game, "5 5*6"), player=1)
    assert np.flatnonzero(observation.dict["dice"].sum(axis=2)[:, 0]).tolist() == [4, 5]


def test_what_does_not_exist_is_said_in_one_line() -> None:
    with pytest.raises(UsageError, match="whole number from 0 to 5, not 9"):
        pyspiel.load_game("tiqtaqtoe(level=9)")
    with pytest.raises(UsageError, match="unknown option 'both'"):
        pyspiel.load_game("tiqtaqtoe(options=both)")
    with pytest.raises(ValueError, match="no parameters"):
        make_observation(pyspiel.load_game("tiqtaqtoe"), params={"colour": 1})
