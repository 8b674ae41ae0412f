"""Accounts: saved through IBM's client, never shown, and every trouble with one line and its next step."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from circuits.backends.ibm_accounts import AccountState, account_state, connect, save_account
from circuits.backends.ibm_errors import scrub
from circuits.backends.progress import Progress
from circuits.errors import BackendError, BackendUsageError
from tests.circuits.ibm_service import CRN, OTHER_CRN, TOKEN, Service, install

pytestmark = pytest.mark.ibm


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    return install(monkeypatch, tmp_path)


def account_file(home: Path) -> Path:
    return home / ".qiskit" / "qiskit-ibm.json"


def test_saving_and_logging_in(service: Service, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    save_account(TOKEN, "mine")
    saved = json.loads(account_file(tmp_path).read_text())
    (account,) = saved.values()
    assert (account["token"], account["instance"], account["is_default_account"]) == (TOKEN, "mine", True)
    assert account_file(tmp_path).stat().st_mode & 0o777 == 0o600
    state = account_state(connect())
    assert state == AccountState("ibm_quantum_platform", "mine", CRN, "open", False, 540)
    assert state.warning is None
    assert capfd.readouterr() == ("", "")


def test_a_second_login_takes_the_place_of_the_first(service: Service, tmp_path: Path) -> None:
    save_account("another-key-000000")
    account_file(tmp_path).chmod(0o644)
    save_account(TOKEN)
    (account,) = json.loads(account_file(tmp_path).read_text()).values()
    assert account["token"] == TOKEN
    assert account_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert connect().active_instance() == CRN


@pytest.mark.parametrize("token", ["", " ", "two words", "line\n"])
def test_a_key_is_one_word(service: Service, tmp_path: Path, token: str) -> None:
    with pytest.raises(BackendUsageError, match="an API key is one word"):
        save_account(token)
    assert not account_file(tmp_path).exists()


@pytest.mark.parametrize(
    ("plan", "left", "paid", "warning"),
    [
        ("open", 540, False, None),
        ("open", 0, False, "has no quantum time left"),
        ("premium", 540, True, "plan premium: its quantum time costs money"),
    ],
)
def test_what_a_job_would_be_charged_to(
    service: Service, plan: str, left: int, paid: bool, warning: str | None
) -> None:
    service.instances = [{"crn": CRN, "name": "mine", "plan": plan}]
    service.usage = {"usage_consumed_seconds": 600 - left, "usage_limit_seconds": 600}
    save_account(TOKEN, "mine")
    state = account_state(connect())
    assert (state.plan, state.paid, state.seconds_left) == (plan, paid, left)
    assert (state.warning is None) if warning is None else (warning in (state.warning or ""))


def test_a_plan_that_the_catalogue_does_not_know(service: Service) -> None:
    service.faults.append(
        lambda _method, path: (403, {"errors": []}) if path.endswith("/api/v1/open") else None
    )
    save_account(TOKEN, "mine")
    state = account_state(connect())
    assert (state.plan, state.paid) == ("unknown", None)
    assert state.warning == "the plan of instance mine is unknown: its quantum time may cost money"


def no_account(_home: Path) -> None:
    pass


def dead_channel(home: Path) -> None:
    account_file(home).parent.mkdir()
    account_file(home).write_text(
        json.dumps({"default-ibm-quantum": {"channel": "ibm_quantum", "token": TOKEN}})
    )


def default_dead_channel(home: Path) -> None:
    save_account(TOKEN)
    saved = json.loads(account_file(home).read_text())
    next(iter(saved.values())).pop("is_default_account")
    saved["old"] = {"channel": "ibm_quantum", "token": TOKEN, "is_default_account": True}
    account_file(home).write_text(json.dumps(saved))


def damaged(home: Path) -> None:
    account_file(home).parent.mkdir()
    account_file(home).write_text("{")


def unknown_key(_home: Path) -> None:
    save_account("wrong-key-987654321")


def unknown_name(_home: Path) -> None:
    save_account(TOKEN, "theirs")


def unknown_crn(_home: Path) -> None:
    save_account(TOKEN, OTHER_CRN)


def no_crn(_home: Path) -> None:
    save_account(TOKEN, "crn:mine")


def cut_crn(_home: Path) -> None:
    save_account(TOKEN, CRN[:30])


@pytest.mark.parametrize(
    ("arrange", "message"),
    [
        (no_crn, r"no access to the instance .* \(a whole CRN begins with crn:v1: and has nine colons\)$"),
        (cut_crn, "a whole CRN begins with crn:v1:"),
        (no_account, "no IBM Quantum account is saved on this computer: run `qttt login` first"),
        (
            dead_channel,
            "channel ibm_quantum no longer exists: make a key on the present IBM Quantum Platform",
        ),
        (default_dead_channel, "names a channel that no longer exists: run `qttt login` again"),
        (damaged, "account file .* is damaged: move it away and log in again"),
        (unknown_key, "does not accept the saved key while logging in: it is expired, revoked or mistyped"),
        (unknown_name, r"no access to the instance asked for .* \(theirs\) is not a valid instance name"),
        (
            unknown_crn,
            "no access to the instance asked for while logging in: run `qttt login` with one of its own",
        ),
    ],
)
def test_troubles_at_login(
    service: Service,
    tmp_path: Path,
    arrange: Callable[[Path], None],
    message: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    arrange(tmp_path)
    with pytest.raises(BackendError, match=message) as caught:
        connect()
    assert "\n" not in str(caught.value)
    for secret in (TOKEN, "wrong-key-987654321"):
        assert secret not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_dead_channel_in_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    save_account(TOKEN)
    monkeypatch.setenv("QISKIT_IBM_CHANNEL", "ibm_quantum")
    with pytest.raises(BackendError, match="channel ibm_quantum no longer exists"):
        connect()


def test_no_network_at_login_is_not_a_wrong_key(service: Service) -> None:
    def unplugged(_method: str, path: str) -> None:
        raise requests.exceptions.ConnectionError("no route to host")

    save_account(TOKEN, "mine")
    service.faults.append(unplugged)
    news: list[Progress] = []
    with pytest.raises(BackendError, match="cannot be reached while logging in: try again later"):
        connect(notify=news.append)
    assert sum(item.status == "retrying" for item in news) == 4


def test_no_text_that_leaves_has_a_key_in_it(service: Service) -> None:
    """Whatever the service or the client puts into an error, the key is cut out."""
    save_account(TOKEN, "mine")
    service.faults.append(
        lambda _method, path: (
            (400, {"error": {"message": f"bad header Authorization: apikey {TOKEN}", "code": 1}})
            if path.endswith("/backends")
            else None
        )
    )
    news: list[Progress] = []
    connection = connect(notify=news.append)
    service.faults.append(lambda _method, _path: (418, {"error": {"message": f"I got {TOKEN}", "code": 1}}))
    with pytest.raises(
        BackendError, match=r"refused while asking for the time used: .*I got \*\*\*"
    ) as caught:
        account_state(connection)
    assert TOKEN not in str(caught.value) + repr(caught.value) + str(news)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert scrub("Bearer abcdefghijklmnop and token=xyz0123456789") == "Bearer *** and token=***"
