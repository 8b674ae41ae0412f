"""The state machine of ``tests.campaigns.model`` in short: every level, and option combinations by chance."""

from dataclasses import fields

import pytest

from qttt.game.rules import Options
from tests.campaigns.model import ALL_RULES, play


def test_all_combinations_of_options_are_there() -> None:
    assert len(ALL_RULES) == len(set(ALL_RULES))
    for level in range(6):
        known = [row for row in fields(Options) if level in row.metadata["levels"]]
        assert sum(number == level for number, _ in ALL_RULES) == 2 ** len(known) >= 2


@pytest.mark.parametrize("level", range(6))
def test_a_few_games_of_each_level(level: int) -> None:
    play(tuple(rules for rules in ALL_RULES if rules[0] == level), examples=8, steps=40)


@pytest.mark.slow
@pytest.mark.parametrize("level", range(6))
def test_more_games_of_each_level(level: int) -> None:
    play(tuple(rules for rules in ALL_RULES if rules[0] == level), examples=12, steps=50)
