"""The demonstration: what it says of views, and what its cross-checks hold the shots against."""

import re
from pathlib import Path

import pytest

from qttt.crosscheck.by_device import check_by_observer
from qttt.crosscheck.report import CheckReport, ModeCheck
from qttt.game.moves import Move
from qttt.game.outcomes import Positions
from qttt.game.symbols import View
from qttt.records.files import load_record
from qttt.tabletop.rolls import Rolls
from tests.support.cli_runs import run

BACK = "For the observation the view goes back to standard."
SEEN = ", seen in the standard view:"


def demonstration(*words: str) -> str:
    done = run("play", "--demo", *words)
    assert (done.status, done.err) == (0, "")
    return done.out


@pytest.mark.parametrize("backend", ["aer", "dice"])
def test_the_view_is_named_after_every_move_and_before_it_goes_back(backend: str, tmp_path: Path) -> None:
    file = str(tmp_path / "game.qttt")
    shown = demonstration("--level", "5", "--seed", "5", "--backend", backend, "--record", file)
    game = load_record(file).game()
    steps = list(zip(game.events, game.states, game.states[1:], strict=False))
    views = [after.position.view for event, _, after in steps if isinstance(event, Move)]
    assert set(views) == set(View)
    assert re.findall(r"^(\w+) view\.$", shown, re.M) == [view.capitalize() for view in views]
    observed = [before.position.view for event, before, _ in steps if isinstance(event, Positions)]
    assert set(observed) == set(View)
    assert shown.count(BACK) == observed.count(View.ROTATED)
    assert shown.count(SEEN) == len(observed)


@pytest.mark.parametrize("backend", ["aer", "dice"])
def test_where_there_is_one_view_it_is_not_named(backend: str) -> None:
    assert "view" not in demonstration("--level", "4", "--seed", "1", "--backend", backend)


@pytest.mark.parametrize("rolls", Rolls)
def test_shots_are_held_against_the_distribution_that_they_were_rolled_by(
    rolls: Rolls, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[ModeCheck] = []

    def kept(*arguments: object, **named: object) -> CheckReport:
        found = check_by_observer(*arguments, **named)  # type: ignore[arg-type]
        reports.extend(found.modes)
        return found

    monkeypatch.setattr("qttt.cli.keyboard.demonstration.check_by_observer", kept)
    # A game with half-cancels, without which the two distributions are one.
    demonstration("--level", "4", "--seed", "7", "--backend", "dice", "--rolls", rolls)
    assert {report.rolled_by for report in reports} == {rolls}
    assert any(report.rolls for report in reports)
    assert all((row.rolled is not None) is (rolls is Rolls.D6) for r in reports for row in r.squares)
