"""``qttt decode``: counts of circuits that left the program, run by plain Qiskit, come back as boards."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qiskit import qasm3, transpile
from qiskit_aer import AerSimulator

from qttt.crosscheck.decode import read_counts
from qttt.observation.exports import Export
from tests.support.cli_runs import refusal, run, run_json

GAMES = {
    "certain squares": ("2", "standard", "lean", "5 1+3"),
    "heralds": ("3", "standard", "moves", "1+3 1-2 4"),
    "half-entangled": ("2", "standard", "lean", "1+3 1*2 9"),
    "rotated": ("4", "rotated", "lean", "1+3 1-2 5 5*6"),
    "observed before": ("2", "standard", "moves", "1+2 3 4+5 6 7 8 9 =.XOX.OXOX 1+5"),
    "positions known": ("4", "rotated", "moves", "1 2 3 4 5 6 7 8+9 =p:########."),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def exported(name: str) -> dict[str, int]:
    """Write circuit.qasm and circuit.json of a game, and the counts of its program."""
    program, stats, counts = made(name)
    Path("circuit.qasm").write_text(program)
    Path("circuit.json").write_text(stats)
    return counts


@cache
def made(name: str) -> tuple[str, str, dict[str, int]]:
    """The program of a game, its JSON, and its counts when run without this program's help."""
    level, mode, style, record = GAMES[name]
    words = ("circuit", record, "--level", level, "--mode", mode, "--style", style)
    program = run(*words, "--format", "qasm3").out
    loaded = pytest.importorskip("qiskit_qasm3_import") and qasm3.loads(program)
    simulator = AerSimulator(seed_simulator=3)
    counts: dict[str, int] = simulator.run(transpile(loaded, simulator), shots=2000).result().get_counts()
    return program, run(*words, "--json").out, counts


@pytest.mark.parametrize("name", GAMES)
def test_counts_of_the_exported_program_agree_with_the_dice(name: str) -> None:
    counts = exported(name)
    found = run_json("decode", "circuit.qasm", json.dumps(counts), "--seed", "1")
    assert found == run_json("decode", "circuit.json", json.dumps(counts), "--seed", "1")
    level, mode, _, record = GAMES[name]
    before = record.partition(" =p")[0]
    assert found["odds"] == run_json("odds", before, "--level", level, "--mode", mode)["outcomes"]
    assert (found["ok"], found["illegal"], found["kept"] + found["herald_failed"]) == (True, 0, 2000)
    assert set(found["boards"]) <= set(found["odds"])
    assert (found["herald_failed"] > 0) == (name == "heralds")


def joined(counts: Mapping[str, int]) -> Any:
    return {key.replace(" ", ""): number for key, number in counts.items()}


def hexadecimal(counts: Mapping[str, int]) -> Any:
    return {hex(int(key.replace(" ", ""), 2)): number for key, number in counts.items()}


def shot_by_shot(counts: Mapping[str, int]) -> Any:
    return [key for key, number in counts.items() for _ in range(number)]


def registers(counts: Mapping[str, int]) -> Any:
    shots = [key.split() for key in shot_by_shot(counts)]
    return {"flag": [s[0] for s in shots], "mark": [s[1] for s in shots], "pos": [s[2] for s in shots]}


@pytest.mark.parametrize(
    "form", [joined, hexadecimal, shot_by_shot, registers, lambda counts: {"counts": counts}]
)
def test_every_way_to_write_the_same_counts(form: Callable[[Mapping[str, int]], Any]) -> None:
    counts = exported("heralds")
    export = Export.parse(Path("circuit.qasm").read_text(), "circuit.qasm")
    plain, other = (read_counts(data, export.readout) for data in (counts, form(counts)))
    for name in ("pos", "mark", "flag"):
        assert np.array_equal(getattr(plain, name), getattr(other, name))
    Path("counts.json").write_text(json.dumps(form(counts)))
    assert run_json("decode", "circuit.json", "counts.json", "--seed", "1")["ok"]


def test_bits_in_the_wrong_order_are_no_boards_of_this_game() -> None:
    counts = {key[::-1]: number for key, number in exported("heralds").items()}
    assert "it reads 1 of flag and 4 of mark and 4 of pos" in refusal(
        "decode", "circuit.qasm", json.dumps(counts)
    )
    done = run("decode", "circuit.qasm", json.dumps(joined(counts)), "--json")
    assert json.loads(done.out)["illegal"] > 1000


def test_a_bias_is_told_and_faults_are_named() -> None:
    exported("certain squares")
    done = run("decode", "circuit.json", '{"01": 600, "10": 400, "11": 7}', "--seed", "1")
    assert done.status == 1
    assert "a piece doubled 7" in done.out
    assert "do NOT agree with the dice" in done.out
    none = run("decode", "circuit.json", '{"00": 9}')
    assert (none.status, none.err) == (
        3,
        "qttt: error: no shot of 9 counts: 0 failed heralds, 9 illegal (a piece missing 9)\n",
    )


def test_what_is_certain_needs_no_bit() -> None:
    Path("sure.json").write_text(run("circuit", "5 1", "--style", "lean", "--json").out)
    found = run_json("decode", "sure.json", '{"": 50}')
    assert (found["boards"], found["ok"]) == ({"O...X....": 50}, True)
    squares = json.loads(Path("sure.json").read_text())["readout"]["squares"]
    assert (squares["5"], squares["1"], squares["9"]) == (
        "X for certain",
        "O for certain",
        "empty for certain",
    )


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ('{"01": 1.5}', "counts say 1.5 of '01'"),
        ('{"01": true}', "counts say True of '01'"),
        ('{"01": -1}', "counts say -1 of '01'"),
        ('{"012": 1}', "reads 2 bits, each 0 or 1"),
        ('{"1 0": 1}', "reads 2 of pos, in this order"),
        ('{"0x4": 1}', "'0x4' of the counts has more than the 2 bits"),
        ('{"0xg": 1}', "'0xg' of the counts is not hexadecimal"),
        ("{}", "1 to 1,000,000 shots, not of 0"),
        ('{"01": 2000000}', "1 to 1,000,000 shots, not of 2,000,000"),
        ("[3]", "the key '3' of the counts is no text of bits"),
        ('{"mark": ["1"]}', "the circuit has the registers pos, the counts mark"),
        ("[[", "COUNTS: this is not JSON"),
        ("nowhere.json", "cannot read 'nowhere.json': no such file or folder"),
        ('{"counts": 3}', "counts are an object of keys and numbers, or a list"),
    ],
)
def test_bad_counts_are_refused(counts: str, reason: str) -> None:
    exported("certain squares")
    assert reason in refusal("decode", "circuit.json", counts)


def test_counts_of_registers_alone_say_too_little() -> None:
    exported("heralds")
    apart = '{"pos": {"0011": 9}, "mark": {"0000": 9}, "flag": {"0": 9}}'
    assert "do not say which of them were read together" in refusal("decode", "circuit.json", apart)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("OPENQASM 3.0;\nqubit q;\n", "bad says nothing of a circuit's bits"),
        ('{"level": 2}', "the readout in bad is damaged"),
        ("{", "bad is not JSON"),
        ('// qttt readout: {"record": "5 5"}', "the readout in bad is damaged"),
        ("// qttt readout: []", "the readout in bad is damaged"),
    ],
)
def test_bad_readouts_are_refused(text: str, reason: str) -> None:
    Path("bad").write_text(text)
    assert reason in refusal("decode", "bad", '{"01": 1}')


def test_one_of_the_two_may_come_from_standard_input() -> None:
    counts = exported("certain squares")
    shown = run("decode", "circuit.qasm", "-", "--seed", "1", stdin=json.dumps(counts))
    assert (shown.status, "The shots that count agree with the dice." in shown.out) == (0, True)
    assert "cannot both come from standard input" in refusal("decode", "-", "-")
