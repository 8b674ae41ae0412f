"""Jobs of the service: IBM's own client, jobs, decoders and errors, with only the network replaced."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import requests

from circuits.backends import get_backend, job_store, list_backends, refit, resume
from circuits.backends.ibm import errors
from circuits.backends.ibm.accounts import save_account
from circuits.backends.ibm.backend import IBMBackend
from circuits.backends.ibm.backend import get_backend as ibm_backend
from circuits.backends.job_store import JobState
from circuits.backends.local_jobs import JobHandle
from circuits.backends.plans import JobOptions
from circuits.backends.progress import Progress
from circuits.decoding import decode
from circuits.errors import BackendError, BackendUsageError, UnknownBackendError
from tests.support.ibm_circuits import asymmetric, dynamic, pair
from tests.support.ibm_service import CRN, OTHER_CRN, TOKEN, Answer, Service, install

pytestmark = pytest.mark.ibm


QUICK = JobOptions(seeds=1)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    cloud = install(monkeypatch, tmp_path)
    save_account(TOKEN, "mine")
    return cloud


def no_sleep(_seconds: float) -> None:
    pass


def submitted(path: Path | None, options: JobOptions = QUICK) -> JobHandle:
    backend = ibm_backend("ibm_manila")
    return backend.submit(backend.prepare([pair(), pair()], 50, options=options), seed=1, path=path)


def lost(method: str, path: str) -> Answer | None:
    raise requests.exceptions.ConnectTimeout("timed out")


def test_a_job_from_request_to_board(
    service: Service, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    circuit, readout = asymmetric()
    service.first_statuses = ["Queued", "Queued", "Queued", "Running"]
    backend = get_backend("ibm_torino")
    assert isinstance(backend, IBMBackend)
    prepared = backend.prepare([circuit, pair()], 300, options=QUICK)
    assert (prepared.cost.plan, prepared.cost.instance, prepared.cost.paid) == ("open", "mine", False)
    assert prepared.instance == CRN
    path, news = tmp_path / "game.job", list[Progress]()
    handle = backend.submit(prepared, seed=1, path=path, payload={"record": "1 8"}, notify=news.append)
    stored = job_store.load(path)
    assert (stored.state, stored.job_id, stored.instance) == (JobState.SUBMITTED, "job0000", CRN)
    assert service.jobs["job0000"]["tags"] == [stored.tag]
    # Five times the estimate, and at least half a minute.
    assert service.jobs["job0000"]["cost"] == 30
    # The service's own estimate takes the place of ours.
    assert (stored.quantum_seconds, prepared.cost.quantum_seconds == pytest.approx(2.2, abs=0.2)) == (
        3.5,
        True,
    )
    first, second = handle.wait(news.append, sleep=no_sleep)
    assert decode(readout, first).counts() == {"X......O.": 300}
    assert (second.mark[:, 0] != second.mark[:, 1]).all()
    assert [(item.status, item.queue) for item in news] == [
        ("submitting", None),
        ("queued", 7),
        ("running", None),
        ("done", None),
    ]
    assert [request for request in service.asked if request == "POST /api/v1/jobs"] == ["POST /api/v1/jobs"]
    assert capfd.readouterr() == ("", "")


def test_decoupling_and_twirling_reach_the_service(service: Service) -> None:
    handle = submitted(None, JobOptions(dynamical_decoupling=True, twirling=True, seeds=1, max_seconds=30))
    job = service.jobs["job0000"]
    program = job["params"]["quantum_program"]
    assert job["cost"] == 30
    assert [item["item_type"] for item in program["items"]] == ["samplex", "samplex"]
    assert program["passthrough_data"]["post_processor"]["options"]["dynamical_decoupling"]["enable"] is True
    # 50 shots are rounded up to 64 by twirling; the caller gets 50.
    assert program["shots"] == 64
    shots = handle.wait(sleep=no_sleep)
    assert [len(item) for item in shots] == [50, 50]
    assert all((item.mark[:, 0] != item.mark[:, 1]).all() for item in shots)


def test_a_dynamic_circuit_is_sent_as_it_is(service: Service) -> None:
    backend = ibm_backend("ibm_manila")
    (shots,) = backend.submit(backend.prepare([dynamic()], 60, options=QUICK), seed=1).wait(sleep=no_sleep)
    assert np.array_equal(shots.pos, shots.mark)


def test_the_backend_protocol(service: Service) -> None:
    (shots,) = get_backend("ibm_manila").run([pair()], 20, np.random.default_rng(1))
    assert (shots.mark[:, 0] != shots.mark[:, 1]).all()


def test_names(service: Service) -> None:
    # The least busy one has five qubits only.
    assert ibm_backend("ibm").name == "ibm_torino"
    assert ibm_backend("ibm", min_qubits=5).name == "ibm_manila"
    with pytest.raises(UnknownBackendError, match="no such device: `qttt backends --account` lists its own"):
        ibm_backend("ibm_nowhere")
    with pytest.raises(UnknownBackendError):
        ibm_backend("ibm", min_qubits=1000)
    rows = {row.name: row for row in list_backends(account=True)[0]}
    assert (rows["ibm_torino"].queue, rows["ibm_manila"].queue, rows["fake_torino"].queue) == (7, 2, None)
    # The client reads all times as UTC, which those of the service are and those of a snapshot are not.
    simulated = rows["fake_torino"].description
    renamed = replace(rows["ibm_torino"], name="fake_torino", description=simulated, queue=None)
    assert replace(renamed, calibrated=rows["fake_torino"].calibrated) == rows["fake_torino"]


def test_resume_in_another_process(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    service.first_statuses = ["Queued"] * 10
    expected = submitted(None).wait(sleep=no_sleep)
    submitted(path)
    later = resume(path, wait=False)
    assert later.shots is None
    assert later.job.state is JobState.SUBMITTED
    with pytest.raises(BackendError, match="job job0001 is not done yet: fetch it later from its job file"):
        resume(path, timeout=0, sleep=no_sleep)
    done = resume(path, sleep=no_sleep)
    assert done.shots is not None
    assert all(np.array_equal(one.mark, two.mark) for one, two in zip(done.shots, expected, strict=True))
    # Once done, no network is needed.
    service.faults.append(lost)
    assert resume(path).shots is not None


def test_resume_when_the_device_is_gone(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    submitted(path)
    del service.devices["ibm_manila"]
    shots = resume(path, sleep=no_sleep).shots
    assert shots is not None
    assert (shots[0].mark[:, 0] != shots[0].mark[:, 1]).all()


def test_a_retired_devices_note_is_one_line_without_json(service: Service, tmp_path: Path) -> None:
    path, news = tmp_path / "a.job", list[Progress]()
    submitted(path)
    del service.devices["ibm_manila"]
    resume(path, news.append, sleep=no_sleep)
    notes = [item.detail for item in news if item.status == "note"]
    assert notes == ["the service does not list ibm_manila any more"]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            'Unable to create configuration for ibm_x. \'404 Client Error: {"error": {"code": 1}}\'',
            "the service does not list ibm_x any more",
        ),
        (
            'Unable to create configuration for ibm_x. \'500 Server Error. {"error": {"code": 1}}\'',
            "Unable to create configuration for ibm_x. '500 Server Error",
        ),
        ('Something failed: [{"code": 1},\n {"code": 2}]', "Something failed"),
        ("A set {1, 2} and a list [3] stay", "A set {1, 2} and a list [3] stay"),
    ],
)
def test_remarks_of_the_client_come_without_the_answer_in_json(message: str, shown: str) -> None:
    assert errors._remark(message) == shown


def test_what_the_job_used_is_kept(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    submitted(path).wait(sleep=no_sleep)
    job = job_store.load(path)
    assert (job.used_seconds, job.seconds_left) == (2.0, 540.0)
    # A service that has not reckoned yet, or does not answer, takes nothing from the result.
    service.charged = None
    handle = submitted(path)
    service.faults.append(lambda _, request: (404, {}) if request.endswith("/usage") else None)
    handle.wait(sleep=no_sleep)
    job = job_store.load(path)
    assert (job.state, job.used_seconds, job.seconds_left) == (JobState.DONE, None, None)


def as_if_killed_while_sending(path: Path) -> None:
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"state": "submitting", "job_id": None}))


def test_a_job_that_arrived_before_the_program_was_killed(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    submitted(path)
    as_if_killed_while_sending(path)
    done = resume(path, sleep=no_sleep)
    assert done.job.job_id == "job0000"
    assert done.job.state is JobState.DONE
    assert len(service.jobs) == 1


def test_a_job_that_never_arrived(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    submitted(path)
    as_if_killed_while_sending(path)
    service.jobs.clear()
    with pytest.raises(
        BackendError, match="never reached the service, so nothing was charged: submit it again"
    ):
        resume(path)
    done = resume(path, resubmit=refit(path), sleep=no_sleep)
    assert done.shots is not None
    assert len(service.jobs) == 1
    as_if_killed_while_sending(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"results": None}))
    service.jobs.clear()
    fitting = refit(path)
    del service.devices["ibm_manila"]
    with pytest.raises(BackendError, match="never reached the service, and its device is gone"):
        refit(path)
    with pytest.raises(BackendError, match="never reached the service, and its device is gone"):
        resume(path, resubmit=fitting)


def test_the_file_knows_the_job_before_it_is_sent(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    seen: list[JobState] = []

    def look(method: str, request: str) -> None:
        if (method, request) == ("POST", "/api/v1/jobs"):
            seen.append(job_store.load(path).state)

    service.faults.append(look)
    submitted(path)
    assert seen == [JobState.SUBMITTING]


def test_a_lost_answer_is_not_a_second_job(service: Service) -> None:
    """The job arrived and the answer did not: the retry finds the job by its tag."""
    dropped: list[str] = []

    def drop(method: str, path: str) -> Answer | None:
        if (method, path) == ("POST", "/api/v1/jobs") and not dropped:
            dropped.append(path)
            service.faults.clear()
            # Let the cloud have it, and lose the answer.
            raise _AfterDelivery
        return None

    class _AfterDelivery(requests.exceptions.ReadTimeout):
        pass

    original = service.answer

    def deliver(request: requests.PreparedRequest) -> Answer:
        try:
            return original(request)
        except _AfterDelivery:
            original(request)
            raise

    service.answer = deliver  # type: ignore[method-assign]
    service.faults.append(drop)
    shots = submitted(None).wait(sleep=no_sleep)
    assert dropped
    assert len(service.jobs) == 1
    assert len(shots) == 2


@pytest.mark.parametrize(
    ("status", "reason", "code", "state", "message"),
    [
        (
            "Failed",
            "Circuit too long",
            8000,
            JobState.FAILED,
            "the job failed on the service's side: .*8000; Circuit too",
        ),
        ("Cancelled", "", None, JobState.CANCELLED, "the job was cancelled: .*Job was cancelled"),
        (
            "Cancelled",
            "Ran too long",
            1305,
            JobState.FAILED,
            "ran into its time limit and was stopped: .*Ran too long",
        ),
    ],
)
def test_jobs_that_end_badly(
    service: Service,
    tmp_path: Path,
    status: str,
    reason: str,
    code: int | None,
    state: JobState,
    message: str,
) -> None:
    path = tmp_path / "a.job"
    handle = submitted(path)
    service.end("job0000", status, reason, code, result="Traceback: none")
    with pytest.raises(BackendError, match=message) as caught:
        handle.wait(sleep=no_sleep)
    assert "\n" not in str(caught.value)
    after = job_store.load(path)
    assert (after.state, after.reason, after.payload) == (state, str(caught.value), {})
    with pytest.raises(BackendError, match=f"the job {state}: "):
        resume(path)


def test_a_job_that_the_service_does_not_know(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    submitted(path)
    service.jobs.clear()
    with pytest.raises(
        BackendError, match=r"knows no such job \(.*job0000.*\): it belongs to another instance"
    ):
        resume(path)
    # The file is as it was.
    assert job_store.load(path).state is JobState.SUBMITTED


def test_a_job_of_another_instance(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    submitted(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"instance": OTHER_CRN}))
    with pytest.raises(BackendError, match="no access to the instance asked for while logging in"):
        resume(path)


def expired(method: str, path: str) -> Answer | None:
    return (401, {"error": {"message": "Unauthorized", "code": 1}}) if "/jobs" in path else None


def forbidden(method: str, path: str) -> Answer | None:
    return (403, {"error": {"message": "Forbidden", "code": 1}}) if "/jobs" in path else None


def busy(method: str, path: str) -> Answer | None:
    return (503, {"error": {"message": "Maintenance", "code": 1}}) if "/jobs" in path else None


def too_many(method: str, path: str) -> Answer | None:
    return 429, {"error": {"message": "slow down", "code": 1}}


def refused(method: str, path: str) -> Answer | None:
    return (400, {"error": {"message": "Too many qubits", "code": 1234}}) if "/jobs" in path else None


@pytest.mark.parametrize(
    ("fault", "submitting", "fetching"),
    [
        (
            expired,
            "does not accept the saved key while submitting",
            "does not accept the saved key while fetching",
        ),
        (forbidden, "no access to the instance asked for while submitting", "no access to the instance"),
        (
            busy,
            "cannot be reached while submitting the job: try again later",
            "cannot be reached while fetching job",
        ),
        # The client takes a lost connection for a bad key, and says so: the reason is what really happened.
        (
            lost,
            r"cannot be reached while submitting the job: .* \(timed out\)$",
            r"cannot be reached while logging in: .* \(timed out\)$",
        ),
        (
            refused,
            "refused while submitting the job: .*Too many qubits",
            "refused while fetching job job0000",
        ),
    ],
)
def test_troubles_on_the_way(
    service: Service,
    tmp_path: Path,
    fault: Callable[[str, str], Answer | None],
    submitting: str,
    fetching: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "a.job"
    backend = ibm_backend("ibm_manila")
    prepared = backend.prepare([pair()], 10, options=QUICK)
    backend.submit(prepared, seed=1, path=path)
    service.faults.append(fault)
    with pytest.raises(BackendError, match=submitting) as caught:
        backend.submit(prepared, seed=1, path=tmp_path / "b.job")
    assert "\n" not in str(caught.value)
    assert job_store.load(tmp_path / "b.job").state is JobState.SUBMITTING
    with pytest.raises(BackendError, match=fetching):
        resume(path)
    assert job_store.load(path).state is JobState.SUBMITTED
    service.faults.clear()
    assert resume(path, sleep=no_sleep).shots is not None
    assert capfd.readouterr() == ("", "")


def test_passing_troubles_pass(service: Service) -> None:
    """Time-outs, 429 and 503 are tried again, and the caller hears of every pause."""
    handle = submitted(None)
    troubles = iter([lost, busy, too_many])

    def trouble(method: str, path: str) -> Answer | None:
        current = next(troubles, None)
        return current(method, path) if current else None

    service.faults.append(trouble)
    news: list[Progress] = []
    assert len(handle.wait(news.append, sleep=no_sleep)) == 2
    retries = [item.detail for item in news if item.status == "retrying"]
    assert [detail.split(" while")[0] for detail in retries] == [
        f"attempt {number} of {errors.ATTEMPTS} failed" for number in (1, 2, 3)
    ]


def test_a_paid_plan_and_too_little_time_are_said_before(service: Service) -> None:
    service.instances = [{"crn": CRN, "name": "mine", "plan": "premium"}]
    service.usage = {"usage_consumed_seconds": 599, "usage_limit_seconds": 600}
    prepared = ibm_backend("ibm_manila").prepare([pair()], 1000, options=QUICK)
    assert prepared.cost.paid
    assert "instance mine has the plan premium: its quantum time costs money" in prepared.warnings
    assert "the job needs about 2 quantum seconds and 1 are left" in prepared.warnings


def test_cancelling(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "a.job"
    service.first_statuses = ["Queued"] * 5
    submitted(path).cancel()
    assert service.jobs["job0000"]["state"]["status"] == "Cancelled"
    assert job_store.load(path).state is JobState.CANCELLED


def test_a_result_of_another_shape(service: Service) -> None:
    handle = submitted(None)
    one = submitted(None)
    backend = ibm_backend("ibm_manila")
    backend.submit(backend.prepare([asymmetric()[0]], 50, options=QUICK), seed=1).wait(sleep=no_sleep)
    one.wait(sleep=no_sleep)
    service.statuses["job0000"] = []
    service.jobs["job0000"] |= {"state": {"status": "Completed"}, "result": service.jobs["job0002"]["result"]}
    with pytest.raises(BackendError, match="job job0000 has a result of an unexpected shape"):
        handle.wait(sleep=no_sleep)


def test_a_job_that_never_arrived_is_compiled_again_if_the_device_has_changed(
    service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "a.job"
    service.devices["ibm_any"], service.queues["ibm_any"] = "fake_torino", 0
    backend = ibm_backend("ibm_any")
    backend.write_down(backend.prepare([pair()], 50, options=QUICK), seed=1, path=path)
    assert refit(path).warnings == ()
    before = job_store.load(path)
    assert before.circuits[0].circuit.count_ops()["cz"] == 1
    # Since then the device has other gates, other qubits and another map.
    service.devices["ibm_any"] = "fake_sherbrooke"
    prepared = refit(path)
    assert prepared.warnings == (
        "the circuits were compiled again, because by now the circuit has 133 qubits and ibm_any has 127",
    )
    assert (prepared.cost.queue, prepared.cost.status, prepared.cost.seconds_left) == (0, "active", 540)
    done = resume(path, resubmit=prepared, sleep=no_sleep)
    assert done.shots is not None
    assert (done.shots[0].mark[:, 0] != done.shots[0].mark[:, 1]).all()
    assert "ecr" in done.job.circuits[0].circuit.count_ops()
    assert (done.job.tag, done.job.seed, len(service.jobs)) == (before.tag, before.seed, 1)
    assert {gate["name"] for gate in (done.job.calibration or {})["gates"]} >= {"ecr", "measure"}


def test_a_circuit_for_another_device_is_never_posted(service: Service, tmp_path: Path) -> None:
    service.devices["ibm_any"], service.queues["ibm_any"] = "fake_torino", 0
    backend = ibm_backend("ibm_any")
    job = backend.write_down(backend.prepare([pair()], 50, options=QUICK), seed=1)
    service.devices["ibm_any"] = "fake_sherbrooke"
    with pytest.raises(BackendUsageError, match="the circuit has 133 qubits and ibm_any has 127"):
        ibm_backend("ibm_any").send(job)
    assert not service.jobs


@pytest.mark.parametrize(
    ("condition", "obstacle"),
    [
        ((False, "maintenance"), "ibm_manila runs no jobs at present (maintenance)"),
        ((True, "paused"), "ibm_manila runs no jobs at present (paused)"),
        ((True, "internal"), "ibm_manila runs no jobs at present (internal)"),
        ((False, ""), "ibm_manila runs no jobs at present (out of operation)"),
    ],
)
def test_a_device_that_runs_nothing_is_an_obstacle(
    service: Service, condition: tuple[bool, str], obstacle: str
) -> None:
    backend = ibm_backend("ibm_manila")
    assert backend.prepare([pair()], 50, options=QUICK).obstacles == ()
    service.conditions["ibm_manila"] = condition
    assert backend.prepare([pair()], 50, options=QUICK).obstacles == (obstacle,)
    service.usage["usage_consumed_seconds"] = 600
    both = backend.prepare([pair()], 50, options=QUICK).obstacles
    assert both == (obstacle, "instance mine has no quantum time left")


def test_the_limit_is_a_multiple_of_the_estimate(service: Service) -> None:
    backend = ibm_backend("ibm_manila")
    prepared = backend.prepare([pair()] * 20, 8000, options=QUICK)
    assert prepared.options.max_seconds == math.ceil(5 * prepared.cost.quantum_seconds) > 30
    own = backend.prepare([pair()], 50, options=JobOptions(seeds=1, max_seconds=7))
    assert own.options.max_seconds == 7
