"""The witness of entanglement: what it keeps, what it shows, and what it must not show."""

import random
from itertools import product
from math import comb, cos, pi, radians, sqrt
from pathlib import Path

import numpy as np
import pytest
from qiskit.quantum_info import Statevector

from circuits.backends import get_backend
from circuits.decoding import Shots
from circuits.measurement import Bit, Known, Readout
from qttt.crosscheck.witness import (
    CHSH,
    CHSH_SIGNS,
    CONFIDENCE,
    MODES,
    Correlation,
    Looks,
    PairWitness,
    Plant,
    Readings,
    chosen_pairs,
    pairs_of,
    run_ideal,
)
from qttt.crosscheck.witness_job import find_witness
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.rules import Rules
from qttt.observation.compiler import compile_lean
from qttt.stats import clopper_pearson
from tests.campaigns.coherent import moment
from tests.campaigns.witness import planned, shown
from tests.support.cli_runs import refusal, run, run_json


def exact_correlations(game: Game, plant: Plant | None) -> dict[str, dict[tuple[int, int], float]]:
    """By setting and pair, from the amplitudes of the circuits, those with both squares filled."""
    board = compile_lean(game, encoding="coherent")
    assert board.readout is not None
    looks = Looks(pairs_of(game), plant, True, get_backend("aer"))
    found: dict[str, dict[tuple[int, int], float]] = {}
    sums: dict[tuple[str, tuple[int, int]], list[float]] = {}
    for label, circuit in looks(board.circuit, board.readout).items():
        reads = {
            (register.name, place): circuit.find_bit(item.qubits[0]).index
            for item in circuit.data
            if item.name == "measure"
            for register in circuit.cregs
            for place, bit in enumerate(register)
            if bit == item.clbits[0]
        }
        bare = circuit.remove_final_measurements(inplace=False)
        assert bare is not None
        shares = np.abs(Statevector(bare).data) ** 2
        numbers = np.arange(len(shares))
        for pair in looks.pairs:
            kept = np.ones(len(shares), dtype=bool)
            for square in pair:
                source = board.readout.occupancy[square - 1]
                if isinstance(source, Bit):
                    kept &= (numbers >> reads["pos", source.index] & 1).astype(bool)
            marks = [board.readout.symbol[square - 1] for square in pair]
            a, b = (numbers >> reads["mark", mark.index] & 1 for mark in marks if isinstance(mark, Bit))
            signs = 1 - 2 * (a ^ b)
            total = sums.setdefault((label.partition("/")[0], pair), [0.0, 0.0])
            total[0] += float((shares * signs)[kept].sum())
            total[1] += float(shares[kept].sum())
    for (name, pair), (value, weight) in sums.items():
        found.setdefault(name, {})[pair] = value / weight
    return found


def test_every_pair_of_random_boards_is_a_singlet_among_its_filled_shots() -> None:
    rng, pairs = random.Random(5), 0
    for level, options in ((2, ""), (3, ""), (4, ""), (5, ""), (5, "view-switches=2"), (5, "view=physical")):
        rules, seen = Rules.of(level, options), 0
        while seen < 3:
            game = moment(rules, rng)
            if not pairs_of(game):
                continue
            seen += 1
            for name, (a, b) in (MODES | CHSH).items():
                for value in exact_correlations(game, None)[name].values():
                    assert value == pytest.approx(-cos(radians(a - b)), abs=1e-9)
                    pairs += 1
    assert pairs > 100


@pytest.mark.parametrize("record", ["5 5*6", "1+3 1*2"])
@pytest.mark.parametrize("plant", Plant)
def test_what_is_planted(plant: Plant, record: str) -> None:
    """Against the states themselves, as density matrices."""
    half = np.array([[0.5, 0], [0, 0.5]])
    x, y, z = (np.array(m) for m in ([[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]))
    singlet = np.array([0, 1, -1, 0]) / sqrt(2)
    pair = np.outer(singlet, singlet)
    flip = np.kron(np.eye(2), z)
    turned = [np.array([cos(angle / 2), np.sin(angle / 2)]) for angle in (pi / 4, 5 * pi / 4)]
    both = np.kron(*turned)
    states = {
        Plant.MIXTURE: np.diag([0, 0.5, 0.5, 0]),
        Plant.DEPHASED: (pair + flip @ pair @ flip) / 2,
        Plant.DEPOLARISED: np.kron(half, half),
        Plant.PRODUCT: np.outer(both, both),
    }
    found = exact_correlations(Game(2).play(record), plant)
    for name, (a, b) in (MODES | CHSH).items():
        first, second = (cos(radians(angle)) * z + np.sin(radians(angle)) * x for angle in (a, b))
        wanted = float(np.trace(states[plant] @ np.kron(first, second)).real)
        assert list(found[name].values()) == pytest.approx([wanted], abs=1e-9)
    w = -sum(found[name][pairs_of(Game(2).play(record))[0]] for name in MODES)
    assert w <= 1 + 1e-9
    assert np.allclose(y, 1j * x @ z)


def test_separable_states_have_w_at_most_1_and_fidelity_is_at_least_half_of_it() -> None:
    rng = np.random.default_rng(2)
    x, z = np.array([[0, 1], [1, 0]]), np.array([[1, 0], [0, -1]])
    operator = -np.kron(z, z) - np.kron(x, x)
    singlet = np.array([0, 1, -1, 0]) / sqrt(2)
    for _ in range(300):
        one, other = rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2))
        state = np.kron(one, other)
        state /= np.linalg.norm(state)
        assert (state.conj() @ operator @ state).real <= 1 + 1e-12
        any_state = rng.normal(size=4) + 1j * rng.normal(size=4)
        any_state /= np.linalg.norm(any_state)
        w = (any_state.conj() @ operator @ any_state).real
        assert abs(singlet @ any_state) ** 2 >= w / 2 - 1e-12


def test_the_exact_interval() -> None:
    for successes, trials in ((0, 10), (3, 10), (10, 10)):
        low, high = clopper_pearson(successes, trials, 0.99)

        def tail(p: float, many: range, trials: int = trials) -> float:
            return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in many)

        assert low == 0 if not successes else tail(low, range(successes, trials + 1)) == pytest.approx(0.005)
        assert high == 1 if successes == trials else tail(high, range(successes + 1)) == pytest.approx(0.005)
    assert clopper_pearson(0, 0, 0.9) == (0, 1)


def test_the_bound_errs_no_more_often_than_it_says() -> None:
    """The largest W of separable states, at many counts: shown at most once in a thousand, exactly summed."""
    for shots in (20, 200, 1000):
        for zz in (1.0, 0.9, sqrt(0.5)):
            # A mixture with ⟨ZZ⟩ = −zz and ⟨XX⟩ = zz − 1 lies on the bound.
            chance = 0.0
            ones = [binomial(shots, (1 - share) / 2) for share in (zz, 1 - zz)]
            likely = [[k for k, p in enumerate(row) if p > 1e-9] for row in ones]
            for a, b in product(*likely):
                settings = dict(
                    zip(MODES, (Correlation(shots, shots, a), Correlation(shots, shots, b)), strict=True)
                )
                if PairWitness((1, 2), settings).shown:
                    chance += ones[0][a] * ones[1][b]
            assert chance <= 1 - CONFIDENCE
            if shots == 1000:
                break


def binomial(n: int, p: float) -> list[float]:
    from scipy.stats import binom

    return [float(value) for value in binom.pmf(range(n + 1), n, p)]


def test_only_filled_pairs_are_kept_whatever_else_is_on_the_board() -> None:
    readout = Readout(
        (Bit(0), Bit(1), Bit(2), *[Known(False)] * 6), (Bit(0), Bit(1), Bit(2), *[Known(False)] * 6), (), True
    )
    pos = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1], [0, 1, 1], [0, 0, 0]], dtype=bool)
    mark = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]], dtype=bool)
    run_of = Shots(pos, mark, np.zeros((5, 0), dtype=bool))
    found = Readings(readout, {"standard": run_of, "rotated": run_of}).witness((1, 2))
    assert found.settings["standard"] == Correlation(5, 2, 1)
    assert found.w == 0 and not found.shown and found.mitigated is None and found.kept_p_value == 1
    nothing = Readings(readout, {"standard": run_of, "rotated": Shots(pos & False, mark, run_of.flag)})
    assert not nothing.witness((1, 2)).shown


def test_errors_of_reading_are_taken_back() -> None:
    """Exact counts of a singlet, misread as the errors say, are those of a singlet again."""
    readout = Readout((Bit(0), *[Known(True)] * 8), (Bit(0), Bit(1), *[Known(False)] * 7), (), True)
    errors = ((0.02, 0.08), (0.05, 0.1), (0.01, 0.2))
    many = 2_000_000
    rng = np.random.default_rng(1)
    bits = np.zeros((many, 3), dtype=bool)
    bits[:, 0] = rng.random(many) < 0.6
    bits[:, 1] = rng.random(many) < 0.5
    bits[:, 2] = ~bits[:, 1]
    for column, (wrong_0, wrong_1) in enumerate(errors):
        flips = rng.random(many) < np.where(bits[:, column], wrong_1, wrong_0)
        bits[:, column] ^= flips
    shots = Shots(bits[:, :1], bits[:, 1:], bits[:, :0])
    found = Readings(readout, {"standard": shots, "rotated": shots}, errors).witness((1, 2))
    assert found.mitigated == pytest.approx((-1, -1), abs=0.01)
    assert found.settings["standard"].mean > -0.75
    # What is mitigated decides nothing.
    assert found.w_lower == Readings(readout, {"standard": shots, "rotated": shots}).witness((1, 2)).w_lower


def test_chsh_adds_up_with_the_signs_of_the_singlet() -> None:
    settings = {
        name: Correlation(100, 100, 15 if sign < 0 else 85)
        for name, sign in zip(CHSH, CHSH_SIGNS, strict=True)
    }
    modes = dict.fromkeys(MODES, Correlation(100, 100, 0))
    found = PairWitness((1, 2), modes | settings)
    assert found.s == pytest.approx(2.8)
    low, high = found.s_interval
    assert low < 2.8 < high <= 4
    # Answers fixed beforehand, both of each square: at most 2.
    for a, b, c, d in product((1, -1), repeat=4):
        answers = {"0": a, "90": b, "45": c, "135": d}
        s = sum(
            sign * answers[first] * answers[second]
            for name, sign in zip(CHSH, CHSH_SIGNS, strict=True)
            for first, second in [name.split()]
        )
        assert abs(s) == 2


def test_pairs_are_asked_for_by_their_squares() -> None:
    game = Game(2).play("1+3 1*2 9 3*4")
    assert pairs_of(game) == chosen_pairs(game, None) == [(1, 2), (3, 4)]
    assert chosen_pairs(game, (4, 3)) == [(3, 4)]
    with pytest.raises(UsageError, match="the pairs are: 1,2, 3,4"):
        chosen_pairs(game, (1, 3))
    assert pairs_of(Game(3).play("5 5-6")) == []
    with pytest.raises(UsageError, match="observed already"):
        pairs_of(Game(4).play("1 1*2 3 4 5 6 7 8+9 =p:########."))


def test_without_noise() -> None:
    game = Game(2).play("1+3 1*2")
    looks = Looks(pairs_of(game), None, True, get_backend("aer"))
    found = run_ideal(looks, game, 3000, np.random.default_rng(3)).witness((1, 2))
    assert found.w == 2 and found.shown
    assert found.settings["standard"].kept == pytest.approx(1500, abs=150)
    assert found.s == pytest.approx(2 * sqrt(2), abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fake_mumbai", "fake_torino", "fake_marrakesh"])
def test_on_devices_pairs_are_shown_and_controls_are_not(name: str) -> None:
    from qttt.observation.devices import open_device

    observer = open_device(name, encoding="coherent")
    for record in ("5 5*6", "1+3 1*2"):
        assert shown(record, planned(record, None, observer, 1000), observer, 1)
        for plant in Plant:
            plan = planned(record, plant, observer, 500)
            assert not shown(record, plan, observer, 1)


def test_the_command() -> None:
    found = run_json(
        "witness", "5 5*6", "--backend", "fake_torino", "--shots", "1000", "--seed", "1", "--chsh"
    )
    (pair,) = found["pairs"]
    assert found["backend"] == "fake_torino" and pair["shown"] and pair["confidence"] == 0.999
    assert pair["fidelity_bound"] == pytest.approx(pair["w_lower"] / 2) and pair["w"] > pair["w_lower"] > 1
    assert pair["mitigated"]["w"] > pair["w"] and pair["chsh"]["s"] > 2 and len(pair["assumes"]) == 4
    again = run("witness", "5 5*6", "--backend", "aer", "--plant", "product", "--json")
    assert again.status == 1
    none = run("witness", "5 6", "--backend", "aer", "--json")
    assert none.status == 1 and '"pairs": []' in none.out
    said = run("witness", "1+3 1*2", "--backend", "aer", "--seed", "1").out
    assert "So the pair is entangled." in said and "This assumes:" in said
    assert "nothing is shown" in run("witness", "5 5*6", "--backend", "aer", "--plant", "mixture").out
    assert "say with --backend" in refusal("witness", "5 5*6")
    assert "two squares" in refusal("witness", "5 5*6", "--backend", "aer", "--squares", "11")
    assert "goes with a device" in refusal("witness", "5 5*6", "--backend", "aer", "--dry-run")


@pytest.mark.slow
def test_a_job_is_kept_and_fetched_to_the_same_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.qttt").write_text('[Level "2"]\n\n1. 1+3 1*2\n')
    words = ("witness", "game.qttt", "--backend", "fake_torino", "--shots", "300", "--seed", "4")
    found = run_json(*words)
    assert found["job"] == "game-witness.job"
    again = run_json("witness", "--resume", "game-witness.job")
    assert again == found
    assert find_witness("game-witness.job").pairs == ((1, 2),)
    assert "qttt witness --resume" in refusal("check", "--resume", "game-witness.job")
    assert "the job says what it was sent for" in refusal("witness", "--resume", "game-witness.job", "--chsh")
    damaged = Path("game-witness.job").read_text().replace('"pairs": [[1, 2]]', '"pairs": [[1, 3]]')
    Path("other.job").write_text(damaged)
    assert "damaged" in refusal("witness", "--resume", "other.job")
