"""The worked examples of the seeds and the cases computed outside, on the dice road and both circuits."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from circuits.exact import exact_distribution
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.position import Position
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.game.state import State
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import compile_lean, compile_moves

DATA = Path(__file__).parents[1] / "data"
ODDS = [json.loads(line) for line in (DATA / "odds.jsonl").read_text().splitlines()]
EXAMPLES = json.loads((DATA / "seed_examples.json").read_text())
PERFT = json.loads((DATA / "perft.json").read_text())


def roads(game: Game, mode: Mode) -> dict[str, dict[str, float]]:
    found = {"dice": game.state.odds(mode).outcomes()}
    for name, compiled in (("moves", compile_moves(game, mode)), ("lean", compile_lean(game, mode))):
        assert compiled.readout is not None
        found[name] = exact_distribution(compiled.circuit, compiled.readout).outcomes
    return found


@pytest.mark.parametrize(
    "case", ODDS, ids=lambda case: f"{case['level']}-{case['mode']}-{case['record'][:30]}"
)
def test_odds_of_the_cases(case: dict[str, Any]) -> None:
    game = Game(case["level"])
    game.play(case["record"])
    assert game.state.position.full is case["full"]
    for name, outcomes in roads(game, Mode(case["mode"])).items():
        assert distance(outcomes, case["outcomes"]) < 1e-9, name


def played(example: dict[str, Any]) -> Game:
    game = Game(example["level"], example["options"], first=Symbol(example["first"]))
    game.play(example["record"])
    return game


def shown(position: Position) -> dict[str, list[str]]:
    return {str(square): sorted(map(str, position.at(square))) for square in SQUARES if position.at(square)}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_seed_example(example: dict[str, Any]) -> None:
    game, expect, mode = played(example), example["expect"], Mode(example["mode"])
    state, tolerance = game.state, example["expect"].get("tolerance", 1e-9)
    unread = set(expect) - {"tolerance", "rolls", "final_board", "final_verdict"}
    if unread & {"outcomes", "some_outcomes", "board_count", "each", "squares", "impossible_in_standard"}:
        for outcomes in roads(game, mode).values():
            check_outcomes(outcomes, expect, tolerance)
    if "impossible_in_standard" in expect:
        impossible = expect["impossible_in_standard"]
        for board in [impossible] if isinstance(impossible, str) else impossible:
            assert state.odds().probability(board) == 0
    if "squares" in expect:
        for square, row in expect["squares"].items():
            found = state.odds(mode).squares()[int(square) - 1]
            for key, value in row.items():
                assert found["." if key == "empty" else key] == pytest.approx(value, abs=tolerance)
    if "result" in expect:
        found_results = {str(result): p for result, p in state.result_odds(mode).items()}
        for result in found_results:
            assert found_results[result] == pytest.approx(expect["result"].get(result, 0), abs=tolerance)
    if "full" in expect:
        assert state.position.full is expect["full"]
    if "turn" in expect:
        assert state.turn == expect["turn"]
    if "view" in expect:
        assert state.position.view == expect["view"]
    for key in ("dice", "dice_standard_view"):
        if key in expect:
            position = state.position if key == "dice" else state.position.standard()
            assert shown(position) == {square: sorted(dice) for square, dice in expect[key].items()}
    check_legal(state, expect)


def check_outcomes(outcomes: dict[str, float], expect: dict[str, Any], tolerance: float) -> None:
    if "outcomes" in expect:
        assert outcomes == pytest.approx(expect["outcomes"], abs=tolerance)
    for board, probability in expect.get("some_outcomes", {}).items():
        assert outcomes.get(board, 0) == pytest.approx(probability, abs=tolerance)
    if "board_count" in expect:
        assert len(outcomes) == expect["board_count"]
    if "each" in expect:
        assert all(p == pytest.approx(expect["each"], abs=tolerance) for p in outcomes.values())


def check_legal(state: State, expect: dict[str, Any]) -> None:
    everything = [str(move) for move in state.legal_moves()]
    plain = [str(move) for move in state.legal_here()]
    if "legal" in expect:
        assert Counter(everything) == Counter(expect["legal"])
    if "legal_plain" in expect:
        assert plain == expect["legal_plain"]
    if "attacks" in expect:
        assert [token for token in plain if "*" in token or "-" in token] == expect["attacks"]
    if "legal_after_switch" in expect:
        assert [str(move) for move in state.legal_here(switched=True)] == expect["legal_after_switch"]
    assert set(expect.get("legal_contains", [])) <= set(everything)
    assert not set(expect.get("legal_lacks", [])) & set(everything)


def perft(state: State, depth: int) -> int:
    moves = state.legal_moves()
    return len(moves) if depth == 1 else sum(perft(state.child(move), depth - 1) for move in moves)


@pytest.mark.parametrize(("level", "counts"), [(int(level), counts) for level, counts in PERFT.items()])
def test_perft(level: int, counts: list[int]) -> None:
    for depth, nodes in enumerate(counts, 1):
        assert perft(State(Rules.of(level)), depth) == nodes, f"depth {depth}"
