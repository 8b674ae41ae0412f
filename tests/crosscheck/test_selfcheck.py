"""``qttt check --self`` passes here, and catches every fault that is planted in gates or decoding."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from qttt.crosscheck import selfcheck
from qttt.crosscheck.selfcheck import BATTERY, Case, hold_battery
from qttt.errors import ServiceError
from qttt.game.symbols import Mode
from tests.support import plants
from tests.support.cli_runs import refusal, run

Plant = Callable[[pytest.MonkeyPatch], None]

#: Each fault with a record whose own check catches it: level, moves.
PLANTS: tuple[tuple[Plant, str, str], ...] = (
    (plants.plus_sign, "4", "1 1*2"),
    (plants.plus_sign_of_a_half, "4", "1+3 1*2"),
    (plants.coin_of_a_pair, "2", "1 1*2"),
    (plants.angle_of_a_herald, "3", "1+3 1-2"),
    (plants.angle_of_a_toffoli, "2", "1+3 1*2"),
    (plants.angle_of_a_plus, "3", "1 1-2"),
    (plants.angle_of_a_rotation, "4", "1+3"),
    (plants.herald_in_gate, "3", "1+3 1-2"),
    (plants.herald_in_decoding, "3", "1+3 1-2"),
    (plants.ignored_heralds, "3", "1+3 1-2"),
    (plants.reversed_bits, "1", "1+3 9 5"),
    (plants.swapped_symbols, "1", "1+3 9 5"),
    (plants.no_mode_rotation, "4", "1+3"),
    (plants.no_view_switch, "5", "~1+3 9"),
)
each = pytest.mark.parametrize(
    ("plant", "level", "record"), PLANTS, ids=[plant.__name__ for plant, *_ in PLANTS]
)


def statuses(*words: str) -> tuple[int, bool | None]:
    done = run(*words, "--seed", "1", "--json")
    assert done.err == ""
    return done.status, json.loads(done.out)["ok"]


@each
def test_a_planted_fault_is_caught_by_the_check_of_a_record(
    plant: Plant, level: str, record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("check", record, "--level", level)
    assert statuses(*words) == (0, True)
    plant(monkeypatch)
    assert statuses(*words) == (1, False)


def test_a_simulator_that_gives_nothing_fails_its_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object, **__: object) -> None:
        raise ServiceError("no shot has the known positions")

    asked: list[float] = []

    def noted(*_: object, threshold: float, **__: object) -> None:
        asked.append(threshold)
        silent()

    monkeypatch.setattr(selfcheck, "check_mode", noted)
    cases = hold_battery(np.random.default_rng(1))
    failed = [case for case in cases if not case.ok]
    assert len(failed) == len(asked) > 40
    assert {(case.exact_tvd, case.p_value) for case in failed} == {(1.0, 0.0)}
    # One true battery in a thousand may fail, over every mode of it and both tests of each.
    assert asked == [pytest.approx(0.001 / (2 * len(asked)))] * len(asked)


@pytest.mark.slow
@each
def test_a_planted_fault_is_caught_by_the_battery(
    plant: Plant, level: str, record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert statuses("check", "--self") == (1, False)


def test_the_battery_passes() -> None:
    done = run("check", "--self", "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["ok"] is True
    for case in found["cases"]:
        assert case.keys() >= {"record", "mode", "exact_tvd", "ok"}
        assert case["ok"] is True and case["exact_tvd"] < 1e-9
    looked_at = {(case["level"], case["options"], case["record"]) for case in found["cases"]}
    assert looked_at >= set(BATTERY)
    assert {case["level"] for case in found["cases"]} == {None, 0, 1, 2, 3, 4, 5}
    for case in found["cases"]:
        if case["level"] is not None:
            modes = {"standard", "rotated"} if case["level"] > 3 else {"standard"}
            same = [other for other in found["cases"] if other["record"] == case["record"]]
            assert {other["mode"] for other in same} == modes
            assert {other["backend"] for other in same} == {"aer", "aer-lean", "dice"}


def test_the_battery_is_shown_case_by_case(monkeypatch: pytest.MonkeyPatch) -> None:
    true = Case("1 2", Mode.STANDARD, 0.0, True, 1, "", "aer", 0.5)
    wrong = Case("written bits", Mode.STANDARD, 0.25, False)
    for cases, status, said in (
        ((true,), 0, "All 1 cases agree."),
        ((true, wrong), 1, "1 of 2 cases do NOT agree."),
    ):
        monkeypatch.setattr("qttt.crosscheck.selfcheck.hold_battery", lambda rng, cases=cases: cases)
        done = run("check", "--self")
        assert (done.status, done.err) == (status, "")
        assert done.out.endswith(f"{said}\n")
        assert done.out.count("agrees") == 1
        assert done.out.count("DIFFERS") == status


def test_written_bits_alone_find_a_wrong_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.crosscheck.selfcheck.BATTERY", BATTERY[:1])
    for plant in (plants.reversed_bits, plants.swapped_symbols, plants.ignored_heralds):
        assert [case.ok for case in hold_battery(np.random.default_rng(1))][:2] == [True, True]
        with monkeypatch.context() as patch:
            plant(patch)
            cases = hold_battery(np.random.default_rng(1))[:2]
            assert [case.ok for case in cases] == [False, False]
            assert all(0 < case.exact_tvd <= 1 for case in cases)


def test_nothing_is_said_beside_the_battery() -> None:
    for words in (["1 2"], ["--level", "4"], ["--mode", "rotated"], ["--shots", "9"], ["--backend", "aer"]):
        assert refusal("check", *words, "--self").endswith(
            "and --self do not go together: its records are settled"
        )
    assert "--resume and --self" in refusal("check", "--self", "--resume", "a.job")
