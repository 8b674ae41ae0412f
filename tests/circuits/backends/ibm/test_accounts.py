"""Accounts: saved through IBM's client, never shown, and every trouble with one line and its next step."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from circuits.backends.ibm.accounts import AccountState, account_state, connect, save_account, try_account
from circuits.backends.ibm.errors import scrub
from circuits.backends.progress import Progress
from circuits.errors import BackendError, BackendUsageError
from tests.support.ibm_service import CRN, OTHER_CRN, TOKEN, Service, install

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
    assert account_file(tmp_path).parent.stat().st_mode & 0o777 == 0o700
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


@pytest.mark.parametrize(
    ("token", "what"),
    [
        ("", "is empty"),
        (" ", "has white space"),
        ("two words", "has white space"),
        ("secret-key\n", "has white space"),
        ("k" * 7, "is too short"),
        ("k" * 257, "is too long"),
        ("k" * 10_000, "is too long"),
        *((f"secret{char}key", "has other characters") for char in "\0\x1b\x7f\x80é\u202e\ufeff\ud800"),
    ],
)
def test_a_key_is_one_printable_word(service: Service, tmp_path: Path, token: str, what: str) -> None:
    for refuses in (save_account, try_account):
        with pytest.raises(BackendUsageError, match=rf"an API key is one word .* given {what}") as caught:
            refuses(token)
        assert "secret" not in str(caught.value)
    assert not account_file(tmp_path).exists()
    assert not service.asked


@pytest.mark.parametrize("token", ["k" * 8, "k" * 256, "!secret~key"])
def test_keys_at_the_edges_of_the_rule(service: Service, token: str) -> None:
    service.keys.add(token)
    assert try_account(token).instance == "mine"
    save_account(token)
    assert connect().active_instance() == CRN


def test_trying_a_key_leaves_nothing_on_disk(service: Service, tmp_path: Path) -> None:
    service.instances.append({"crn": OTHER_CRN, "name": "paid", "plan": "premium"})
    state = try_account(TOKEN, "mine")
    assert state == AccountState("ibm_quantum_platform", "mine", CRN, "open", False, 540)
    paid = try_account(TOKEN, "paid")
    assert (paid.instance, paid.paid) == ("paid", True)
    assert not list(tmp_path.iterdir())


def test_the_key_given_is_tried_whatever_the_environment_has(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QISKIT_IBM_TOKEN", TOKEN)
    with pytest.raises(BackendError, match="does not accept this key while logging in"):
        try_account("wrong-key-987654321")
    monkeypatch.setenv("QISKIT_IBM_CHANNEL", "ibm_quantum")
    with pytest.raises(BackendError, match="channel ibm_quantum that QISKIT_IBM_CHANNEL asks for"):
        try_account(TOKEN)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": 1}', b"\xff\xfe{", b"[" * 100_000])
def test_a_damaged_account_file_stays_as_it_was(service: Service, tmp_path: Path, content: bytes) -> None:
    account_file(tmp_path).parent.mkdir()
    account_file(tmp_path).write_bytes(content)
    with pytest.raises(BackendError, match=r"account file .* is damaged"):
        save_account(TOKEN)
    assert account_file(tmp_path).read_bytes() == content
    assert os.listdir(account_file(tmp_path).parent) == ["qiskit-ibm.json"]


def test_other_accounts_stay_and_a_link_stays_a_link(service: Service, tmp_path: Path) -> None:
    other = {"channel": "ibm_cloud", "token": "other-key-000000", "is_default_account": True}
    (tmp_path / "kept.json").write_text(json.dumps({"work": other}))
    account_file(tmp_path).parent.mkdir()
    account_file(tmp_path).symlink_to(tmp_path / "kept.json")
    save_account(TOKEN)
    assert account_file(tmp_path).is_symlink()
    saved = json.loads((tmp_path / "kept.json").read_text())
    assert saved.pop("work") == {"channel": "ibm_cloud", "token": "other-key-000000"}
    assert [account["token"] for account in saved.values()] == [TOKEN]


# What follows each of these is run in a process of its own, with the umask 0, which hides no file.
_PROCESS = """
import json, os, signal, stat, sys
from pathlib import Path
from circuits.backends.ibm.accounts import save_account

os.umask(0)
OLD, NEW = "old-key-0123456789", "new-key-0123456789"
home = Path.home()
file = home / ".qiskit" / "qiskit-ibm.json"
"""

_WATCH = """
open_to_others, leaks, seen = set(), [], set()

def look(*_):
    # A file that could be opened once stays open to whoever did so: what counts is the inode.
    for path in home.rglob("*"):
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode):
            seen.add(path.name)
            if found.st_mode & 0o077:
                open_to_others.add(found.st_ino)
            if found.st_ino in open_to_others and NEW in path.read_text():
                leaks.append(path.name)

def watched(*_):
    # Before and after every call, of Python's functions and of those in C.
    sys.setprofile(None)
    look()
    sys.setprofile(watched)

if sys.argv[1] == "old":
    file.parent.mkdir(0o777)
    save_account(OLD)
    file.chmod(0o644)
sys.setprofile(watched)
save_account(NEW)
sys.setprofile(None)
look()
assert NEW in file.read_text() and not file.stat().st_mode & 0o077
print(json.dumps({"leaks": leaks, "seen": len(seen)}))
"""

_KILLED = """
save_account(OLD)
text = file.read_text()
moments = 0
while True:
    if (child := os.fork()) == 0:
        count = 0

        def killed(event, _arguments):
            global count
            if event == "open" or (event.startswith("os.") and event != "os.kill"):
                count += 1
                if count > moments:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(killed)
        save_account(NEW)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        break
    (account,) = json.loads(file.read_text()).values()
    assert account["token"] in (OLD, NEW)
    assert account["token"] == NEW or file.read_text() == text
    save_account(OLD)
    moments += 1
save_account(NEW)
print(json.dumps({"moments": moments, "left": os.listdir(file.parent)}))
"""


def in_a_process(program: str, home: Path, *words: str) -> Any:
    environment = {**os.environ, "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", _PROCESS + program, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of Unix")
@pytest.mark.parametrize("before", ["nothing", "old"])
def test_nobody_else_can_read_the_key_at_any_moment(tmp_path: Path, before: str) -> None:
    found = in_a_process(_WATCH, tmp_path, before)
    assert found["leaks"] == []
    # Where a file is written beside the old one, that was seen too.
    assert found["seen"] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_kill_at_any_moment_leaves_the_old_account_or_the_new(tmp_path: Path) -> None:
    found = in_a_process(_KILLED, tmp_path)
    assert found["moments"] >= 5
    assert found["left"] == ["qiskit-ibm.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_logins_at_once_leave_one_whole_account(tmp_path: Path) -> None:
    program = """
def reads():
    (account,) = json.loads(file.read_text()).values()
    return account["token"]

save_account(OLD)
children = []
for number in range(4):
    if (child := os.fork()) == 0:
        for _ in range(25):
            save_account(f"key-of-process-{number}")
            assert reads() == OLD or reads().startswith("key-of-process-")
        os._exit(0)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
print(json.dumps([reads(), os.listdir(file.parent)]))
"""
    token, left = in_a_process(program, tmp_path)
    assert token.startswith("key-of-process-")
    assert left == ["qiskit-ibm.json"]


@pytest.mark.parametrize(
    ("plan", "left", "paid", "warning"),
    [
        ("open", 540, False, None),
        ("open", 0, False, None),
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
