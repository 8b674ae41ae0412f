"""Observing on devices: exact without noise, one job for both modes, what is impossible thrown away."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from circuits.backends import get_backend
from circuits.decoding import Shots
from circuits.exact import exact_distribution
from circuits.lean import Encoding, PieceError, collapsed_circuit
from circuits.measurement import Bit
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.outcomes import Positions, filled_squares
from qttt.game.symbols import Mode
from qttt.observation.compiler import lean_pieces
from qttt.observation.devices import (
    DeviceObserver,
    Plan,
    _drafts,
    draw_seed,
    first_positions,
    is_device,
    open_device,
    read_shots,
)
from qttt.observation.noise_gate import NoiseError
from qttt.observation.observers import get_observer
from qttt.stats import p_value
from tests.support.full_boards import full_games
from tests.support.lean_boards import depth_of, gates_of

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


class Counting(DeviceObserver):
    """The simulated device, with a count of its jobs; its bits can be made random."""

    jobs: int = 0
    random: bool = False

    def run(self, plan: Plan, rng: np.random.Generator, notify: object = None) -> tuple[Shots, ...]:
        self.jobs += 1
        runs = super().run(plan, rng)
        if not self.random:
            return runs
        return tuple(
            Shots(*(rng.integers(2, size=bits.shape).astype(bool) for bits in (run.pos, run.mark, run.flag)))
            for run in runs
        )


def counting(monkeypatch: pytest.MonkeyPatch, device: str = "fake_mumbai", shots: int = 40) -> Counting:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)
    return Counting(open_device(device).backend, shots=shots)


def seen(moves: str, positions: str, first: str = "X", level: int = 4, options: str = "") -> Game:
    game = Game(level, options, first)
    game.play(moves)
    game.push(Positions(positions))
    return game


MOVES = "1 2 3 4 5 6 7 8+9"


@pytest.mark.ibm
def test_every_shot_is_given_once_and_then_a_new_job_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    observer, rng = counting(monkeypatch), np.random.default_rng(1)
    game = Game(4)
    game.play(MOVES)
    first = observer.draw(game, Mode.STANDARD, rng)
    assert (first.kept, first.shots, observer.jobs) == (1, 40, 1)
    game.push(Positions(filled_squares(first.first)))
    # 256 boards are equally likely: of twelve draws nearly all differ.
    drawn = [observer.draw(game, Mode.ROTATED, rng) for _ in range(12)]
    assert observer.jobs == 1
    assert len({sample.first for sample in drawn}) > 8
    assert all(game.state.odds(Mode.ROTATED).probability(sample.first) > 0 for sample in drawn)
    assert {(sample.kept, sample.shots) for sample in drawn} == {(1, 40)}
    # No more than 40 shots have these positions; 40 more come from the next job, of what they have left.
    while observer.jobs == 1:
        observer.draw(game, Mode.ROTATED, rng)
    for _ in range(39):
        assert observer.jobs == 2
        drawn.append(observer.draw(game, Mode.ROTATED, rng))
    observer.draw(game, Mode.ROTATED, rng)
    assert observer.jobs == 3
    assert game.state.odds(Mode.ROTATED).probability(drawn[-1].first) > 0
    # The shots of the other mode are there still, but not the one that gave the positions.
    observer.draw(game, Mode.STANDARD, rng)
    assert observer.jobs == 3


@pytest.mark.ibm
@pytest.mark.parametrize(
    ("moves", "first", "level", "options"),
    [
        (MOVES, "O", 4, ""),
        (MOVES, "X", 5, ""),
        (MOVES, "X", 5, "view-switches=2"),
        (MOVES, "X", 5, "no-ties"),
    ],
)
def test_no_shots_come_from_another_game(
    moves: str, first: str, level: int, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same events, too, and where only the rules differ."""
    observer, rng = counting(monkeypatch), np.random.default_rng(1)
    game = Game(4)
    game.play(MOVES)
    filled = filled_squares(observer.draw(game, Mode.STANDARD, rng).first)
    other = seen(moves, filled, first, level, options)
    board = observer.draw(other, Mode.STANDARD, rng).first
    assert observer.jobs == 2
    assert other.state.odds().probability(board) > 0


@pytest.mark.ibm
def test_no_shots_come_from_another_device_or_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    observer, rng = counting(monkeypatch, shots=10), np.random.default_rng(1)
    game = seen(MOVES, "########.")
    observer.draw(game, Mode.STANDARD, rng)
    observer.draw(game, Mode.STANDARD, rng)
    assert observer.jobs == 1
    observer.encoding = "strict"
    observer.draw(game, Mode.STANDARD, rng)
    assert observer.jobs == 2
    observer.backend = open_device("fake_torino").backend
    observer.draw(game, Mode.STANDARD, rng)
    assert observer.jobs == 3


@pytest.mark.ibm
def test_nothing_is_drawn_from_random_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    observer, rng = counting(monkeypatch, "fake_manila", 200), np.random.default_rng(1)
    observer.random = True
    game = Game(2)
    game.play("1+2")
    with pytest.raises(NoiseError, match="in standard mode the shots say no more than bits read at random"):
        observer.draw(game, Mode.STANDARD, rng)
    assert observer.jobs == 1
    monkeypatch.setattr("qttt.observation.noise_gate.LEAST_FAULTLESS", 1.0)
    with pytest.raises(NoiseError, match="nothing was sent"):
        observer.draw(game, Mode.STANDARD, rng)
    assert observer.jobs == 1
    observer.accept_noise = True
    assert observer.draw(game, Mode.STANDARD, rng).kept == 1
    # A sample is looked at, and nothing is taken from it.
    observer.accept_noise = False
    assert observer.sample(game, Mode.STANDARD, 200, rng).shots == 200


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ibm", True),
        ("ibm_fez", True),
        ("fake_fez", True),
        ("aer", False),
        ("ibmx", False),
        ("my_fake_fez", False),
    ],
)
def test_devices_are_known_by_their_names(name: str, expected: bool) -> None:
    assert is_device(name) is expected


def test_seeds_of_jobs_are_31_bits() -> None:
    seeds = [draw_seed(np.random.default_rng(seed)) for seed in range(50)]
    assert 2**30 < max(seeds) < 2**31
    assert len(set(seeds)) == 50


def test_a_real_device_is_paid_for_only_by_who_has_said_so() -> None:
    observer = get_observer("fake_manila")
    assert isinstance(observer, DeviceObserver)
    assert DeviceObserver(observer.backend).unasked is False
    plain = open_device("fake_manila").options
    assert plain is not None and (plain.twirling, plain.dynamical_decoupling) == (False, False)
    heard: list[str] = []
    assert open_device("fake_manila", notify=heard.append).backend.name == "fake_manila"  # type: ignore[arg-type]


def test_a_job_has_a_file_where_it_must_outlive_the_program_or_lies_beside_a_record(tmp_path: Path) -> None:
    observer = open_device("fake_manila")
    assert observer.keeps_job(tmp_path / "game.qttt") and not observer.keeps_job(None)
    remote = DeviceObserver(SimpleNamespace(name="ibm_far", local=False))
    assert remote.keeps_job(None) and remote.keeps_job(tmp_path / "game.qttt")


def test_noise_is_refused_unless_it_is_asked_for() -> None:
    for accepts in (False, True):
        asked = get_observer("fake_manila", accept_noise=accepts)
        assert isinstance(asked, DeviceObserver) and asked.accept_noise is accepts
        device = asked.backend
    for unasked in (get_observer("fake_manila"), open_device("fake_manila"), DeviceObserver(device)):
        assert isinstance(unasked, DeviceObserver) and unasked.accept_noise is False
