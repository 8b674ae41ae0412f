"""The commands ``circuit`` and ``check``: formats, costs and verdicts."""

import json
import re
from pathlib import Path

import pytest

from qttt.game.symbols import Mode
from qttt.observation.compiler import compile_lean
from tests.support.cli_runs import Run, refusal, run, run_json

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
        "level",
        "qubits",
        "live_qubits",
        "two_qubit_gates",
        "two_qubit_depth",
        "depth",
        "operations",
        "readout",
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
        (["--strict"], "--strict goes with --style lean"),
        (["--out", "/no/such/folder/c.svg"], "cannot save '/no/such/folder/c.svg': no such file or folder"),
    ],
)
def test_circuit_refusals(argv: list[str], reason: str) -> None:
    assert reason in refusal("circuit", "1 1*2", *argv)


def test_the_strict_lean_circuit_measures_every_square_and_costs_more() -> None:
    words = ("circuit", "1+3 1*2 9", "--style", "lean", "--level", "4", "--mode", "rotated")
    masked, strict = run_json(*words), run_json(*words, "--strict")
    # Half-entangled in the rotated mode: 4 CX, 8 where an empty square's symbol has to read 0.
    assert (masked["two_qubit_gates"], strict["two_qubit_gates"]) == (4, 8)
    # Square 9 is certainly filled, and then is measured all the same.
    assert (masked["operations"]["measure"], strict["operations"]["measure"]) == (7, 8)
    assert "occ9" in run(*words, "--strict", "--format", "qasm3").out


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
    assert run(*words).out == "The board .....O... is certain: no qubit is needed.\n"
    assert run("circuit", "").out == "The board ......... is certain: no qubit is needed.\n"
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
    from qttt.crosscheck import check

    true = compile_lean
    monkeypatch.setattr(check, "compile_board", lambda game, mode, style: true(game, Mode.ROTATED))
    done = run("check", "1+3 1-2", "--level", "4", "--shots", "100", "--seed", "1", "--json")
    assert done.status == 1
    assert json.loads(done.out)["ok"] is False
    assert "This does NOT agree." in run("check", "1+3 1-2", "--level", "4", "--shots", "100").out


def test_check_of_both_readings_of_a_view_switch() -> None:
    record = "5~ 1+3 1*2"
    found = run_json("check", record, "--level", "5", "--view", "both", "--shots", "200", "--seed", "1")
    assert found["views"]["distance"] == pytest.approx(0.25)
    distances = {mode: one["views"]["distance"] for mode, one in found["modes"].items()}
    assert max(distances.values()) == found["views"]["distance"]
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


def test_check_looks_at_every_mode() -> None:
    words = ("check", "1 1*2", "--level", "4", "--shots", "500", "--seed", "1")
    found = run_json(*words)
    assert list(found["modes"]) == ["standard", "rotated"]
    assert found["unresolved"] == [
        "a missing mode rotation",
        "X and O swapped",
        "bits read in reverse order",
        "squares 1 and 2 exchanged",
    ]
    shown = run(*words).out
    for text in (
        "Standard mode\n",
        "\nRotated mode\n",
        "- X and O swapped\n",
        "(0.00025 or less would fail)",
    ):
        assert text in shown
    alone = run(*words, "--mode", "standard").out
    assert "otated mode" not in alone and "(0.0005 or less would fail)" in alone
    assert "- a plus sign in an entangled pair\n" in alone
    assert "would not show" not in run("check", "1 1-2", *words[2:]).out


@pytest.mark.parametrize(
    ("record", "level", "shots", "seed"), [("1+3 1-2", "3", "1", "7"), ("1+3 1-2 9 3-4", "4", "1", "0")]
)
def test_check_where_no_shot_counts_says_nothing(record: str, level: str, shots: str, seed: str) -> None:
    words = ("check", record, "--level", level, "--shots", shots, "--seed", seed)
    done = run(*words)
    assert done.status == 3
    assert done.out.endswith("\nNothing can be said.\n") and "NOT agree" not in done.out
    assert done.err.startswith("qttt: error: nothing can be said of the ")
    assert done.err.endswith(" mode: no shot of 1 counts: 1 failed heralds, 0 illegal\n")
    done = run(*words, "--json")
    assert (done.status, json.loads(done.out)["ok"]) == (3, None)


def test_check_counts_one_and_many() -> None:
    words = ("check", "1+3 1-2", "--level", "3", "--shots")
    one = run(*words, "1", "--seed", "1").out
    assert "1 shot on aer in standard mode: 1 counts, 0 are illegal, 0 have a failed herald (" in one
    few = [run(*words, "4", "--seed", str(seed)).out for seed in range(8)]
    assert any(
        "4 shots on aer in standard mode: 3 count, 0 are illegal, 1 has a failed" in out for out in few
    )


def test_check_says_how_far_a_d6_is_off_in_every_square() -> None:
    words = ("check", "1+3 1-2 5", "--level", "3", "--rolls", "d6", "--seed", "1")
    (part,) = run_json(*words)["rolls"]
    # Snake-eyes are 1/36 where the exact chance is 3.318 %; the rest is shared two to three.
    off = 0.0331761 - 1 / 36
    assert part["squares"] == [1, 2, 3]
    assert part["by_square"] == pytest.approx([off, 0.6 * off, 0.4 * off], abs=1e-4)
    said = re.search(
        r"^Rolled with a d6, (\S+) away from the exact odds; each square alone: (.*)\.$",
        run(*words).out,
        re.M,
    )
    assert said is not None
    kinds = ("half-cancelled", "target of a half-cancel", "superposition")
    rows = zip(part["squares"], kinds, part["by_square"], strict=True)
    assert said[1] == f"{part['distance']:.4f}"
    assert said[2] == ", ".join(f"{square} ({kind}) {gap:.4f}" for square, kind, gap in rows)
