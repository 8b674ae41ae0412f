"""Samples count what they saw, stocks give every shot once, and requests that make no sense are refused."""

import pytest

from qttt.errors import ServiceError, UsageError
from qttt.game import Game
from qttt.game.outcomes import Positions
from qttt.game.symbols import Mode
from qttt.observation.observers import measured
from qttt.observation.samples import Sample, Stock, check_request


def test_every_shot_is_counted_somewhere() -> None:
    sample = Sample(("X........", "O........", "X........"), illegal=2, herald_failed=4, unused=8)
    assert (sample.kept, sample.shots) == (3, 17)
    assert sample.first == "X........"
    assert sample.counts() == {"O........": 1, "X........": 2}
    assert Sample((".........", "X........")).first == "........."


@pytest.mark.parametrize(("kinds", "said"), [({}, ""), ({"two": 1, "empty": 2}, " (empty 2; two 1)")])
def test_where_no_shot_counts_it_says_why(kinds: dict[str, int], said: str) -> None:
    sample = Sample((), illegal=3, herald_failed=1, kinds=kinds)
    with pytest.raises(ServiceError) as refused:
        sample.first  # noqa: B018
    assert str(refused.value) == f"no shot of 4 counts: 1 failed heralds, 3 illegal{said}"


def test_a_stock_gives_every_shot_once_and_in_order() -> None:
    stock = Stock(Sample(("X.O......", "XO.......", "O.X......"), illegal=5))
    known = Positions("#.#......")
    taken = [stock.take(known), stock.take(None), stock.take(known), stock.take(known), stock.take(None)]
    assert [sample.drawn for sample in taken] == [("X.O......",), ("XO.......",), ("O.X......",), (), ()]
    assert [sample.unused for sample in taken] == [2, 2, 2, 3, 3]
    assert {sample.shots for sample in taken} == {8}


def test_requests_that_make_no_sense_are_refused() -> None:
    state = Game(3).state
    assert check_request(state, Mode("standard"), 1) is Mode.STANDARD
    assert check_request(Game(4).state, Mode("rotated"), 1_000_000) is Mode.ROTATED
    for shots in (0, 1_000_001):
        with pytest.raises(UsageError, match="the number of shots"):
            check_request(state, Mode.STANDARD, shots)
    with pytest.raises(UsageError, match="starts at Level 4, and this is Level 3"):
        check_request(state, Mode.ROTATED, 1)


def test_a_measured_square_is_read_from_its_own_place() -> None:
    assert [str(measured(square, "XO.......")) for square in (1, 2, 3)] == ["?1=X", "?2=O", "?3=."]
