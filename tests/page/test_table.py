"""One game behind one page: what is done there is done to the game, and a page cannot choose its luck."""

import random
from typing import Any

import numpy as np
import pytest

import qttt
from qttt.display.reports import dice_report, moves_report, odds_report
from qttt.game.game import Game
from qttt.observation.observers import get_observer
from qttt.page.table import GameTable


def table(level: int, tokens: str = "", options: str = "") -> GameTable:
    game = Game(level=level, options=options).play(tokens)
    return GameTable(game, "dice", get_observer("dice"), np.random.default_rng(1))


def told(table_: GameTable, /, **message: Any) -> dict[str, Any]:
    (answer,) = table_.handle({"id": 1, **message})
    return answer


@pytest.mark.parametrize("level", range(6))
def test_a_game_is_played_by_its_choices(level: int) -> None:
    at, rng = table(level), random.Random(level)
    welcome, joined, state = at.handle({"type": "hello", "id": 7})
    assert (welcome["type"], joined["type"], state["type"]) == ("welcome", "joined", "state")
    for _ in range(60):
        assert state["dice"] == dice_report(at.game)
        assert state["moves"] == moves_report(at.game)
        assert state["odds"] == odds_report(at.game)
        if not any(state["can"].values()):
            break
        if state["can"]["observe"]:
            mode = rng.choice(state["modes"]) if state["phase"] == "mode" else None
            state = told(at, type="observe", n=state["n"], **({"mode": mode} if mode else {}))
            assert state["observation"]["backend"] == "dice"
        else:
            token = rng.choice(state["choices"])["token"]
            state = told(at, type="play", n=state["n"], token=token)
            assert state["events"][-1]["token"] == token
    assert state["type"] == "state"
    assert at.game.events


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"type": "play", "token": "=XO......."}, "not chosen"),
        ({"type": "play", "token": "?5=X"}, "not chosen"),
        ({"type": "play", "token": "5"}, "must be empty"),
        ({"type": "play", "token": "?5"}, "measure-turn"),
        ({"type": "play"}, "has no 'token'"),
        ({"type": "resign"}, "for qttt serve"),
        ({"type": "ask", "what": "lesson"}, "does not answer"),
        ({"type": "observe"}, "only once it is full"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(message: dict[str, Any], why: str) -> None:
    at = table(2, "5 5*6")
    answer = told(at, n=0, **message)
    assert answer["type"] == "error"
    assert answer["id"] == 1
    assert why in answer["says"]
    assert "\n" not in answer["says"]
    assert len(at.game.events) == 2


def test_what_a_cell_did_meanwhile_makes_a_message_stale() -> None:
    at = table(2)
    at.game.play("1")
    error, state = at.handle({"type": "play", "id": 3, "n": 0, "token": "2"})
    assert error["stale"]
    assert [event["token"] for event in state["events"]] == ["1"]
    assert told(at, type="play", n=state["n"], token="2")["type"] == "state"
    at.game.undo()
    assert len(at.state()["events"]) == 1


def test_looking_and_stepping_back() -> None:
    at = table(1, "5 1+2", "measure-turn")
    state = told(at, type="play", n=0, token="?1")
    assert state["observation"]["what"] == "square"
    assert state["observation"]["chance"] == 0.5
    past = told(at, type="ask", n=state["n"], what="state", at=1)["answer"]
    assert len(past["events"]) == 1
    assert not any(past["can"].values())


def test_the_widget_has_the_page_and_sends_what_the_table_says() -> None:
    pytest.importorskip("anywidget")
    game = qttt.Game(level=2)
    board = qttt.board(game, backend="dice", seed=1)
    sent: list[dict[str, Any]] = []
    board.send = sent.append
    board._received(board, {"type": "play", "id": 5, "n": 0, "token": "1+2"}, [])
    assert [str(event) for event in game.events] == ["1+2"]
    assert sent[-1]["id"] == 5
    game.play("3")
    board.refresh()
    assert len(sent[-1]["events"]) == 2
    with pytest.raises(qttt.UsageError):
        qttt.board(game, backend="no-such")
