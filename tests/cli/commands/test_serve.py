"""``qttt serve``: what it says; what it does is in tests/web/test_server.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from qttt.web.server import allowed_hosts, own_address
from tests.support.cli_runs import refusal
from tests.support.server import Served

ROOT = Path(__file__).parents[3]


def test_no_other_command_loads_the_server() -> None:
    code = (
        "import sys; from qttt.cli.main import main; main(['odds', '5 5*6']); main(['--help']); "
        "print([name for name in sys.modules if name.split('.')[0] in "
        "('starlette', 'uvicorn', 'websockets', 'segno', 'sqlite3') or name.startswith('qttt.web')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_the_server_itself_needs_neither_numpy_nor_qiskit() -> None:
    code = (
        "import sys, qttt.web.server\n"
        "print([name for name in ('numpy', 'qiskit', 'matplotlib') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ended.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--port", "65536"), "from 0 to 65535"),
        (("--port", "-1"), "--port"),
        (("--port", "x"), "from 0 to 65535"),
        (("--host", ""), "--host '': there is no such host"),
        (("--host", "a" * 300), "there is no such host"),
        (("5 5",), "column 3"),
    ],
)
def test_wrong_words_are_refused(
    words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QTTT_DATA_DIR", str(tmp_path))
    assert why in refusal("serve", "--no-open", *words)


def test_the_names_that_it_answers_to() -> None:
    assert allowed_hosts("127.0.0.1", 8000) == {"127.0.0.1:8000", "localhost:8000", "[::1]:8000"}
    assert {"localhost", "localhost:80"} <= allowed_hosts("127.0.0.1", 80)
    everywhere = allowed_hosts("0.0.0.0", 8000)
    assert f"{own_address()}:8000" in everywhere and "evil.example:8000" not in everywhere


@pytest.mark.slow
def test_who_opens_it_to_the_network_is_told(tmp_path: Path) -> None:
    with Served(tmp_path, "--host", "0.0.0.0") as served:
        assert served.host != "0.0.0.0"
        with served.page() as page:
            assert page.new(1)["n"] == 0
        assert "Everybody in this network can reach it" in " ".join(served.log().split())
