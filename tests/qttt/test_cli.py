"""The command line: JSON keys and values, help that holds, problems in one line."""

import json
import re
import shlex
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from qttt.cli import build_parser, main
from qttt.commands import COMMANDS
from qttt.compiler import compile_lean
from qttt.symbols import Mode
from tests.qttt.cli_runs import Run, Terminal, refusal, run, run_json

DATA = Path(__file__).parents[1] / "data"
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
    assert list(found) == ["turn", "legal", "can_switch_view", "legal_after_switch", "measurable"]
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


# circuit


def test_circuit_formats(tmp_path: Path) -> None:
    text = run("circuit", "1 1*2")
    assert text.status == 0
    assert "occ 1" in text.out
    assert "O entangles" in text.out
    assert "occ 3" not in text.out
    assert max(map(len, text.out.split("\n"))) <= 80
    assert "her 9" in run("circuit", "1 1*2", "--all-wires").out
    assert run("circuit", "1 1*2", "--ascii").out.isascii()
    qasm = run("circuit", "1 1*2", "--format", "qasm3").out
    assert qasm.startswith("OPENQASM 3")
    for suffix, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        file = tmp_path / f"circuit.{suffix}"
        assert run("circuit", "1 1*2", "--out", str(file)) == Run(0, f"Wrote {file}.\n", "")
        assert file.read_bytes().startswith(start)
    file = tmp_path / "circuit.qasm"
    run("circuit", "1 1*2", "--out", str(file))
    assert file.read_text() == qasm


def test_circuit_stats() -> None:
    found = run_json("circuit", "1 1*2")
    assert found == run_json("circuit", "1 1*2", "--format", "stats")
    assert list(found) == [
        "qubits",
        "live_qubits",
        "two_qubit_gates",
        "two_qubit_depth",
        "depth",
        "operations",
    ]
    assert (found["qubits"], found["live_qubits"], found["two_qubit_gates"]) == (27, 4, 1)
    assert found["operations"]["measure"] == 4
    lean = run_json("circuit", "1+3 1*2", "--style", "lean")
    assert lean["two_qubit_gates"] <= 5
    rotated = run_json("circuit", "1+3", "--level", "4", "--mode", "rotated")
    assert rotated["two_qubit_gates"] == 3
    assert re.search(r"^two-qubit gates +1$", run("circuit", "1 1*2", "--format", "stats").out, re.M)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["--format", "png"], "a picture goes to a file"),
        (["--format", "text", "--json"], "--json goes with --format stats"),
        (["--format", "stats", "--out", "x.json"], "goes to standard output"),
        (["--mode", "rotated"], "the rotated mode of observation starts at Level 4, and this is Level 2"),
        (["--width", "20"], "does not fit into 20 columns: it needs"),
        (["--format", "png", "--out", "c.svg"], "--format png and --out c.svg contradict each other"),
        (["--format", "text", "--out", "c.png"], "--format text and --out c.png contradict each other"),
        (["--out", "c.gif"], "--out c.gif: the name must end with .txt, .qasm, .qasm3, .png, .svg, .pdf or"),
        (["--width", "5"], "must be a whole number from 20"),
        (["--out", "/no/such/folder/c.svg"], "cannot save '/no/such/folder/c.svg': no such file or folder"),
    ],
)
def test_circuit_refusals(argv: list[str], reason: str) -> None:
    assert reason in refusal("circuit", "1 1*2", *argv)


def test_boxes_can_be_opened() -> None:
    opening: tuple[tuple[str, ...], ...] = ((), ("--open", "2"), ("--open", "all"))
    closed, one, both = (run("circuit", "1+3 1*2", *words).out for words in opening)
    assert "X superposes" in closed and "O half-entangles" in closed
    assert "X superposes" in one and "O half-entangles" not in one and "Ry(" in one
    assert "X superposes" not in both and "H" in both
    for wrong in ("0", "3", "x", "1,,2", ""):
        reason = refusal("circuit", "1+3 1*2", "--open", wrong)
        assert "the moves whose boxes it opens are 1 to 2 since the last observation, or all" in reason
    assert "a lean circuit has no boxes" in refusal("circuit", "1+3", "--style", "lean", "--open", "1")


def test_a_board_without_doubt_needs_no_qubit() -> None:
    words = ("circuit", "5 5-6", "--level", "4", "--mode", "rotated", "--style", "lean")
    assert run(*words).out == "No qubit is needed: the board is certain to be .....O....\n"
    assert "no live wire" in refusal("circuit", "", "--out", "c.png")


def test_circuit_stats_on_a_device() -> None:
    pytest.importorskip("qiskit_ibm_runtime")
    record = "1 1*2"
    stats = run_json("circuit", record, "--backend", "fake_torino")
    assert set(stats["operations"]) <= {"cz", "sx", "rz", "x", "measure"}
    assert stats["two_qubit_gates"] == stats["operations"]["cz"] == 1
    lean = run_json("circuit", "1+3 1*2", "--backend", "fake_torino", "--style", "lean")
    assert lean["two_qubit_gates"] <= 6
    assert run_json("circuit", record, "--backend", "aer") == run_json("circuit", record)
    assert "fake_torino" in refusal("circuit", record, "--json", "--backend", "fake_torin")
    assert "there is no backend 'dice'" in refusal("circuit", record, "--json", "--backend", "dice")
    assert "--backend goes with --format stats" in refusal("circuit", record, "--backend", "aer")


# check


def test_check_json() -> None:
    found = run_json("check", "1+3 1*2", "--shots", "500", "--seed", "1")
    for key in (
        "ok",
        "exact_tvd",
        "sampled_tvd",
        "p_value",
        "illegal",
        "herald_failed",
        "kept",
        "shots",
        "squares",
    ):
        assert key in found
    assert found["ok"] is True
    assert found["exact_tvd"] < 1e-9
    assert found["shots"] == found["kept"] == 500
    assert found == run_json("check", "1+3 1*2", "--shots", "500", "--seed", "1")
    assert run_json("check", "1+3", "--backend", "dice", "--seed", "1")["shots"] == 4096
    heralded = run_json("check", "1+3 1-2", "--level", "3", "--shots", "500", "--seed", "1")
    assert heralded["shots"] == heralded["kept"] + heralded["herald_failed"] + heralded["illegal"]
    assert 40 < heralded["herald_failed"] < 150


def test_check_that_fails_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt import crosscheck

    true = compile_lean
    monkeypatch.setattr(crosscheck, "compile_lean", lambda game, mode: true(game, Mode.ROTATED))
    done = run("check", "1+3 1-2", "--level", "4", "--shots", "100", "--seed", "1", "--json")
    assert done.status == 1
    assert json.loads(done.out)["ok"] is False
    assert "This does NOT agree." in run("check", "1+3 1-2", "--level", "4", "--shots", "100").out


def test_check_of_both_readings_of_a_view_switch() -> None:
    record = "5~ 1+3 1*2"
    found = run_json("check", record, "--level", "5", "--view", "both", "--shots", "200", "--seed", "1")
    assert found["views"]["distance"] == pytest.approx(0.25)
    assert found["views"]["boards"][".OO.X...."] == {"tabletop": 0.0, "physical": pytest.approx(1 / 16)}
    assert {
        "square": 1,
        "symbol": "X",
        "tabletop": pytest.approx(0.5),
        "physical": pytest.approx(0.375),
    } in found["views"]["squares"]
    physical = run_json(
        "check", record, "--level", "5", "--view", "physical", "--shots", "200", "--seed", "1"
    )
    assert physical["ok"]
    assert physical["squares"][0]["exact"] == pytest.approx(0.375)
    options = ["--options", "view=physical"]
    tabletop = run_json("check", record, "--level", "5", *options, "--view", "tabletop", "--seed", "1")
    assert tabletop["squares"][0]["exact"] == pytest.approx(0.5)
    assert "needs Level 5" in refusal("check", "5", "--view", "both")
    assert "needs Level 5" in refusal("check", "5", "--view", "physical")
    assert "no difference here" in run("check", "5 6", "--level", "5", "--view", "both", "--seed", "1").out
    assert "physically" in run("check", record, "--level", "5", "--view", "both", "--seed", "1").out


# backends


def test_backends() -> None:
    names = [row["name"] for row in run_json("backends")["backends"]]
    assert names[:3] == ["aer", "aer-lean", "dice"]
    for name in names[:3]:
        assert run("observe", FULL, "--level", "1", "--backend", name, "--seed", "1").status == 0
        assert name in run("backends").out


def test_devices_are_listed_with_what_is_known_of_them() -> None:
    pytest.importorskip("qiskit_ibm_runtime")
    rows = {row["name"]: row for row in run_json("backends")["backends"]}
    torino = rows["fake_torino"]
    assert torino["qubits"] == 133
    assert 0 < torino["two_qubit_error"] < torino["readout_error"] < 0.1
    assert torino["dynamic_circuits"] is True
    assert torino["queue"] is None
    assert re.match(r"20\d\d-", torino["calibrated"])
    assert rows["aer"]["qubits"] is None
    assert re.search(r"^fake_torino +133 +\d\.\d\d %", run("backends").out, re.M)


def test_without_the_extra_only_this_computer_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.commands import backends

    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    assert [row["name"] for row in run_json("backends")["backends"]] == ["aer", "aer-lean", "dice"]
    assert "With the extra 'ibm'" in run("backends").out
    assert "install the extra 'ibm'" in refusal("backends", "--account")


# the line itself


def test_version() -> None:
    assert re.fullmatch(r"qttt \S.*\n", run("--version").out)


def test_help_goes_to_standard_output_and_explains() -> None:
    top = run("--help")
    assert (top.status, top.err) == (0, "")
    for entry in COMMANDS:
        assert re.search(rf"^ +{entry.name} +{re.escape(entry.summary[:40])}", top.out, re.M)
        done = run(entry.name, "--help")
        assert (done.status, done.err) == (0, "")
        assert " ".join(entry.load().explanation.split()[:6]) in " ".join(done.out.split())
        assert done.out.isascii()
        assert max(map(len, done.out.split("\n"))) <= 80
        for example in entry.load().examples:
            assert f"  qttt {example}\n" in done.out


@pytest.mark.parametrize("example", [example for entry in COMMANDS for example in entry.load().examples])
def test_examples_parse(example: str) -> None:
    words = shlex.split(example)
    assert build_parser(words[0]).parse_args(words).command == words[0]


OWN = {"odds", "moves", "dice", "observe", "check", "circuit", "backends", "perft"}


@pytest.mark.parametrize(
    "example",
    [example for entry in COMMANDS if entry.name in OWN for example in entry.load().examples],
)
def test_examples_run(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.qttt").write_text(f'[Level "1"]\n{FULL}\n')
    done = run(*shlex.split(example))
    assert done.err == ""
    assert done.status == 0
    assert done.out


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        ([], "name a command"),
        (["nonsense"], "invalid choice: 'nonsense'"),
        (["odds"], "the following arguments are required: RECORD"),
        (
            ["odds", "5", "5*6"],
            "unrecognized arguments: 5*6 (a record of several moves is one argument, in quotes",
        ),
        (["odds", "5", "--shots", "1"], "unrecognized arguments: --shots"),
        (["odds", "5", "--lev", "2"], "unrecognized arguments: --lev"),
        (["perft", "--level", "2"], "the following arguments are required: --depth"),
        (["perft", "--depth", "10"], "must be a whole number from 0 to 9, not '10'"),
        (["perft", "--depth", "-1"], "--depth"),
        (["perft", "--depth", "\u0662"], "must be a whole number from 0 to 9"),
        (["perft", "--depth", "1_0"], "must be a whole number"),
        (["perft", "--depth", "1", "--level", "7"], "level '7' does not exist: the levels are 0 to 5"),
    ],
)
def test_usage_errors(argv: list[str], reason: str) -> None:
    assert reason in refusal(*argv)


BAD_RECORDS = [
    ("5 0", "line 1, column 3: cannot read '0'"),
    ("5 6*7", "line 1, column 3: 6*7 by O is not allowed: square 6 is empty: there is nothing to attack"),
    ("5 6 5*7", "square 5 holds X's own die, and players cannot interact with themselves"),
    ("5 6 6*5", "6*5 by X is not allowed: square 5 must be empty, and it holds X's △4"),
    ("1+1", "square 1 is named twice"),
    ("5 5*6 1 5*7", "square 5 is closed: it already holds two dice"),
    (f'[Level "1"] {FULL} =XXX.OOOXO 4', "4 by X is not allowed: the game is over (X won)"),
    ("5 =....X....", "the board is observed only once it is full"),
    (f"{FULL} =OOOOOOOOO", "the position cannot give this board"),
    ('[Level "2] 5', "this header cannot be read"),
    ('[Level "2"] [Options "x"] 5', "line 1, column 13: unknown option 'x'"),
    ("missing.qttt", "cannot read 'missing.qttt': no such file or folder"),
    ("5\x00", "no such file or folder; and as a record"),
]


@pytest.mark.parametrize(("record", "reason"), BAD_RECORDS)
@pytest.mark.parametrize("command", ["odds", "moves", "dice", "observe", "check", "circuit"])
def test_bad_records(command: str, record: str, reason: str) -> None:
    if "\x00" in record:
        reason = "cannot read '5\\x00': embedded null byte"
    assert reason in refusal(command, record)


@pytest.mark.parametrize("command", ["odds", "moves", "dice", "observe", "check", "circuit"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x00\x01\x02\xff", "a record is text, and the character U+0000"),
        (b"5 \xff", "line 1, column 3: the byte 0xFF is not UTF-8 text"),
        (b"5 5", "line 1, column 3: 5 by O is not allowed"),
        (b"[Level", "this header cannot be read"),
        (b" " * (2**20 + 1), "has 1,048,577 bytes, and 1,048,576 are the most"),
    ],
)
def test_bad_files_stay_as_they_are(tmp_path: Path, command: str, content: bytes, reason: str) -> None:
    file = tmp_path / "game.qttt"
    file.write_bytes(content)
    flags = ["--save", str(file)] if command == "observe" else []
    found = refusal(command, str(file), *flags)
    if content.startswith(b"\x00\x01\x02\xff"):
        reason = "the byte 0xFF is not UTF-8 text"
    assert reason in found
    assert file.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["game.qttt"]


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--shots", "0"], "argument --shots: it must be a whole number from 1 to 1000000, not '0'"),
        (["--shots", "-5"], "--shots"),
        (["--shots", "many"], "not 'many'"),
        (["--shots", "1e3"], "not '1e3'"),
        (["--shots", "9" * 40], "must be a whole number"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "x"], "not 'x'"),
        (["--backend", "nonsense"], "there is no backend 'nonsense'"),
        (["--backend", "dice-lean"], "there is no backend"),
        (["--backend", ""], "there is no backend ''"),
        (["--mode", "sideways"], "invalid choice: 'sideways'"),
        (["--mode", "rotated"], "the rotated mode"),
        (["--rolls", "d6", "--backend", "aer"], "circuits do not roll"),
        (["--level", "3"], '--level 3 contradicts the record\'s header [Level "1"]'),
    ],
)
@pytest.mark.parametrize("command", ["observe", "check"])
def test_bad_flags(command: str, flags: list[str], reason: str) -> None:
    assert reason in refusal(command, f'[Level "1"] {FULL}', *flags)


def test_the_record_may_come_from_standard_input() -> None:
    assert run_json("odds", "-", stdin='[Level "1"]\n' + FULL)["outcomes"] == {
        "XX.XOOOXO": 0.5,
        "XXX.OOOXO": 0.5,
    }
    assert run_json("moves", "-", stdin="")["turn"] == "X"


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in run("dice", "5 5*6").out
    assert "\x1b[31m" in run("dice", "5 5*6", terminal=True).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("dice", "5 5*6", terminal=True).out


def test_narrow_terminals_get_a_narrow_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    board = run("dice", "5 5-6", "--level", "3", terminal=True).out.split("\n")
    assert "├─────┼─────┼─────┤" in board
    monkeypatch.setenv("COLUMNS", "100")
    assert "├───────────┼───────────┼───────────┤" in run("dice", "5", terminal=True).out.split("\n")


def test_sentences_and_bars_fit_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("odds", "5 5*6", terminal=True).out.split("\n")
    assert max(map(len, lines)) <= 40
    assert "the game goes on  100.00 %  ███████████" in lines
    # The legend, wrapped between its words.
    at = lines.index("△ is X's shape, □ is O's shape, R red")
    assert lines[at + 1] == "(X's in capitals)"
    # A drawing keeps the width that was asked for.
    assert max(map(len, run("circuit", "5 5*6", "--width", "90", terminal=True).out.split("\n"))) > 40
    # Nothing is wrapped where it may be read by a program.
    assert "△ is X's shape, □ is O's shape, R red (X's in capitals)" in run("odds", "5 5*6").out.split("\n")


def test_a_fault_of_the_program_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.commands import dice

    def fail(*_: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(dice, "game_of", fail)
    done = run("dice", "5")
    assert done == Run(3, "", done.err)
    assert done.err == (
        "qttt: error: this is a fault of the program, please report it with --debug: RuntimeError: first\n"
    )
    with_traceback = run("dice", "5", "--debug")
    assert with_traceback.err.startswith("Traceback")
    assert with_traceback.err.endswith("RuntimeError: first\n")
    assert run("--debug", "dice", "5").err.startswith("Traceback")


def test_an_interrupted_command_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.commands import dice

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dice, "game_of", interrupt)
    assert run("dice", "5") == Run(130, "", "qttt: error: interrupted\n")


def test_errors_for_terminals_without_the_glyphs() -> None:
    import io

    binary = io.BytesIO()
    stderr = io.TextIOWrapper(binary, encoding="latin-1")
    assert main(["odds", "5 6 6*5"], stdout=Terminal(), stderr=stderr) == 2
    assert b"it holds X's X4\n" in binary.getvalue()
