"""The commands ``odds``, ``moves``, ``dice`` and ``perft``: JSON keys and values, and what people read."""

import json
import re
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli_runs import refusal, run, run_json

DATA = Path(__file__).parents[2] / "data"
CASES = [json.loads(line) for line in (DATA / "odds.jsonl").read_text().splitlines()]
PERFT = json.loads((DATA / "perft.json").read_text())
FULL = "1 5 2 6 3+4 7 8 9"


# odds


def test_odds_json() -> None:
    found = run_json("odds", FULL, "--level", "1")
    assert list(found) == ["level", "mode", "turn", "full", "view", "outcomes", "result", "squares"]
    assert (found["level"], found["mode"], found["turn"]) == (1, "standard", "X")
    assert (found["full"], found["view"]) == (True, "standard")
    assert found["outcomes"] == {"XX.XOOOXO": 0.5, "XXX.OOOXO": 0.5}
    assert found["result"] == {"X": 0.5, "O": 0.0, "tie": 0.0, "continue": 0.5}
    assert found["squares"][2] == {"X": 0.5, "O": 0.0, "empty": 0.5}
    assert found["squares"][4] == {"X": 0.0, "O": 1.0, "empty": 0.0}
    assert len(found["squares"]) == 9


@pytest.mark.ibm
def test_odds_on_a_device_stand_beside_the_exact_ones() -> None:
    words = ("odds", "1+3 1-2 5", "--level", "4", "--mode", "rotated")
    exact, found = run_json(*words), run_json(*words, "--backend", "fake_mumbai")
    noisy = found.pop("noisy")
    assert found == exact
    assert set(noisy) == {"backend", "outcomes", "possible"} and noisy["backend"] == "fake_mumbai"
    assert noisy["outcomes"].keys() == exact["outcomes"].keys()
    assert sum(noisy["outcomes"].values()) == pytest.approx(1, abs=1e-9)
    assert 0.5 < noisy["possible"] < 0.99
    # Held against a simulation by Qiskit: the frequencies of 20,000 shots.
    device = run_json("check", *words[1:], "--backend", "fake_mumbai", "--shots", "20000", "--seed", "1")[
        "device"
    ]
    assert device["impossible"] == pytest.approx(1 - noisy["possible"], abs=0.015)
    share = sum(p for board, p in noisy["outcomes"].items() if board[0] != ".")
    events = {event["name"]: event for group in device["groups"] for event in group["events"]}
    assert events["1 is filled"]["measured"] == pytest.approx(share, abs=0.015)
    assert events["1 is filled"]["expected"] == pytest.approx(share, abs=1e-9)


@pytest.mark.ibm
def test_people_see_the_noisy_odds() -> None:
    shown = run("odds", "1+2", "--level", "1", "--backend", "fake_manila").out
    assert "noisy" in shown and "of its shots are possible boards" in shown


@pytest.mark.ibm
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1+2", "--backend", "aer"), "aer is no device"),
        (("1+2", "--backend", "fake_manila", "--rolls", "d6"), "--rolls d6 goes with the backend 'dice'"),
        (("1+2", "--backend", "fake_nowhere"), "no simulated device 'fake_nowhere'"),
        (("1 2 3 4 5 6 7 8 9 =XOXOXOXOX", "--level", "0", "--backend", "fake_manila", "--json"), "has ended"),
    ],
)
def test_no_noisy_odds(words: tuple[str, ...], said: str) -> None:
    assert said in refusal("odds", *words)


@pytest.mark.parametrize("case", CASES[:: max(1, len(CASES) // 40)], ids=lambda case: case["record"][:30])
def test_odds_of_cases_from_outside(case: dict[str, Any]) -> None:
    found = run_json("odds", case["record"], "--level", str(case["level"]), "--mode", case["mode"])
    assert found["full"] is case["full"]
    assert found["outcomes"] == pytest.approx(case["outcomes"], abs=1e-9)
    assert sum(found["outcomes"].values()) == pytest.approx(1, abs=1e-9)
    assert sum(found["result"].values()) == pytest.approx(1, abs=1e-9)
    for square in found["squares"]:
        assert sum(square.values()) == pytest.approx(1, abs=1e-9)


def test_odds_of_rolls() -> None:
    exact = run_json("odds", "1+3 1-2", "--level", "3")
    rolled = run_json("odds", "1+3 1-2", "--level", "3", "--rolls", "d6")
    assert rolled["squares"][0]["X"] == pytest.approx(1 / 36)
    assert rolled["outcomes"]["..X......"] == pytest.approx(7 / 18)
    weights = (0.5, (0.5 - sqrt(0.5)) ** 2, 0.25, 0.5)
    assert exact["squares"][0]["X"] == pytest.approx(weights[1] / sum(weights))


def test_odds_after_the_end() -> None:
    over = run_json("odds", f"{FULL} =XXX.OOOXO", "--level", "1")
    assert over["turn"] is None
    assert over["outcomes"] == {"XXX.OOOXO": 1.0}
    assert over["result"] == {"X": 1.0, "O": 0.0, "tie": 0.0, "continue": 0.0}
    # At Level 5 the last board is no longer in play, so no mode can change it.
    last = run_json("odds", f"{FULL} =XXX.OOOXO", "--level", "5", "--mode", "rotated")
    assert last["outcomes"] == {"XXX.OOOXO": 1.0}
    assert last["view"] == "standard"
    agreed = run_json("odds", '[Result "tie"] 5')
    assert agreed["turn"] is None
    assert agreed["result"]["tie"] == 1.0


def test_odds_given_the_positions() -> None:
    before = run_json("odds", "1+3 1-2 4 5 6 7 8 9", "--level", "4")
    given = run_json("odds", "1+3 1-2 4 5 6 7 8 9 =p:.#.######", "--level", "4")
    filled = {board: p for board, p in before["outcomes"].items() if board[:3] in {".X.", ".O."}}
    assert given["outcomes"] == pytest.approx({b: p / sum(filled.values()) for b, p in filled.items()})
    assert given["turn"] == "X"


def test_odds_of_a_repeated_observation_are_in_its_mode() -> None:
    record = "1 2 3 5 4 6 8 7 9 =XOXXOOOXX"
    assert run_json("odds", f'[Options "no-ties"] {record}', "--level", "5")["mode"] == "rotated"


def test_odds_for_people() -> None:
    done = run("odds", FULL, "--level", "1")
    assert done.status == 0
    assert "Level 1 (Superposition). The board is full: O moved last" in done.out
    assert re.search(r"X wins +50\.00 %  █+$", done.out, re.M)
    assert re.search(r"^3 +50\.00 % +0\.00 % +50\.00 %$", done.out, re.M)
    assert re.search(r"^XXX\.OOOXO +50\.00 %  X wins$", done.out, re.M)
    assert "△ 2B" in done.out


EXAMPLES = json.loads((DATA / "seed_examples.json").read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_the_examples_of_the_rule_texts(example: dict[str, Any]) -> None:
    argv = [example["record"], "--level", str(example["level"]), "--first", example["first"]]
    argv += ["--options", example["options"]]
    expect = example["expect"]
    odds = run_json("odds", *argv, "--mode", example["mode"])
    tolerance = expect.get("tolerance", 1e-9)
    if "outcomes" in expect:
        assert odds["outcomes"] == pytest.approx(expect["outcomes"], abs=tolerance)
    for board, probability in expect.get("some_outcomes", {}).items():
        assert odds["outcomes"].get(board, 0) == pytest.approx(probability, abs=tolerance)
    if "board_count" in expect:
        assert len(odds["outcomes"]) == expect["board_count"]
    for name, probability in expect.get("result", {}).items():
        assert odds["result"][name] == pytest.approx(probability, abs=tolerance)
    for square, row in expect.get("squares", {}).items():
        for symbol, probability in row.items():
            assert odds["squares"][int(square) - 1][symbol] == pytest.approx(probability, abs=tolerance)
    moves = run_json("moves", *argv)
    dice = run_json("dice", *argv)
    for key, found in (("turn", moves["turn"]), ("full", odds["full"]), ("view", dice["view"])):
        assert found == expect.get(key, found)
    assert set(moves["legal"]) == set(expect.get("legal", moves["legal"]))
    for square, shown in expect.get("dice", {}).items():
        glyphs = {"triangle": "△", "square": "□"}
        found = [f"{glyphs[die['shape']]}{die['value']}" for die in dice["squares"][int(square) - 1]["dice"]]
        assert sorted(found) == sorted(shown)


# moves


def test_moves_json() -> None:
    found = run_json("moves", "5 5*6")
    assert list(found) == ["level", "turn", "legal", "can_switch_view", "legal_after_switch", "measurable"]
    assert found["turn"] == "X"
    empty = [1, 2, 3, 4, 7, 8, 9]
    expected = [str(a) for a in empty] + [f"{a}+{b}" for a in empty for b in empty if a < b]
    assert found["legal"] == expected
    assert found["can_switch_view"] is False
    assert found["legal_after_switch"] == []
    assert found["measurable"] == []


def test_moves_after_a_switch() -> None:
    found = run_json("moves", "1 2+3 4 4*7 6 6-5", "--level", "5")
    assert found["legal"] == ["8", "9", "8+9", "2*8", "2*9", "3*8", "3*9", "2-8", "2-9", "3-8", "3-9"]
    assert found["legal_after_switch"] == ["~8", "~9", "~8+9", "~5*8", "~5*9", "~5-8", "~5-9"]
    assert found["can_switch_view"] is True
    switched = run_json("moves", "5~", "--level", "5")
    assert not any("*" in token for token in switched["legal"])
    assert "~5*6" in switched["legal_after_switch"]


def test_moves_say_where_the_view_may_be_switched() -> None:
    once = run("moves", "", "--level", "5").out
    assert once.endswith("The view may also be switched after a move: 5~ for 5.\n")
    twice = run("moves", "", "--level", "5", "--options", "view-switches=2").out
    assert twice.endswith("after a move: 5~ for 5, or before and after it: ~5~.\n")
    assert "view may" not in run("moves", "1~ 2", "--level", "5").out


def test_moves_when_there_are_none() -> None:
    for record in (FULL, f"{FULL} =XXX.OOOXO", '[Result "tie"] 5'):
        found = run_json("moves", record, "--level", "1")
        assert (found["legal"], found["legal_after_switch"], found["measurable"]) == ([], [], [])
        assert found["turn"] == ("X" if record == FULL else None)


def test_measurable_squares() -> None:
    found = run_json("moves", "5 1+2", "--options", "measure-turn")
    assert found["measurable"] == ["?1", "?2", "?5"]
    assert (
        "Instead of a move a square may be measured: ?1  ?2  ?5"
        in run("moves", "5 1+2", "--options", "measure-turn").out
    )


def test_who_starts() -> None:
    assert run_json("moves", "", "--first", "O")["turn"] == "O"
    assert run_json("moves", '[First "O"] 5')["turn"] == "X"


# dice


def test_dice_json() -> None:
    found = run_json("dice", "1 2+3 4 4*7 6 6-5 ~8", "--level", "5")
    assert (found["turn"], found["view"]) == ("O", "rotated")
    squares = found["squares"]
    assert squares[0] == {
        "state": "dice",
        "symbol": None,
        "dice": [
            {"shape": "triangle", "owner": "X", "colour": "red", "value": 2},
            {"shape": "square", "owner": "X", "colour": "red", "value": 2},
        ],
        "open_to": None,
    }
    assert [die["value"] for die in squares[1]["dice"]] == [1, -1]
    assert squares[4] == {
        "state": "dice",
        "symbol": None,
        "dice": [{"shape": "square", "owner": "O", "colour": "blue", "value": 4}],
        "open_to": "X",
    }
    assert squares[8] == {"state": "empty", "symbol": None, "dice": [], "open_to": None}


def test_dice_of_observed_squares() -> None:
    found = run_json("dice", f"{FULL} =XX.XOOOXO", "--level", "1")
    assert found["squares"][0] == {"state": "observed", "symbol": "X", "dice": [], "open_to": None}
    assert found["squares"][2]["state"] == "empty"
    in_play = run_json("dice", f"{FULL} =XX.XOOOXO", "--level", "5")
    assert in_play["squares"][4]["dice"] == [{"shape": "square", "owner": "O", "colour": "red", "value": 4}]
    assert in_play["squares"][4]["open_to"] == "X"
    ended = run_json("dice", f"{FULL} =XXX.OOOXO", "--level", "5")
    assert ended["turn"] is None
    assert ended["squares"][4] == {"state": "observed", "symbol": "O", "dice": [], "open_to": None}


def test_dice_while_the_mode_is_open() -> None:
    found = run_json("dice", f"{FULL} =p:##.######", "--level", "4")
    assert found["positions"] == "##.######"
    assert found["squares"][2] == {"state": "empty", "symbol": None, "dice": [], "open_to": None}
    assert run_json("dice", FULL, "--level", "4")["positions"] is None
    assert "empty" in run("dice", f"{FULL} =p:##.######", "--level", "4").out


def test_dice_for_people() -> None:
    done = run("dice", "1 2+3 4 4*7 6 6-5", "--level", "5", "--ascii")
    assert done.out.isascii()
    assert re.search(r"^5 +X2B O-2b +minus$", done.out, re.M)
    assert re.search(r"^6 +X2B X-2b +cancelled$", done.out, re.M)
    assert re.search(r"^2 +O2r +superposition +X$", done.out, re.M)


# perft


@pytest.mark.parametrize("level", range(6))
def test_perft(level: int) -> None:
    for depth, nodes in enumerate(PERFT[str(level)][:2], 1):
        found = run_json("perft", "--level", str(level), "--depth", str(depth))
        assert found["nodes"] == nodes
        assert sum(found["moves"].values()) == nodes
    assert run_json("perft", "--level", str(level), "--depth", "0")["nodes"] == 1


def test_perft_for_people() -> None:
    assert "Level 0, 2 moves: 72 legal sequences" in run("perft", "--level", "0", "--depth", "2").out
