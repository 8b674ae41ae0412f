"""The state machine of ``tests.campaigns.model`` in short: every level, and option combinations by chance."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.campaigns.model import ALL_RULES, GameMachine


def run(games: tuple[tuple[int, str], ...], examples: int, steps: int = 40) -> None:
    """Play so many games, the same ones every time."""

    class Machine(GameMachine):
        pass

    Machine.games = games
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_all_combinations_of_options_are_there() -> None:
    assert len(ALL_RULES) == len(set(ALL_RULES)) == 170
    assert [sum(number == level for number, _ in ALL_RULES) for level in range(6)] == [2, 8, 16, 8, 8, 128]


@pytest.mark.parametrize("level", range(6))
def test_a_few_games_of_each_level(level: int) -> None:
    run(tuple(rules for rules in ALL_RULES if rules[0] == level), examples=4)


@pytest.mark.slow
@pytest.mark.parametrize("level", range(6))
def test_more_games_of_each_level(level: int) -> None:
    run(tuple(rules for rules in ALL_RULES if rules[0] == level), examples=12, steps=50)
