"""The gate before a record: faultless shots pass, random bits and stuck ones do not, at the stated limits."""

from dataclasses import replace

import numpy as np
import pytest

from circuits.decoding import Shots
from circuits.lean import Encoding, lean_circuit
from circuits.measurement import Bit, Known, Readout
from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation.compiler import lean_pieces
from qttt.observation.devices import DecodedShots, open_device, read_shots
from qttt.observation.noise_gate import noise_in, predicted_noise, random_odds
from qttt.observation.samples import Sample
from tests.benchmarks.noise_table import STUDY, game_of

CASES = [
    (level, moves, mode)
    for level, moves in [
        (4, "1+3 1*2 9 3*4 5+6 7+8"),
        (4, "1 2 3 4 5 6 7 8+9"),
        (4, "1+2"),
        (5, "5+7 1+3 1*2 5-6 3*4"),
    ]
    for mode in Mode
]


def game_at(level: int, moves: str) -> Game:
    game = Game(level)
    game.play(moves)
    return game


def readout_of(game: Game, mode: Mode, encoding: Encoding = "masked") -> Readout:
    pieces, observed = lean_pieces(game)
    return lean_circuit(pieces, mode, observed=observed, encoding=encoding, measure_all=encoding == "strict")[
        1
    ]


def width(sources: tuple[Bit | Known, ...]) -> int:
    return len({source.index for source in sources if isinstance(source, Bit)})


def random_reading(game: Game, mode: Mode, readout: Readout, shots: int, seed: int) -> DecodedShots:
    rng = np.random.default_rng(seed)
    pos, mark = (
        rng.integers(2, size=(shots, width(sources))).astype(bool)
        for sources in (readout.occupancy, readout.symbol)
    )
    return read_shots(game.state, mode, readout, Shots(pos, mark, np.zeros((shots, 0), bool)))


def superposition(kept: int, impossible: int) -> str | None:
    """The verdict on shots of `1+2`: two bits, half of whose readings are possible."""
    game = game_at(1, "1+2")
    readout = readout_of(game, Mode.STANDARD)
    boards = ("X........", ".X.......") * kept
    return noise_in(Sample(boards[:kept], impossible), game.state.odds().outcomes(), readout)


def symbols(*counts: int) -> str | None:
    """The verdict on shots of `5 6` in rotated mode, where XX, XO, OX and OO are equally likely."""
    game = game_at(4, "5 6")
    names = ("....XX...", "....XO...", "....OX...", "....OO...")
    drawn = tuple(board for board, n in zip(names, counts, strict=True) for _ in range(n))
    return noise_in(Sample(drawn), game.state.odds(Mode.ROTATED).outcomes(), readout_of(game, Mode.ROTATED))


def test_where_a_device_reports_no_errors_nothing_is_predicted() -> None:
    assert predicted_noise("ours", [None]) is predicted_noise("ours", []) is None
    assert predicted_noise("ours", [None, 0.9]) is None
    assert "next to none of the shots" in str(predicted_noise("ours", [None, 0.00001, 0.9]))


def test_the_odds_of_random_bits() -> None:
    game = game_at(1, "1+2")
    assert random_odds(readout_of(game, Mode.STANDARD)) == dict.fromkeys(
        (".........", "X........", ".X.......", "XX......."), 0.25
    )
    # Two occupancies and two symbols; in the strict encoding a symbol on an empty square makes no board.
    game = game_at(4, "1+2")
    masked = random_odds(readout_of(game, Mode.ROTATED))
    assert (masked["........."], masked["O........"], masked["XO......."]) == (0.25, 0.125, 0.0625)
    assert sum(masked.values()) == 1
    strict = random_odds(readout_of(game, Mode.ROTATED, "strict"))
    assert strict["........."] == strict["O........"] == strict["OX......."] == 0.0625
    assert sum(strict.values()) == (3 / 4) ** 2


def test_bits_that_nobody_reads_do_not_count() -> None:
    known = (Known(False),) * 7
    far = Readout((Bit(40), Bit(1 << 40), *known), (Known(False),) * 9)
    assert random_odds(far) == random_odds(Readout((Bit(0), Bit(1), *known), (Known(False),) * 9))


@pytest.mark.parametrize(("level", "moves", "mode"), CASES)
def test_faultless_shots_pass_however_few(level: int, moves: str, mode: Mode) -> None:
    game = game_at(level, moves)
    readout, odds = readout_of(game, mode), game.state.odds(mode)
    rng = np.random.default_rng(1)
    for shots in (1, 5, 20, 1024):
        for _ in range(10):
            drawn = tuple(odds.draw(rng) for _ in range(shots))
            assert noise_in(Sample(drawn), odds.outcomes(), readout) is None


@pytest.mark.parametrize(("level", "moves", "mode"), CASES)
def test_random_bits_do_not_pass(level: int, moves: str, mode: Mode) -> None:
    game = game_at(level, moves)
    readout = readout_of(game, mode, "strict" if len(moves) < 5 else "masked")
    for seed in range(10):
        noise = random_reading(game, mode, readout, 1024, seed).noise
        assert "no more than bits read at random" in str(noise)


def test_half_of_the_shots_may_be_random() -> None:
    game = game_at(4, "1+3 1*2 9 3*4 5+6 7+8")
    for mode in Mode:
        readout, odds = readout_of(game, mode), game.state.odds(mode)
        rng = np.random.default_rng(2)
        noise = random_reading(game, mode, readout, 512, 3).sample()
        drawn = tuple(odds.draw(rng) for _ in range(512))
        mixed = replace(noise, drawn=noise.drawn + drawn)
        assert noise_in(mixed, odds.outcomes(), readout) is None


def test_how_many_must_be_possible() -> None:
    """A likelihood ratio of 1,000; of few shots a tenth, of many a hundredth of what faultless ones gain."""
    # The gain is n log 2 + k log(k/n) + (n - k) log(1 - k/n): of 1,000 shots log 1,000, or 6.908.
    assert superposition(559, 441) is None
    assert "558 of 1,000 are possible, and of random ones about 500" in str(superposition(558, 442))
    assert superposition(399, 301) is not None
    assert superposition(400, 300) is None
    assert superposition(7, 3) is None
    assert superposition(6, 4) is not None
    assert superposition(1, 0) is None
    assert superposition(1, 1) is not None
    assert superposition(5589, 4411) is None
    assert superposition(5588, 4412) is not None
    # Fewer than random bits would give, and none at all, of which the sample says so itself.
    assert superposition(300, 700) is not None
    assert superposition(0, 10) is None


def test_a_board_on_which_everything_is_possible_is_judged_too() -> None:
    assert symbols(256, 256, 256, 256) is None
    assert symbols(1, 0, 0, 0) is None
    # A qubit that always reads 0, and one that nearly always does: a quarter beyond chance, or 0.335.
    assert "a distance of 0.50 from the exact odds, and bits read at random have 0.00" in str(
        symbols(512, 512, 0, 0)
    )
    assert symbols(428, 427, 84, 85) is None
    assert symbols(428, 428, 84, 84) is not None


def test_shots_may_be_as_far_off_as_random_ones() -> None:
    """Of six boards that random bits give alike and the exact odds do not; nothing else is seen."""
    game = game_at(4, "1+2 1-3")
    readout, odds = readout_of(game, Mode.ROTATED), game.state.odds(Mode.ROTATED).outcomes()
    odds = {board: p for board, p in odds.items() if p > 0}
    assert len(odds) == 6

    def verdict(share: float) -> str | None:
        counts = {board: round(10_000 * (share / 6 + (1 - share) * p)) for board, p in odds.items()}
        return noise_in(Sample(tuple(board for board, n in counts.items() for _ in range(n))), odds, readout)

    # Random bits alone are 0.45 off, and four fifths of them 0.36.
    assert verdict(0.8) is None
    # A single board, not the likeliest one but likelier than in random bits.
    stuck = Sample((".O.......",) * 1000)
    assert "0.81 from the exact odds, and bits read at random have 0.45" in str(
        noise_in(stuck, odds, readout)
    )


def test_odds_that_are_alike_but_for_rounding_ask_for_nothing() -> None:
    readout = readout_of(game_at(4, "5 6"), Mode.ROTATED)
    odds = {"....XX...": 0.25 + 1e-7, "....XO...": 0.25, "....OX...": 0.25, "....OO...": 0.25 - 1e-7}
    assert noise_in(Sample(("....OO...",) * 3), odds, readout) is None


@pytest.mark.ibm
def test_a_hundredth_of_the_shots_must_be_faultless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)
    game = game_at(1, "1+2")
    plan = open_device("fake_manila").plan(game, [Mode.STANDARD], 10)
    (cost,) = plan.prepared.cost.circuits

    def predicted(*faultless: float) -> str | None:
        circuits = tuple(replace(cost, faultless=value) for value in faultless)
        prepared = replace(plan.prepared, cost=replace(plan.prepared.cost, circuits=circuits))
        return replace(plan, prepared=prepared).noise

    assert plan.noise is None
    assert predicted(0.01, 0.9) is None
    assert "that fake_manila reports, 0.99 % of the shots are without a fault" in str(predicted(0.9, 0.0099))
    assert "next to none of the shots" in str(predicted(0.0))


@pytest.mark.slow
@pytest.mark.ibm
@pytest.mark.parametrize(
    ("device", "board"),
    list(zip(("fake_torino", "fake_marrakesh", "fake_mumbai", "fake_mumbai"), STUDY, strict=True)),
)
def test_good_devices_pass_with_the_boards_of_the_study(
    device: str, board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)
    game, observer = game_of(board), open_device(device)
    plan = observer.plan(game, game.state.modes, 300)
    assert plan.noise is None
    runs = observer.run(plan, np.random.default_rng(5))
    for mode, item, run in zip(plan.modes, plan.prepared.circuits, runs, strict=True):
        assert item.readout is not None
        for shots in (run, run[:10]):
            assert read_shots(game.state, mode, item.readout, shots).noise is None
