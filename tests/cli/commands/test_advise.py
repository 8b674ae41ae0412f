"""``qttt advise``: exact where solved, named as an estimate elsewhere, in the order the notation asks for."""

import io
import json
from typing import Any

import pytest

from qttt.cli.main import main
from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.squares import LINES, NAMES
from qttt.game.symbols import Symbol
from qttt.players.advice import Advice, advise
from qttt.players.explanations import LINE_NAMES, chances, why
from qttt.players.lookahead import Budget
from qttt.players.reports import advice_report
from qttt.players.strategies import solved_values
from qttt.solver import probe
from qttt.solver.probe import Value
from tests.campaigns.agreement import compared
from tests.support.games import game_of, random_states


def advised(*words: str, status: int = 0) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    assert main(["advise", *words, "--json"], stdout=out, stderr=err) == status, err.getvalue()
    assert out.getvalue().count("\n") == 1
    found = json.loads(out.getvalue())
    assert isinstance(found, dict)
    return found


def test_the_solver_s_values_best_first() -> None:
    report = advised("5 5*6")
    assert report["turn"] == "X"
    assert report["method"] == "solver"
    assert report["exact"] is True
    assert report["value"] == report["moves"][0]["value"]
    assert len(report["moves"]) == len(game_of("5 5*6").state.legal_moves())
    for move in report["moves"]:
        assert move["x"] + move["tie"] + move["o"] == pytest.approx(1, abs=1e-12)
        assert move["x"] - move["o"] == pytest.approx(move["value"], abs=1e-12)
    values = [move["value"] for move in report["moves"]]
    assert values == sorted(values, reverse=True)


def test_o_s_best_move_has_the_smallest_value() -> None:
    report = advised("5")
    assert report["turn"] == "O"
    values = [move["value"] for move in report["moves"]]
    assert values == sorted(values)
    assert report["value"] == values[0]


def test_equal_values_go_by_fewer_ties_then_canonical_order() -> None:
    for state in random_states(2, 40, seed=3):
        moves = state.legal_moves()
        values = probe.prober_for(state.rules).move_values(state)
        order = [move for move, _ in probe.ranked(values, state.turn)]
        keys = [(-values[move].for_player(state.turn), values[move].tie, moves.index(move)) for move in order]
        assert keys == sorted(keys)


def test_top_cuts_the_list_and_nothing_else() -> None:
    every, few = advised("5 5*6"), advised("5 5*6", "--top", "2")
    assert few["moves"] == every["moves"][:2]
    assert {**few, "moves": 0} == {**every, "moves": 0}


def test_where_nothing_is_solved_the_search_is_named_with_its_depth() -> None:
    report = advised("1+3", "--options", "quantum-only")
    assert report["method"] == "search"
    assert report["exact"] is False
    assert report["depth"] >= 2
    assert {move["move"] for move in report["moves"]} == {
        str(move) for move in game_of("1+3", options="quantum-only").state.legal_moves()
    }


def test_with_the_positions_known_the_choices_are_the_modes() -> None:
    report = advised("5 5-6 9 2 1+7 1*3 ~4 4*8 =p:####.#.##", "--level", "5")
    assert report["turn"] == "O"
    assert [move["move"] for move in report["moves"]] == ["rotated", "standard"]
    assert report["value"] == report["moves"][0]["value"] < report["moves"][1]["value"]
    # A board of classical pieces is certain in standard mode, and a matter of luck in the rotated one.
    sure = advised("1 2 3 4 5 6 8 7 9 =p:#########", "--level", "4")
    values = {move["move"]: move["value"] for move in sure["moves"]}
    assert values["standard"] == 1
    assert values["rotated"] == pytest.approx(0, abs=1e-12)


def test_a_full_board_and_the_end_of_a_game_have_a_value_and_no_choice() -> None:
    full = advised("4+9 3+7 3*6 5 7*1 2 2*8", "--first", "O")
    assert full["moves"] == []
    assert full["why"] == ""
    over = advised("1 2 3 4 5 6 8 7 9 =XOXOXOOXX", "--level", "0")
    assert over["turn"] is None
    assert over["value"] == 1
    assert over["x"] == 1
    assert over["moves"] == []
    tie = advised("1 2 3 4 6 5 7 9 8 =XOXOOXXXO", "--level", "0")
    assert (tie["value"], tie["tie"], tie["exact"]) == (0, 1, True)
    won = advised("1 2 3 4 5 6 8 7 9 =OXOXOXXOO", "--level", "0", "--first", "O")
    assert (won["value"], won["o"]) == (-1, 1)


def test_a_rule_of_thumb_is_called_one() -> None:
    out = io.StringIO()
    words = ["advise", "1 2 3 4 6 5 7 8 9 =p:#########", "--level", "4", "--options", "tally"]
    assert main(words, stdout=out, stderr=io.StringIO()) == 0
    assert "rule of thumb" in out.getvalue()


@pytest.mark.parametrize("level", range(6))
def test_advice_for_people_names_the_best_choice_and_a_reason(level: int) -> None:
    out = io.StringIO()
    assert main(["advise", "5", "--level", str(level), "--top", "3"], stdout=out, stderr=io.StringIO()) == 0
    shown = out.getvalue()
    best = shown.split("best  ")[1].split()[0]
    assert f"\n{best}: " in shown
    assert "X's best reply is then" in shown
    assert "--top N shows more" in shown


def test_the_reason_names_lines_that_are_there() -> None:
    # A pair in the middle row blocks it for both (Level-2 text, footnote 4).
    text = why(game_of("5 5*4").state, Move.parse("1"), solved_values)
    assert "the left column" in text
    assert "the diagonal 1-5-9" in text
    assert "the middle row" not in text
    assert len(LINE_NAMES) == len(LINES)
    for name, line in zip(LINE_NAMES, LINES, strict=True):
        if name.startswith("the diagonal"):
            assert name.split()[-1] == "-".join(map(str, line))
        else:
            # The middle square of a line is named after its side, or is the middle itself.
            assert name.split()[1] == NAMES[line[1] - 1]


@pytest.mark.parametrize(
    ("level", "count"),
    [
        *((0, 20), (1, 20), (2, 20), (3, 6), (4, 6), (5, 5)),
        *(
            pytest.param(level, count, marks=pytest.mark.slow)
            for level, count in ((0, 1000), (1, 500), (2, 300), (3, 40), (4, 30), (5, 20))
        ),
    ],
)
def test_advise_agrees_with_the_solver_on_random_positions(level: int, count: int) -> None:
    """What the command prints, against values worked out without it; the campaign has more of the same."""
    found = compared(level, count, seed=count)
    assert found.faults == []
    assert found.positions == count
    assert found.choices >= count
    if level > 3 and count > 10:
        assert found.modes > 0


def test_a_wrong_value_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(game: Game, advice: Advice) -> dict[str, Any]:
        report = advice_report(game, advice)
        report["moves"][-1]["value"] += 1e-9
        return report

    monkeypatch.setattr("tests.campaigns.agreement.advice_report", shifted)
    found = compared(2, 5)
    assert any("x - o" in fault for fault in found.faults)
    assert len(found.faults) >= 5


@pytest.mark.parametrize(
    ("method", "exact", "depth", "positions", "how"),
    [
        ("solver", True, None, None, "exact"),
        ("search", True, 0, 0, "exact: this observation, and every board that it may leave"),
        ("search", True, 1, 0, "exact: every choice leads to solved positions"),
        ("search", True, 3, 1234, "exact: a search up to solved positions, 1,234 positions"),
        (
            "search",
            False,
            0,
            0,
            "estimated: this observation exactly, what comes after it by a rule of thumb",
        ),
        ("search", False, 2, 30000, "estimated: a search 2 deep, 30,000 positions"),
    ],
)
def test_how_it_was_found_is_said(
    method: str, exact: bool, depth: int | None, positions: int | None, how: str
) -> None:
    assert Advice(Symbol.X, Value(0, 0), method, exact, depth, positions, (), "").how == how


def test_a_reply_is_judged_as_the_choice_was() -> None:
    """By the search where nothing is solved, and by the solver where it is."""
    game = game_of("1+3 2+5", options="quantum-only")
    assert "O's best reply is then" in advise(game, Budget(300)).why
    game = game_of("5 1+3")
    best = advise(game).choices[0][0]
    assert isinstance(best, Move)
    after = game.state.child(best)
    reply, value = probe.ranked(probe.prober_for(after.rules).best_values(after), after.turn)[0]
    assert f"O's best reply is then {reply} ({chances(value)})." in advise(game).why


def test_a_small_budget_still_looks_one_move_ahead() -> None:
    advice = advise(game_of("1+3", options="quantum-only"), Budget(1))
    assert advice.depth == 1
    assert not advice.exact
    assert "1 deep" in advice.how


def test_bad_input_is_one_line_and_status_2() -> None:
    err = io.StringIO()
    assert main(["advise", "5 5"], stdout=io.StringIO(), stderr=err) == 2
    assert err.getvalue().count("\n") == 1
    err = io.StringIO()
    assert main(["advise", "5", "--top", "0"], stdout=io.StringIO(), stderr=err) == 2


def test_the_report_is_the_command_s() -> None:
    game = game_of("5 5*6")
    assert advice_report(game, advise(game), 2) == advised("5 5*6", "--top", "2")
