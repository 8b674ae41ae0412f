"""What fuzzing found, mended as a kind: the right value of each case."""

import hashlib
import io
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from circuits.backends import job_circuits, job_store
from circuits.errors import BackendUsageError
from qttt.cli.keyboard.game import KeyboardGame
from qttt.cli.main import main
from qttt.errors import IllegalMoveError
from qttt.game import Game
from qttt.players.match_files import MatchFileError, match_of
from qttt.records.files import load_record, save_new_record
from qttt.records.record import Record
from qttt.solver.tables import FORMAT, TableError, pack_table, unpack_table
from qttt.storage import FileError
from tests.campaigns.seeds import seeds
from tests.support.cli_runs import run

PATH = Path("some.table")


def header(**changes: Any) -> bytes:
    line = {
        "format": FORMAT,
        "level": 1,
        "least_empty": 3,
        "positions": 0,
        "pairs": 0,
        "bucket_bits": 0,
        "index_bytes": 1,
        "salt": 0,
        "sha256": hashlib.sha256(bytes(1)).hexdigest(),
    }
    return json.dumps(
        {key: value for key, value in {**line, **changes}.items() if value is not None}
    ).encode()


ENTRIES = (
    "format",
    "least_empty",
    "positions",
    "pairs",
    "bucket_bits",
    "index_bytes",
    "salt",
    "sha256",
)


@pytest.mark.parametrize("key", ENTRIES)
def test_a_table_without_one_of_its_entries_is_damaged(key: str) -> None:
    with pytest.raises(TableError, match=r"some\.table is damaged; qttt solve --recompute"):
        unpack_table(header(**{key: None}) + b"\n" + bytes(1), PATH)


@pytest.mark.parametrize(
    "line",
    [
        *(b"[]", b"7", b"null", b'"x"', b"[" * 100_000),
        *(header(**{key: number}) for key in ENTRIES[2:6] for number in (-1, 10**18)),
        *(header(positions=5, pairs=-3), header(salt=10**30), header(index_bytes=0), header(least_empty="x")),
    ],
)
def test_a_table_whose_first_line_is_something_else_is_damaged(line: bytes) -> None:
    with pytest.raises(TableError, match="is damaged"):
        unpack_table(line + b"\n" + bytes(1), PATH)


def test_a_table_that_says_more_than_it_holds_is_refused() -> None:
    assert len(unpack_table(header() + b"\n" + bytes(1), PATH)) == 0
    content = pack_table({b"ab": (0.5, 0.0)}, {"level": 1, "least_empty": 3})
    assert unpack_table(content, PATH).get(b"ab") == (0.5, 0.0)
    for cut in (content[:-1], content + bytes(1), content.replace(b'"pairs": 1', b'"pairs": 9')):
        with pytest.raises(TableError, match="is damaged"):
            unpack_table(cut, PATH)


def job(**changes: Any) -> Any:
    return {**json.loads(seeds("jobs")[0]), **changes}


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_whole_numbers_beyond_all_floats_are_refused(number: int) -> None:
    with pytest.raises(BackendUsageError, match="'quantum_seconds' is missing or wrong"):
        job_store.from_json(job(quantum_seconds=number))
    circuit = {"qubits": 1, "registers": [], "phase": 0, "instructions": [["rz", [0], [number]]]}
    with pytest.raises(BackendUsageError, match="where an angle belongs"):
        job_circuits.from_json(circuit)


def match_line(**changes: Any) -> bytes:
    line = {"format": 1, "x": "random", "o": "random", "level": 2, "options": "", "first": "X", "seed": 1}
    return json.dumps({**line, "alternate": False, "backend": "dice", **changes}).encode() + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        match_line(options=5),
        match_line(seed=[1]),
        match_line(first=None),
        match_line().replace(b'"seed": 1', b'"seed": 1e999'),
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_match_file_of_wrong_types_is_refused_and_left(line: bytes, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(line)
    with pytest.raises(
        MatchFileError,
        match=r"does not hold the games of a match, and is left as it is|line 1: options are text",
    ):
        match_of(file)
    assert file.read_bytes() == line


def test_numbers_that_read_as_infinite_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.job"
    file.write_text(json.dumps(job()).replace('"payload": {', '"payload": {"much": 1e999, '))
    with pytest.raises(BackendUsageError, match="is not JSON: 1e999 is not JSON"):
        job_store.load(file)


def test_a_job_file_of_many_small_values_is_refused(tmp_path: Path) -> None:
    """They would take thirty times their text in memory."""
    file = tmp_path / "x.job"
    file.write_text("[" + ",".join(["[]"] * 1_000_001) + "]")
    with pytest.raises(BackendUsageError, match="has more than 2,000,000 values"):
        job_store.load(file)


def test_a_job_file_without_an_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackendUsageError, match="is larger than 16 MiB"):
        job_store.load("/dev/zero")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(json.dumps(job())))
    writer.start()
    assert job_store.load(pipe).backend == "fake_torino"
    writer.join()


def test_a_job_too_large_to_be_read_again_is_not_saved(tmp_path: Path) -> None:
    large = job_store.from_json(job(payload={"text": "x" * job_store.MAX_BYTES}))
    with pytest.raises(BackendUsageError, match="and a job file has 16,777,216 at most"):
        job_store.save(large, tmp_path / "x.job")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("length", "unit"),
    [
        (1, {}),
        (1, []),
        (1, None),
        (10**19, "dt"),
        (-1, "dt"),
        (0.5, "dt"),
        (-0.5, "s"),
        (1e300, "ns"),
        (10**400, "s"),
    ],
)
def test_delays_that_no_device_can_make_are_refused(length: float, unit: Any) -> None:
    circuit = {"qubits": 1, "registers": [], "phase": 0, "instructions": [["delay", [0], [length, unit]]]}
    with pytest.raises(BackendUsageError, match="a stored circuit has"):
        job_circuits.from_json(circuit)


def test_a_refused_undo_leaves_an_agreed_draw() -> None:
    game = Game(0)
    game.drawn = True
    with pytest.raises(IllegalMoveError, match="no move has been made yet"):
        game.undo()
    assert game.drawn
    game = Game(0)
    game.play("5")
    game.drawn = True
    game.undo()
    assert not game.drawn


@pytest.mark.parametrize("asked", ["why", "odds --rolls nonsense", "check --shots 0", "circuit --out"])
def test_a_senseless_question_for_the_mode_does_not_end_the_game(asked: str) -> None:
    moves = "5 1 2 8 3 7 4 6 9".replace(" ", "\n")
    done = run(
        "play", "--level", "4", "--backend", "dice", "--seed", "1", stdin=f"{moves}\n{asked}\nstandard\n"
    )
    assert (done.status, done.err) == (0, "")
    assert done.out.count("which mode of observation?") == 2
    assert "wins" in done.out or "tie" in done.out


def test_bytes_that_are_no_text_at_the_prompt_are_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = io.TextIOWrapper(io.BytesIO(b"5\nundo\xff\xff\n6\n"), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    assert main(["play", "--backend", "dice"], stdin=typed, stdout=out, stderr=err) == 0
    assert err.getvalue() == ""
    assert "cannot read 'undo\ufffd\ufffd'" in out.getvalue()
    (kept,) = tmp_path.iterdir()
    assert [str(event) for event in load_record(kept).events] == ["5", "6"]


def test_a_line_without_end_comes_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("play", "--backend", "dice", stdin="x" * 25_000)
    assert done.status == 0
    assert done.out.count("cannot read") == 3


def test_a_fault_of_the_program_does_not_lose_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    real = KeyboardGame.show_board

    def faulty(keyboard: KeyboardGame) -> None:
        if len(keyboard.game.events) == 2:
            raise RuntimeError("a fault")
        real(keyboard)

    monkeypatch.setattr(KeyboardGame, "show_board", faulty)
    done = run("play", "--backend", "dice", stdin="5\n6\n7\n")
    assert done.status == 3
    assert "a fault of the program" in done.err
    (kept,) = tmp_path.iterdir()
    assert [str(event) for event in load_record(kept).events] == ["5", "6"]


def test_nobody_gets_the_same_file_for_a_new_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.strftime", lambda form: form.replace("%Y%m%d-%H%M%S", "20261130-120000"))
    assert [save_new_record(Record()) for _ in range(3)] == [
        "game-20261130-120000.qttt",
        "game-20261130-120000-2.qttt",
        "game-20261130-120000-3.qttt",
    ]
    for number in range(4, 1000):
        Path(f"game-20261130-120000-{number}.qttt").touch()
    with pytest.raises(FileError, match="all names like it are taken"):
        save_new_record(Record())
    monkeypatch.chdir("/proc/self")
    with pytest.raises(FileError, match=r"cannot save 'game-20261130-120000\.qttt': "):
        save_new_record(Record())
