"""A real device, only with QTTT_IBM=1 and an account; a game on it: tests/observation/test_ibm_account.py."""

import os

import pytest

from circuits.backends.ibm.accounts import account_state, connect
from circuits.backends.ibm.backend import get_backend
from circuits.backends.ibm.devices import list_account
from circuits.backends.plans import JobOptions
from tests.support.ibm_circuits import pair

pytestmark = [
    pytest.mark.ibm,
    pytest.mark.ibm_account,
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("QTTT_IBM") != "1", reason="set QTTT_IBM=1 to use IBM Quantum time"),
]


def test_the_account_and_its_devices() -> None:
    state = account_state(connect())
    assert state.crn
    assert [row for row in list_account() if row.queue is not None]


def test_a_pair_with_decoupling_and_twirling() -> None:
    backend = get_backend("ibm")
    options = JobOptions(dynamical_decoupling=True, twirling=True, max_seconds=30)
    (shots,) = backend.submit(backend.prepare([pair()], 128, options=options), seed=1).wait()
    assert (shots.mark[:, 0] != shots.mark[:, 1]).mean() > 0.8
