"""The house: floors and wings, borders that have a name, no import in a circle, and walks through it.

Imports for type checking only and imports inside functions count like any other. There is no exemption.
"""

import ast
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import qttt
from qttt.cli.main import main
from qttt.errors import shown

ROOT = Path(__file__).parents[1]

FLOORS: tuple[tuple[str, ...], ...] = (
    ("circuits", "qttt.chance", "qttt.errors", "qttt.stats", "qttt.version"),
    ("qttt.own_circuits", "qttt.workers"),
    ("qttt.game", "qttt.storage"),
    ("qttt.records", "qttt.solver", "qttt.tabletop"),
    ("qttt.observation",),
    ("qttt.crosscheck", "qttt.display", "qttt.players"),
    ("qttt.session",),
    ("qttt.integrations", "qttt.notebook", "qttt.page"),
    ("qttt.teaching",),
    ("qttt.web",),
    ("qttt.cli.console", "qttt.door"),
    ("qttt.cli.keyboard",),
    ("qttt.cli.commands",),
    ("qttt", "qttt.cli"),
    ("qttt.__main__",),
)
"""The plan: the wings of each floor, the lowest first. A wing imports from itself and from lower floors."""

BORDERS: dict[str, tuple[str, ...]] = {
    "ibm_cloud_sdk_core": ("circuits.backends.ibm",),
    "qiskit_ibm_runtime": ("circuits.backends.ibm",),
    # The table of providers, and IBM's row in it.
    "circuits.backends.ibm": ("circuits.backends.ibm", "circuits.backends.providers="),
    # What is beside it needs no extra to be installed.
    "qttt.solver.making": ("qttt.solver.making", "qttt.cli.commands"),
    "qttt.display.pictures": (
        *("qttt.display", "qttt.integrations", "qttt.notebook", "qttt.page", "qttt.session", "qttt.teaching"),
        *("qttt.web", "qttt.cli", "qttt.door"),
    ),
    "qttt.notebook": ("qttt=",),
    "qttt.web": ("qttt.web", "qttt.cli.commands.serve"),
}
"""Who alone imports a package and what is in it: packages with all they hold, or with ``=`` one module."""


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {
    module_name(file): file for top in ("circuits", "qttt") for file in sorted((ROOT / top).rglob("*.py"))
}


def imported(file: Path) -> Iterator[str]:
    """All modules that a file imports anywhere, ours by the module that holds the name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{file}:{node.lineno}: imports name their module in full"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in FILES else node.module


IMPORTS = {name: set(imported(file)) for name, file in FILES.items()}
PAIRS = [(name, other) for name, others in IMPORTS.items() for other in sorted(others) if other != name]
OURS = [(name, other) for name, other in PAIRS if other in FILES]
FLOOR_OF = {wing: number for number, wings in enumerate(FLOORS) for wing in wings}


def within(name: str, package: str) -> bool:
    """Whether a module is a package, or in it; with ``=`` behind it the package's own file alone."""
    return name == package.rstrip("=") or name.startswith(f"{package}.")


def wing_of(name: str) -> str:
    """The wing of the plan that a module is in, the most closely named one."""
    # What is directly in `qttt` has a place of its own in the plan, or none.
    wings = [wing for wing in FLOOR_OF if within(name, wing) and (wing != "qttt" or name == "qttt")]
    return max(wings, key=len, default="")


def may_use(name: str, other: str) -> bool:
    """Whether what is in one module may use another: in its own wing, or on a lower floor."""
    mine, theirs = wing_of(name), wing_of(other)
    return mine == theirs or FLOOR_OF[theirs] < FLOOR_OF[mine]


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The shortest import circle of every module that is in one, as a path back to itself."""
    found = []
    for start in graph:
        paths: list[list[str]] = [[start]]
        seen: set[str] = set()
        for path in paths:
            for other in sorted(graph.get(path[-1], set()) - seen):
                seen.add(other)
                paths.append([*path, other])
        found += [path for path in paths[1:] if path[-1] == start]
    return found


def test_every_module_has_a_place_in_the_plan() -> None:
    assert [name for name in FILES if not wing_of(name)] == []


def test_imports_go_down() -> None:
    assert [f"{name} imports {other}" for name, other in OURS if not may_use(name, other)] == []


def test_no_import_runs_in_a_circle() -> None:
    assert circles({name: others - {name} for name, others in IMPORTS.items()}) == []


@pytest.mark.parametrize("package", BORDERS)
def test_borders_with_a_name_are_crossed_by_those_who_may(package: str) -> None:
    crossed = [(name, other) for name, other in PAIRS if within(other, package)]
    strangers = [pair for pair in crossed if not any(within(pair[0], one) for one in BORDERS[package])]
    assert [f"{name} imports {other}" for name, other in strangers] == []


def test_circuits_know_no_game() -> None:
    assert [pair for pair in PAIRS if within(pair[0], "circuits") and within(pair[1], "qttt")] == []


def test_the_rules_need_the_standard_library_alone() -> None:
    allowed = ("qttt.game", "qttt.errors", "qttt.chance", *sys.stdlib_module_names)
    rules = [pair for pair in PAIRS if within(pair[0], "qttt.game")]
    assert [pair for pair in rules if not any(within(pair[1], one) for one in allowed)] == []


def calls_upwards(walk: Callable[[], object]) -> set[str]:
    """The calls of a walk that go up, or sideways, in the house."""
    found: set[str] = set()

    def called(frame: FrameType, event: str, _: Any) -> None:
        name, caller = frame.f_globals.get("__name__", ""), frame.f_back
        # A generator goes on where its values are wanted, and a module is run where it is first imported.
        if event != "call" or name not in FILES or frame.f_code.co_flags & 0x20:
            return
        while caller is not None and (above := caller.f_globals.get("__name__", "")) not in FILES:
            if above.startswith("importlib."):
                return
            caller = caller.f_back
        if caller is not None and not may_use(above, name):
            found.add(f"{above}.{caller.f_code.co_qualname} calls {name}.{frame.f_code.co_qualname}")

    sys.setprofile(called)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return found


MOVES = "1+3 1-2 5 5*6"
WALKS: dict[str, Callable[[], object]] = {
    "token to board": lambda: qttt.Game(3).play(MOVES).position.at(2),
    "game to shot": lambda: qttt.sample(qttt.Game(4).play(MOVES), 1, seed=1, mode="rotated").drawn,
    "record to odds": lambda: main(["odds", "--level", "3", MOVES], stdout=io.StringIO()),
}


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_enters_each_wing_from_above(walk: str) -> None:
    """So none is entered again from one that it has called."""
    assert calls_upwards(WALKS[walk]) == set()


def test_tests_lie_as_the_packages_do() -> None:
    folders = {file.parent.relative_to(ROOT / "tests") for file in (ROOT / "tests").rglob("test_*.py")}
    apart = {"campaigns", "examples", "support"}
    named = {".".join(folder.parts) for folder in folders if not apart & set(folder.parts)} - {""}
    assert {name for name in named if not {name, f"qttt.{name}"} & set(FILES)} == set()


def test_what_is_looked_at_is_there() -> None:
    assert ("qttt.game.roots", "qttt.game.position") in PAIRS
    assert ("qttt.observation.devices", "circuits.lean") in PAIRS  # For type checking.
    assert ("qttt.door", "numpy") in PAIRS  # In a function.
    assert not may_use("qttt.players.advice", "qttt.display.text")
    assert not may_use("circuits.gates", "qttt.errors")
    assert not wing_of("qttt.unplanned")
    assert calls_upwards(lambda: shown(qttt.Game())) == {
        "qttt.errors.shown calls qttt.game.game.Game.__repr__"
    }
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c", "b"], ["c", "b", "c"]]
