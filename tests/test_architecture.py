"""Directions: circuits below qttt, no import circle, no module that has grown into two."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("circuits", "qttt")
LONGEST = 450


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))}


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules of ours that a file imports when it runs, lazily or not; not those for type checking only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in PACKAGES:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in FILES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in FILES)
        else:
            yield from imported(node)


GRAPH = {name: set(imported(ast.parse(file.read_text()))) - {name} for name, file in FILES.items()}


def circles() -> list[list[str]]:
    """One import circle for every module that is in one, as a path back to itself."""
    found = []
    for start in GRAPH:
        paths: list[list[str]] = [[start]]
        seen: set[str] = set()
        while paths:
            path = paths.pop()
            for other in sorted(GRAPH.get(path[-1], ())):
                if other == start:
                    found.append([*path, start])
                    paths = []
                    break
                if other not in seen:
                    seen.add(other)
                    paths.append([*path, other])
    return found


def test_no_import_runs_in_a_circle() -> None:
    assert circles() == []


def test_circuits_never_import_the_game() -> None:
    for name, others in GRAPH.items():
        if name.startswith("circuits"):
            assert not [other for other in others if other.startswith("qttt")], name


def test_no_module_has_grown_into_two() -> None:
    lengths = {name: len(file.read_text().splitlines()) for name, file in FILES.items()}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_the_front_door_alone_knows_notebooks() -> None:
    assert [name for name, others in GRAPH.items() if "qttt.notebook" in others] == ["qttt"]


def test_the_graph_is_real() -> None:
    assert "qttt.game.position" in GRAPH["qttt.game.roots"]
    assert "circuits.gates" in GRAPH["qttt.observation.compiler"]
