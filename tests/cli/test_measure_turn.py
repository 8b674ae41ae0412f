"""Every command, lesson and player on records with measured squares (option measure-turn)."""

import random
from pathlib import Path

import numpy as np
import pytest

from qttt.display.pictures import draw
from qttt.display.pictures.games import game_frames, game_strip
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.outcomes import Measurement, Observation
from qttt.game.rules import Rules
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.players import Look, choices, get_player
from qttt.players.advice import advise
from qttt.players.lookahead import Budget
from tests.support.cli_runs import refusal, run, run_json
from tests.support.oracle import Oracle

#: A root of each shape, and one square of it measured, with everything that this can give.
SHAPES = {
    "lone": "1 ?1=X",
    "superposition, there": "1+3 ?1=X",
    "superposition, not there": "1+3 ?1=.",
    "pair": "1 1*2 ?2=O",
    "half-entangled, attacked piece": "1+3 1*2 ?1=X",
    "half-entangled, attacker": "1+3 1*2 ?2=O",
    "half-entangled, nothing": "1+3 1*2 ?1=.",
    "half-entangled, free half": "1+3 1*2 ?3=X",
    "half-entangled, no free half": "1+3 1*2 ?3=.",
    "doubly half-entangled, attacked piece": "1+3 1*2 9 3*4 ?3=X",
    "doubly half-entangled, attacker": "1+3 1*2 9 3*4 ?4=O",
    "doubly half-entangled, nothing": "1+3 1*2 9 3*4 ?2=.",
}
LEVEL_1 = ["lone", "superposition, there", "superposition, not there"]
CASES = [(2, record) for record in SHAPES.values()] + [(1, SHAPES[name]) for name in LEVEL_1]
#: The same; what takes long is left to `make test` but for a few.
_QUICK = [CASES[0], CASES[6], CASES[11], CASES[-1]]
FEW = [case if case in _QUICK else pytest.param(*case, marks=pytest.mark.slow) for case in CASES]
OPTION = ("--options", "measure-turn")


def flags(level: int) -> tuple[str, ...]:
    return (*OPTION, "--level", str(level))


def filled(level: int, record: str) -> Game:
    """The game, played on with classical moves until the board is full."""
    game = Game(level, "measure-turn")
    game.play(record)
    while game.state.phase is Phase.MOVE:
        game.push(game.state.legal_moves()[0])
    return game


@pytest.mark.parametrize(("level", "record"), CASES)
def test_moves_lists_what_may_be_measured(level: int, record: str) -> None:
    oracle = Oracle(level, "measure-turn")
    for token in record.split():
        oracle.play(token)
    report = run_json("moves", record, *flags(level))
    assert report["measurable"] == oracle.measurable()
    assert set(report["legal"]) == set(oracle.legal())
    assert report["turn"] == oracle.turn
    printed = run("moves", record, *flags(level)).out
    line = "Instead of a move a square may be measured: " + "  ".join(oracle.measurable())
    assert (line in printed) == bool(oracle.measurable())


@pytest.mark.parametrize(("level", "record"), CASES)
def test_odds_are_the_oracle_s(level: int, record: str) -> None:
    oracle = Oracle(level, "measure-turn")
    for token in record.split():
        oracle.play(token)
    assert distance(run_json("odds", record, *flags(level))["outcomes"], oracle.outcomes()) < 1e-9


@pytest.mark.parametrize(("level", "record"), FEW)
def test_dice_check_and_circuit(level: int, record: str) -> None:
    squares = run_json("dice", record, *flags(level))["squares"]
    square, cell = int(record[-3]), record[-1]
    state, symbol = squares[square - 1]["state"], squares[square - 1]["symbol"]
    assert (state, symbol) == (("empty", None) if cell == "." else ("observed", cell))
    report = run_json("check", record, *flags(level), "--seed", "1", "--shots", "100")
    assert report["ok"]
    assert report["exact_tvd"] < 1e-9
    assert report["kept"] == report["shots"] == 100
    for style in ("moves", "lean"):
        stats = run_json("circuit", record, *flags(level), "--style", style, "--format", "stats")
        # The collapsed board needs no herald and no measurement in the middle.
        assert stats["operations"].get("measure", 0) == stats["live_qubits"]
        assert stats["live_qubits"] < 12


@pytest.mark.parametrize(("level", "record"), FEW)
def test_observing_a_board_with_measured_squares(level: int, record: str) -> None:
    game = filled(level, record)
    tokens = " ".join(map(str, game.events))
    for backend in ("aer", "dice"):
        report = run_json("observe", tokens, *flags(level), "--seed", "3", "--backend", backend)
        game.state.child(Observation(report["board"]))
        assert report["record"].split()[-1] == f"={report['board']}"
        assert '[Options "measure-turn"]' in report["record"]
    assert "empty at" in refusal("observe", record, *flags(level))


@pytest.mark.parametrize(("level", "record"), FEW)
def test_lessons_tell_what_was_looked_at(level: int, record: str, tmp_path: Path) -> None:
    tokens = " ".join(map(str, filled(level, record).events))
    heading = f"looks at square {record[-3]} and finds {'nothing' if record[-1] == '.' else record[-1]}"
    done = run("explain", tokens, *flags(level), "--shots", "20", "--seed", "1")
    assert (done.status, done.err) == (0, "")
    assert heading in done.out
    game = Game(level, "measure-turn")
    game.play(record.split()[:-1])
    chance = game.state.measurement_odds(int(record[-3]))[record[-1]]
    told = f"This outcome had a chance of {chance:.2%}".replace("%", " %")
    assert (told in done.out) == (chance < 1)
    assert "keeping only the shots with this result" in " ".join(done.out.split())
    for name in ("lesson.html", "lesson.md"):
        assert (
            run("explain", tokens, *flags(level), "--shots", "20", "--out", str(tmp_path / name)).status == 0
        )
        assert heading in (tmp_path / name).read_text()


@pytest.mark.slow
def test_a_lesson_as_pdf(tmp_path: Path) -> None:
    tokens = " ".join(map(str, filled(2, SHAPES["doubly half-entangled, nothing"]).events))
    out = tmp_path / "lesson.pdf"
    assert run("explain", tokens, *flags(2), "--shots", "20", "--out", str(out)).status == 0
    assert out.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(("level", "record"), CASES)
def test_pictures(level: int, record: str) -> None:
    game = filled(level, record)
    frames = game_frames(game)
    assert len(frames) == len(game.events) + 1
    measurer = game.states[len(record.split()) - 1].turn
    found = "empty" if record[-1] == "." else record[-1]
    assert f"{measurer} observes {record[-3]}: {found}" in draw(game_strip(game), "svg").decode()


@pytest.mark.parametrize(("level", "record"), FEW)
def test_advice(level: int, record: str) -> None:
    game = Game(level, "measure-turn")
    game.play(record)
    advice = advise(game, Budget(200))
    assert {choice for choice, _ in advice.choices} == set(choices(game.state))
    assert advice.why
    assert not advice.exact or (level == 1 and len(game.state.position.empty_squares) >= 7)


@pytest.mark.slow
def test_advice_that_saw_everything_is_exact() -> None:
    report = run_json("advise", "1+3 1*2 9 3*4 5+6 7 ?3=X", *flags(2))
    assert (report["method"], report["exact"], report["value"]) == ("search", True, -0.25)
    assert {"?1", "?2", "?4", "?5", "?6", "?7", "?9"} >= {
        row["move"] for row in report["moves"] if row["move"][0] == "?"
    }
    printed = run("advise", "1+3 1*2 9 3*4 5+6 7 ?3=X", *flags(2)).out
    assert "exact: a search up to solved positions" in printed


@pytest.mark.parametrize(
    "name", ["random", "greedy", "easy", "medium", pytest.param("hard", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("level", [1, 2])
def test_players_play_on(level: int, name: str) -> None:
    rng = np.random.default_rng(5)
    records = [SHAPES[key] for key in LEVEL_1] if level == 1 else list(SHAPES.values())[-4:]
    # Searches as long as those of `hard` are the same as `medium`'s, but longer.
    for record in records[-1:] if name == "hard" else records:
        game = Game(level, "measure-turn")
        game.play(record + " 5")
        player = get_player(name, game.rules, clock=False)
        choice = player.choose(game.state, rng)
        assert choice in choices(game.state)
        assert player.reason(game.state, choice)
        assert -1 <= player.value(game.state) <= 1


@pytest.mark.parametrize(("x", "o"), [("random", "greedy"), ("easy", "medium")])
@pytest.mark.parametrize("level", [1, 2])
def test_whole_games_between_players(level: int, x: str, o: str) -> None:
    rules, looks = Rules.of(level, "measure-turn"), 0
    players = {Symbol.X: get_player(x, rules, clock=False), Symbol.O: get_player(o, rules, clock=False)}
    for seed in range(3):
        rng, chance = np.random.default_rng(seed), random.Random(seed)
        game = Game(rules=rules)
        while not game.over:
            if game.state.phase is Phase.OBSERVATION:
                game.push(Observation(game.state.odds().draw(chance)))
                continue
            choice = players[game.turn].choose(game.state, rng)
            if isinstance(choice, Look):
                odds = game.state.measurement_odds(choice.square)
                cell = chance.choices(list(odds), list(odds.values()))[0]
                game.push(Measurement(choice.square, cell))
                looks += 1
            else:
                game.play(str(choice))
    assert looks > 0


def test_a_perfect_player_is_refused() -> None:
    assert "not solved" in refusal("play", "--x", "perfect", "--level", "2", *OPTION)


@pytest.mark.parametrize(("level", "solved"), [(1, True), (2, False)])
def test_solve_says_what_is_known(level: int, solved: bool) -> None:
    report = run_json("solve", "--level", str(level), *OPTION)
    assert report["options"] == "measure-turn"
    assert ("value" in report) is ("first_moves" in report) is solved
    for row in report["boards"]:
        assert row["boards"] >= row["without"] >= row["changed"] >= 0
    assert [row["empty"] for row in report["boards"]] == [1, 2, 3, 4]
    printed = run("solve", "--level", str(level), *OPTION).out
    assert ("not from its first move" in printed) is not solved
    if solved:
        assert report["value_fraction"] == "1"
        assert (report["first_moves"][0]["move"], report["first_moves"][0]["value"]) == ("5", 1.0)
        assert len(report["first_moves"]) == 11


def test_boards_solved_anew_are_those_that_ship(tmp_path: Path) -> None:
    out = tmp_path / "new.table"
    anew = run_json("solve", "--level", "2", *OPTION, "--recompute", "--out", str(out))
    assert anew["boards"] == run_json("solve", "--level", "2", *OPTION)["boards"]
    assert out.stat().st_size > 1000


def test_solve_refuses_what_it_cannot_solve() -> None:
    refused = refusal("solve", "--level", "5", "--options", "view-switches=2")
    assert "view-switches=2" in refused and "cannot be solved" in refused
    assert "--recompute makes it" in refusal("solve", "--level", "5", "--options", "tally")


def test_what_no_table_holds_yet_is_solved_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("qttt.solver.tables.FOLDER", tmp_path / "nothing")
    monkeypatch.setenv("QTTT_DATA_DIR", str(tmp_path))
    report = run_json("solve", "--level", "1", "--options", "quantum-only")
    assert report["value_fraction"] == "-1/8"
    (kept,) = tmp_path.glob("tables-*/*.table")
    assert kept.name == "level1-quantum-only.table"
    before = kept.stat().st_mtime_ns
    assert run_json("solve", "--level", "1", "--options", "quantum-only")["value"] == report["value"]
    assert kept.stat().st_mtime_ns == before
