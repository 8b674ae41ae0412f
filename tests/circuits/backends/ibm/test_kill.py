"""A program that is killed while a simulated device works gives the same shots when it is resumed.

The killed processes are real ones, ended by SIGKILL at random moments between the first byte of the job file
and the result. They come from a fork server that has everything imported and has not simulated anything yet.
"""

import multiprocessing
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from circuits.backends import job_store, resume
from circuits.backends.ibm.backend import get_simulated as get_backend
from circuits.backends.plans import JobOptions, Prepared
from circuits.decoding import Shots
from tests.support.ibm_circuits import asymmetric, chain

pytestmark = pytest.mark.ibm


SEED = 20_261_130


def prepare() -> Prepared:
    circuit, readout = asymmetric()
    return get_backend("fake_mumbai").prepare(
        [circuit, chain(6)],
        1000,
        labels=["standard", "rotated"],
        readouts=[readout, None],
        options=JobOptions(seeds=1),
    )


def play(path: str) -> None:
    """What the program does: send, wait, and have the result in the file."""
    handle = get_backend("fake_mumbai").submit(prepare(), seed=SEED, path=path, payload={"record": "1+3 1*2"})
    handle.wait()


def same(first: Shots, second: Shots) -> bool:
    return all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in ("pos", "mark", "flag")
    )


def kill_and_resume(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill and resume so often, and return in which states the files were found."""
    expected = get_backend("fake_mumbai").submit(prepare(), seed=SEED).wait()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.circuits.backends.ibm.test_kill", "qiskit_aer"])
    random = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for number in range(kills):
        path = folder / f"{number}.job"
        player = context.Process(target=play, args=(str(path),))
        player.start()
        while not path.exists():
            time.sleep(0.001)
        time.sleep(1.5 * random.random() ** 2)
        player.kill()
        player.join()
        found[job_store.load(path).state] += 1
        resumed = resume(path)
        assert resumed.shots is not None
        assert len(resumed.shots) == 2
        assert all(same(one, two) for one, two in zip(resumed.shots, expected, strict=True)), f"kill {number}"
        after = job_store.load(path)
        assert after.state is job_store.JobState.DONE
        assert after.payload == {"record": "1+3 1*2"}
        assert resume(path).shots is not None
        # What was being written when it died went with the next save of the file.
        assert not list(path.parent.glob(".qttt-*"))
    return found


@pytest.mark.slow
def test_ten_kills(tmp_path: Path) -> None:
    """`make kills` does hundreds."""
    found = kill_and_resume(tmp_path, 10, seed=5)
    print(f"states found after the kills: {dict(found)}")
    # Some must have died before the result was there, or nothing was tested.
    assert found.total() == 10
    assert found["done"] < 10


def test_one_kill(tmp_path: Path) -> None:
    assert kill_and_resume(tmp_path, 1, seed=6).total() == 1
