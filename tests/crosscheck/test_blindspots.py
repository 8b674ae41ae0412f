"""What a record cannot tell is calculated: planted for real, such a fault passes, and any other is caught."""

import json
from collections.abc import Callable
from math import pi, sin

import pytest

from qttt.crosscheck.blindspots import _plants, unresolved
from qttt.crosscheck.selfcheck import BATTERY
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.symbols import Mode
from qttt.observation.compiler import compile_moves
from tests.support import plants
from tests.support.cli_runs import run, run_json
from tests.support.games import game_of

PLUS, ROTATION, SWAPPED = "a plus sign in an entangled pair", "a missing mode rotation", "X and O swapped"
REVERSED = "bits read in reverse order"
SIGN, HALF = "the wrong sign in a cancelling move", "the wrong sign in a half-cancelling move"


@pytest.mark.parametrize(
    ("level", "record", "modes", "blind"),
    [
        (4, "1 1*2", "sr", {ROTATION, SWAPPED, REVERSED, "squares 1 and 2 exchanged"}),
        (4, "1 1*2", "s", {PLUS, SWAPPED, REVERSED, "squares 1 and 2 exchanged"}),
        (4, "1 1*2", "r", {ROTATION, SWAPPED, REVERSED, "squares 1 and 2 exchanged"}),
        (2, "1 1*2 9", "s", {PLUS, "squares 1 and 2 exchanged"}),
        (4, "1 1*2 9", "sr", {"squares 1 and 2 exchanged"}),
        # In the standard mode a plus and a minus are both a coin.
        (3, "1 1-2", "s", {SIGN, SWAPPED}),
        (4, "1 1-2", "sr", set()),
        (3, "1+3 1-2", "s", {HALF}),
        (4, "1+3 1-2", "sr", set()),
        # A half-entangled pair too: where both of its squares are filled.
        (4, "1+3 1*2", "s", {PLUS, "squares 1 and 2 exchanged"}),
        (4, "1+3 1*2", "sr", {"squares 1 and 2 exchanged"}),
        # Four alike can be exchanged in any way; 1 and 9 are what the reverse order exchanges.
        (1, "1 2 9", "s", {REVERSED, "squares 1 and 9 exchanged"}),
        (1, "1 2 3 4 5 6 7 8", "s", {"squares 1, 3, 5 and 7 exchanged", "squares 2, 4, 6 and 8 exchanged"}),
        # A herald that was silent already says nothing more.
        (4, "1+3 1-2 4 5 6 7 8 9 =p:#..######", "sr", {"ignored heralds"}),
        (4, "", "sr", set()),
    ],
)
def test_what_a_record_cannot_tell(level: int, record: str, modes: str, blind: set[str]) -> None:
    looked_at = tuple(mode for mode in Mode if mode[0] in modes)
    assert set(unresolved(game_of(record, level), looked_at)) >= blind
    if "=p" not in record:
        assert set(unresolved(game_of(record, level), looked_at)) == blind


def test_the_angle_that_is_one_percent_too_wide_changes_the_odds_by_little() -> None:
    """A rotation by π/2 that turns 1 % further moves sin(π/200) / 2 of the weight."""
    (wider,) = [plant for name, plant in _plants() if name == "1 % of an angle"]
    board = compile_moves(game_of("1 1*2", 2), Mode.STANDARD)
    planted = wider(board)
    assert planted is not None
    moved = distance(board.exact().outcomes, planted.exact().outcomes)
    assert moved == pytest.approx(sin(pi / 200) / 2)
    assert wider(compile_moves(game_of("1 3+4", 2), Mode.STANDARD)) is None


def test_a_herald_the_wrong_way_round_counts_the_shots_that_fail() -> None:
    """Planted on the herald and no other qubit: what was thrown away is kept, and the other way round."""
    (turned,) = [plant for name, plant in _plants() if name == "a herald the wrong way round"]
    board = compile_moves(Game(3).play("1+3 1-2"), Mode.STANDARD)
    planted = turned(board)
    assert planted is not None
    failed = board.exact().herald_failed
    assert 0.1 < failed < 0.9 and planted.exact().herald_failed == pytest.approx(1 - failed)


def test_one_square_has_no_order_of_its_bits() -> None:
    assert REVERSED not in unresolved(Game(1).play("5"), (Mode.STANDARD,))


@pytest.mark.parametrize(
    ("plant", "record", "named"),
    [
        (plants.plus_sign, "1 1*2", PLUS),
        (plants.no_mode_rotation, "1 1*2", ROTATION),
        (plants.swapped_symbols, "1 1*2", SWAPPED),
        (plants.reversed_bits, "1 1*2", REVERSED),
        (plants.reversed_bits, "1+5 9", REVERSED),
        (plants.swapped_symbols, "1+5 2+4", SWAPPED),
        (plants.ignored_heralds, "1+3 1-2", "ignored heralds"),
        (plants.herald_in_gate, "1+3 1-2", "a herald the wrong way round"),
        (plants.no_view_switch, "~1+3 1*2", "a missing view switch"),
        (plants.no_view_switch, "5+6~", "a missing view switch"),
    ],
)
@pytest.mark.parametrize("mode", [None, *Mode])
def test_what_is_named_passes_and_the_rest_is_caught(
    plant: Callable[[pytest.MonkeyPatch], None],
    record: str,
    named: str,
    mode: Mode | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("check", record, "--level", "5", "--seed", "1", *([] if mode is None else ["--mode", mode]))
    true = run_json(*words)
    assert true["ok"] is True
    plant(monkeypatch)
    if mode is Mode.STANDARD and named is ROTATION:
        # There is none to be left out, and that is no blindness of the record.
        assert named not in true["unresolved"]
    else:
        assert json.loads(run(*words, "--json").out)["ok"] is (named in true["unresolved"])


def test_the_battery_leaves_nothing_unseen() -> None:
    """Every fault that is unseen in one of its records shows in another."""
    seen = [
        set(unresolved(game, game.state.modes))
        for game in (game_of(moves, level, options) for level, options, moves in BATTERY)
    ]
    assert set.intersection(*seen) == set()
    everything = set.union(*seen)
    # The faults of gates and decoding whose traces are looked for are those that some record hides.
    assert {PLUS, HALF, SIGN, "ignored heralds"} <= everything
