"""``qttt observe``: outcomes, counts, the choice of the mode, and what is kept when nobody chooses."""

import errno
import io
import json
from pathlib import Path

import numpy as np
import pytest

from qttt.cli.main import main
from qttt.game import Game
from qttt.game.rules import Rules
from qttt.records.files import load_record
from qttt.records.record import Record
from tests.support.cli_runs import Run, Terminal, refusal, run, run_json

FULL = "1 5 2 6 3+4 7 8 9"
PLUS = "1+3 1-2 4 5 6 7 8 9"
BACKENDS = ("aer", "aer-lean", "dice")


def replayed(record: str) -> Game:
    return Record.parse(record).game()


@pytest.mark.parametrize("backend", BACKENDS)
def test_json(backend: str) -> None:
    found = run_json("observe", FULL, "--level", "1", "--backend", backend, "--seed", "3")
    assert list(found)[:10] == [
        "level",
        "board",
        "mode",
        "backend",
        "shots",
        "kept",
        "illegal",
        "herald_failed",
        "result",
        "record",
    ]
    assert found["board"] in {"XX.XOOOXO", "XXX.OOOXO"}
    assert (found["mode"], found["backend"]) == ("standard", backend)
    assert (found["shots"], found["kept"], found["illegal"], found["herald_failed"]) == (1, 1, 0, 0)
    assert found["result"] == ("X" if found["board"].startswith("XXX") else "continue")
    game = replayed(found["record"])
    assert game.rules == Rules.of(1)
    assert str(game.events[-1]) == f"={found['board']}"
    assert found["record"].endswith(f"\n={found['board']}")
    assert found["counts"] == {found["board"]: 1}
    assert found["lines"] == {"X": [[1, 2, 3]] if found["result"] == "X" else [], "O": []}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_seed_repeats_and_another_differs(backend: str) -> None:
    argv = ("observe", "1+2 3+4 5+6 7+8 9", "--level", "1", "--backend", backend, "--shots", "20", "--seed")
    assert run_json(*argv, "5") == run_json(*argv, "5")
    assert run_json(*argv, "5")["counts"] != run_json(*argv, "6")["counts"]


def test_randomness_can_be_given() -> None:
    argv = ["observe", "1+2 3+4 5+6 7+8 9", "--level", "1", "--json"]
    seen = []
    for _ in range(2):
        out = io.StringIO()
        assert main(argv, stdout=out, rng=np.random.default_rng(11)) == 0
        seen.append(out.getvalue())
    assert seen[0] == seen[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_over_shots(backend: str) -> None:
    found = run_json("observe", FULL, "--level", "1", "--backend", backend, "--shots", "200", "--seed", "1")
    assert found["shots"] == found["kept"] == sum(found["counts"].values()) == 200
    assert set(found["counts"]) == {"XX.XOOOXO", "XXX.OOOXO"}
    assert found["board"] in found["counts"]


def test_heralds_that_fail_are_counted_and_thrown_away() -> None:
    found = run_json("observe", PLUS, "--level", "4", "--mode", "rotated", "--shots", "400", "--seed", "1")
    assert found["shots"] == 400
    assert found["kept"] + found["herald_failed"] == 400
    assert 40 < found["herald_failed"] < 120  # 18.5 % on average
    assert found["illegal"] == 0
    assert found["record"].endswith(f"=r:{found['board']}")
    # Without a number of shots it goes on until one counts.
    singles = [run_json("observe", PLUS, "--level", "3", "--seed", str(seed)) for seed in range(20)]
    assert {single["kept"] for single in singles} == {1}
    assert max(single["shots"] for single in singles) > 1
    failed = next(seed for seed, single in enumerate(singles) if single["shots"] > 1)
    alone = run("observe", PLUS, "--level", "3", "--shots", "1", "--seed", str(failed))
    assert alone.status in (0, 3)


def test_no_shot_counts_is_the_backends_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.observation.observers import CircuitObserver, Sample

    monkeypatch.setattr(CircuitObserver, "sample", lambda *_: Sample((), illegal=2, herald_failed=3))
    done = run("observe", PLUS, "--level", "3", "--shots", "5")
    assert done == Run(3, "", "qttt: error: no shot of 5 counts: 3 failed heralds, 2 illegal\n")


def test_d6_rolls_are_dice() -> None:
    found = run_json("observe", PLUS, "--level", "3", "--rolls", "d6", "--seed", "1")
    assert found["backend"] == "dice"


def test_for_people() -> None:
    done = run("observe", FULL, "--level", "1", "--seed", "3", "--shots", "50")
    assert done.status == 0
    assert "Observed in standard mode on aer: 50 shots, 50 of which count.\n" in done.out
    assert "2 boards in all." in done.out
    assert '[Level "1"]\n' in done.out
    assert "1. 1 5\n2. 2 6\n3. 3+4 7\n4. 8 9\n=XX" in done.out


def test_saving(tmp_path: Path) -> None:
    game, saved = tmp_path / "game.qttt", tmp_path / "saved.qttt"
    text = f'[Level "1"]\n[Note "kept"]\n\n{{opening}}\n{FULL}\n'
    game.write_text(text)
    found = run_json("observe", str(game), "--seed", "3", "--save", str(saved))
    assert game.read_text() == text
    assert saved.read_text() == found["record"] + "\n"
    assert load_record(saved).headers["Note"] == "kept"
    assert "{opening}" in saved.read_text()
    assert f"Saved in {game}." in run("observe", str(game), "--seed", "3", "--save", str(game)).out
    assert game.read_text() == saved.read_text()


def test_a_second_observation_goes_on_from_the_first() -> None:
    first = run_json("observe", FULL, "--level", "1", "--seed", "3")
    assert "=" in first["record"]
    record = f"{FULL} =XX.XOOOXO 3"
    second = run_json("observe", record, "--level", "1")
    assert second["board"] == "XXXXOOOXO"
    assert second["result"] == "X"
    assert replayed(second["record"]).state.observations == 2
    assert Record.parse(second["record"]).headers["Result"] == "X"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (
            "5",
            "observe is not allowed: a board is observed only once it is full, and this one is empty",
        ),
        ("", "empty at 1, 2, 3, 4, 5, 6, 7, 8, 9"),
        (f"{FULL} =XXX.OOOXO", "observe is not allowed: the game is over"),
        ('[Result "tie"] 5', "observe is not allowed: the game is over"),
    ],
)
def test_boards_that_are_not_to_be_observed(record: str, reason: str, tmp_path: Path) -> None:
    assert reason in refusal("observe", record, "--save", str(tmp_path / "saved"))
    assert list(tmp_path.iterdir()) == []


def test_repeated_observations_have_their_mode() -> None:
    record = '[Level "5"][Options "no-ties"] 1 2 3 5 4 6 8 7 9 =XOXXOOOXX'
    assert run_json("observe", record, "--seed", "1")["mode"] == "rotated"
    reason = refusal("observe", record, "--mode", "standard")
    assert "the standard mode is not allowed: this observation is in rotated mode" in reason


# The choice of the mode


def test_in_a_pipe_the_mode_must_be_given() -> None:
    for level in ("4", "5"):
        reason = refusal("observe", PLUS, "--level", level)
        assert reason == (f"at Level {level} O chooses the mode: give --mode standard or --mode rotated")


def test_at_a_terminal_positions_are_shown_and_the_mode_asked() -> None:
    done = run(
        "observe", PLUS, "--level", "4", "--seed", "2", "--json", stdin="\nsideways\nr\n", terminal=True
    )
    assert done.status == 0
    found = json.loads(done.out)
    assert found["mode"] == "rotated"
    assert "The positions are observed, and O chooses the mode." in done.err
    assert done.err.count(", which mode of observation? [standard/rotated] ") == 3
    events = [str(event) for event in replayed(found["record"]).events]
    assert events[-2].startswith("=p:")
    assert events[-2][3:] == "".join("." if cell == "." else "#" for cell in found["board"])
    assert found["record"].split("\n")[-1] == " ".join(events[-2:])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("positions", [".#.######", "..#######", "#..######"])
def test_observed_positions_are_never_observed_anew(backend: str, positions: str) -> None:
    for seed in range(4):
        found = run_json(
            "observe",
            f"{PLUS} =p:{positions}",
            "--level",
            "4",
            "--mode",
            ("rotated", "standard")[seed % 2],
            "--backend",
            backend,
            "--seed",
            str(seed),
        )
        assert "".join("." if cell == "." else "#" for cell in found["board"]) == positions
        assert f"=p:{positions}" in found["record"]
    refused = refusal("observe", f"{PLUS} =p:{positions}", "--level", "4")
    assert "give --mode" in refused


def test_the_end_of_input_leaves_the_positions_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    file.write_text(f'[Level "4"]\n{{mine}}\n{PLUS}\n')
    done = run("observe", str(file), "--seed", "2", terminal=True)
    assert (done.status, done.out) == (130, "")
    assert f"qttt: error: no mode was chosen; the observed positions are kept in {file}\n" in done.err
    record = load_record(file)
    assert str(record.events[-1]).startswith("=p:")
    assert "{mine}" in file.read_text()
    kept = file.read_text()
    # Nothing is observed anew: neither by another seed, nor by being left a second time.
    assert run("observe", str(file), "--seed", "5", terminal=True).status == 130
    assert file.read_text() == kept
    outcome = run_json("observe", str(file), "--mode", "rotated", "--save", str(file))
    assert outcome["record"] + "\n" == file.read_text()
    assert str(record.events[-1]) in outcome["record"]


def test_the_end_of_input_leaves_the_positions_in_the_saved_file(tmp_path: Path) -> None:
    game, saved = tmp_path / "game.qttt", tmp_path / "saved.qttt"
    game.write_text(text := f'[Level "5"]\n{PLUS}\n')
    done = run("observe", str(game), "--seed", "2", "--save", str(saved), terminal=True)
    assert done.status == 130
    assert f"the observed positions are kept in {saved}" in done.err
    assert game.read_text() == text
    assert str(load_record(saved).events[-1]).startswith("=p:")


def test_the_end_of_input_shows_the_record_that_has_no_file() -> None:
    done = run("observe", PLUS, "--level", "4", "--seed", "2", terminal=True)
    assert done.status == 130
    line = done.err.split("\n")[-2]
    prefix = "qttt: error: no mode was chosen; go on with the observed positions: "
    assert line.startswith(prefix)
    game = replayed(line.removeprefix(prefix))
    assert str(game.events[-1]).startswith("=p:")
    assert game.rules == Rules.of(4)


def test_the_positions_survive_a_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    file = tmp_path / "game.qttt"
    file.write_text(text := f'[Level "4"]\n{PLUS}\n')
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    done = run("observe", str(file), "--seed", "2", terminal=True)
    assert done.status == 130
    assert 'permission denied; the record with what was observed is: [Level "4"]' in done.err
    assert file.read_text() == text


def test_an_interrupt_at_the_question_leaves_the_positions(tmp_path: Path) -> None:
    class Interrupting(Terminal):
        def readline(self, *_: object) -> str:  # type: ignore[override]
            raise KeyboardInterrupt

    file = tmp_path / "game.qttt"
    file.write_text(f'[Level "4"]\n{PLUS}\n')
    err = Terminal()
    status = main(["observe", str(file)], stdin=Interrupting(), stdout=Terminal(), stderr=err)
    assert status == 130
    assert f"the observed positions are kept in {file}" in err.getvalue()
    assert str(load_record(file).events[-1]).startswith("=p:")


def test_a_question_that_nobody_sees_can_be_answered() -> None:
    class Full(Terminal):
        def write(self, _: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    out = io.StringIO()
    argv = ["observe", PLUS, "--level", "4", "--backend", "dice", "--seed", "1"]
    assert main(argv, stdin=Terminal("rotated\n"), stdout=out, stderr=Full()) == 0
    assert "Observed in rotated mode" in out.getvalue()
