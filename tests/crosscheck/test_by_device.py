"""The cross-check on devices: within what the reported errors predict, and not beyond."""

import json
from dataclasses import replace
from importlib.util import find_spec
from math import comb, log

import numpy as np
import pytest

from circuits.backends.noise import ReportedErrors
from circuits.decoding import Shots
from circuits.lean import lean_circuit
from circuits.measurement import Readout
from qttt.crosscheck.by_device import judge
from qttt.crosscheck.noise import Expectation, expectation
from qttt.crosscheck.report import DeviceVerdict, EventCheck, GroupCheck
from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation import devices
from qttt.observation.compiler import lean_pieces
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
    for text in (
        "distance before post-selection",
        "at most",
        "a piece missing",
        "as an honest one may",
        "bias seen",
    ):
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


def expected_of(game: Game, faulty: float) -> tuple[Expectation, Readout]:
    """What one superposition gives on a device that misreads each of its two bits so often."""
    circuit, readout = lean_circuit(lean_pieces(game)[0], Mode.STANDARD)
    reading = dict.fromkeys((0, 1), (faulty, faulty))
    names = {(item.name, tuple(circuit.find_bit(q).index for q in item.qubits)) for item in circuit.data}
    gates = {name: (0.0, 0.0) for name in names if name[0] != "measure"}
    errors = ReportedErrors(
        dict.fromkeys((0, 1), (np.inf, np.inf)), reading, {q: (pair,) for q, pair in reading.items()}, gates
    )
    return expectation(game.state.odds(), circuit, readout, errors), readout


def superposition() -> Game:
    game = Game(level=1)
    game.play("1+2")
    return game


def judged(rows: list[list[bool]], faulty: float) -> DeviceVerdict:
    game = superposition()
    expected, readout = expected_of(game, faulty)
    bits = Shots.from_registers({"pos": np.array(rows, dtype=np.bool_)}, len(rows))
    reading = read_shots(game.state, Mode.STANDARD, readout, bits)
    return judge(reading, bits, game.state.odds().outcomes(), expected, np.random.default_rng(1))


FIRST, SECOND, BOTH = [True, False], [False, True], [True, True]


@pytest.mark.parametrize("shots", [1, 3])
def test_a_device_without_a_possible_shot_says_nothing(shots: int) -> None:
    # With every second shot faulty all of a few may be; with one in fifty that cannot be chance.
    assert judged([BOTH] * shots, 0.3).ok is None
    assert judged([BOTH] * shots, 0.002).ok is (None if shots == 1 else False)


def test_a_device_that_reports_no_errors_is_not_judged() -> None:
    game = superposition()
    _, readout = expected_of(game, 0.1)
    bits = Shots.from_registers({"pos": np.array([FIRST] * 50)}, 50)
    reading = read_shots(game.state, Mode.STANDARD, readout, bits)
    verdict = judge(reading, bits, game.state.odds().outcomes(), None, np.random.default_rng(1))
    assert (verdict.ok, verdict.p_value, verdict.groups, verdict.detectable) == (None, None, (), None)


def test_the_excess_is_what_exceeds_a_limit_the_most() -> None:
    verdict = DeviceVerdict(True, 0.25, 0.25, 0.2, 0.5, 0.5, 0.125, 0.1875, None, {})
    assert verdict.excess == -0.0625
    assert replace(verdict, impossible=0.75).excess == 0.25
    assert replace(verdict, tvd_after=0.4375).excess == 0.25
    event = EventCheck("5 is filled", 0.5, 0.5, 0.4, 0.6, 0.9, 0.8, 1.0, 0.125, 0.5, 0.1)
    assert replace(verdict, groups=(GroupCheck((5, 6), 0.0, 0.0, 0.0, (event,)),)).excess == 0.375


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
    verdict = judged([FIRST] * 60 + [SECOND] * 30 + [BOTH] * 10, 0.05)
    assert verdict.impossible == pytest.approx(0.1)
    # One of two bits misread, and the other not.
    assert verdict.impossible_expected == pytest.approx(2 * 0.05 * 0.95)
    # Each bit may be misread twice as often: causes are added up, and a little more.
    worst = 2 * 0.05 * 0.95 + 1.1 * 2 * (0.1 * 0.95 + 0.05 * 0.9 - 2 * 0.05 * 0.95)
    # More than so many of 100 shots are impossible with a probability of 1/10,000, and not one fewer.
    limit = round(100 * verdict.impossible_limit)
    more = [
        sum(comb(100, n) * worst**n * (1 - worst) ** (100 - n) for n in range(least, 101))
        for least in (limit + 1, limit)
    ]
    assert more[0] <= 0.0001 < more[1]
    assert verdict.tvd_before == pytest.approx((0.1 + 0.2 + 0.1) / 2)
    assert verdict.tvd_after == pytest.approx(60 / 90 - 0.5)
    # 90 shots that count: the mean and McDiarmid's bound.
    assert verdict.tvd_limit == pytest.approx(0.5 / 90**0.5 + (log(10_000) / 180) ** 0.5, abs=1e-3)
    assert verdict.kinds == {"a piece doubled": 10}
    ((event,),) = (group.events for group in verdict.groups)
    assert (event.name, event.exact) == ("1 is filled", 0.5)
    assert event.measured == pytest.approx(60 / 90)
    # Both bits are misread alike: no honest device prefers a square.
    assert (event.expected, event.lowest, event.highest) == pytest.approx((0.5, 0.5, 0.5))
    by_chance = 2 * sum(comb(90, n) for n in range(60, 91)) / 2**90
    assert event.p_value == pytest.approx(by_chance)
    assert event.threshold == pytest.approx(0.0008)
    assert verdict.ok
    # The event is the nearest of all limits.
    assert verdict.excess == pytest.approx(0.0008 - by_chance)
    assert judged([BOTH] * 10, 0.05).tvd_after == 1.0
    assert judged([BOTH] * 10, 0.05).ok is False


def test_the_smallest_bias_is_caught_as_often_as_is_said() -> None:
    event = judged([FIRST] * 500 + [SECOND] * 500, 0.02).groups[0].events[0]
    assert event.detectable is not None
    # What is misread in both bits is a possible shot of the other pattern.
    share = 0.5 + event.detectable * (0.98**2 - 0.02**2) / (0.98**2 + 0.02**2)
    seen = np.random.default_rng(3).binomial(1000, share, size=400)
    fails = [judged([FIRST] * n + [SECOND] * (1000 - n), 0.02).ok is False for n in np.unique(seen)]
    caught = dict(zip(np.unique(seen), fails, strict=True))
    assert 0.92 < np.mean([caught[n] for n in seen]) < 0.975


def test_a_bias_that_the_distance_does_not_see() -> None:
    """The fault of issue 17: a square turned from 0.5, which a limit on the distance of boards lets pass."""
    verdict = judged([FIRST] * 560 + [SECOND] * 440, 0.01)
    assert verdict.tvd_after < verdict.tvd_limit
    assert not verdict.ok


def test_roots_that_are_not_independent_are_seen_by_the_distance() -> None:
    game = Game(level=1)
    game.play("1+2 3+4")
    circuit, readout = lean_circuit(lean_pieces(game)[0], Mode.STANDARD)
    places = range(4)
    pair = dict.fromkeys(places, (0.01, 0.01))
    names = {(item.name, tuple(circuit.find_bit(q).index for q in item.qubits)) for item in circuit.data}
    errors = ReportedErrors(
        dict.fromkeys(places, (np.inf, np.inf)),
        pair,
        {q: ((0.01, 0.01),) for q in places},
        {name: (0.0, 0.0) for name in names if name[0] != "measure"},
    )
    expected = expectation(game.state.odds(), circuit, readout, errors)
    bits = Shots.from_registers({"pos": np.array([FIRST + FIRST] * 500 + [SECOND + SECOND] * 500)}, 1000)
    reading = read_shots(game.state, Mode.STANDARD, readout, bits)
    verdict = judge(reading, bits, game.state.odds().outcomes(), expected, np.random.default_rng(1))
    assert all(group.ok for group in verdict.groups)
    assert not verdict.ok and verdict.tvd_after > verdict.tvd_limit


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
    device = run_json(*HALF, "--mitigate", "--mode", "standard")["device"]
    assert 0 <= device["tvd_mitigated"] < device["tvd_before"] / 3
    low, high = device["tvd_mitigated_interval"]
    assert 0 <= low < high < device["tvd_before"]
    # As in the simulation, which reads with the mean of both errors.
    assert device["mitigated_with"] == "equal"
    assert "0 and 1 are misread equally often" in run(*HALF, "--mitigate", "--mode", "standard").out


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
