"""The campaign on honest and biased devices, with ten seeds."""

import numpy as np
import pytest

from qttt.game.symbols import Mode
from tests.campaigns import noise

pytestmark = [pytest.mark.ibm, pytest.mark.slow]


@pytest.mark.parametrize("device", noise.DEVICES)
def test_ten_seeds(device: str) -> None:
    lines: list[str] = []
    given = noise.case(2, noise.BIASED, device, Mode.STANDARD)
    rng = np.random.default_rng(1)
    assert noise.honest(given, 10, rng, lines.append) and noise.caught(
        given, device, 10, rng, lines.append
    ), lines


def test_the_campaign_notices_a_dishonest_device() -> None:
    given = noise.case(2, "1+3 1*2", "fake_mumbai", Mode.STANDARD)
    parts = noise.another(given, lambda: 3.0, lambda: 1.0, lambda: 0.0)
    assert given.judge(parts, 4096, np.random.default_rng(1)).ok is False
