"""Tests that kill what mutation testing found alive; each says which change it notices."""

import numpy as np

from circuits.decoding import HERALD_FAILED, ILLEGAL, Decoded, reject


def test_shots_that_did_not_count_stay_so_when_boards_are_rejected() -> None:
    """The two marks are the last places of the table that `reject` looks shots up in."""
    assert (HERALD_FAILED, ILLEGAL) == (-1, -2)
    boards = (".X.......", "O........", "X........")
    decoded = Decoded(boards, np.array([2, ILLEGAL, HERALD_FAILED, 1, 0, ILLEGAL]), {"earlier": 2})
    after = reject(decoded, {"O........": "impossible", "OOO......": "never seen"})
    assert after.boards == (".X.......", "X........")
    assert after.index.tolist() == [1, ILLEGAL, HERALD_FAILED, ILLEGAL, 0, ILLEGAL]
    assert (after.kept, after.illegal, after.herald_failed) == (2, 3, 1)
    assert after.illegal_kinds == {"earlier": 2, "impossible": 1}
