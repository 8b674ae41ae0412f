"""Mutation testing: ``python -m tests.campaigns.mutation [--sample N] [MODULE …]``.

A mutant is a module with one operator, comparison, condition, number or return changed; strings, messages,
docstrings and annotations are left alone. A mutant that the module's own fast tests still pass with has
survived: the tests do not notice the change, or it makes no difference.

This is a driver of our own. mutmut copies the project and runs all tests once to map them, and cosmic-ray
starts an interpreter for each mutant; with Qiskit's import that is seconds a mutant. Here every mutant is a
child forked from a process that has all third-party packages imported and none of ours, and the module's
source is changed as it is imported: a mutant costs its tests and little else, and no file is touched.
"""

import argparse
import ast
import copy
import importlib
import json
import os
import random
import signal
import sys
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]

_RULES = ("tests/qttt/test_game.py", "tests/qttt/test_board.py", "tests/qttt/test_cases.py")
_ROADS = ("tests/qttt/test_roads.py", "tests/campaigns/test_model.py")
_ROLLS = ("tests/qttt/test_rolls.py", "tests/qttt/test_rolls_diagrams.py", "tests/qttt/test_measure_turn.py")
_MARKS = ("tests/campaigns/test_survivors.py",)
_GATES = (
    "tests/circuits/test_gates.py",
    "tests/circuits/test_components.py",
    "tests/qttt/test_measure_turn_circuits.py",
    "tests/qttt/test_roads.py",
)
_BITS = (
    "tests/circuits/test_decoding.py",
    "tests/circuits/test_measurement.py",
    "tests/circuits/test_jobs.py",
)
_LEAN = ("tests/circuits/test_lean.py", "tests/circuits/test_lean_choice.py")

#: Every module that is mutated, with the tests that should notice, the quickest first.
TARGETS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("qttt.moves", "qttt.outcomes", "qttt.verdict", "qttt.squares", "qttt.symbols"),
        (*_RULES, *_MARKS, "tests/qttt/test_record.py", "tests/campaigns/test_model.py"),
    ),
    **dict.fromkeys(
        ("qttt.legality", "qttt.state", "qttt.game", "qttt.options", "qttt.board", "qttt.configurations"),
        (*_RULES, *_MARKS, "tests/qttt/test_measure_turn.py", *_ROADS),
    ),
    **dict.fromkeys(
        ("qttt.dice", "qttt.roots", "qttt.odds", "qttt.surds"),
        (*_RULES, *_MARKS, "tests/qttt/test_crosscheck.py", *_ROADS),
    ),
    **dict.fromkeys(
        ("qttt.adjustment", "qttt.d6", "qttt.questions", "qttt.tabletop", "qttt.rolls"), (*_ROLLS, *_MARKS)
    ),
    "circuits.gates": (*_GATES, *_MARKS),
    "circuits.register": ("tests/circuits/test_register.py", *_GATES),
    **dict.fromkeys(("circuits.decoding", "circuits.measurement"), (*_BITS, *_MARKS)),
    **dict.fromkeys(
        ("circuits.lean.blocks", "circuits.lean.pieces", "circuits.lean.synthesis"), (*_LEAN, *_MARKS)
    ),
}
MOST_SECONDS = 120

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Pow: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """A change to a module.

    Attributes:
        module: which.
        line: where.
        what: the change in words.
        tree: the module's changed syntax tree.
    """

    module: str
    line: int
    what: str
    tree: ast.Module


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its text."""
    with tokenize.open(_file(module)) as source:
        tree = ast.parse(source.read())
    skipped = _left_alone(tree)
    nodes = list(ast.walk(tree))
    for index, node in enumerate(nodes):
        if id(node) in skipped:
            continue
        for number, what in enumerate(_changes(node)):
            changed = copy.deepcopy(tree)
            twin = list(ast.walk(changed))[index]
            _apply(twin, number)
            ast.fix_missing_locations(changed)
            yield Mutant(module, getattr(node, "lineno", 0), what, changed)


def _file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _left_alone(tree: ast.Module) -> set[int]:
    """What is not changed: annotations, raised errors, assertions, decorators, bases and texts."""
    found: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        match node:
            case ast.Raise() | ast.Assert() | ast.JoinedStr():
                parts = [node]
            case ast.FunctionDef():
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                parts = [argument.annotation for argument in arguments if argument.annotation is not None]
                parts += [*node.decorator_list, *([node.returns] if node.returns is not None else [])]
                if (
                    node.name in {"__repr__", "__str__", "_repr_svg_", "_repr_html_"}
                    and node.name != "__str__"
                ):
                    parts.append(node)
            case ast.ClassDef():
                parts = [*node.decorator_list, *node.bases]
            case ast.AnnAssign():
                parts = [node.annotation]
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                parts = [node]
            case _:
                continue
        for part in parts:
            found.update(id(inner) for inner in ast.walk(part))
    return found


def _changes(node: Any) -> list[str]:
    """The changes that a node allows, in words; ``_apply`` makes the n-th of them."""
    match node:
        case ast.Compare(ops=[operator]):
            return [f"{type(operator).__name__} to {to.__name__}" for to in _COMPARISONS[type(operator)]]
        case ast.BinOp(op=operator) if type(operator) in _OPERATORS and not _is_text(node):
            return [f"{type(operator).__name__} to {_OPERATORS[type(operator)].__name__}"]
        case ast.BoolOp(op=ast.And()):
            return ["and to or"]
        case ast.BoolOp(op=ast.Or()):
            return ["or to and"]
        case ast.UnaryOp(op=ast.Not()):
            return ["not left out"]
        case ast.UnaryOp(op=ast.USub()):
            return ["minus left out"]
        case ast.Constant(value=bool()):
            return [f"{node.value!r} to {not node.value}"]
        case ast.Constant(value=int(number)) | ast.Constant(value=float(number)):
            return [f"{number} to {number + 1}"]
        case ast.If() | ast.IfExp() | ast.While():
            return ["condition negated"]
        case ast.Return(value=ast.expr()):
            return ["returns None"]
        case ast.Break():
            return ["break to continue"]
        case ast.Continue():
            return ["continue to break"]
    return []


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.Constant | ast.JoinedStr) and not _is_number(part)
        for part in (node.left, node.right)
    )


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _next(number: Any) -> Any:
    """A number that is changed by one."""
    return number + 1


def _apply(node: Any, number: int) -> None:
    match node:
        case ast.Compare():
            node.ops = [_COMPARISONS[type(node.ops[0])][number]()]
        case ast.BinOp():
            node.op = _OPERATORS[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            # Twice not is a truth value, and plus is the number itself.
            node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
            if isinstance(node.op, ast.Not):
                node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant():
            node.value = _next(node.value)
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Return():
            node.value = ast.Constant(None)
        case ast.Break() | ast.Continue():
            node.__class__ = ast.Continue if isinstance(node, ast.Break) else ast.Break


class _Changed(MetaPathFinder, Loader):
    """Imports one module from a syntax tree."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != self.mutant.module:
            return None
        file = _file(name)
        places = [str(file.parent)] if file.name == "__init__.py" else None
        return spec_from_file_location(name, file, loader=self, submodule_search_locations=places)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.mutant.tree, str(_file(self.mutant.module)), "exec"), module.__dict__)


def survives(mutant: Mutant | None, module: str) -> bool | None:
    """Whether the tests pass with a mutant, or without any; None if they do not end in time."""
    child = os.fork()
    if child == 0:
        _run_tests(mutant, module)
    deadline = time.monotonic() + MOST_SECONDS * 5
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGXCPU else code == 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run_tests(mutant: Mutant | None, module: str) -> None:
    import resource

    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        if mutant is not None:
            sys.meta_path.insert(0, _Changed(mutant))
        import hypothesis
        import pytest

        # On a busy machine a test of speed would kill mutants that nothing else notices.
        hypothesis.settings.register_profile("mutation", deadline=None)
        hypothesis.settings.load_profile("mutation")
        tests = [test for test in TARGETS[module] if (ROOT / test).exists()]
        words = [
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-o",
            "addopts=",
            "-m",
            "not slow",
            "-k",
            "not quick and not second",
        ]
        status = int(pytest.main([*words, *tests]))
    finally:
        os._exit(status)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.mutation")
    parser.add_argument("modules", nargs="*", default=list(TARGETS), metavar="MODULE")
    parser.add_argument("--sample", type=int, help="so many mutants of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="append a line of JSON for each mutant")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    for name in (
        "pytest",
        "hypothesis",
        "numpy",
        "scipy.stats",
        "qiskit",
        "qiskit.quantum_info",
        "rich.console",
    ):
        importlib.import_module(name)
    ours = [name for name in sys.modules if name.split(".")[0] in ("qttt", "circuits")]
    if ours:
        raise SystemExit(f"these are imported already and could not be changed: {', '.join(ours)}")
    total: Counter[str] = Counter()
    for module in arguments.modules or list(TARGETS):
        if not survives(None, module):
            print(f"{module}: its tests fail without any mutant", flush=True)
            continue
        every = list(mutants(module))
        chosen = every
        if arguments.sample is not None and arguments.sample < len(every):
            picked = random.Random(f"{arguments.seed} {module}").sample(range(len(every)), arguments.sample)
            chosen = [every[place] for place in sorted(picked)]
        counts: Counter[str] = Counter()
        for mutant in chosen:
            result = {True: "survived", False: "killed", None: "timed out"}[survives(mutant, module)]
            counts[result] += 1
            if result == "survived":
                print(f"{module}:{mutant.line}: {mutant.what}", flush=True)
            if arguments.out is not None:
                entry = {"module": module, "line": mutant.line, "what": mutant.what, "result": result}
                with arguments.out.open("a") as file:
                    file.write(json.dumps(entry) + "\n")
        total += counts
        print(f"{module}: {len(every)} mutants, {len(chosen)} tried, {dict(counts)}", flush=True)
    print(f"all: {total.total()} tried, {dict(total)}")


if __name__ == "__main__":
    main()
