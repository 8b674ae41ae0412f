"""Worker processes: none outlives its parent, however that ends, and none holds its output open."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qttt.errors import ServiceError
from qttt.workers import processes, usable_cores
from tests.support.processes import alive_in_group, left_in_group

ROOT = Path(__file__).parents[1]

# What a worker may be at when its parent dies: asleep, in numpy, or in C that lets no thread of Python run.
BUSY = {
    "asleep": "import time; time.sleep(600)",
    "in numpy": "import numpy; a = numpy.ones(10**7)\nwhile True: numpy.sort(a[::-1])",
    "in C": "while True: sum(range(10**7))",
}
PARENT = """
import sys, time
from qttt.cli.console.signals import signals_interrupt
from qttt.workers import processes
if __name__ == "__main__":
    with signals_interrupt(), processes(3) as executor:
        print(*[executor.submit(abs, -number).result() for number in (1, 2, 3)], flush=True)
        for _ in range(3):
            executor.submit(exec, sys.argv[1])
        time.sleep(600)
"""


def family(script: Path, busy: str) -> "subprocess.Popen[bytes]":
    """A parent in a group of its own, with three workers that are at something."""
    script.write_text(PARENT)
    begun = script.parent / "begun"
    begun.mkdir()
    # A worker that is still being started when its parent is killed says so, as Python's own module does.
    said = f"import os; open({str(begun)!r} + f'/{{os.getpid()}}', 'x').close(); "
    parent = subprocess.Popen(
        [sys.executable, str(script), said + BUSY[busy]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"1 2 3\n"
    deadline = time.monotonic() + 60
    while len(list(begun.iterdir())) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    return parent


@pytest.mark.parametrize(
    ("busy", "number"),
    [
        ("asleep", "SIGKILL"),
        ("in numpy", "SIGTERM"),
        *(
            pytest.param(busy, number, marks=pytest.mark.slow)
            for busy, number in [("in numpy", "SIGKILL"), ("in C", "SIGKILL"), ("asleep", "SIGHUP")]
        ),
    ],
)
def test_workers_end_with_their_parent(busy: str, number: str, tmp_path: Path) -> None:
    parent = family(tmp_path / "parent.py", busy)
    try:
        began = time.monotonic()
        parent.send_signal(getattr(signal, number))
        # Whoever reads the parent's output comes to its end, since nobody else holds it open.
        _, complaint = parent.communicate(timeout=30)
        assert left_in_group(parent.pid) == []
        assert time.monotonic() - began < 15
        # The workers say nothing: what there is to say is the parent's interrupt.
        assert complaint.count(b"Traceback") == (number != "SIGKILL"), complaint
    finally:
        for process in alive_in_group(parent.pid):
            os.kill(process, signal.SIGKILL)


def test_workers_have_neither_input_nor_output_of_their_parent() -> None:
    with processes(2) as executor:
        assert executor is not None
        for stream in (0, 1):
            assert os.path.samestat(executor.submit(os.fstat, stream).result(60), os.stat(os.devnull))
        assert executor.submit(signal.getsignal, signal.SIGINT).result(60) is signal.SIG_IGN
        assert executor.submit(signal.getsignal, signal.SIGTERM).result(60) is signal.SIG_DFL
        blocked = executor.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(60)
        assert blocked == set()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()


def test_a_block_that_is_left_waits_for_no_work() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), processes(2) as executor:
        assert executor is not None
        executor.submit(abs, 1).result(60)
        executor.submit(time.sleep, 600)
        raise KeyboardInterrupt
    assert time.monotonic() - began < 30


def test_a_worker_that_somebody_ends_is_one_line() -> None:
    with (
        pytest.raises(ServiceError, match="a worker process was ended from outside"),
        processes(2) as workers,
    ):
        assert workers is not None
        workers.submit(os._exit, 9).result(60)


def test_one_job_is_done_here() -> None:
    with processes(1) as executor:
        assert executor is None


def test_cores_are_counted() -> None:
    assert 1 <= usable_cores() <= 4096


def test_closed_standard_streams_are_no_problem(tmp_path: Path) -> None:
    """All games are played; what cannot be said is status 2."""
    file = tmp_path / "match.jsonl"
    line = f"{sys.executable} -m qttt selfplay --x random --o random --games 4 --seed 1 --level 0 --jobs 2"
    for closed in ("<&- >&-", "<&- >&- 2>&-"):
        done = subprocess.run(f"{line} --records {file} {closed}", shell=True, cwd=ROOT, timeout=120)
        assert done.returncode == 2
        assert len(file.read_bytes().splitlines()) == 5
        file.unlink()
