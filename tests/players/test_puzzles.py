"""Puzzles: one best choice, proved; graded by what greedy sees; the rule texts' questions and answers."""

import io
import json
import re
from typing import Any

import numpy as np
import pytest

from qttt.cli.commands.puzzle import AIMS, GRADES
from qttt.cli.main import main
from qttt.errors import IllegalMoveError, UsageError
from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.players.choices import decider
from qttt.players.immediate import odds_now
from qttt.players.puzzles import (
    LEAST_GAP,
    TEXT_PUZZLES,
    Aim,
    Grade,
    NoPuzzleError,
    choice_of,
    find_puzzle,
    graded,
    puzzle_at,
)
from qttt.players.strategies import solved_values
from qttt.records.record import Record
from qttt.solver import probe
from qttt.solver.probe import UnsolvedError, best_choices
from tests.support.cli_runs import run
from tests.support.games import game_of

SOLVED = [level for level in range(6) if probe.is_solved(Rules.of(level))]


def command(*words: str, typed: str | None = None, status: int = 0) -> str:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return typed is not None

    out, err = io.StringIO(), Terminal()
    found = main(["puzzle", *words], stdin=Terminal(typed or ""), stdout=out, stderr=err)
    assert found == status, err.getvalue()
    return out.getvalue() + err.getvalue()


def reported(*words: str) -> dict[str, Any]:
    found = json.loads(command(*words, "--json"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("level", [level for level in SOLVED if level < 5])
def test_a_found_puzzle_has_one_best_choice_by_a_clear_margin(level: int) -> None:
    rng = np.random.default_rng(level)
    for _ in range(4):
        puzzle = find_puzzle(Rules.of(level), rng)
        state = puzzle.game.state
        sign = puzzle.turn.sign
        worth = {choice: value.value * sign for choice, value in solved_values(state).items()}
        best = max(worth.values())
        assert all(worth[choice] == pytest.approx(best, abs=1e-9) for choice in puzzle.solutions)
        others = [value for choice, value in worth.items() if choice not in puzzle.solutions]
        assert others
        assert max(others) <= best - LEAST_GAP
        # More than one solution only where a switch comes after the last square is filled.
        assert len({str(choice).rstrip("~") for choice in puzzle.solutions}) == 1
        assert puzzle.advice.exact
        looks = odds_now(state)
        good = max(looks[choice].value * sign for choice in puzzle.solutions)
        decoys = [c for c, v in looks.items() if v.value * sign >= good - 1e-9 and c not in puzzle.solutions]
        assert puzzle.decoys == len(decoys)
        assert puzzle.grade is graded(len(decoys))
        assert Record.parse(puzzle.record).game().state == state


def test_a_sure_win_wins_whatever_the_opponent_and_chance_do() -> None:
    puzzle = find_puzzle(Rules.of(2), np.random.default_rng(3), aim=Aim.WIN)
    state = puzzle.game.state.child(_move(puzzle.solutions[0]))
    loser = state.turn

    def always_won(state: Any) -> bool:
        if state.phase is Phase.OVER:
            return bool(state.result == Result(loser.opponent))
        if state.phase is Phase.OBSERVATION:
            from qttt.game.outcomes import Observation

            return all(always_won(state.child(Observation(board))) for board in state.odds().outcomes())
        moves = state.legal_moves()
        if state.turn is loser:
            return all(always_won(state.child(move)) for move in moves)
        return any(always_won(state.child(move)) for move in moves)

    assert always_won(state)


def _move(choice: object) -> Move:
    assert isinstance(choice, Move)
    return choice


@pytest.mark.parametrize("grade", Grade)
def test_grades_and_aims_can_be_asked_for(grade: Grade) -> None:
    rng = np.random.default_rng(5)
    assert find_puzzle(Rules.of(2), rng, grade).grade is grade
    assert find_puzzle(Rules.of(2), rng, aim=Aim.SAVE).aim is Aim.SAVE


def test_grades_follow_the_decoys() -> None:
    assert [graded(count) for count in (0, 1, 5, 6, 40)] == [
        Grade.EASY,
        Grade.MEDIUM,
        Grade.MEDIUM,
        Grade.HARD,
        Grade.HARD,
    ]
    assert tuple(Grade) == GRADES
    assert tuple(Aim) == AIMS


def test_a_mode_puzzle_asks_for_the_mode() -> None:
    puzzle = find_puzzle(Rules.of(4), np.random.default_rng(2), aim=Aim.MODE)
    assert puzzle.game.state.phase is Phase.MODE
    assert puzzle.turn is puzzle.game.state.initiator
    assert set(puzzle.solutions) < set(Mode)
    wrong = next(mode for mode in Mode if mode not in puzzle.solutions)
    assert puzzle.solved_by(str(puzzle.solutions[0]))
    assert not puzzle.solved_by(str(wrong))
    with pytest.raises(UsageError, match="no mode"):
        puzzle.solved_by("5")
    with pytest.raises(UsageError, match="there is no mode to choose"):
        find_puzzle(Rules.of(2), np.random.default_rng(2), aim=Aim.MODE)


def test_a_position_with_two_best_moves_is_no_puzzle() -> None:
    # All corners are alike after the middle.
    assert puzzle_at(game_of("5")) is None
    assert puzzle_at(game_of("1 2 3 4 5 6 8 7", level=0)) is None


def test_nothing_unproved_is_a_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnsolvedError, match=r"puzzles are proved .* Level 2 with measure-turn"):
        find_puzzle(Rules.of(2, "measure-turn"), np.random.default_rng(1))
    # Without chance there are wins, saves and nothing between.
    monkeypatch.setattr("qttt.players.puzzles._MOST_GAMES", 30)
    with pytest.raises(NoPuzzleError, match="30 random games held no such puzzle"):
        find_puzzle(Rules.of(0), np.random.default_rng(1), Grade.EASY, Aim.BEST)


def test_the_short_rule_book_s_question() -> None:
    puzzle = TEXT_PUZZLES["two-left"].puzzle()
    assert [str(choice) for choice in puzzle.solutions] == ["6+7"]
    assert puzzle.aim is Aim.WIN
    assert puzzle.advice.value.o == 1
    assert puzzle.solved_by("7+6")
    assert not puzzle.solved_by("6")


def test_footnote_4_the_shared_row_is_the_worst_place() -> None:
    puzzle = TEXT_PUZZLES["shared-row"].puzzle()
    values = {str(choice): value.value for choice, value in puzzle.advice.choices}
    classical = {token: value for token, value in values.items() if len(token) == 1}
    assert min(classical, key=classical.__getitem__) == "6"
    assert values["1"] > values["6"]
    assert values["7"] == values["1"]


def test_footnote_5_half_entangling_the_middle_gains_on_a_split_opening() -> None:
    puzzle = TEXT_PUZZLES["split-opening"].puzzle()
    values = {str(choice): value.value for choice, value in puzzle.advice.choices}
    # O's answer in the text leaves X less than the empty board is worth to whoever moves first.
    assert values["5*9"] < probe.prober_for(Game(2).state.rules).value(Game(2).state).value
    odds = puzzle.game.state.child(Move.parse("5*9")).odds().squares()[4]
    assert (odds["X"], odds["O"]) == (0.25, 0.5)


def test_the_level_5_text_s_question() -> None:
    puzzle = TEXT_PUZZLES["the-last-line"].puzzle()
    assert {str(choice) for choice in puzzle.solutions} == {"5+7", "5+7~"}
    assert puzzle.advice.value.x == pytest.approx(1, abs=1e-9)
    corner = TEXT_PUZZLES["the-corner"].puzzle()
    assert corner.turn == "O"
    # Both of the text's ideas are best: spoil the corner, or fill the board and observe it rotated.
    if corner.advice.exact:
        assert {str(choice) for choice in corner.solutions} == {"1-5", "1-5~", "~5+7"}


@pytest.mark.parametrize("name", TEXT_PUZZLES)
def test_every_text_puzzle_is_shown_with_its_solution(name: str) -> None:
    text = TEXT_PUZZLES[name]
    shown = command("--text", name, "--solution")
    report = reported("--text", name)
    assert text.question.split(".")[0] in shown
    assert report["explanation"] in shown
    assert report["source"] == text.source
    assert report["level"] == text.level
    if report["exact"]:
        state = text.puzzle().game.state
        best = best_choices(solved_values(state), decider(state))
        assert report["solution"] == [str(choice) for choice in best]


def test_the_list_names_every_text_puzzle() -> None:
    assert [entry["name"] for entry in reported("--text", "list")["puzzles"]] == list(TEXT_PUZZLES)
    shown = command("--text", "list")
    assert all(name in shown for name in TEXT_PUZZLES)


def test_a_seed_repeats_a_puzzle_and_a_pipe_gets_no_solution() -> None:
    assert reported("--seed", "3") == reported("--seed", "3")
    assert reported("--seed", "3")["tokens"] != reported("--seed", "4")["tokens"]
    report = reported("--level", "1", "--seed", "2")
    shown = command("--level", "1", "--seed", "2")
    assert report["question"] in shown
    assert report["explanation"] not in shown
    assert "--solution" in shown


def test_a_person_is_asked_until_the_answer_is_right() -> None:
    shown = command("--text", "two-left", typed="6\n5\nnonsense\n\n7+6\n")
    assert "Not 6: X 0 %, tie 100 %, O 0 %, 1.000 less to O than the best." in shown
    assert "5 by O is not allowed" in shown
    assert "cannot read 'nonsense'" in shown
    assert "Right. 6+7: " in shown
    assert "Solution: 6+7" in command("--text", "two-left", typed="solution\n")
    # Who leaves is not told, nor is who skips.
    for typed in ("", "quit\n", "q\n"):
        assert "6+7" not in command("--text", "two-left", typed=typed)


def test_hints_say_more_and_more_and_never_the_answer() -> None:
    shown = command("--text", "two-left", typed="hint\nhint\nhint\nsolutoin\nnext\n")
    assert "It is a superposition move." in shown
    assert "Square 7 is filled by it." in shown
    assert "That was all" in shown
    assert "did you mean solution?" in shown
    assert "6+7" not in shown


def test_the_next_puzzle_has_the_next_seed_and_every_seed_is_said() -> None:
    shown = command("--level", "1", "--seed", "2", typed="hint\nskip\nsolution\nnext\nq\n")
    assert [line.split(":")[0] for line in shown.split("\n") if line.startswith("Seed ")] == [
        "Seed 2",
        "Seed 3",
        "Seed 4",
    ]
    reports = [reported("--level", "1", "--seed", str(seed)) for seed in (2, 3, 4)]
    for report in reports:
        assert report["question"] in shown
    assert "qttt puzzle --level 1 --seed 3" in shown
    assert reports[1]["explanation"] in shown
    assert reports[0]["explanation"] not in shown and reports[2]["explanation"] not in shown


def test_without_a_seed_one_is_drawn_and_said_and_gives_the_same_puzzle() -> None:
    report = reported("--level", "1")
    assert reported("--level", "1", "--seed", str(report["seed"])) == report
    shown = command("--level", "1")
    seed = shown.split("--seed ")[1].split()[0]
    assert reported("--level", "1", "--seed", seed)["tokens"] in shown


def test_the_daily_puzzle_is_that_of_the_date() -> None:
    report = reported("--level", "1", "--daily")
    assert report == reported("--level", "1", "--seed", str(report["seed"]))
    assert len(str(report["seed"])) == 8
    assert "leave out --seed" in command("--daily", "--seed", "1", status=2)
    assert "goes with no other choice" in command("--daily", "--text", "two-left", status=2)


def test_after_the_puzzle_of_the_day_comes_not_that_of_tomorrow() -> None:
    done = run("puzzle", "--level", "1", "--daily", stdin="skip\nskip\nquit\n", terminal=True)
    day, *others = map(int, re.findall(r"^Seed ([0-9]+):", done.out, re.MULTILINE))
    assert len(others) == 2 and not {day + 1, day + 2} & set(others)


def test_bad_requests_are_refused() -> None:
    assert "no question 'nothing'" in command("--text", "nothing", status=2)
    assert "goes with no other choice" in command("--text", "two-left", "--level", "2", status=2)
    assert "is not solved" in command("--options", "measure-turn", status=2)
    state = game_of("5").state
    with pytest.raises(UsageError):
        choice_of("=.........", state)
    with pytest.raises(IllegalMoveError):
        choice_of("5", state)


@pytest.mark.slow
@pytest.mark.skipif(5 not in SOLVED, reason="no table of Level 5")
def test_puzzles_at_level_5() -> None:
    rng = np.random.default_rng(1)
    for aim in (None, Aim.MODE):
        puzzle = find_puzzle(Rules.of(5), rng, aim=aim)
        assert puzzle.advice.exact
