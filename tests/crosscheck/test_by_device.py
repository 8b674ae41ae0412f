"""The cross-check on devices: within what the reported errors predict, and not beyond."""

import json
from dataclasses import replace
from importlib.util import find_spec
from math import comb

import numpy as np
import pytest

from qttt.crosscheck.by_device import FACTOR, judge
from qttt.crosscheck.report import DeviceVerdict
from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation import devices
from qttt.observation.devices import read_shots
from qttt.observation.faults import Fault
from tests.support.cli_runs import refusal, run, run_json

pytestmark = pytest.mark.ibm

HALF = ("check", "1+3 1*2", "--level", "4", "--backend", "fake_mumbai", "--shots", "1000", "--seed", "1")


@pytest.fixture(autouse=True)
def _quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


def test_a_noisy_device_keeps_within_what_its_errors_predict() -> None:
    found = run_json(*HALF, "--mode", "standard")
    device = found["device"]
    assert found["ok"] and device["ok"]
    assert found["illegal"] == sum(device["kinds"].values()) == round(1000 * device["impossible"])
    assert 0.05 < device["impossible"] <= device["predicted"] < device["impossible_limit"]
    # Before any shot is thrown away the impossible ones alone are that far off.
    assert device["tvd_before"] >= device["impossible"] - 1e-9
    assert device["tvd_after"] == found["sampled_tvd"] < device["tvd_before"] / 3
    assert device["tvd_after"] < device["tvd_limit"]
    assert {"a piece missing", "a piece doubled", "an entangled pair alike"} <= set(device["kinds"])


def test_people_see_both_limits() -> None:
    shown = run(*HALF).out
    for text in ("distance before post-selection", "at most", "a piece missing", "its errors predict"):
        assert text in shown


def test_a_circuit_of_the_wrong_mode_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true = devices._drafts
    monkeypatch.setattr(devices, "_drafts", lambda game, mode, encoding: true(game, Mode.STANDARD, encoding))
    done = run("check", "1 2+3", *HALF[2:], "--mode", "rotated", "--json")
    assert done.status == 1
    found = json.loads(done.out)
    assert not found["ok"]
    assert found["exact_tvd"] < 1e-9
    assert found["device"]["tvd_after"] > found["device"]["tvd_limit"]


def test_the_limits_are_those_of_all_modes_together() -> None:
    found = run_json(*HALF)
    modes = found["modes"].values()
    assert found["ok"] and all(one["device"]["ok"] for one in modes)
    for one in modes:
        assert (
            one["illegal"]
            == sum(one["device"]["kinds"].values())
            == round(1000 * one["device"]["impossible"])
        )
    # Two modes share what one has alone, so that the limits are farther.
    alone = run_json(*HALF, "--mode", "standard")["device"]
    assert found["modes"]["standard"]["device"]["impossible_limit"] > alone["impossible_limit"]


@pytest.mark.parametrize("shots", [1, 3])
def test_a_device_without_a_possible_shot_says_nothing(shots: int) -> None:
    from circuits.decoding import Shots
    from circuits.lean import lean_circuit
    from qttt.observation.compiler import lean_pieces

    game = Game(1)
    game.play("1+2")
    _, readout = lean_circuit(lean_pieces(game)[0], Mode.STANDARD)
    bits = Shots.from_registers({"pos": np.ones((shots, 2), dtype=np.bool_)}, shots)
    reading = read_shots(game.state, Mode.STANDARD, readout, bits)
    odds = game.state.odds().outcomes()
    # With every second shot faulty all of a few may be; with one in fifty that cannot be chance.
    assert judge(reading, odds, 0.5, np.random.default_rng(1)).ok is None
    assert judge(reading, odds, 0.01, np.random.default_rng(1)).ok is (None if shots == 1 else False)


def test_a_device_may_err_half_as_much_again_as_it_reports() -> None:
    assert FACTOR == 1.5


def test_the_excess_is_what_exceeds_a_limit_the_most() -> None:
    verdict = DeviceVerdict(True, 0.25, 0.25, 0.5, 0.5, 0.125, 0.1875, None, {})
    assert verdict.excess == -0.0625
    assert replace(verdict, impossible=0.75).excess == 0.25
    assert replace(verdict, tvd_after=0.4375).excess == 0.25


@pytest.mark.slow
def test_a_device_much_worse_than_it_reports_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def half_wrong(boards: tuple[str, ...], position: object, mode: Mode) -> dict[str, Fault]:
        return dict.fromkeys(boards[::2], Fault.DOUBLED)

    monkeypatch.setattr(devices, "impossible_boards", half_wrong)
    done = run(*HALF, "--json")
    assert done.status == 1
    device = json.loads(done.out)["device"]
    assert device["impossible"] > device["impossible_limit"]


def test_the_limits_are_those_that_the_page_states() -> None:
    from circuits.decoding import Shots
    from circuits.lean import lean_circuit
    from qttt.observation.compiler import lean_pieces

    game = Game(level=1)
    game.play("1+2")
    pieces, _ = lean_pieces(game)
    _, readout = lean_circuit(pieces, Mode.STANDARD)
    # 60 in square 1, 30 in square 2, 10 in both.
    bits = np.array([[True, False]] * 60 + [[False, True]] * 30 + [[True, True]] * 10)
    reading = read_shots(game.state, Mode.STANDARD, readout, Shots.from_registers({"pos": bits}, 100))
    verdict = judge(reading, game.state.odds().outcomes(), 0.08, np.random.default_rng(1))
    faulty = FACTOR * 0.08
    assert verdict.impossible == pytest.approx(0.1)
    # More than so many of 100 shots are faulty with a probability of half a thousandth, and not one fewer.
    limit = round(100 * verdict.impossible_limit)
    more = [
        sum(comb(100, n) * faulty**n * (1 - faulty) ** (100 - n) for n in range(least, 101))
        for least in (limit + 1, limit)
    ]
    assert more[0] <= 0.0005 < more[1]
    assert verdict.tvd_before == pytest.approx((0.1 + 0.2 + 0.1) / 2)
    assert verdict.tvd_after == pytest.approx(60 / 90 - 0.5)
    # 90 kept, at least 88 of them faultless; and what chance does to 90 tosses of a coin, 3.5 deviations.
    chance = 3.5 * 0.5 / 90**0.5
    assert verdict.tvd_limit == pytest.approx(1 - (1 - faulty) / 0.9 + chance, abs=0.02)
    assert verdict.ok
    # Of the two limits the one that is nearer.
    gaps = (0.1 - verdict.impossible_limit, verdict.tvd_after - verdict.tvd_limit)
    assert verdict.excess == max(gaps) < 0
    assert replace(verdict, tvd_limit=0.1).excess == pytest.approx(60 / 90 - 0.5 - 0.1)
    assert replace(verdict, impossible_limit=0.05).excess == pytest.approx(0.05)
    assert verdict.kinds == {"a piece doubled": 10}
    nothing = judge(
        read_shots(game.state, Mode.STANDARD, readout, Shots.from_registers({"pos": bits[90:]}, 10)),
        game.state.odds().outcomes(),
        0.08,
        np.random.default_rng(1),
    )
    assert not nothing.ok
    assert (nothing.tvd_after, nothing.impossible) == (1.0, 1.0)


@pytest.mark.slow
def test_mitigation_is_decoded_and_post_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a mitigation that changes nothing, the distance is that after post-selection."""
    from circuits.backends import mitigation
    from circuits.decoding import Shots

    def unchanged(shots: Shots, errors: object) -> dict[str, float]:
        rows = np.concatenate([shots.pos, shots.mark, shots.flag], axis=1).astype(int)
        found: dict[str, float] = {}
        for row in rows:
            key = "".join(map(str, row))
            found[key] = found.get(key, 0.0) + 1 / len(rows)
        return found

    monkeypatch.setattr(mitigation, "mitigate", unchanged)
    device = run_json(*HALF, "--mitigate")["device"]
    assert device["tvd_mitigated"] == pytest.approx(device["tvd_after"])


@pytest.mark.skipif(find_spec("mthree") is None, reason="needs the extra 'mitigation'")
def test_mitigation_by_the_library() -> None:
    device = run_json(*HALF, "--mitigate")["device"]
    assert 0 <= device["tvd_mitigated"] < device["tvd_before"] / 3


def test_devices_are_judged_by_their_own_check_from_python_too() -> None:
    from qttt.crosscheck.by_device import check_on_device
    from qttt.crosscheck.check import check

    game = Game(level=1)
    game.play("1+2")
    device, rng = devices.open_device("fake_manila"), np.random.default_rng(1)
    with pytest.raises(UsageError, match="fake_manila is a device with noise"):
        check(game, Mode.STANDARD, device, rng)
    report = check_on_device(game, device, device.plan(game, [Mode.STANDARD], 300), rng)
    assert report.ok
    (one,) = report.modes
    assert one.device is not None
    assert report.to_json()["device"]["kinds"] == one.sample.kinds


def test_mitigation_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from circuits.backends import mitigation

    monkeypatch.setattr(mitigation, "find_spec", lambda name: None)
    assert "install the extra 'mitigation'" in refusal(*HALF, "--mitigate")
    assert "--mitigate goes with a device" in refusal("check", "1", "--mitigate")
