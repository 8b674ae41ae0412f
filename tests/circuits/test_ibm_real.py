"""Three jobs on a real device, a few quantum seconds in all: only with QTTT_IBM=1 and a saved account."""

import os
from pathlib import Path

import pytest

from circuits.backends.ibm import Options, get_backend, resume
from circuits.backends.ibm_accounts import account_state, connect
from circuits.backends.ibm_devices import list_backends
from circuits.decoding import decode
from tests.circuits.ibm_circuits import asymmetric, pair

pytestmark = [
    pytest.mark.ibm,
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("QTTT_IBM") != "1", reason="set QTTT_IBM=1 to use IBM Quantum time"),
]


def test_the_account_and_its_devices() -> None:
    state = account_state(connect())
    assert state.crn
    assert [row for row in list_backends(account=True) if row.queue is not None]


def test_an_asymmetric_board_from_its_job_file(tmp_path: Path) -> None:
    circuit, readout = asymmetric()
    backend = get_backend("ibm")
    path = tmp_path / "a.job"
    backend.submit(backend.prepare([circuit], 100, readouts=[readout]), seed=1, path=path)
    shots = resume(path).shots
    assert shots is not None
    counts = decode(readout, shots[0]).counts()
    assert max(counts, key=counts.__getitem__) == "X......O."


def test_a_pair_with_decoupling_and_twirling() -> None:
    backend = get_backend("ibm")
    options = Options(dynamical_decoupling=True, twirling=True, max_seconds=30)
    (shots,) = backend.submit(backend.prepare([pair()], 128, options=options), seed=1).wait()
    assert (shots.mark[:, 0] != shots.mark[:, 1]).mean() > 0.8
