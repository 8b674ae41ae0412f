"""Settings of our own for the thread that draws, and the user's for all others."""

import logging
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from matplotlib import rcParams
from qiskit.circuit import QuantumCircuit

from circuits.drawing import draw
from circuits.errors import DrawingError
from circuits.gates import EntanglingGate
from circuits.matplotlibrc import own_settings
from circuits.register import board_circuit
from tests.support.boards import place

FOREIGN: Any = {
    "text.usetex": True,
    "savefig.transparent": True,
    "savefig.bbox": "tight",
    "savefig.dpi": 44,
    "figure.constrained_layout.use": True,
    "font.family": ["serif"],
    "font.size": 30,
    "mathtext.fontset": "stix",
    "svg.fonttype": "none",
    "svg.hashsalt": None,
    "pdf.fonttype": 42,
    "text.hinting": "none",
    "lines.linewidth": 5,
    "patch.antialiased": False,
    "path.sketch": (1, 100, 2),
    "axes.facecolor": "red",
}
PICTURES = ("png", "svg", "pdf")


def pair() -> QuantumCircuit:
    """`5*6`, without its measurement."""
    circuit = board_circuit()
    place(circuit, EntanglingGate("O"), 5, 6)
    return circuit


def settings() -> dict[str, Any]:
    """Every setting, the backend unresolved."""
    return {key: rcParams._get(key) for key in rcParams}


def test_no_setting_reaches_a_picture_and_none_is_changed() -> None:
    ordinary = [draw(pair(), format) for format in PICTURES]
    with matplotlib.rc_context(FOREIGN):
        before = settings()
        assert [draw(pair(), format) for format in PICTURES] == ordinary
        assert settings() == before
        assert type(rcParams) is matplotlib.RcParams


def test_other_threads_keep_their_settings_while_one_draws() -> None:
    with matplotlib.rc_context({"font.size": 30}), ThreadPoolExecutor(1) as other, own_settings():
        assert rcParams["font.size"] == matplotlib.rcParamsDefault["font.size"]
        rcParams["font.size"] = 5
        assert other.submit(lambda: rcParams["font.size"]).result(60) == 30
        other.submit(lambda: rcParams.update({"font.size": 40, "text.usetex": True})).result(60)
        assert (rcParams["font.size"], rcParams["text.usetex"]) == (5, False)
        with own_settings():
            assert rcParams.copy()["font.size"] == 5
        assert rcParams["font.size"] == 5
        assert other.submit(lambda: rcParams.copy()["font.size"]).result(60) == 40
    assert rcParams["font.size"] == matplotlib.rcParamsDefault["font.size"]


def test_settings_that_change_while_threads_draw() -> None:
    """Several threads draw, and every picture is as it should be; what was set last holds afterwards."""
    ordinary = [draw(pair(), format) for format in PICTURES]
    done = threading.Event()

    def disturb() -> int:
        turns = 0
        while not done.wait(0.001):
            turns += 1
            rcParams.update(FOREIGN if turns % 2 else matplotlib.rcParamsDefault)
        rcParams["font.size"] = 31
        return turns

    with matplotlib.rc_context(), ThreadPoolExecutor(5) as pool:
        turns = pool.submit(disturb)
        try:
            drawn = list(pool.map(lambda format: draw(pair(), format), PICTURES * 2))
        finally:
            done.set()
        assert turns.result(60) > 1
        assert rcParams["font.size"] == 31
    assert drawn == ordinary * 2


def test_an_error_inside_ends_it() -> None:
    with matplotlib.rc_context({"font.size": 30}):
        with pytest.raises(ZeroDivisionError), own_settings():
            1 / 0  # noqa: B018
        assert rcParams["font.size"] == 30
        assert type(rcParams) is matplotlib.RcParams


def test_complaints_go_to_those_who_listen(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """And what Matplotlib says outside goes where it went before."""
    logger = logging.getLogger("matplotlib.font_manager")
    handlers = list(logging.getLogger("matplotlib").handlers)
    with own_settings():
        logger.warning("a folder is missing")
    assert caplog.messages == ["a folder is missing"]
    assert capfd.readouterr().err == ""
    assert logging.getLogger("matplotlib").handlers == handlers


def run_in(folder: Path, script: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a script in a folder, and in an environment with variables of the user."""
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(root), **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_backend_that_is_unknown_here_is_passed_over(tmp_path: Path) -> None:
    """One that exists stays the user's; the variable stays for whom we start. A home is not needed."""
    (tmp_path / "a file").touch()
    script = "\n".join(
        [
            "import os",
            "from circuits.matplotlibrc import own_settings",
            "with own_settings(): import matplotlib.font_manager",
            "print(os.environ['MPLBACKEND'], matplotlib.rcParams._get_backend_or_none())",
        ]
    )
    for backend, chosen in (("nonsense", "None"), ("module://not.here", "module://not.here")):
        done = run_in(tmp_path, script, MPLBACKEND=backend, HOME=str(tmp_path / "a file" / "home"))
        assert (done.stdout, done.stderr) == (f"{backend} {chosen}\n", "")


def test_a_settings_file_that_matplotlib_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_bytes(b"font.size: 3\xff\n")
    script = "from circuits.matplotlibrc import own_settings\nwith own_settings(): pass"
    done = run_in(tmp_path, script)
    assert done.stderr.splitlines()[-1] == (
        f"{DrawingError.__module__}.DrawingError: Matplotlib, which draws this picture, cannot start: "
        "Cannot decode configuration file 'matplotlibrc' as utf-8."
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_while_a_thread_draws_can_draw(tmp_path: Path) -> None:
    """It waits for the end of that picture, which nobody would end in the child."""
    script = "\n".join(
        [
            "import os, threading, time",
            "from circuits.matplotlibrc import own_settings",
            "inside = threading.Event()",
            "def drawing():",
            "    with own_settings():",
            "        inside.set()",
            "        time.sleep(0.3)",
            "threading.Thread(target=drawing).start()",
            "inside.wait()",
            "child = os.fork()",
            "import matplotlib",
            "with own_settings():",
            "    matplotlib.rcParams['font.size']",
            "if not child: os._exit(7)",
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("7\n", "")
