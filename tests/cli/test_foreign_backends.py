"""Backends of others: by the entry points of a small distribution on the path, and by module:callable."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from circuits.backends import providers
from tests.support.cli_runs import Run, run, run_json

ROOT = Path(__file__).parents[2]
BOARD = "1 5 2 6 3+4 7 8 9"
LARGE = "1+3 1*2 9 3*4 5+6 7+8"

ACME = """
from qiskit.providers.fake_provider import GenericBackendV2
from circuits.backends.aer import AerBackend

class Ideal:
    name = "whatever it calls itself"
    def run(self, circuits, shots, rng):
        return AerBackend().run(circuits, shots, rng)

class Provider:
    def names(self):
        return ["acme", "acme_chip", "acme_silent", "fake_torino", "acme_*"]
    def get(self, name):
        if name == "acme":
            return Ideal()
        if name == "acme_broken":
            return 5
        if name == "acme_many":
            return GenericBackendV2(20, noise_info=False, seed=1)
        if name not in self.names():
            raise LookupError(f"no {name} here\\nbut a second line")
        return GenericBackendV2(10, noise_info=name != "acme_silent", seed=1)

class Edited(Ideal):
    def run(self, circuits, shots, rng):
        found = Ideal.run(self, circuits, shots, rng)
        return [type(one)(*(self.edit(bits) for bits in (one.pos, one.mark, one.flag))) for one in found]
class Characters(Edited):
    def edit(self, bits):
        return bits.astype(int).astype(str)
class Numbers(Edited):
    def edit(self, bits):
        return bits.astype("uint8")
class Halves(Edited):
    def edit(self, bits):
        return bits * 0.5
class Twos(Edited):
    def edit(self, bits):
        return bits * 2
class Alike(Ideal):
    def run(self, circuits, shots, rng):
        found = Ideal.run(self, circuits, shots, rng)
        return [type(one)(one.pos, one.mark | True, one.flag) for one in found]

def chip():
    return GenericBackendV2(10, seed=1)
def raises():
    raise RuntimeError("no licence\\nfor you")
def nothing():
    return None
"""


def distribution(folder: Path, name: str, *entries: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[qttt.backends]", *entries, ""]))


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "acme_quantum.py").write_text(ACME)
    distribution(tmp_path, "acme", "acme = acme_quantum:Provider")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)
    providers._foreign.cache_clear()
    yield tmp_path
    providers._foreign.cache_clear()
    sys.modules.pop("acme_quantum", None)


def one_line(done: Run, status: int, *words: str) -> None:
    assert done.status == status, done
    assert done.err.startswith("qttt: error: ")
    assert done.err.count("\n") == 1
    for word in words:
        assert word in done.err


def test_they_are_listed_and_a_name_of_ours_stays_ours(acme: Path) -> None:
    report = run_json("backends")
    rows = {row["name"]: row for row in report["backends"]}
    assert rows["acme"]["qubits"] is None
    assert rows["acme_chip"]["qubits"] == 10
    assert rows["acme_chip"]["two_qubit_error"] > 0 < rows["acme_chip"]["readout_error"]
    assert (rows["acme_silent"]["two_qubit_error"], rows["acme_silent"]["readout_error"]) == (None, None)
    assert re.search(r"^acme_silent +\d+ +unknown +unknown", run("backends").out, re.M)
    assert rows["acme_*"]["description"] == "a family of backends of acme"
    assert rows["fake_torino"]["qubits"] == 133
    (problem,) = report["problems"]
    assert problem == "the entry point 'acme' of acme offers 'fake_torino', and that name is ours"
    assert problem in run("backends").err


@pytest.mark.parametrize("name", ["acme", "acme_chip", "acme_quantum:chip"])
def test_every_command_takes_them(acme: Path, name: str) -> None:
    given = ("--backend", name, "--seed", "7")
    observed = run_json("observe", BOARD, *given)
    assert observed["backend"] == name
    assert run_json("observe", BOARD, *given)["board"] == observed["board"]
    checked = run_json("check", "1+3 1*2", "--shots", "400", *given)
    assert (checked["ok"], checked["backend"], "device" in checked) == (True, name, name != "acme")
    counted = run_json("circuit", BOARD, "--style", "lean", "--format", "stats", "--backend", name)
    assert counted["two_qubit_gates"] > 0
    (acme / "game.qttt").write_text(BOARD + "\n")
    played = run("play", "game.qttt", *given, stdin="quit\n")
    assert (played.status, played.err) == (0, "")
    assert f'[Backend "{name}"]' in (acme / "game.qttt").read_text()
    assert "=" in (acme / "game.qttt").read_text().splitlines()[-1]


def test_a_device_that_reports_no_errors_is_not_called_faultless(acme: Path) -> None:
    planned = run_json("observe", BOARD, "--backend", "acme_silent", "--dry-run")
    assert [circuit["usable"] for circuit in planned["circuits"]] == [None]
    assert "unknown" in run("observe", BOARD, "--backend", "acme_silent", "--dry-run").out
    checked = run("check", "1+3", "--backend", "acme_silent", "--shots", "200", "--seed", "1", "--json")
    assert checked.status == 3
    assert "acme_silent reports no errors to hold its shots against" in checked.err
    verdict = json.loads(checked.out)["device"]
    assert (verdict["ok"], verdict["predicted"], verdict["impossible"]) == (None, None, 0.0)


def test_what_cannot_be_used_is_one_line(acme: Path) -> None:
    distribution(acme, "broken", "broken = no_such_module:thing")
    distribution(acme, "twin", "acme = acme_quantum:Provider")
    for name, status, words in (
        ("acme", 2, ("offered twice", "of acme", "of twin")),
        ("other", 2, ("there is no backend 'other'", "dice", "ModuleNotFoundError", "of broken")),
        ("acme_quantum:raises", 3, ("RuntimeError: no licence for you",)),
        ("acme_quantum:nothing", 2, ("is a NoneType", "run(circuits, shots, rng)")),
        ("acme_quantum:absent", 2, ("AttributeError",)),
        ("nowhere:chip", 2, ("ModuleNotFoundError",)),
        (":", 2, ("module:callable",)),
    ):
        one_line(run("observe", BOARD, "--backend", name), status, *words)
    listed = run("backends")
    assert listed.status == 0
    assert "aer-lean" in listed.out
    assert "'broken' of broken cannot be imported" in listed.err


@pytest.mark.parametrize(
    ("name", "words"),
    [("Characters", "array of bool, not of <U"), ("Halves", "not of float64"), ("Twos", "0 or 1, not 2")],
)
def test_bits_that_are_none_are_the_backends_fault(acme: Path, name: str, words: str) -> None:
    where = f"acme_quantum:{name}"
    one_line(run("observe", BOARD, "--backend", where), 3, f"{where!r} gave no bits: the bits of pos", words)


def test_integers_0_and_1_are_bits(acme: Path) -> None:
    words = ("observe", "1 2+3 4 5 6 7 8 9", "--seed", "1", "--backend")
    assert run_json(*words, "acme_quantum:Numbers")["board"] == run_json(*words, "aer")["board"]


@pytest.mark.parametrize("shots", [(), ("--shots", "5")])
def test_a_board_that_cannot_be_is_the_backends_fault(acme: Path, shots: tuple[str, ...]) -> None:
    given = ("5 5*6 1 2 3 4 7 8 9", "--seed", "1", "--backend", "acme_quantum:Alike")
    where = "which this position cannot give (an entangled pair alike)"
    one_line(run("observe", *given, *shots), 3, "'acme_quantum:Alike' gave ", where)
    assert run("check", *given).status == 1


def test_what_a_family_does_not_give_is_one_line(acme: Path) -> None:
    one_line(run("observe", BOARD, "--backend", "acme_x"), 3, "LookupError: no acme_x here but")
    one_line(run("observe", BOARD, "--backend", "acme_broken"), 2, "'acme_broken' is a int")


def test_a_file_names_no_code(acme: Path) -> None:
    (acme / "game.qttt").write_text(f'[Backend "acme_quantum:raises"]\n\n{BOARD}\n')
    one_line(run("observe", "game.qttt"), 2, "is code to be run")
    one_line(run("play", "game.qttt"), 2, "is code to be run")


def test_entry_points_that_cannot_be_read_leave_ours(acme: Path) -> None:
    (acme / "acme-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe[")
    assert run_json("observe", BOARD, "--seed", "1")["backend"] == "aer"
    one_line(run("observe", BOARD, "--backend", "acme"), 2, "there is no backend 'acme'", "cannot be read")


def test_a_device_where_all_qubits_meet_is_compiled_for_in_seconds(acme: Path) -> None:
    assert run_json("observe", LARGE, "--backend", "acme_many", "--dry-run")["shots"] == 1024


def test_a_process_finds_the_working_folders_code(tmp_path: Path) -> None:
    (tmp_path / "acme_quantum.py").write_text(ACME)
    words = ["observe", BOARD, "--backend", "acme_quantum:chip", "--dry-run", "--json"]
    code = f"import sys; sys.path.pop(0); sys.path.insert(0, {str(ROOT)!r}); from qttt.cli.main import main; "
    done = subprocess.run(
        [sys.executable, "-c", f"{code}sys.exit(main({words!r}))"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["backend"] == "acme_quantum:chip"
