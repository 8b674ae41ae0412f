"""A few of what the campaign does many times; and it notices what is wrong."""

import random
from typing import Any

import pytest

from qttt.page.states import table_state
from qttt.records.record import Record
from qttt.session.sitting import Sitting
from tests.campaigns.readers import FaultError
from tests.campaigns.web import compare, play_table


@pytest.mark.parametrize("level", range(6))
def test_states_are_what_the_commands_print_and_logs_are_replayed(level: int) -> None:
    rng = random.Random(level)
    assert sum(len(play_table(level, rng).game.events) for _ in range(3)) > 10


@pytest.mark.parametrize("key", ["dice", "moves", "odds", "choices"])
def test_a_wrong_state_is_noticed(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = Sitting.begin(Record.parse('[Level "5"] 5 5*6'))
    right = table_state

    def wrong(*words: Any) -> dict[str, Any]:
        state = right(*words)
        found = state[key]
        state[key] = found[1:] if key == "choices" else found | {"turn": "O"}
        return state

    compare(sitting)
    monkeypatch.setattr("tests.campaigns.web.table_state", wrong)
    with pytest.raises(FaultError):
        compare(sitting)
