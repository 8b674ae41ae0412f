"""``qttt login``: the key is read unseen, saved through IBM's client, tried, and written nowhere else."""

import json
from pathlib import Path

import pytest

from tests.circuits.ibm_service import TOKEN, Service, install
from tests.qttt.cli_runs import refusal, run, run_json

pytestmark = pytest.mark.ibm


@pytest.fixture(autouse=True)
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    monkeypatch.chdir(tmp_path)
    return install(monkeypatch, tmp_path)


def saved(home: Path) -> str:
    (account,) = json.loads((home / ".qiskit" / "qiskit-ibm.json").read_text()).values()
    return str(account["token"])


def test_a_key_from_a_pipe(tmp_path: Path) -> None:
    found = run_json("login", "--offline", stdin=f"{TOKEN}\n")
    assert found == {"saved": True, "instance": None, "plan": None, "paid": None}
    assert saved(tmp_path) == TOKEN


def test_a_key_typed_unseen_and_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def unseen(prompt: str, stream: object) -> str:
        asked.append(prompt)
        return TOKEN

    monkeypatch.setattr("getpass.getpass", unseen)
    done = run("login", "--instance", "mine", terminal=True)
    assert done.status == 0
    assert asked == ["API key: "]
    assert "It works: jobs go to instance mine, plan open; its quantum time is free." in done.out
    assert saved(tmp_path) == TOKEN
    assert TOKEN not in done.out + done.err
    # IBM's account file is the only place that has it.
    with_key = [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN in path.read_text()]
    assert [path.name for path in with_key] == ["qiskit-ibm.json"]


def test_a_key_that_is_not_accepted(service: Service) -> None:
    service.keys.clear()
    done = run("login", stdin=f"{TOKEN}\n")
    assert done.status == 3
    assert "does not accept the saved key" in done.err
    assert "qttt login" in done.err
    assert TOKEN not in done.out + done.err


def test_no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "an API key is one word" in refusal("login")

    def interrupted(prompt: str, stream: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("getpass.getpass", interrupted)
    done = run("login", terminal=True)
    assert done.status == 130
    assert "nothing was saved" in done.err
    assert not (tmp_path / ".qiskit").exists()


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.commands.login.find_spec", lambda name: None)
    assert "install the extra 'ibm'" in refusal("login")


def test_without_an_account_the_next_step_is_said() -> None:
    done = run("observe", "1 2 3 4 5 6 7 8 9", "--level", "0", "--backend", "ibm")
    assert done.status == 3
    assert "run `qttt login` first" in done.err
