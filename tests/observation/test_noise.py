"""What the noise of a device does to a studied board, and what never reaches a player."""

import io

import pytest
from rich.console import Console

from qttt.game.symbols import Mode
from qttt.observation.compiler import Style
from qttt.observation.devices import open_device
from tests.benchmarks.noise_table import BOARDS, Row, game_of, main, measure

pytestmark = pytest.mark.ibm

STUDIED = "both halves, a half entangled, a pair"


@pytest.fixture(scope="module")
def row() -> Row:
    return measure(game_of(STUDIED), Mode.STANDARD, open_device("fake_mumbai"), 1000, 1, Style.LEAN)


def test_impossible_shots_and_distances(row: Row) -> None:
    """The study found 26 to 44 % impossible shots on this device."""
    assert 0.2 < row.impossible < 0.5
    assert row.impossible <= row.predicted
    assert row.before >= row.impossible
    assert row.after < row.before
    # What is left is little more than what chance does to so few shots.
    assert row.after < row.chance + 0.06


def test_a_doubled_piece_or_a_pair_alike_never_reaches_a_player(row: Row) -> None:
    assert row.unseen == 0


def test_the_boards_are_full() -> None:
    for name in BOARDS:
        game = game_of(name)
        assert game.state.position.full
        assert abs(sum(game.state.odds().outcomes().values()) - 1) < 1e-9


def test_the_table_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.benchmarks import noise_table

    small = {"a superposition": (4, "X", "1+2 3 4 5 6 7 8 9")}
    monkeypatch.setattr(noise_table, "BOARDS", small)
    monkeypatch.setattr(noise_table, "STUDY", small)
    text = io.StringIO()
    words = ["--shots", "200", "--seeds", "2", "--devices", "fake_manila", "--modes", "standard"]
    main(Console(file=text, width=150).print, [*words, "--boards", "study", "--styles", "lean"])
    assert "fake_manila, 2 jobs of 200 shots a row" in text.getvalue()
    assert "a superposition" in text.getvalue()
    assert "lean" in text.getvalue()
