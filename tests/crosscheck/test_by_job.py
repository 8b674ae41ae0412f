"""Demonstrations and checks keep their jobs as observations do: on disk before the wait, fetched later."""

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from circuits.backends import job_store
from circuits.backends.job_store import JobState
from qttt.crosscheck.by_job import readout_errors
from qttt.errors import UsageError
from qttt.records.files import load_record
from tests.support.cli_runs import Run, refusal, run, run_json
from tests.support.ibm_service import CRN, TOKEN, Answer, Service, install

pytestmark = pytest.mark.ibm

# What is in doubt fits on the five qubits of fake_manila, which is quick to compile for.
SMALL = '[Level "1"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n'
MODES = '[Level "4"]\n\n1. 1 2\n2. 3 4\n3. 5 6\n4. 7 8+9\n'


class Kind(NamedTuple):
    """A command that sends a job, on a record in game.qttt."""

    command: str
    record: str
    device: str
    words: tuple[str, ...]
    job: str

    def run(self, *words: str, device: str = "ibm", record: str = "game.qttt") -> Run:
        if record == "game.qttt":
            Path(record).write_text(self.record)
        return run(
            self.command, record, "--backend", f"{device}_{self.device}", "--seed", "5", *self.words, *words
        )

    def resume(self, *words: str) -> Run:
        return run(self.command, "--resume", self.job, *words)

    def waiting(self) -> bool:
        """Whether the record waits for the job; it is as it was if not."""
        if "Job" in load_record("game.qttt").headers:
            return True
        assert Path("game.qttt").read_text() == self.record
        return False


CHECK = Kind("check", SMALL, "manila", ("--shots", "200"), "game-check.job")
# Without noise all shots count; every shot of a circuit with an `if` is simulated anew.
DYNAMIC = Kind("observe", MODES, "hanoi", ("--dynamic", "9", "--shots", "4"), "game-1.job")
both = pytest.mark.parametrize("kind", [CHECK, DYNAMIC], ids=["check", "dynamic"])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # One seed instead of several: the tests need no best circuit.
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    from circuits.backends.ibm.accounts import save_account

    home = tmp_path / "home"
    home.mkdir()
    cloud = install(monkeypatch, home)
    cloud.devices["ibm_hanoi"], cloud.queues["ibm_hanoi"] = "fake_hanoi", 0
    save_account(TOKEN, "mine")
    return cloud


def interrupted(kind: Kind, service: Service) -> Run:
    """Send the job, and press Ctrl-C while it waits in the queue."""

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    service.first_statuses = ["Queued"] * 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        return kind.run("--yes")


def patiently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)


def rewritten(path: str, **changes: Any) -> None:
    Path(path).write_text(json.dumps(json.loads(Path(path).read_text()) | changes))


# While a job waits.


@both
def test_everything_is_on_disk_before_the_wait_and_after_ctrl_c(
    kind: Kind, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[JobState, bool]] = []

    def look(method: str, path: str) -> None:
        if (method, path) == ("POST", "/api/v1/jobs"):
            seen.append((job_store.load(kind.job).state, "Job" in load_record("game.qttt").headers))

    service.faults.append(look)
    done = interrupted(kind, service)
    assert done.status == 130
    assert (
        f"the job is kept in {kind.job}; if the wait is cut short: qttt {kind.command} --resume" in done.err
    )
    assert f"go on with: qttt {kind.command} --resume {kind.job}" in done.err.splitlines()[-1]
    assert seen == [(JobState.SUBMITTING, kind is DYNAMIC)]
    job = job_store.load(kind.job)
    assert (job.state, job.job_id, job.instance) == (JobState.SUBMITTED, "job0000", CRN)
    assert (job.backend, job.shots) == (f"ibm_{kind.device}", 4 if kind is DYNAMIC else 200)
    assert all(item.readout is not None for item in job.circuits)
    if kind is CHECK:
        assert list(job.payload["modes"]) == ["standard"]
    else:
        assert job.payload["mode"] is None
    assert job.payload.get("policy") == (9 if kind is DYNAMIC else None)
    assert job.payload["record"].strip() == kind.record.strip()
    # A check changes no record, so that none waits for it.
    assert kind.waiting() is (kind is DYNAMIC)
    patiently(monkeypatch)
    del service.devices[f"ibm_{kind.device}"]
    resumed = kind.resume("--json")
    assert resumed.status == 0, resumed.err
    assert len(service.jobs) == 1
    # The same job without an interruption prints the same.
    service.devices[f"ibm_{kind.device}"] = f"fake_{kind.device}"
    Path(kind.job).unlink()
    whole = json.loads(kind.run("--yes", "--json").out)
    assert json.loads(resumed.out.replace("job0000", "job0001")) == whole
    assert "Job" not in load_record("game.qttt").headers


@both
def test_a_record_without_a_file_has_its_job_in_the_current_folder(kind: Kind, service: Service) -> None:
    level = "4" if kind is DYNAMIC else "1"
    moves = kind.record.split("\n\n")[1]
    done = kind.run("--level", level, "--yes", "--json", record=moves)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    (path,) = Path().glob("*.job")
    assert found["job"] == str(path)
    assert path.name.startswith("check-" if kind is CHECK else "observation-")
    assert f"the job is kept in {path}" in done.err
    shown = run(kind.command, "--resume", str(path)).out
    assert f"The job is kept in {path}." in shown
    again = run(kind.command, "--resume", str(path), "--json")
    assert again.out == done.out


@both
@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        ("Failed", 8000, "the job failed on the service's side: .*reason"),
        ("Cancelled", None, "was cancelled"),
    ],
)
def test_a_job_that_ends_badly_gives_the_reason(
    kind: Kind, service: Service, status: str, code: int | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(kind, service)
    service.end("job0000", status, "the reason", code)
    patiently(monkeypatch)
    for _ in range(1 if kind is DYNAMIC else 2):
        done = kind.resume()
        assert done.status == 3
        (line,) = done.err.splitlines()[-1:]
        assert re.search(message, line), line
    # Nothing waits any more, and the file keeps the reason.
    assert not kind.waiting()
    kept = job_store.load(kind.job)
    assert kept.state in (JobState.FAILED, JobState.CANCELLED)
    assert kept.reason is not None


def lost(method: str, path: str) -> Answer | None:
    import requests

    raise requests.exceptions.ConnectTimeout("timed out")


def busy(method: str, path: str) -> Answer | None:
    return (503, {"error": {"message": "Maintenance", "code": 1}}) if "/jobs" in path else None


@both
def test_a_job_that_is_unknown_or_out_of_reach_stays(
    kind: Kind, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(kind, service)
    patiently(monkeypatch)
    kept, before = service.jobs.copy(), job_store.load(kind.job).state
    service.jobs.clear()
    unknown = kind.resume()
    assert unknown.status == 3
    assert "knows no such job" in unknown.err
    service.jobs.update(kept)
    faults: list[Callable[[str, str], Answer | None]] = [lost, busy]
    for fault in faults:
        service.faults.append(fault)
        away = kind.resume()
        assert away.status == 3
        assert "retrying: attempt 1 of 5 failed while " in away.err
        assert "cannot be reached" in away.err.splitlines()[-1]
        service.faults.clear()
    assert job_store.load(kind.job).state is before
    assert kind.waiting() is (kind is DYNAMIC)
    assert kind.resume().status == 0


@both
def test_a_job_that_never_arrived_is_sent_by_yes(kind: Kind, service: Service) -> None:
    service.faults.append(lambda method, path: lost(method, path) if path.endswith("/jobs") else None)
    silent = kind.run("--yes")
    assert silent.status == 3
    assert f"whether it arrived: qttt {kind.command} --resume {kind.job}" in silent.err
    service.faults.clear()
    missing = kind.resume()
    assert missing.status == 3
    assert "never reached the service" in missing.err
    assert not service.jobs
    assert kind.resume("--yes").status == 0
    assert len(service.jobs) == 1


@both
def test_a_refused_job_leaves_nothing(kind: Kind, service: Service) -> None:
    refused = (400, {"error": {"message": "Too many qubits", "code": 1}})
    service.faults.append(lambda method, path: refused if "/jobs" in path else None)
    done = kind.run("--yes")
    assert done.status == 3
    assert "Too many qubits" in done.err
    assert not kind.waiting()
    assert not list(Path().glob("*.job"))


@both
def test_nothing_is_sent_unasked(kind: Kind, service: Service) -> None:
    done = kind.run()
    assert done.status == 2
    assert "say --yes to send it" in done.err
    dry = kind.run("--dry-run", "--json")
    found = json.loads(dry.out)
    assert (found["plan"], found["instance"], found["paid"]) == ("open", "mine", False)
    assert found["quantum_seconds"] > 2
    assert found["circuits"][0]["operations"]["measure"] > 1
    assert "usable shots" in kind.run("--dry-run").out
    assert not service.jobs
    assert not kind.waiting()
    assert not list(Path().glob("*.job"))


@pytest.mark.parametrize("command", ["check", "observe"])
def test_nothing_is_asked_and_sent_where_everything_is_certain(command: str, service: Service) -> None:
    Path("game.qttt").write_text('[Level "0"]\n\n1. 1 2\n2. 3 4\n3. 5 6\n4. 7 8\n5. 9\n')
    before = Path("game.qttt").read_text()
    words = (command, "game.qttt", "--backend", "ibm_manila", "--shots", "50", "--json")
    dry = json.loads(run(*words, "--dry-run").out)
    assert (dry["quantum_seconds"], dry["basis"]) == (0, "everything is certain, so nothing is measured")
    done = run(*words)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert (found["kept"], found["job_id"], found["quantum_seconds"]) == (50, None, 0)
    assert "submitting" not in done.err
    assert not service.jobs
    # Killed at the worst moment, it needs no service either.
    rewritten(found["job"], state="submitting", results=None)
    Path("game.qttt").write_text(
        before if command == "check" else f'[Job "ibm_manila - game-1.job"]\n{before}'
    )
    service.faults.append(lost)
    again = run(command, "--resume", found["job"], "--json")
    assert json.loads(again.out)["squares" if command == "check" else "board"]
    assert job_store.load(found["job"]).state is JobState.DONE


def test_a_game_at_the_keyboard_goes_on_from_a_demonstration(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(DYNAMIC, service)
    patiently(monkeypatch)
    played = run("play", "game.qttt", stdin="quit\n")
    assert played.status == 0, played.err
    assert "The circuit chose: rotated mode if 9 is filled." in played.out
    assert "Job" not in load_record("game.qttt").headers
    assert str(load_record("game.qttt").events[-2]).startswith("=p:")


def test_a_demonstration_waits_for_the_job_of_its_record(service: Service) -> None:
    interrupted(DYNAMIC, service)
    words = ("--backend", "ibm_hanoi", "--dynamic", "9", "--yes")
    assert "waits for a job already" in refusal("observe", "game.qttt", *words)
    assert len(service.jobs) == 1
    assert "the circuit of the job chooses the mode" in refusal(
        "observe", "--resume", "game.qttt", "--mode", "rotated"
    )


def test_a_demonstration_without_a_possible_shot(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.observation import dynamic
    from qttt.observation.faults import Fault

    monkeypatch.setattr(dynamic, "find_fault", lambda board, position, mode: Fault.DOUBLED)
    done = DYNAMIC.run("--yes")
    assert done.status == 3
    assert "no shot of 4 counts: 0 failed heralds, 4 illegal (a piece doubled 4)" in done.err
    assert not DYNAMIC.waiting()


@pytest.mark.parametrize(("flag", "name"), [("--dd", "dynamical decoupling"), ("--twirl", "twirling")])
@pytest.mark.parametrize("device", ["ibm", "fake"])
def test_options_that_a_demonstration_cannot_have(
    flag: str, name: str, device: str, service: Service
) -> None:
    """IBM's client cannot twirl an `if`, and would say so only after the question whether to send the job."""
    done = DYNAMIC.run(flag, device=device)
    assert done.status == 2
    assert f"{name} cannot be combined with circuits that have an `if`" in done.err
    assert "Send it" not in done.err


# On simulated devices.


def test_a_check_is_resumed_from_every_state(service: Service) -> None:
    done = CHECK.run("--json", device="fake")
    assert (done.status, done.err) == (0, "")
    assert CHECK.resume("--json").out == done.out
    for state in ("submitted", "submitting", "prepared"):
        name = {"job_id": None} if state != "submitted" else {}
        rewritten(CHECK.job, state=state, results=None, **name)
        assert CHECK.resume("--json").out == done.out
    # A second one has a file of its own.
    assert json.loads(CHECK.run("--json", device="fake").out)["job"] == "game-check-2.job"
    assert not service.jobs


@pytest.mark.slow
def test_a_demonstration_is_resumed_on_a_simulated_device() -> None:
    done = DYNAMIC.run("--json", device="fake")
    after = Path("game.qttt").read_text()
    assert (done.status, done.err) == (0, "")
    rewritten(DYNAMIC.job, state="submitting", results=None, job_id=None)
    Path("game.qttt").write_text(DYNAMIC.record.replace("\n\n", f'\n[Job "fake_hanoi - {DYNAMIC.job}"]\n\n'))
    assert DYNAMIC.resume("--json").out == done.out
    assert Path("game.qttt").read_text() == after


def test_a_simulated_device_leaves_nothing_of_a_record_without_a_file() -> None:
    found = run_json("check", SMALL, "--backend", "fake_manila", "--shots", "100")
    assert found["job"] is None
    assert not list(Path().iterdir())


def test_a_record_where_nothing_can_be_written_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda folder, how: False)
    assert json.loads(CHECK.run("--json", device="fake").out)["job"] is None
    assert [path.name for path in Path().iterdir()] == ["game.qttt"]


def test_what_a_check_compares_is_kept_with_its_job() -> None:
    words = ("--backend", "fake_manila", "--shots", "100", "--seed", "1", "--json")
    Path("game.qttt").write_text('[Level "5"]\n\n1. ~1+2\n')
    done = run("check", "game.qttt", "--view", "both", "--mode", "rotated", *words)
    assert done.status in (0, 1), done.err
    again = run("check", "--resume", "game-check.job", "--json")
    assert again.out == done.out
    assert "views" in json.loads(again.out)
    assert json.loads(again.out)["mode"] == "rotated"


def test_every_mode_of_a_check_is_in_one_job() -> None:
    words = ("--backend", "fake_manila", "--shots", "100", "--seed", "1")
    Path("game.qttt").write_text('[Level "4"]\n\n1. 1+2\n')
    done = run("check", "game.qttt", *words, "--json")
    assert done.status in (0, 1), done.err
    found = json.loads(done.out)
    assert list(found["modes"]) == ["standard", "rotated"]
    assert found["shots"] == 200
    assert found["device"] in [one["device"] for one in found["modes"].values()]
    data = json.loads(Path("game-check.job").read_text())
    assert [circuit["label"] for circuit in data["circuits"]] == ["standard", "rotated"]
    assert list(data["payload"]["modes"]) == ["standard", "rotated"]
    assert run("check", "--resume", "game-check.job", "--json").out == done.out
    planned = json.loads(run("check", "game.qttt", *words[:4], "--dry-run", "--json").out)
    assert len(planned["circuits"]) == 2
    # The modes of the file are those of its circuits, in their order.
    modes = data["payload"]["modes"]
    for wrong in (dict(reversed(modes.items())), {"standard": modes["standard"]}):
        Path("a.job").write_text(json.dumps(data | {"payload": data["payload"] | {"modes": wrong}}))
        assert "its circuits are not those of a check" in refusal("check", "--resume", "a.job")


def test_a_job_that_was_sent_for_one_mode_is_still_fetched() -> None:
    data = kept(CHECK)
    done = run("check", "--resume", CHECK.job, "--json")
    (said,) = data["payload"].pop("modes").values()
    payload = data["payload"] | said | {"mode": "standard"}
    Path(CHECK.job).write_text(json.dumps(data | {"payload": payload}))
    assert run("check", "--resume", CHECK.job, "--json") == done


@pytest.mark.skipif(find_spec("mthree") is None, reason="needs the extra 'mitigation'")
def test_mitigation_needs_no_device_later(service: Service) -> None:
    interrupted(CHECK._replace(words=(*CHECK.words, "--mitigate")), service)
    service.devices.clear()
    found = json.loads(CHECK.resume("--json").out)
    # The stand-in has no noise, so that the correction makes it worse, if anything.
    assert found["device"]["tvd_mitigated"] >= found["device"]["tvd_after"] >= 0


def test_mitigation_without_its_extra_is_refused_before_anything_is_sent(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    from circuits.backends import mitigation

    monkeypatch.setattr(mitigation, "find_spec", lambda name: None)
    assert "install the extra 'mitigation'" in CHECK.run("--mitigate", "--yes").err
    assert not service.jobs


# Files that are not what they should be.


def kept(kind: Kind) -> dict[str, Any]:
    """The file of a job that was done on a simulated device."""
    assert kind.run(device="fake").status in (0, 1)
    data: dict[str, Any] = json.loads(Path(kind.job).read_text())
    return data


def test_the_command_of_the_other_kind_is_named() -> None:
    kept(CHECK)
    run("observe", "game.qttt", "--backend", "fake_manila", "--shots", "50", "--seed", "1")
    assert refusal("observe", "--resume", "game-check.job") == (
        "game-check.job is not a job of qttt observe: fetch it with qttt check --resume game-check.job"
    )
    assert refusal("check", "--resume", "game-1.job") == (
        "game-1.job is not a job of qttt check: fetch it with qttt observe --resume game-1.job"
    )
    Path("a game.qttt").write_text(f'[Job "fake_manila - game-1.job"]\n{SMALL}')
    assert refusal("check", "--resume", "a game.qttt").endswith(
        "fetch it with qttt observe --resume 'a game.qttt'"
    )
    assert "qttt check --resume takes the .job file" in refusal("check", "--resume", "game.qttt")
    # A header that points to a check is no way to make an observation of it.
    Path("a game.qttt").write_text(f'[Job "fake_manila - game-check.job"]\n{SMALL}')
    assert "fetch it with qttt check --resume" in refusal("observe", "--resume", "a game.qttt")


@pytest.mark.parametrize(
    "changes",
    [
        {"record": 5},
        {"record": "5 5"},
        {"views": 1},
        {"modes": 5},
        {"modes": {}},
        *(
            {"modes": {mode: said}}
            for mode, said in (
                ("sideways", {"faulty": 0.1, "readout": None}),
                ("rotated", {"faulty": 0.1, "readout": None}),
                ("standard", 5),
                ("standard", {"readout": None}),
                ("standard", {"faulty": 0.1}),
                ("standard", {"faulty": True, "readout": None}),
                ("standard", {"faulty": 1.5, "readout": None}),
                ("standard", {"faulty": "0.5", "readout": None}),
                ("standard", {"faulty": 0.1, "readout": 5}),
                ("standard", {"faulty": 0.1, "readout": [[0.1]]}),
                ("standard", {"faulty": 0.1, "readout": [[0.1, 2]]}),
                ("standard", {"faulty": 0.1, "readout": [[0.1, 0.1]] * 50}),
            )
        ),
        {"format": ["qttt check"]},
        {"format": "qttt"},
        {"format": None},
    ],
    ids=str,
)
def test_damaged_checks(changes: dict[str, Any]) -> None:
    data = _CHECKED.get("data") or _CHECKED.setdefault("data", kept(CHECK))
    Path("a.job").write_text(json.dumps(data | {"payload": data["payload"] | changes}))
    said = refusal("check", "--resume", "a.job")
    assert "fault of the program" not in said
    for key in ("record", "views", "modes"):
        less = {name: value for name, value in data["payload"].items() if name != key}
        Path("a.job").write_text(json.dumps(data | {"payload": less}))
        assert "the job file a.job is damaged" in refusal("check", "--resume", "a.job")


def test_readout_errors_are_pairs_of_probabilities() -> None:
    assert readout_errors([[0, 1], [0.25, 1.0]]) == ((0.0, 1.0), (0.25, 1.0))
    assert readout_errors(None) is None
    wrong: list[Any] = [
        {},
        "ab",
        [[0.1]],
        [[0.1, 0.2, 0.3]],
        [0.1],
        [[0.1, 1.5]],
        [[True, 0.1]],
        [[-0.1, 0.1]],
    ]
    for damaged in wrong:
        with pytest.raises(UsageError, match=r"not pairs|no probability"):
            readout_errors(damaged)


_CHECKED: dict[str, dict[str, Any]] = {}
"""One check's file is damaged in many ways."""


def test_jobs_whose_circuits_are_not_those_of_their_kind() -> None:
    data = _CHECKED.get("data") or _CHECKED.setdefault("data", kept(CHECK))
    waiting, (circuit,) = data | {"state": "submitted", "results": None}, data["circuits"]
    unread, twice, other = [circuit | {"readout": None}], [circuit] * 2, [circuit | {"label": "rotated"}]
    for circuits in (unread, twice, other):
        Path("a.job").write_text(json.dumps(waiting | {"circuits": circuits}))
        assert "its circuits are not those of a check" in refusal("check", "--resume", "a.job")
    observation: dict[str, Any] = {
        "format": "qttt observation",
        "record": MODES,
        "file": None,
        "mode": None,
        "positions": None,
    }
    unlabelled = [circuit | {"label": "rotated mode if 9 is filled"}]
    for circuits, policy in ((unread, None), (unread, 9), (twice, 9), (unlabelled, None)):
        payload = observation | {"policy": policy}
        Path("a.job").write_text(json.dumps(waiting | {"circuits": circuits, "payload": payload}))
        assert "its circuits are not those of an observation" in refusal("observe", "--resume", "a.job")
    for wrong in (0, 10, True, "9", [9]):
        payload = observation | {"policy": wrong}
        Path("a.job").write_text(json.dumps(waiting | {"circuits": unlabelled, "payload": payload}))
        assert "its policy names no square" in refusal("observe", "--resume", "a.job")


@pytest.mark.parametrize("command", ["check", "observe"])
@pytest.mark.parametrize(
    "words",
    [
        ("1 2",),
        ("--backend", "fake_manila"),
        ("--shots", "5"),
        ("--seed", "0"),
        ("--rolls", "d6"),
        ("--level", "1"),
        ("--first", "X"),
        ("--view", "tabletop"),
        ("--strict",),
        ("--dd",),
        ("--twirl",),
        ("--dry-run",),
    ],
    ids=lambda words: words[0],
)
def test_what_the_job_has_settled_is_refused_beside_resume(command: str, words: tuple[str, ...]) -> None:
    said = refusal(command, *words, "--resume", "game-1.job")
    assert f"{'RECORD' if words == ('1 2',) else words[0]} and --resume do not go together" in said


def test_more_of_it() -> None:
    assert "--dynamic and --resume" in refusal("observe", "--dynamic", "9", "--resume", "a.job")
    assert "--mode and --resume" in refusal("check", "--mode", "standard", "--resume", "a.job")
    assert "--mitigate and --resume" in refusal("check", "--mitigate", "--resume", "a.job")
    assert "name the record to check" in refusal("check")
    assert "cannot be read" in refusal("check", "--resume", "a.job")
