"""What `.ci` decides: lowest versions, versions printed, skips that are known."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci"
KNOWN = "the extra dask is not installed"
CLOSING = "=========== 12 passed, {skips} in 3.20s (0:00:03) ==========="


def judged(tmp_path: Path, *lines: str) -> tuple[int, str]:
    """What `.ci/skips.py` says of a log with these lines."""
    (tmp_path / "log").write_text("\n".join(["collected 12 items", *lines, "what make adds"]), "utf-8")
    done = subprocess.run(
        [sys.executable, str(CI / "skips.py"), str(tmp_path / "log")], capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "lines",
    [
        [f"SKIPPED [1] tests/a.py:3: {KNOWN}", CLOSING.format(skips="1 skipped, 1 warning")],
        [f"SKIPPED [2] tests/a.py:3: Skipped: {KNOWN}", CLOSING.format(skips="2 skipped")],
        [f"\x1b[33mSKIPPED\x1b[0m [1] tests/a.py:3: {KNOWN}", "\x1b[32m" + CLOSING.format(skips="1 skipped")],
        ["=========== 12 passed in 3.20s ==========="],
    ],
)
def test_known_skips_pass(tmp_path: Path, lines: list[str]) -> None:
    assert judged(tmp_path, *lines) == (0, "")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ["SKIPPED [3] tests/a.py:3: could not import 'numba'", CLOSING.format(skips="3 skipped")],
            "3 skipped at tests/a.py:3: could not import 'numba'",
        ),
        (
            [f"SKIPPED [1] tests/a.py:3: {KNOWN}, nor is this", CLOSING.format(skips="1 skipped")],
            f"1 skipped at tests/a.py:3: {KNOWN}, nor is this",
        ),
        (["XFAIL tests/a.py::test_b - some day", CLOSING.format(skips="1 xfailed")], "expected to fail"),
        ([CLOSING.format(skips="1 skipped")], "pytest counts 1 skips and gives a reason for 0"),
        ([], "pytest did not say how many tests ran"),
    ],
)
def test_other_skips_fail(tmp_path: Path, lines: list[str], said: str) -> None:
    status, printed = judged(tmp_path, *lines)
    assert (status, said in printed) == (1, True), printed


def test_a_real_run_is_understood(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        f"def test_known(): pytest.skip({KNOWN!r})\n"
        "def test_absent(): pytest.importorskip('no_such_module')\n"
        "@pytest.mark.skipif(True, reason='nobody knows')\n"
        "@pytest.mark.parametrize('x', [1, 2])\n"
        "def test_marked(x): pass\n"
        "def test_passes(): pass\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-ra"], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
    status, printed = judged(tmp_path, *ran.stdout.splitlines())
    assert status == 1
    assert printed.splitlines() == [
        "not in .ci/known_skips.txt: 1 skipped at test_it.py:3: could not import 'no_such_module': "
        "No module named 'no_such_module'",
        "not in .ci/known_skips.txt: 2 skipped at test_it.py:4: nobody knows",
    ]


def test_every_known_skip_stands_in_a_test() -> None:
    lines = (CI / "known_skips.txt").read_text("utf-8").splitlines()
    reasons = [reason for line in lines if (reason := line.partition("#")[0].strip())]
    tests = [
        file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py") if file.name != "test_ci.py"
    ]
    assert len(reasons) >= 3
    assert [reason for reason in reasons if not any(reason.rstrip("*") in text for text in tests)] == []


def test_the_lowest_versions_are_those_of_the_project_file() -> None:
    pins = subprocess.run(
        [sys.executable, CI / "lowest_versions.py"], capture_output=True, text=True, check=True
    )
    assert {"qiskit==2.3", "numpy==2.1.0", "numba==0.61.0"} <= set(pins.stdout.split())


def test_versions_are_printed() -> None:
    done = subprocess.run([sys.executable, CI / "versions.py"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names[0] == "python" and len(names) == len(set(names))
    assert {"qiskit", "qiskit-aer", "qiskit-ibm-runtime", "numpy", "pytest", "tiqtaqtoe"} <= set(names)
