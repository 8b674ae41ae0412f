"""``qttt submit`` and ``qttt observe --no-wait``: jobs that are sent and left."""

import json
from pathlib import Path

import pytest

from circuits.backends import job_store
from circuits.backends.job_store import JobState
from qttt.observation.devices import DeviceObserver, open_device
from qttt.records.files import load_record
from tests.support.cli_runs import Run, refusal, run, run_json
from tests.support.ibm_service import TOKEN, Service, install

pytestmark = pytest.mark.ibm

SMALL = "1+2 3 4 5 6 7 8 9"
OTHER = "1 2 3 4 5+6 7 8 9"
MODES = "1 2 3 4 5 6 7 8+9"
DEVICE = ("--backend", "fake_manila", "--shots", "200")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # One seed instead of several: the tests need no best circuit.
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    from circuits.backends.ibm.accounts import save_account

    cloud = install(monkeypatch, tmp_path)
    save_account(TOKEN, "mine")
    return cloud


def write(name: str, moves: str, level: str = "1") -> str:
    text = f'[Level "{level}"]\n\n{moves}\n'
    Path(name).write_text(text)
    return name


def headers(name: str) -> dict[str, str]:
    return load_record(name).headers


def job() -> str:
    (path,) = Path().glob("*.job")
    return str(path)


def test_several_games_go_in_one_job_and_each_goes_on_by_itself() -> None:
    games = [write("a.qttt", SMALL), write("b.qttt", OTHER)]
    sent = run_json("submit", *games, SMALL, "--level", "1", *DEVICE, "--seed", "3")
    assert sent == {
        "level": 1,
        "job_file": job(),
        "job_id": job_store.load(job()).job_id,
        "backend": "fake_manila",
        "records": [*games, SMALL],
        "circuits": 3,
        "shots": 200,
        "estimated_seconds": pytest.approx(2.2, abs=0.1),
    }
    assert job_store.load(job()).state is JobState.SUBMITTED
    assert {headers(name)["Job"].split()[2] for name in games} == {job()}
    assert "waits for a job already" in refusal("submit", "a.qttt", *DEVICE)
    one = run_json("observe", "--resume", "b.qttt")
    assert str(load_record("b.qttt").events[-1]) == f"={one['board']}"
    assert set(one["counts"]) == {"XOXOX.OXO", "XOXO.XOXO"}
    assert "Job" in headers("a.qttt")
    # The job's file goes on with all that wait still.
    rest = run_json("observe", "--resume", job())
    assert [game["file"] for game in rest["observations"]] == ["a.qttt", None]
    assert all(set(game["counts"]) == {"X.OXOXOXO", ".XOXOXOXO"} for game in rest["observations"])
    assert str(load_record("a.qttt").events[-1]) == f"={rest['observations'][0]['board']}"
    assert "Job" not in headers("a.qttt")
    # A record without a file has its result in the job's file alone.
    again = run_json("observe", "--resume", job())
    assert again["observations"] == [rest["observations"][1]]


def test_thirty_games_in_one_job_save_the_overhead_of_twenty_nine() -> None:
    from qttt.game import Game

    device = open_device("fake_manila")
    assert isinstance(device, DeviceObserver)
    game = Game(level=1).play(SMALL)
    alone = device.plan(game, game.state.modes, 1024).prepared.cost.quantum_seconds
    together = device.plan_games([(game, game.state.modes)] * 30, 1024).prepared.cost.quantum_seconds
    assert (round(30 * alone), round(together)) == (68, 10)
    assert together == pytest.approx(30 * alone - 29 * 2)


@pytest.mark.slow
def test_where_the_mode_is_open_both_go_and_it_is_chosen_when_the_result_is_fetched() -> None:
    words = ("--backend", "fake_mumbai", "--shots", "200", "--seed", "5")
    names = [write("a.qttt", SMALL), write("b.qttt", MODES, "4"), write("c.qttt", MODES, "4")]
    sent = run_json("submit", *names, *words)
    assert (sent["level"], sent["circuits"]) == (None, 5)
    stopped = run("observe", "--resume", job())
    assert stopped.status == 130
    assert stopped.err.endswith("--resume b.qttt --mode standard or rotated\n")
    assert str(load_record("a.qttt").events[-1]).startswith("=")
    # The positions are known by now, and nothing makes them anew.
    positions = [str(load_record(name).events[-1]) for name in names[1:]]
    assert all(text.startswith("=p:") for text in positions)
    assert run("observe", "--resume", "c.qttt", "--mode", "standard").status == 0
    (left,) = run_json("observe", "--resume", job(), "--mode", "rotated")["observations"]
    assert (left["file"], left["mode"]) == ("b.qttt", "rotated")
    assert [str(load_record(name).events[-2]) for name in names[1:]] == positions
    assert "no game waits for the job" in refusal("observe", "--resume", job())


@pytest.mark.slow
def test_observe_that_does_not_wait_comes_to_the_same_end_as_one_that_does() -> None:
    for level, moves, mode in (("1", SMALL, ()), ("4", MODES, ("--mode", "rotated"))):
        words = ("--backend", "fake_mumbai", "--shots", "200", "--seed", "5")
        for name in ("waits.qttt", "leaves.qttt"):
            write(name, moves, level)
        told = run_json("observe", "waits.qttt", *words, *mode)
        sent = run_json("observe", "leaves.qttt", *words, "--no-wait")
        assert (sent["job_file"], sent["records"]) == ("leaves-1.job", ["leaves.qttt"])
        assert sent["circuits"] == 1 + (level == "4")
        assert headers("leaves.qttt")["Job"].split()[2] == "leaves-1.job"
        found = json.loads(run("observe", "--resume", "leaves.qttt", *mode, "--json").out)
        if level == "1":
            assert found["board"] == told["board"]
        assert (found["mode"], found["shots"]) == (told["mode"], 200)
        for path in Path().glob("*.job"):
            path.unlink()


def test_not_waiting_needs_a_device_and_a_name() -> None:
    assert "--no-wait goes with a device" in refusal("observe", SMALL, "--level", "1", "--no-wait")
    code = "qiskit_ibm_runtime.fake_provider:FakeManilaV2"
    words = (SMALL, "--level", "1", "--backend", code)
    assert "a job's file names no code" in refusal("observe", *words, "--no-wait")
    assert "a job's file names no code" in refusal("submit", *words)
    assert not list(Path().glob("*.job"))


def on_service(*words: str, stdin: str = "", terminal: bool = False) -> Run:
    return run("submit", *words, "--backend", "ibm_manila", "--shots", "50", stdin=stdin, terminal=terminal)


def test_one_job_is_posted_and_asked_for_once(service: Service) -> None:
    names = [write("a.qttt", SMALL), write("b.qttt", OTHER, "2")]
    assert "say --yes to send it" in on_service(*names).err
    declined = on_service(*names, stdin="no\n", terminal=True)
    assert declined.status == 130
    for text in ("1 standard", "2 standard", "2 jobs are waiting for the device", "Send it? [yes/no]"):
        assert text in declined.err
    dry = json.loads(on_service(*names, "--dry-run", "--json").out)
    assert (len(dry["circuits"]), dry["seconds_left"], dry["queue"]) == (2, 540, 2)
    assert (service.jobs, [headers(name).get("Job") for name in names]) == ({}, [None, None])
    assert on_service(*names, "--yes").status == 0
    (posted,) = service.jobs.values()
    assert set(posted["tags"]) > {"tiqtaqtoe", "level-1", "level-2"}
    done = run("observe", "--resume", job())
    assert (done.status, done.out.count("Observed in standard mode on ibm_manila")) == (0, 2)
    assert "The job used 2 quantum seconds; 540 quantum seconds are left in the plan." in done.out
    assert len(service.jobs) == 1


def test_a_job_that_never_arrived_is_sent_again_with_all_its_games(service: Service) -> None:
    names = [write("a.qttt", SMALL), write("b.qttt", OTHER)]
    service.faults.append(
        lambda method, path: (503, {}) if (method, path) == ("POST", "/api/v1/jobs") else None
    )
    assert on_service(*names, "--yes").status == 3
    service.faults.clear()
    assert run("observe", "--resume", "b.qttt", "--yes").status == 0
    assert run("observe", "--resume", "a.qttt").status == 0
    assert len(service.jobs) == 1


def test_killed_before_all_records_were_marked_nothing_is_lost(service: Service) -> None:
    names = [write("a.qttt", SMALL), write("b.qttt", OTHER)]
    before = Path("b.qttt").read_text()
    assert on_service(*names, "--yes").status == 0
    data = json.loads(Path(job()).read_text())
    Path(job()).write_text(json.dumps(data | {"state": "prepared", "job_id": None}))
    service.jobs.clear()
    Path("b.qttt").write_text(before)
    assert "was written down and never sent: qttt observe --resume submit-" in refusal(
        "observe", "--resume", "a.qttt"
    )
    assert run("observe", "--resume", job(), "--yes").status == 0
    assert all(str(load_record(name).events[-1]).startswith("=") for name in names)
    assert len(service.jobs) == 1


@pytest.mark.parametrize("status", ["Failed", "Cancelled"])
def test_a_job_that_ends_badly_leaves_every_record_as_it_was(service: Service, status: str) -> None:
    names = [write("a.qttt", SMALL), write("b.qttt", OTHER)]
    before = [load_record(name) for name in names]
    service.first_statuses = ["Queued"] * 9
    assert on_service(*names, "--yes").status == 0
    service.end("job0000", status, "Circuit too long", 8000)
    assert run("observe", "--resume", job()).status == 3
    assert [load_record(name) for name in names] == before


def test_a_record_that_changes_meanwhile_stops_the_job(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qttt.observation import job_runs

    names = [write("a.qttt", SMALL), write("b.qttt", OTHER)]
    before = Path("a.qttt").read_text()
    true = job_runs.send

    def late(*arguments):  # type: ignore[no-untyped-def]
        Path("b.qttt").write_text("5 5*6")
        return true(*arguments)

    monkeypatch.setattr("qttt.cli.console.job_output.send", late)
    stopped = on_service(*names, "--yes")
    assert (stopped.status, "b.qttt has come to hold something else" in stopped.err) == (2, True)
    assert (load_record("a.qttt").headers.get("Job"), list(Path().glob("*.job"))) == (None, [])
    assert load_record("a.qttt").events == load_record("a.qttt").parse(before).events
    assert not service.jobs


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("a.qttt", "a.qttt"), "a.qttt is named twice: a game is observed once"),
        (("a.qttt", "there/c.qttt"), "the records of one job lie in one folder, and these in . and there"),
        (("a.qttt", "1 2"), "'1 2': observe is not allowed: a board is observed only once it is full"),
        (("nowhere.qttt",), "cannot read 'nowhere.qttt'"),
        (("a.qttt", "--mode", "rotated"), "a.qttt: its observation is in standard mode"),
        (("told.qttt",), "told.qttt: --backend fake_manila contradicts the record's header"),
    ],
)
def test_what_cannot_go_in_a_job(words: tuple[str, ...], reason: str) -> None:
    write("a.qttt", SMALL)
    Path("there").mkdir()
    write("there/c.qttt", SMALL)
    Path("told.qttt").write_text(f'[Level "1"]\n[Backend "ibm_x"]\n{SMALL}')
    assert reason in refusal("submit", *words, *DEVICE)
    assert not list(Path().rglob("*.job"))


@pytest.mark.parametrize(
    "games",
    [None, [], [{}], "x", [{"circuits": 2}], [{"circuits": True}], [{"circuits": 1}], [{"circuits": 1}] * 2],
)
def test_a_damaged_job_file_is_refused(games: object) -> None:
    run_json("submit", write("a.qttt", SMALL), *DEVICE)
    data = json.loads(Path(job()).read_text())
    data["payload"]["games"] = games
    Path(job()).write_text(json.dumps(data))
    for name in (job(), "a.qttt"):
        assert " damaged: " in refusal("observe", "--resume", name) or games == [{"circuits": 1}]


def test_the_command_of_another_kind_is_named() -> None:
    run_json("submit", write("a.qttt", SMALL), *DEVICE)
    assert f"fetch it with qttt observe --resume {job()}" in refusal("check", "--resume", job())
    assert "--save and --resume do not go together" in refusal(
        "observe", "--resume", job(), "--save", "x.qttt"
    )
