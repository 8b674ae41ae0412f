"""Ctrl-C while a library works is answered when the call is over, and in its own process at once."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qiskit.circuit import QuantumCircuit

from circuits.backends import job_store
from circuits.backends.job_store import JobState
from circuits.interrupts import interrupts_held
from tests.support.ibm_circuits import chain, dynamic


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done.append("whole")
    assert done == ["whole"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_is_not_lost_behind_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        raise ValueError("a library's own idea of an interrupt")


def test_a_handler_of_the_caller_is_told_once_and_kept() -> None:
    told = []
    before = signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    try:
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            assert told == []
        assert told == [signal.SIGINT]
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        assert told == [signal.SIGINT] * 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_hold_nothing() -> None:
    found = []

    def work() -> None:
        with interrupts_held():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


def _prepared(circuit: QuantumCircuit, shots: int, device: str = "fake_manila") -> job_store.Job:
    from circuits.backends.ibm.backend import get_simulated as get_backend
    from circuits.backends.plans import JobOptions

    backend = get_backend(device)
    return backend.write_down(backend.prepare([circuit], shots, options=JobOptions(seeds=1)), seed=11)


@pytest.mark.ibm
def test_a_process_of_its_own_gives_the_same_shots() -> None:
    from circuits.backends.ibm.devices import fake_device
    from circuits.backends.ibm.simulation import simulate
    from circuits.backends.ibm.simulation_process import simulate_apart

    job = _prepared(dynamic(), 100)
    (here,), (apart,) = simulate(job, fake_device("fake_manila")), simulate_apart(job)
    assert here.pos.any()
    assert np.array_equal(here.pos, apart.pos)
    assert np.array_equal(here.mark, apart.mark)


@pytest.mark.ibm
def test_runs_of_a_cut_job_share_no_shots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trajectories are the same however they are cut; what is drawn from a matrix is drawn anew."""
    from circuits.backends.ibm import simulation
    from circuits.backends.ibm.devices import fake_device

    device = fake_device("fake_manila")
    job = _prepared(dynamic(), 60)
    (whole,) = simulation.simulate(job, device)
    monkeypatch.setattr(simulation, "SHOTS_AT_ONCE", 25)
    (cut,) = simulation.simulate(job, device)
    assert np.array_equal(whole.pos, cut.pos)
    assert np.array_equal(whole.mark, cut.mark)
    monkeypatch.setattr(simulation, "SHOTS_AT_ONCE", 1000)
    (drawn,) = simulation.simulate(_prepared(chain(4), 3000), device)
    rows = np.packbits(drawn.pos, axis=1)
    assert (rows[:1000] != rows[1000:2000]).any()
    assert (rows[1000:2000] != rows[2000:]).any()


@pytest.mark.ibm
def test_what_a_simulation_costs_grows_with_shots_and_qubits() -> None:
    from circuits.backends.local_cost import noisy_cost

    small, large = QuantumCircuit(3, 3), QuantumCircuit(18, 1)
    for circuit in (small, large):
        for _ in range(10):
            circuit.x(range(circuit.num_qubits))
    small.measure(0, 0)
    # Drawn from one matrix: the shots cost next to nothing.
    assert noisy_cost(small, 10_000).longest < 0.5
    assert noisy_cost(small, 1_000_000).seconds > noisy_cost(small, 10_000).seconds * 5
    large.measure(0, 0)
    with large.if_test((large.clbits[0], 1)):
        large.x(0)
    assert noisy_cost(large, 1000).longest > 100
    assert noisy_cost(large, 1000).memory < 2**30 < noisy_cost(QuantumCircuit(27, 1), 10).memory


@pytest.mark.ibm
def test_a_failure_in_the_other_process_is_told() -> None:
    from circuits.backends.ibm.simulation_process import simulate_apart
    from circuits.errors import BackendError

    job = _prepared(dynamic(), 5)
    with pytest.raises(BackendError, match="no simulated device 'fake_xyzzy'"):
        simulate_apart(replace(job, backend="fake_xyzzy"))


_LONG = """
import sys
from circuits.backends import resume
print("ready", flush=True)
resume(sys.argv[1])
"""


def _simulations() -> set[int]:
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"circuits.backends.ibm.simulation_process" in words:
            found.add(int(folder.name))
    return found


@pytest.mark.ibm
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda kill: kill.name)
def test_a_long_job_ends_with_its_caller_and_stays_resumable(tmp_path: Path, kill: signal.Signals) -> None:
    path = tmp_path / "long.job"
    # A million trajectories: minutes.
    job_store.save(_prepared(dynamic(), 1_000_000).at(JobState.SUBMITTED), path)
    before = _simulations()
    with subprocess.Popen(
        [sys.executable, "-c", _LONG, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        end = time.monotonic() + 60
        while not (begun := _simulations() - before):
            assert time.monotonic() < end
            time.sleep(0.05)
        time.sleep(np.random.default_rng(int(kill)).random() * 4)
        assert process.poll() is None
        began = time.monotonic()
        process.send_signal(kill)
        process.wait(20)
        print(f"{kill.name}: {time.monotonic() - began:.2f} s")
    while begun & _simulations():
        assert time.monotonic() - began < 20
        time.sleep(0.05)
    assert json.loads(path.read_text())["state"] == "submitted"
