"""``qttt observe`` on devices: before, while and after; simulated ones, and the service with no network."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from circuits.backends import job_store
from circuits.backends.job_store import JobState
from circuits.decoding import Shots
from qttt.game.outcomes import Positions
from qttt.observation.job_file import find
from qttt.records.files import load_record
from tests.support.cli_runs import Run, refusal, run, run_json
from tests.support.ibm_service import CRN, TOKEN, Service, install

pytestmark = pytest.mark.ibm

# What is in doubt fits on the five qubits of fake_manila, which is quick to compile for.
SMALL = "1+2 3 4 5 6 7 8 9"
MODES = "1 2 3 4 5 6 7 8+9"
DEVICE = ("--backend", "fake_manila", "--seed", "5", "--shots", "200")
LARGER = ("--backend", "fake_mumbai", "--seed", "5", "--shots", "200")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # One seed instead of several: the tests need no best circuit.
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    from circuits.backends.ibm.accounts import save_account

    cloud = install(monkeypatch, tmp_path)
    cloud.devices["ibm_mumbai"], cloud.queues["ibm_mumbai"] = "fake_mumbai", 0
    save_account(TOKEN, "mine")
    return cloud


def write(text: str, name: str = "game.qttt") -> str:
    Path(name).write_text(text)
    return name


def headers(name: str = "game.qttt") -> dict[str, str]:
    return load_record(name).headers


# On a simulated device.


def test_the_report_counts_every_shot() -> None:
    found = run_json("observe", SMALL, "--level", "1", *DEVICE)
    assert found["shots"] == 200 == found["kept"] + found["illegal"] + found["herald_failed"]
    assert found["illegal"] == sum(found["kinds"].values()) > 0
    assert set(found["counts"]) == {"X.OXOXOXO", ".XOXOXOXO"}
    assert found["board"] in found["counts"]
    assert (found["backend"], found["collapsed"], found["job"]) == ("fake_manila", False, None)
    assert list(Path().iterdir()) == []


def test_the_first_possible_shot_is_the_outcome_and_not_the_most_frequent_board() -> None:
    seen = set()
    for seed in range(6):
        found = run_json(
            "observe", SMALL, "--level", "1", "--backend", "fake_manila", "--shots", "9", "--seed", str(seed)
        )
        most = max(found["counts"], key=found["counts"].__getitem__)
        seen.add(found["board"] == most)
    assert seen == {True, False}


def test_a_record_in_a_file_is_marked_and_then_goes_on() -> None:
    name = write(f'[Level "1"]\n{SMALL}')
    found = run_json("observe", name, *DEVICE)
    assert found["job"] == "game-1.job"
    job = job_store.load("game-1.job")
    assert job.state is JobState.DONE
    assert (job.shots, job.circuits[0].label, job.circuits[0].readout is not None) == (200, "standard", True)
    assert job.payload["mode"] is None
    assert job.payload["file"] == "game.qttt"
    assert "1. 1+2 3" in job.payload["record"]
    after = load_record(name)
    assert "Job" not in after.headers
    assert after.headers["Backend"] == "fake_manila"
    assert str(after.events[-1]) == f"={found['board']}"


def test_positions_come_first_and_wait_for_the_mode() -> None:
    name = write(f'[Level "4"]\n{MODES}')
    first = run("observe", name, *LARGER, terminal=True)
    assert first.status == 130
    assert "of 200 shots are possible; the first of these gives the positions" in first.err
    assert "game.qttt keeps the observed positions" in first.err
    waiting = load_record(name)
    assert str(waiting.events[-1]).startswith("=p:#######")
    assert waiting.headers["Job"].split()[2] == "game-1.job"
    # Nothing else may observe this game now, and no mode can be chosen in a pipe without saying which.
    assert "waits for a job already" in refusal("observe", name, "--backend", "aer", "--mode", "standard")
    second = run("observe", "--resume", name)
    assert second.status == 130
    assert load_record(name) == waiting
    found = run_json("observe", "--resume", name, "--mode", "rotated")
    positions, board = load_record(name).events[-2:]
    assert str(positions) == str(waiting.events[-1])
    assert str(board) == f"=r:{found['board']}"
    assert found["agreeing"] < found["kept"]
    assert not found["collapsed"]
    assert "any more" in refusal("observe", "--resume", "game-1.job")


@pytest.mark.slow
def test_a_mode_typed_at_the_terminal() -> None:
    name = write(f'[Level "4"]\n{MODES}')
    done = run("observe", name, *LARGER, stdin="r\n", terminal=True)
    assert done.status == 0
    assert "have the observed positions" in done.out
    assert [str(event)[:3] for event in load_record(name).events[-2:]] == ["=p:", "=r:"]


def test_positions_observed_before_are_prepared_and_it_is_said() -> None:
    record = f"{MODES} =p:########."
    found = run_json("observe", record, "--level", "4", *LARGER, "--mode", "rotated")
    assert found["collapsed"]
    assert found["board"][8] == "."
    assert found["agreeing"] == found["kept"] == 200
    shown = run("observe", record, "--level", "4", *LARGER, "--mode", "rotated").out
    assert "The circuit prepared the state that the observed positions had left." in shown


@pytest.mark.slow
def test_positions_that_no_shot_has_are_prepared_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.observation import devices
    from qttt.observation.observers import Sample

    true = devices.DecodedShots.sample

    def barren(self: devices.DecodedShots, positions: Positions | None = None) -> Sample:
        found = true(self, positions)
        whole = any(board[8] == "." for board in self.decoded.boards) and any(
            board[7] == "." for board in self.decoded.boards
        )
        return Sample(()) if positions is not None and whole else found

    monkeypatch.setattr(devices.DecodedShots, "sample", barren)
    name = write(f'[Level "4"]\n{MODES}')
    done = run("observe", name, *LARGER, "--json", stdin="rotated\n", terminal=True)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert found["collapsed"]
    assert found["job"] == "game-1-2.job"
    assert "is prepared anew" in done.err
    assert str(load_record(name).events[-1]) == f"=r:{found['board']}"
    # Interrupted after the first job and fetched later, it comes to the same end.
    after = Path(name).read_text()
    Path(name).write_text(f'[Level "4"]\n[Job "fake_mumbai - game-1.job"]\n{MODES}')
    Path("game-1-2.job").unlink()
    again = run("observe", "--resume", name, "--mode", "rotated", "--json")
    assert again.out == done.out
    assert Path(name).read_text() == after


def test_no_possible_shot_is_an_error_with_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.observation import devices
    from qttt.observation.faults import Fault

    monkeypatch.setattr(
        devices, "impossible_boards", lambda boards, position, mode: dict.fromkeys(boards, Fault.DOUBLED)
    )
    name = write('[Level "1"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n')
    before = Path(name).read_text()
    done = run("observe", name, *DEVICE)
    assert done.status == 3
    assert "no shot of 200 counts: 0 failed heralds, 200 illegal (a piece doubled 200)" in done.err
    assert Path(name).read_text() == before


@pytest.mark.slow
def test_strict_measures_everything() -> None:
    plain = run_json("observe", SMALL, "--level", "1", *DEVICE[:2], "--dry-run")
    strict = run_json("observe", SMALL, "--level", "1", "--backend", "fake_torino", "--dry-run", "--strict")
    assert plain["circuits"][0]["operations"]["measure"] == 2
    assert strict["circuits"][0]["operations"]["measure"] == 18
    assert strict["encoding"] == "strict"
    found = run_json("observe", SMALL, "--level", "1", "--backend", "fake_torino", "--strict", "--seed", "2")
    assert {"symbol on an empty square", "a symbol that cannot be there"} <= set(found["kinds"])


def test_a_dry_run_says_what_it_would_cost_and_sends_nothing() -> None:
    name = write(f'[Level "4"]\n{MODES}')
    before = Path(name).read_text()
    found = run_json("observe", name, "--backend", "fake_torino", "--dry-run", "--shots", "500")
    assert [row["mode"] for row in found["circuits"]] == ["standard", "rotated"]
    for row in found["circuits"]:
        assert row["two_qubit_gates"] == row["operations"]["cz"] >= 1
        assert row["depth"] > 1
        assert 0.5 < row["usable"] < 1
    assert found["shots"] == 500
    assert 2 < found["quantum_seconds"] < 4
    assert (found["plan"], found["instance"], found["warnings"]) == (None, None, [])
    shown = run("observe", name, "--backend", "fake_torino", "--dry-run").out
    for text in (
        "The circuit (rotated):",
        "occ 8",
        "usable shots",
        "quantum seconds",
        "nothing is charged",
    ):
        assert text in shown
    assert [path.name for path in Path().iterdir()] == ["game.qttt"]
    assert Path(name).read_text() == before


@pytest.mark.slow
def test_options_that_a_simulated_device_ignores_are_reported() -> None:
    done = run("observe", SMALL, "--level", "1", *DEVICE, "--dd", "--twirl")
    assert done.status == 0
    assert "ignored on fake_manila: dynamical decoupling and twirling" in done.err
    dry = run_json("observe", SMALL, "--level", "1", *DEVICE, "--twirl", "--dry-run")
    assert "ignored on fake_manila" in dry["warnings"][0]


@pytest.mark.parametrize("flag", ["--dry-run", "--yes", "--strict", "--dd", "--twirl", "--accept-noise"])
def test_what_is_said_of_devices_goes_with_devices(flag: str) -> None:
    assert f"{flag} goes with a device" in refusal("observe", SMALL, "--level", "1", flag)


def test_refusals() -> None:
    assert "no simulated device 'fake_torin'" in refusal(
        "observe", SMALL, "--level", "1", "--backend", "fake_torin"
    )
    assert "fake_torino" in refusal("observe", SMALL, "--level", "1", "--backend", "fake_torin")
    rolls = refusal("observe", SMALL, "--level", "1", "--backend", "fake_manila", "--rolls", "d6")
    assert "circuits do not roll" in rolls
    assert "name the record" in refusal("observe")
    assert "do not go together" in refusal("observe", SMALL, "--resume", "game.qttt")
    assert "waits for no job" in refusal("observe", "--resume", write(SMALL))
    assert "is not '<device> <job id> <file>'" in refusal("observe", "--resume", write('[Job "x"] 5'))
    lost = refusal("observe", "--resume", write('[Job "fake_manila local-1 lost.job"] 5'))
    assert "lost.job cannot be read" in lost
    assert "chooses the mode" in refusal("observe", MODES, "--level", "4", *LARGER)
    # A board with more qubits than the device.
    wide = refusal("observe", "1+2 3+4 5+6 7+8 9", "--level", "1", *DEVICE)
    assert "needs 8 qubits and fake_manila has 5" in wide


@pytest.mark.slow
def test_a_job_of_a_game_that_went_another_way() -> None:
    name = write(f'[Level "4"]\n{MODES}')
    run("observe", name, *LARGER, terminal=True)
    text = Path(name).read_text()
    Path(name).write_text(text.replace("4. 7 8+9", "4. 9 7+8").replace(text.split("=p:")[1], "#######.#\n"))
    assert "is not the game that was sent" in refusal("observe", "--resume", name, "--mode", "standard")


def test_a_damaged_payload() -> None:
    name = write(f'[Level "1"]\n{SMALL}')
    run("observe", name, *DEVICE)
    data = json.loads(Path("game-1.job").read_text())
    Path("a.job").write_text(json.dumps(data | {"payload": {}}))
    assert "no observation, check or witness" in refusal("observe", "--resume", "a.job")
    Path("b.job").write_text(json.dumps(data | {"payload": {"format": "qttt observation", "record": 5}}))
    assert "is damaged" in refusal("observe", "--resume", "b.job")


# The gate before the record.

NOISY = ("1+3 1*2 9 3*4 5+6 7+8", "--backend", "fake_kyoto", "--seed", "1")


def noisy_job(level: int, moves: str, device: tuple[str, ...], *words: str) -> str:
    """A record that waits for a job, done on a simulated device, whose bits were random."""
    name = write(f'[Level "{level}"]\n{moves}')
    assert run("observe", name, *device, *words, terminal=True).status in (0, 130)
    job, rng = job_store.load("game-1.job"), np.random.default_rng(1)
    assert job.results is not None
    results = tuple(
        Shots(*(rng.integers(2, size=bits.shape).astype(bool) for bits in (run.pos, run.mark, run.flag)))
        for run in job.results
    )
    job_store.save(replace(job, results=results), "game-1.job")
    write(f'[Level "{level}"]\n[Job "{job.backend} - game-1.job"]\n{moves}')
    return name


def test_no_result_is_taken_from_random_bits_unless_it_is_said() -> None:
    name = noisy_job(1, SMALL, DEVICE)
    before = Path(name).read_text()
    for words in (("observe", "--resume", name, "--json"), ("play", name)):
        done = run(*words)
        assert done.status == 3
        assert "in standard mode the shots say no more than bits read at random" in done.err
        assert "they are kept: qttt observe --resume game-1.job --accept-noise" in done.err
        assert load_record(name) == load_record(write(before))
    done = run("observe", "--resume", "game-1.job", "--accept-noise", "--json")
    assert done.status == 0
    found = json.loads(done.out)
    assert found["noise"] in done.err
    assert str(load_record(name).events[-1]) == f"={found['board']}"
    assert "Job" not in headers()


def test_not_even_positions_are_taken_from_random_bits() -> None:
    """One mode of two is enough, and the keyboard game goes on where it is accepted."""
    name = noisy_job(4, MODES, LARGER)
    before = load_record(name)
    done = run("observe", "--resume", name, "--mode", "rotated")
    assert done.status == 3
    assert "in standard mode the shots say no more" in done.err
    assert load_record(name) == before
    assert run("play", name, "--accept-noise", stdin="rotated\nquit\n").status == 0
    assert [str(event)[:3] for event in load_record(name).events[-2:]] == ["=p:", "=r:"]


@pytest.mark.slow
def test_shots_of_a_circuit_that_chooses_the_mode_are_judged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """With limits that no shots keep."""
    name = write(f'[Level "4"]\n{MODES}')
    with monkeypatch.context() as patch:
        patch.setattr("qttt.observation.noise_gate.CONVINCING", float("inf"))
        patch.setattr("qttt.observation.noise_gate.SHARE_OF_FEW", 9.0)
        done = run(
            "observe", name, "--backend", "fake_torino", "--dynamic", "9", "--shots", "20", "--seed", "1"
        )
        assert done.status == 3
        assert "they are kept: qttt observe --resume game-1.job --accept-noise" in done.err
        assert str(load_record(name).events[-1]) == "8+9"
    assert run_json("observe", "--resume", name)["noise"] is None


def test_shots_of_the_whole_board_are_judged_as_such_when_the_positions_are_known() -> None:
    name = write(f'[Level "4"]\n{MODES}')
    run("observe", name, *LARGER, terminal=True)
    pending = find(name)
    assert pending.sent is not None
    assert pending.sent.results is not None
    game = pending.record.game()
    assert game.state.positions is not None
    for mode, reading in pending.readings(game, pending.sent.results).items():
        assert reading.odds == game.states[-2].odds(mode).outcomes() != game.state.odds(mode).outcomes()
        assert reading.noise is None


def test_good_shots_say_that_they_are_no_noise() -> None:
    found = run_json("observe", SMALL, "--level", "1", *DEVICE, "--accept-noise")
    assert found["noise"] is None


def test_nothing_is_sent_where_no_shot_without_a_fault_is_to_be_hoped_for(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qttt.observation.noise_gate.LEAST_FAULTLESS", 0.999)
    monkeypatch.setattr("qttt.cli.console.device_plans.LEAST_FAULTLESS", 0.999)
    name = write(f'[Level "1"]\n{SMALL}')
    done = on_service(name, "--yes")
    assert done.status == 3
    assert "going by the errors that ibm_manila reports" in done.err
    assert "nothing was sent; --accept-noise sends it all the same" in done.err
    assert not service.jobs
    assert not list(Path().glob("*.job"))
    dry = on_service(name, "--dry-run")
    assert dry.status == 0
    assert "next to none" in dry.out
    assert "without --accept-noise nothing is sent" in dry.out
    assert "going by the errors" in json.loads(on_service(name, "--dry-run", "--json").out)["noise"]
    done = on_service(name, "--yes", "--accept-noise")
    assert done.status == 0
    assert "Note: going by the errors that ibm_manila reports" in done.err
    assert len(service.jobs) == 1


@pytest.mark.slow
def test_a_device_that_cannot_read_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("observe", *NOISY)
    assert done.status == 3
    assert "next to none of the shots are without a fault" in done.err
    dry = run("observe", *NOISY, "--dry-run").out
    assert "next to none" in dry
    assert "0.00 %" not in dry
    # Its shots are as bad as it says.
    monkeypatch.setattr("qttt.observation.noise_gate.LEAST_FAULTLESS", 0.0)
    done = run("observe", *NOISY, "--save", "game.qttt")
    assert done.status == 3
    assert "no more than bits read at random" in done.err
    waiting = load_record("game.qttt")
    assert str(waiting.events[-1]) == "7+8"
    assert waiting.headers["Job"].endswith(" game-1.job")
    done = run("observe", "--resume", "game.qttt", "--accept-noise")
    assert done.status == 0
    assert "Note: in standard mode the shots say no more" in done.err
    assert str(load_record("game.qttt").events[-1]).startswith("=")


# On the service, with only the network replaced.


def on_service(*words: str, stdin: str = "", terminal: bool = False) -> Run:
    return run("observe", *words, "--backend", "ibm_manila", "--shots", "50", stdin=stdin, terminal=terminal)


def test_a_real_device_is_asked_for_after_its_costs_are_shown(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write(f'[Level "1"]\n{SMALL}')
    before = Path(name).read_text()
    refused = on_service(name)
    assert refused.status == 2
    assert "say --yes to send it" in refused.err
    declined = on_service(name, stdin="no\n", terminal=True)
    assert declined.status == 130
    for text in (
        "usable shots",
        "quantum seconds",
        "plan open, instance mine, with 540 quantum seconds left",
        "ibm_manila is active, 2 jobs are waiting for the device.",
        "Send it? [yes/no]",
        "nothing was sent",
    ):
        assert text in " ".join(declined.err.split())
    assert not service.jobs
    assert Path(name).read_text() == before
    service.first_statuses = ["Queued", "Queued", "Running"]
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    done = on_service(name, "--yes", "--json")
    assert done.status == 0
    assert "queued, job job0000, 2 jobs are waiting for the device" in done.err
    found = json.loads(done.out)
    assert (found["job_id"], found["backend"], found["illegal"]) == ("job0000", "ibm_manila", 0)
    assert job_store.load("game-1.job").instance == CRN


def test_nothing_sends_a_job_to_a_real_device_unasked(service: Service) -> None:
    """Neither a measured square, nor a demonstration, nor the plain protocol of observers."""
    import numpy as np

    from qttt.crosscheck.check import check
    from qttt.errors import UsageError
    from qttt.game import Game
    from qttt.game.symbols import Mode
    from qttt.observation.devices import open_device

    game, observer, rng = Game(level=1), open_device("ibm_manila"), np.random.default_rng(1)
    game.play("1+2")
    with pytest.raises(UsageError, match="uses quantum time"):
        observer.sample(game, Mode.STANDARD, 10, rng)
    with pytest.raises(UsageError, match="uses quantum time"):
        observer.draw(game, Mode.STANDARD, rng)
    with pytest.raises(UsageError, match="is a device with noise"):
        check(game, Mode.STANDARD, observer, rng)
    assert "uses quantum time" in run("play", "--demo", "--level", "1", "--backend", "ibm_manila").err
    assert not service.jobs
    observer.unasked = True
    assert observer.sample(game, Mode.STANDARD, 10, rng).kept == 10


def test_a_paid_plan_is_said_before(service: Service) -> None:
    service.instances = [{"crn": CRN, "name": "mine", "plan": "premium"}]
    shown = on_service(SMALL, "--level", "1", "--dry-run")
    assert "its quantum time costs money" in shown.out
    assert not service.jobs


def test_a_record_on_the_command_line_still_gets_a_job_file(service: Service) -> None:
    found = json.loads(on_service(SMALL, "--level", "1", "--yes", "--json").out)
    assert [path.suffix for path in Path().glob("*.job")] == [".job"]
    again = json.loads(run("observe", "--resume", found["job"], "--json").out)
    assert (again["board"], again["record"]) == (found["board"], found["record"])


@pytest.mark.parametrize(
    ("status", "message"), [("Failed", "Circuit too long"), ("Cancelled", "was cancelled")]
)
def test_a_job_that_ends_badly_leaves_the_record_as_it_was(
    service: Service, status: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write('[Level "1"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n')
    before = Path(name).read_text()
    service.first_statuses = ["Queued"] * 4
    monkeypatch.setattr(
        "time.sleep", lambda _seconds: service.end("job0000", status, "Circuit too long", 8000)
    )
    done = on_service(name, "--yes")
    assert done.status == 3
    assert message in done.err
    assert Path(name).read_text() == before
    # The job's file keeps the reason.
    assert run("observe", "--resume", "game-1.job").status == 2


@pytest.mark.slow
def test_an_interrupted_wait_is_resumed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(f'[Level "4"]\n{MODES}')
    service.first_statuses = ["Queued"] * 4

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        done = run("observe", name, "--backend", "ibm_mumbai", "--yes", "--mode", "rotated")
    assert done.status == 130
    assert "go on with: qttt observe --resume game-1.job" in done.err
    assert headers()["Job"] == "ibm_mumbai job0000 game-1.job"
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    found = json.loads(run("observe", "--resume", name, "--json").out)
    assert found["mode"] == "rotated"
    assert "Job" not in headers()
    assert len(service.jobs) == 1


def test_a_service_that_falls_silent_may_have_got_the_job(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    import requests

    name = write(f'[Level "1"]\n{SMALL}')

    def silent(method: str, path: str) -> None:
        if (method, path) == ("POST", "/api/v1/jobs"):
            raise requests.exceptions.ConnectTimeout("timed out")

    service.faults.append(silent)
    done = on_service(name, "--yes")
    assert done.status == 3
    assert "whether it arrived: qttt observe --resume game-1.job" in done.err
    assert headers()["Job"] == "ibm_manila - game-1.job"
    # It did not; the record waits until somebody decides, and --yes sends it again.
    service.faults.clear()
    missing = run("observe", "--resume", name)
    assert missing.status == 3
    assert "never reached the service" in missing.err
    assert headers()["Job"] == "ibm_manila - game-1.job"
    assert run("observe", "--resume", name, "--yes").status == 0
    assert "Job" not in headers()


@pytest.mark.slow
def test_a_job_that_never_arrived_is_held_against_todays_device(service: Service) -> None:
    """A circuit of CZ gates is not posted to a device that has ECR gates by now."""
    service.devices["ibm_any"], service.queues["ibm_any"] = "fake_torino", 3
    name = write(f'[Level "1"]\n{SMALL}')
    words = ("observe", name, "--backend", "ibm_any", "--shots", "50", "--yes")
    service.faults.append(
        lambda method, path: (503, {}) if (method, path) == ("POST", "/api/v1/jobs") else None
    )
    assert run(*words).status == 3
    service.faults.clear()
    service.devices["ibm_any"] = "fake_sherbrooke"
    # Nobody agrees, and nobody can be asked: all is as it was.
    assert "never reached the service" in run("observe", "--resume", name).err
    declined = run("observe", "--resume", name, stdin="no\n", terminal=True)
    assert (declined.status, headers()["Job"]) == (130, "ibm_any - game-1.job")
    for text in (
        "The job never reached the service, so nothing was charged.",
        "Note: the circuits were compiled again, because by now the circuit has 133 qubits and ibm_any has",
        "ibm_any is active, 3 jobs are waiting for the device.",
        "quantum seconds (IBM's formula",
        "Send it? [yes/no]",
    ):
        assert text in " ".join(declined.err.split())
    assert not service.jobs
    done = run("observe", "--resume", name, stdin="yes\n", terminal=True)
    assert done.status == 0, done.err
    assert "The job used 2 quantum seconds; 540 quantum seconds are left in the plan." in done.out
    assert "ecr" in job_store.load("game-1.job").circuits[0].circuit.count_ops()
    assert len(service.jobs) == 1


def test_a_job_that_would_not_run_is_not_sent_unless_that_is_said(service: Service) -> None:
    name = write(f'[Level "1"]\n{SMALL}')
    service.conditions["ibm_manila"] = (False, "maintenance")
    before = Path(name).read_text()
    for terminal in (False, True):
        refused = on_service(name, "--yes", stdin="yes\n", terminal=terminal)
        assert refused.status == 3
        assert (
            "ibm_manila runs no jobs at present (maintenance): nothing was sent; with --anyway" in refused.err
        )
        assert "Send it?" not in refused.err
    service.conditions.clear()
    service.usage["usage_consumed_seconds"] = 600
    empty = on_service(name, "--yes")
    assert (empty.status, "instance mine has no quantum time left: nothing was sent" in empty.err) == (
        3,
        True,
    )
    assert "Note: instance mine has no quantum time left." in on_service(name, "--dry-run").out
    check = run("check", SMALL, "--level", "1", "--backend", "ibm_manila", "--shots", "50", "--yes")
    assert (check.status, "nothing was sent" in check.err) == (3, True)
    assert (Path(name).read_text(), list(Path().glob("*.job")), service.jobs) == (before, [], {})
    sent = on_service(name, "--yes", "--anyway", "--json")
    assert (sent.status, json.loads(sent.out)["seconds_left"]) == (0, 0)
    assert set(service.jobs["job0000"]["tags"]) > {"tiqtaqtoe", "level-1"}


def test_a_refused_job_leaves_the_record_as_it_was(service: Service) -> None:
    name = write('[Level "1"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n')
    before = Path(name).read_text()
    service.faults.append(
        lambda method, path: (
            (400, {"error": {"message": "Too many qubits", "code": 1}}) if "/jobs" in path else None
        )
    )
    done = on_service(name, "--yes")
    assert done.status == 3
    assert "Too many qubits" in done.err
    assert Path(name).read_text() == before
    assert not list(Path().glob("*.job"))


@pytest.mark.slow
def test_resuming_what_the_service_does_not_know(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(f'[Level "1"]\n{SMALL}')
    service.first_statuses = ["Queued"] * 4

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        on_service(name, "--yes")
    kept = service.jobs.copy()
    service.jobs.clear()
    unknown = run("observe", "--resume", name)
    assert unknown.status == 3
    assert "knows no such job" in unknown.err
    service.jobs.update(kept)
    service.faults.append(lambda method, path: (503, {"error": {"message": "Maintenance", "code": 1}}))
    away = run("observe", "--resume", name)
    assert away.status == 3
    assert "cannot be reached" in away.err
    assert "retrying" in away.err
    service.faults.clear()
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    assert run("observe", "--resume", name).status == 0


def test_a_costly_simulation_asks_first_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.cli.console import job_output

    words = ("observe", write(f'[Level "1"]\n\n{SMALL}'), *DEVICE)
    assert "Go on?" not in run(*words, "--dry-run", terminal=True).err
    monkeypatch.setattr(job_output, "ASKING_SECONDS", 0.01)
    before = Path("game.qttt").read_text()
    refused = run(*words, stdin="no\n", terminal=True)
    assert refused.status == 130
    assert "Simulating 200 shots of fake_manila here takes about 0 seconds." in refused.err
    assert refused.err.endswith("Go on? [yes/no] qttt: error: nothing was simulated\n")
    assert [path.name for path in Path().iterdir()] == ["game.qttt"]
    assert Path("game.qttt").read_text() == before
    agreed = run(*words, "--yes", terminal=True)
    assert (agreed.status, "Go on?" in agreed.err) == (0, False)


def test_resuming_a_costly_simulation_asks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.cli.console import job_output

    write(f'[Level "1"]\n\n{SMALL}')
    assert run("observe", "game.qttt", *DEVICE).status == 0
    name = "game-1.job"
    data = json.loads(Path(name).read_text())
    data |= {"state": "submitted", "results": None}
    data["payload"]["file"] = None
    Path(name).write_text(json.dumps(data))
    monkeypatch.setattr(job_output, "ASKING_SECONDS", 0.01)
    refused = run("observe", "--resume", name, stdin="no\n", terminal=True)
    assert refused.status == 130
    assert "nothing was simulated" in refused.err
    assert job_store.load(name).state is JobState.SUBMITTED
    # Where nobody can be asked, it is done.
    done = run("observe", "--resume", name)
    assert (done.status, done.err) == (0, "")
    # What is done already costs nothing.
    assert "Go on?" not in run("observe", "--resume", name, terminal=True).err


def test_a_job_file_may_not_send_one_circuit_many_times() -> None:
    write(f'[Level "1"]\n\n{SMALL}')
    assert run("observe", "game.qttt", *DEVICE).status == 0
    data = json.loads(Path("game-1.job").read_text())
    data |= {"state": "submitted", "results": None, "circuits": data["circuits"] * 500}
    Path("game-1.job").write_text(json.dumps(data))
    assert "its circuits are not those of an observation" in refusal("observe", "--resume", "game-1.job")
