"""``qttt login``: the key is read unseen, tried, saved through IBM's client, and written nowhere else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from tests.support.cli_runs import refusal, run, run_json
from tests.support.ibm_service import TOKEN, Answer, Service, install

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


OLD = "an-older-key-000000"


@pytest.fixture
def older(service: Service, tmp_path: Path) -> str:
    """An account that works, saved before."""
    service.keys.add(OLD)
    assert run("login", "--instance", "mine", stdin=f"{OLD}\n").status == 0
    return (tmp_path / ".qiskit" / "qiskit-ibm.json").read_text()


def unplugged(_method: str, _path: str) -> None:
    raise requests.exceptions.ConnectionError("no route to host")


def test_a_key_that_works_takes_the_place_of_the_older(older: str, tmp_path: Path) -> None:
    found = run_json("login", stdin=f"{TOKEN}\n")
    assert found == {"saved": True, "instance": "mine", "plan": "open", "paid": False}
    assert saved(tmp_path) == TOKEN


@pytest.mark.parametrize(
    ("words", "fault", "message"),
    [
        ((), None, "does not accept this key while logging in"),
        (("--instance", "theirs"), None, "no access to the instance asked for"),
        ((), lambda _method, _path: (503, {"errors": []}), "cannot be reached while logging in"),
        ((), unplugged, "the key is untried and was not saved: qttt login --offline saves it"),
        # The key is accepted, but nobody says what it costs.
        ((), lambda _method, path: (500, {}) if path.endswith("/usage") else None, "key is untried"),
    ],
)
def test_what_does_not_work_is_not_saved(
    service: Service,
    older: str,
    tmp_path: Path,
    words: tuple[str, ...],
    fault: Callable[[str, str], Answer | None] | None,
    message: str,
) -> None:
    if fault is not None:
        service.faults.append(fault)
    if fault is not None or words:
        service.keys.add(TOKEN)
    else:
        service.keys.remove(TOKEN)
    done = run("login", *words, stdin=f"{TOKEN}\n")
    assert (done.status, done.out) == (3, "")
    assert message in done.err
    assert "not saved" in done.err or "nothing was saved" in done.err
    assert TOKEN not in done.err
    assert (tmp_path / ".qiskit" / "qiskit-ibm.json").read_text() == older


def test_without_a_network_a_key_is_saved_on_demand_and_called_untried(
    service: Service, older: str, tmp_path: Path
) -> None:
    service.faults.append(unplugged)
    done = run("login", "--offline", stdin=f"{TOKEN}\n")
    assert done.status == 0
    assert "saved untried" in done.out
    assert "works" not in done.out
    assert saved(tmp_path) == TOKEN


def test_an_interrupt_while_the_key_is_tried_saves_nothing(
    service: Service, older: str, tmp_path: Path
) -> None:
    def interrupted(_method: str, _path: str) -> None:
        raise KeyboardInterrupt

    service.faults.append(interrupted)
    done = run("login", stdin=f"{TOKEN}\n")
    assert (done.status, done.err.splitlines()[-1]) == (130, "qttt: error: interrupted")
    assert (tmp_path / ".qiskit" / "qiskit-ibm.json").read_text() == older


@pytest.mark.parametrize(
    "line",
    [
        "\0" * 12,
        f"{TOKEN}\x1b[A",
        "k" * 3_000_000,
        TOKEN + " " * 20_000 + "k" * 20,
        f"{TOKEN} {TOKEN}",
        "{\n",
    ],
)
def test_what_is_no_key_is_neither_saved_nor_tried(
    service: Service, older: str, tmp_path: Path, line: str
) -> None:
    asked = len(service.asked)
    for words in (("login",), ("login", "--offline")):
        message = refusal(*words, stdin=f"{line}\n")
        assert message.startswith("an API key is one word of 8 to 256 printable ASCII characters")
        assert TOKEN not in message
    assert (tmp_path / ".qiskit" / "qiskit-ibm.json").read_text() == older
    assert len(service.asked) == asked


@pytest.mark.parametrize(
    "words",
    [
        ("login", TOKEN),
        ("login", "--debug", TOKEN),
        ("--debug", "login", TOKEN),
        ("login", "--", TOKEN),
        ("login", "--token", TOKEN),
        ("login", f"--token={TOKEN}"),
        ("login", f"--json={TOKEN}"),
        ("login", "--instance", "mine", TOKEN, "--offline"),
        ("login", f"-{TOKEN}"),
        (f"login {TOKEN}",),
        (f"login={TOKEN}",),
        ("Login", TOKEN),
    ],
)
def test_a_key_on_the_command_line_is_not_repeated(
    words: tuple[str, ...], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    done = run(*words, stdin=f"{TOKEN}\n")
    assert (done.status, done.out) == (2, "")
    assert "A key typed on the command line is not taken" in done.err
    assert TOKEN not in done.err + "".join(capfd.readouterr())
    assert not (tmp_path / ".qiskit").exists()


def test_other_commands_still_say_what_was_typed() -> None:
    assert "unrecognized arguments: --levle" in refusal("odds", "5", "--levle")


def test_a_key_in_the_environment_is_mentioned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QISKIT_IBM_TOKEN", "another-key-000000")
    done = run("login", stdin=f"{TOKEN}\n")
    assert done.status == 0
    assert "As long as QISKIT_IBM_TOKEN is set, that key is used instead." in done.out
    assert saved(tmp_path) == TOKEN


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
    monkeypatch.setattr("qttt.cli.commands.login.find_spec", lambda name: None)
    assert "install the extra 'ibm'" in refusal("login")


def test_without_an_account_the_next_step_is_said() -> None:
    done = run("observe", "1 2 3 4 5 6 7 8 9", "--level", "0", "--backend", "ibm")
    assert done.status == 3
    assert "run `qttt login` first" in done.err
