"""The packages use nothing that Windows or macOS lacks, unless a guard keeps these systems from it."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.portability import SYSTEMS, is_for_posix, is_lacking, unguarded

ROOT = Path(__file__).parents[1]
FILES = [file for package in ("qttt", "circuits") for file in sorted((ROOT / package).rglob("*.py"))]


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_that_a_system_lacks_is_used_without_a_guard(system: str) -> None:
    assert len(FILES) > 100
    assert {str(file): found for file in FILES if (found := unguarded(file.read_text("utf-8"), system))} == {}


FOUND = {
    "import os\ndef f(): return os.fork()": "os.fork",
    "import os as system\nsystem.geteuid()": "os.geteuid",
    "from os import O_NOFOLLOW": "os.O_NOFOLLOW",
    "import fcntl": "fcntl",
    "import resource": "resource",
    "import pty": "pty",
    "from termios import tcgetattr": "termios.tcgetattr",
    "import signal\nsignal.signal(signal.SIGHUP, None)": "signal.SIGHUP",
    "import signal\ngetattr(signal, 'SIGKILL')": "signal.SIGKILL",
    "import signal\nif x:\n    signal.alarm(1)": "signal.alarm",
    "import os\ndef f(): os.sysconf('SC_PAGE_SIZE')": "os.sysconf",
    "from pathlib import Path\nPath('/proc/meminfo').read_text()": "/proc/meminfo",
    "import multiprocessing\nmultiprocessing.get_context('fork')": "start method fork",
    # Guards that are none.
    "import sys\nif sys.platform != 'win32':\n    import fcntl\nfcntl.flock(0, 0)": "fcntl.flock",
    "import os, sys\nif sys.platform == 'win32':\n    os.fork()": "os.fork",
    "import os\nif hasattr(os, 'fork') or x:\n    os.fork()": "os.fork",
    "import os, sys\nif sys.platform == 'linux' or x:\n    os.fork()": "os.fork",
    "import os\ntry:\n    os.fork()\nexcept OSError:\n    pass": "os.fork",
    "import os\ntry:\n    def f(): os.fork()\nexcept AttributeError:\n    pass": "os.fork",
    "try:\n    open('/proc/stat')\nexcept AttributeError:\n    pass": "/proc/stat",
    "import os, sys\nif sys.platform == 'win32':\n    x = 1\nos.fork()": "os.fork",
}


@pytest.mark.parametrize(("source", "what"), FOUND.items())
def test_what_windows_lacks_is_found(source: str, what: str) -> None:
    assert [use.what for use in unguarded(source)] == [what]


GUARDED = """
import os, sys, signal, contextlib, pytest
from contextlib import suppress
if sys.platform != "win32":
    import fcntl
    def a(): fcntl.flock(0, fcntl.LOCK_EX)
try:
    import termios
except ImportError:
    pass
def b():
    if sys.platform == "win32":
        return True
    return os.fork()
def c(): return os.getuid() if hasattr(os, "getuid") else 0
def d(): return os.name == "posix" and os.geteuid() == 0
def e(): return os.name == "nt" or os.geteuid() == 0
def f():
    with suppress(OSError):
        open("/proc/meminfo")
def g():
    try:
        return os.sysconf("SC_PAGE_SIZE")
    except (ValueError, AttributeError):
        return None
def h():
    assert sys.platform != "win32"
    os.fork()
def i(): return getattr(signal, "SIGHUP", None), signal.SIGTERM, os.devnull, os.kill
@pytest.mark.skipif(not hasattr(os, "fork"), reason="")
def j(): os.fork()
"""


def test_guards_are_seen() -> None:
    assert unguarded(GUARDED) == []


@pytest.mark.parametrize(
    ("guard", "other"),
    [
        ('if sys.platform != "win32":', "if True:"),
        ('    if sys.platform == "win32":', '    if sys.platform == "darwin":'),
        ("except ImportError:", "except ValueError:"),
        ('hasattr(os, "getuid")', 'hasattr(os, "getppid")'),
        ('os.name == "posix" and', 'os.name == "posix" or'),
        ("suppress(OSError)", "suppress(KeyError)"),
        ("(ValueError, AttributeError)", "(ValueError, TypeError)"),
        ("assert sys.platform", "assert sys.version"),
        ("skipif(not hasattr", "skipif(hasattr"),
    ],
)
def test_each_guard_is_needed(guard: str, other: str) -> None:
    assert guard in GUARDED
    assert unguarded(GUARDED.replace(guard, other, 1))


def test_macos_lacks_other_things() -> None:
    source = "import os\nos.fork()\nos.sched_getaffinity(0)"
    assert [use.what for use in unguarded(source, "darwin")] == ["os.sched_getaffinity"]
    assert unguarded(source, "linux") == []
    assert [name for name in ("os", "json", "msvcrt", "pty") if is_lacking("linux", name)] == ["msvcrt"]


def test_test_files_for_posix_are_known_by_their_helpers(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for name, source in {
        "helper": "import pty",
        "direct": "import os\nos.fork()",
        "by_helper": "from tests.helper import run",
        "by_module": "from tests import helper",
        "free": "import os\nfrom tests import neither",
    }.items():
        (tmp_path / "tests" / f"{name}.py").write_text(dedent(source))
    found = {file.stem for file in (tmp_path / "tests").iterdir() if is_for_posix(file, tmp_path)}
    assert found == {"helper", "direct", "by_helper", "by_module"}
