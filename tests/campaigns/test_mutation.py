"""A short mutation campaign."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from cosmic_ray.work_db import WorkDB, use_db

from tests.campaigns.mutation import MODULES, ROOT, TARGETS, file_of, make_session, mutants


def campaign(session: Path, *words: str) -> Counter[str]:
    """Run the driver as a user does; how many mutants had which outcome."""
    command = [sys.executable, "-m", "tests.campaigns.mutation", "--session", str(session), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with use_db(session, WorkDB.Mode.open) as work:
        return Counter(str(result.test_outcome.value) for _, result in work.results)


@pytest.mark.slow
def test_a_short_campaign(tmp_path: Path) -> None:
    """The doctest of a module notices some of its mutants, and tests notice more."""
    session = tmp_path / "session.sqlite"
    words = ("qttt.game.game", "--seed", "3", "--sample", "6", "--tests")
    doctest_only = campaign(session, *words)
    assert doctest_only.total() == 6
    assert 0 < doctest_only["killed"] < 6 == doctest_only["killed"] + doctest_only["survived"]
    # A finished session is not begun again, unless that is asked for.
    assert campaign(session, *words, "tests/game/test_game.py") == doctest_only
    assert campaign(session, *words, "tests/game/test_game.py", "--again")["killed"] > doctest_only["killed"]


def test_a_session_of_other_mutants_is_refused(tmp_path: Path) -> None:
    session = tmp_path / "session.sqlite"
    make_session(session, ["qttt.game.rules"], None, 1)
    make_session(session, ["qttt.game.rules"], None, 1)
    with pytest.raises(SystemExit, match="holds mutants of other sources"):
        make_session(session, ["qttt.game.rules", "qttt.game.dice"], None, 1)


def test_texts_annotations_errors_and_decorators_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = '''
from dataclasses import dataclass
limit: Literal[1, 2] | None = 3  # the 3 is a value
@dataclass(frozen=True)
class Thing(Base[4]):
    """A text of 5 words."""
    size: int | None = 6
    def grow(self, *others, by: int | float = 7) -> int | None:
        if not self.size:
            raise ValueError(f"{self.size + 8} is not {9:{10}}")
        return {**self.more, "11": 12} | dict(zip(self, other, strict=True))
    def __repr__(self) -> str:
        return "13" * 14
'''
    (tmp_path / "thing.py").write_text(source)
    monkeypatch.setattr("tests.campaigns.mutation.ROOT", tmp_path)
    found = sorted(
        (mutation.operator_name.removeprefix("core/"), mutation.start_pos[0])
        for item in mutants("thing")
        for mutation in item.mutations
    )
    assert found == [
        ("AddNot", 9),
        *(("NumberReplacer", line) for line in (3, 3, 7, 7, 8, 8, 11, 11)),
        ("ReplaceBinaryOperator_BitOr_BitAnd", 11),
        ("ReplaceUnaryOperator_Delete_Not", 9),
    ]


def test_every_module_and_every_test_file_of_the_campaign_exists() -> None:
    assert len(set(MODULES)) == len(MODULES)
    for modules, tests in TARGETS.items():
        for name in (*map(file_of, modules), *map(Path, tests)):
            assert (ROOT / name).is_file(), name
