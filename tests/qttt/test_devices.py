"""Observing on devices: exact without noise, one job for both modes, what is impossible thrown away."""

import numpy as np
import pytest

from circuits.backends import get_backend
from circuits.components import exact_distribution
from circuits.lean import Encoding, PieceError, collapsed_circuit
from circuits.measurement import Bit
from qttt.compiler import lean_pieces
from qttt.devices import _drafts, first_positions, read_shots
from qttt.game import Game
from qttt.goodness import p_value
from qttt.odds import distance
from qttt.outcomes import Positions, filled_squares
from qttt.symbols import Mode
from tests.circuits.lean_boards import depth_of, gates_of
from tests.qttt.full_boards import full_games

LEVELS_WITH_MODES = [(4, ""), (5, ""), (5, "view=physical")]
ENCODINGS: tuple[Encoding, ...] = ("masked", "strict")


def exact(game: Game, mode: Mode, encoding: Encoding) -> dict[str, float]:
    """The distribution of the circuits that a device may choose from, which must be one and the same."""
    found = [
        exact_distribution(circuit, readout).outcomes for circuit, readout in _drafts(game, mode, encoding)
    ]
    assert all(distance(found[0], other) < 1e-9 for other in found)
    return found[0]


def given(outcomes: dict[str, float], filled: str) -> dict[str, float]:
    kept = {board: p for board, p in outcomes.items() if filled_squares(board) == filled}
    total = sum(kept.values())
    return {board: p / total for board, p in kept.items()}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("level", "options"), LEVELS_WITH_MODES)
def test_positions_first_and_mode_later_give_the_exact_joint_distribution(
    level: int, options: str, encoding: Encoding
) -> None:
    """Positions from one mode's circuit, symbols from the other's; and the same from the collapsed state."""
    for game in full_games(level, 4, seed=level, options=options):
        seen = exact(game, Mode.STANDARD, encoding)
        positions: dict[str, float] = {}
        for board, p in seen.items():
            filled = filled_squares(board)
            positions[filled] = positions.get(filled, 0.0) + p
        for mode in Mode:
            by_mode = exact(game, mode, encoding)
            joint: dict[str, float] = {}
            prepared: dict[str, float] = {}
            for filled, p in positions.items():
                for board, q in given(by_mode, filled).items():
                    joint[board] = p * q
                known = Game(rules=game.rules, first=game.first)
                for event in (*game.events, Positions(filled)):
                    known.push(event)
                for board, q in exact(known, mode, encoding).items():
                    prepared[board] = p * q
            expected = game.state.odds(mode).outcomes()
            assert distance(joint, expected) < 1e-9
            assert distance(prepared, expected) < 1e-9


@pytest.mark.parametrize(("level", "options"), LEVELS_WITH_MODES)
def test_the_collapsed_state_costs_four_cx_at_most_side_by_side(level: int, options: str) -> None:
    for game in full_games(level, 20, seed=7 + level, options=options):
        pieces, observed = lean_pieces(game)
        for filled in game.state.odds().positions():
            occupied = [mark == "#" for mark in filled]
            for mode in Mode:
                circuit, readout = collapsed_circuit(pieces, occupied, mode, observed=observed)
                assert gates_of(circuit) <= 4
                assert depth_of(circuit) <= 1
                assert not any(isinstance(source, Bit) for source in readout.occupancy)


def test_positions_that_the_pieces_cannot_fill_are_refused() -> None:
    game = Game(level=4)
    game.play("1+3 1*2 9 4 5 6 7 8")
    pieces, observed = lean_pieces(game)
    filled = [True, True, True, True, True, True, True, True, True]
    with pytest.raises(PieceError, match="cannot fill exactly"):
        collapsed_circuit(pieces, filled, Mode.STANDARD, observed=observed)
    with pytest.raises(PieceError, match=r"squares \[9\] do not fit"):
        collapsed_circuit(pieces[:1], [True, True, *[False] * 6, True], Mode.STANDARD)
    with pytest.raises(PieceError, match="unknown mode"):
        collapsed_circuit(pieces, filled, "sideways")


@pytest.mark.slow
def test_many_first_shots_have_the_distribution_of_an_observation() -> None:
    """Jobs without noise, played as on a device: positions of the first shot, then a shot that agrees."""
    game = Game(level=4)
    game.play("1+3 1*2 9 3-4 5+6 7+8")
    aer, rng = get_backend("aer"), np.random.default_rng(3)
    counts: dict[str, int] = {}
    jobs, shots = 200, 80
    runs = {}
    for mode in Mode:
        (circuit, readout), *_ = _drafts(game, mode, "masked")
        (run,) = aer.run([circuit], jobs * shots, rng)
        runs[mode] = readout, run
    for job in range(jobs):
        rows = slice(job * shots, (job + 1) * shots)
        readings = {
            mode: read_shots(game.state, mode, readout, run[rows]) for mode, (readout, run) in runs.items()
        }
        positions, _ = first_positions(readings)
        found = readings[Mode.ROTATED].sample(positions)
        assert found.shots == shots
        if found.drawn:
            counts[found.first] = counts.get(found.first, 0) + 1
    # The rarest positions have less than one shot in a hundred: few jobs lack a shot that agrees.
    assert sum(counts.values()) > 0.9 * jobs
    assert p_value(counts, game.state.odds(Mode.ROTATED).outcomes(), rng) > 0.001
