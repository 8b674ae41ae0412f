"""The simulation of a job in a process of its own, which ends when its caller is interrupted, or ends.

Aer holds Python's lock while it works, so that here Ctrl-C would be answered only between its runs, and one
of them can take minutes. The process gets the job as a job file has it and gives it back with its results;
until it is bound to its caller it imports nothing that takes time.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from circuits.errors import BackendError, SimulationKilledError
from circuits.interrupts import interrupts_held

if TYPE_CHECKING:
    from circuits.backends.job_store import Job
    from circuits.decoding import Shots

_PARENT_DEATH_SIGNAL: Final = 1
"""Linux's PR_SET_PDEATHSIG: the signal that a process gets when its parent ends."""


def simulate_apart(job: "Job") -> "list[Shots]":
    """Simulate a job in another process, which an interrupt here ends at once.

    Raises:
        SimulationKilledError: a signal ended the process.
        BackendError: the simulation failed, or no process can be started.
    """
    from circuits.backends import job_store

    process = None
    try:
        with interrupts_held():
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "circuits.backends.ibm.simulation_process", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                # What the terminal sends to all of its processes is for the caller to answer.
                start_new_session=True,
            )
        answer, complaint = process.communicate(json.dumps(job_store.to_json(job)).encode())
    except OSError as error:
        raise SimulationKilledError(
            f"no process can simulate {job.backend} here: {error.strerror or error}"
        ) from error
    finally:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode < 0:
        name = signal.strsignal(-process.returncode) or f"signal {-process.returncode}"
        raise SimulationKilledError(
            f"the process that simulated {job.backend} was ended from outside ({name}), perhaps because "
            "memory was short"
        )
    if process.returncode:
        words = complaint.decode(errors="replace").strip().splitlines()
        raise BackendError(words[-1] if words else f"its process ended with status {process.returncode}")
    done = job_store.from_json(json.loads(answer))
    assert done.results is not None
    return list(done.results)


def main() -> None:
    """Read a job, simulate it and write it with its results."""
    _end_with(int(sys.argv[1]))
    answer = os.dup(1)
    # Whatever a library prints is no part of the answer.
    os.dup2(2, 1)
    text = sys.stdin.buffer.read()

    from circuits.backends import job_store
    from circuits.backends.ibm.devices import fake_device
    from circuits.backends.ibm.errors import calm, scrub
    from circuits.backends.ibm.simulation import simulate

    job = job_store.from_json(json.loads(text))
    try:
        with calm():
            results = simulate(job, fake_device(job.backend))
    except Exception as error:
        sys.exit(scrub(error))
    done = job.at(job_store.JobState.DONE, results=tuple(results))
    with open(answer, "wb") as stream:
        stream.write(json.dumps(job_store.to_json(done)).encode())


def _end_with(parent: int) -> None:
    """Let this process end with its parent, however that ends."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    if os.getppid() != parent:
        sys.exit(1)
    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main()
