"""Trying mutants in forked processes, for `tests.campaigns.mutation`.

The process that forks has third-party packages imported. For a module it also imports those of ours that do
not need it, and then forks for each mutant; the child puts the changed source in when the module is imported,
and runs the tests that come past the changed lines, as coverage.py tells. So a mutant costs a few tests and
little else, and no file is touched.
"""

import ast
import contextlib
import difflib
import functools
import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import cosmic_ray.mutating
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

_OURS = ("qttt", "circuits")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
_MEMORY = 6 << 30
_TAIL = 2000
_WORDS = (
    *("-x", "-q", "--tb=line", "--doctest-modules", "-o", "addopts=", "-m", "not slow", "-W", "ignore"),
    *("-p", "no:cacheprovider", "-p", "no:unraisableexception"),
)
_THIRD_PARTY = (
    *(
        "coverage",
        "pytest",
        "hypothesis",
        "numba",
        "numpy",
        "scipy.stats",
        "matplotlib.figure",
        "rich.console",
    ),
    *("qiskit", "qiskit.quantum_info", "qiskit_aer"),
)


def prepare() -> None:
    """Import what no mutant changes.

    Raises:
        RuntimeError: modules of ours are imported already and so could not be changed.
    """
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for name in _THIRD_PARTY:
        importlib.import_module(name)
    ours = sorted(name for name in sys.modules if name.split(".")[0] in _OURS)
    if ours:
        raise RuntimeError(f"these are imported already: {', '.join(ours)}")


def in_child(task: Callable[[], int]) -> int:
    """The status that a task ends with in a process of its own."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = task()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@dataclass(frozen=True)
class Plan:
    """Which tests come past which lines.

    Attributes:
        seconds: of processor time, of every test.
        lines: of every file, the tests that come past a line; under the name "" what runs at import does.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]

    def tests_of(self, file: Path, source: str, first: int, last: int, most: float) -> dict[str, list[str]]:
        """The tests to run for a change in some lines, by file, each file's in their own order.

        The quickest of them, as many as fit into so many seconds.
        """
        lines = self.lines.get(str(file), {})
        nearby = {test for tests in lines.values() for test in tests}
        found = {test for line in _statement(source, first, last) for test in lines.get(line, ())}
        if "" in found:
            # What runs at import may matter to every test, those that run no line of the module included.
            found = set(self.seconds)
        left = most
        for test in sorted(found, key=lambda test: (test not in nearby, self.seconds[test], test)):
            left -= self.seconds[test]
            if left < 0:
                found.discard(test)
        chosen: dict[str, list[str]] = {}
        for test in self.seconds:
            if test in found:
                chosen.setdefault(test.partition("::")[0], []).append(test)
        return chosen

    def time_of(self, tests: dict[str, list[str]]) -> float:
        """Seconds of processor time that tests need."""
        return sum(self.seconds[test] for several in tests.values() for test in several)


def _statement(source: str, first: int, last: int) -> Iterable[int]:
    """The lines of the smallest statement, or head of a compound one, around some lines."""
    best = range(first, last + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= first and last <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            end = body[0].lineno if body and first < body[0].lineno else (node.end_lineno or 0) + 1
            if len(best) == last + 1 - first or end - node.lineno < len(best):
                best = range(node.lineno, end)
    return best


class _Context:
    """A plugin that tells coverage which test runs, and notes its processor time.

    Every test begins without what earlier ones left in caches, else it would not come past the lines whose
    results are there already.
    """

    def __init__(self, measured: Any) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        _forget_results()
        self.measured.switch_context(nodeid)
        self.seconds[nodeid] = -time.process_time()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] += time.process_time()
        self.measured.switch_context("")


def _forget_results() -> None:
    ours = [module for name, module in sys.modules.items() if name.split(".")[0] in _OURS]
    for module in ours:
        for value in vars(module).values():
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()


class _Selection:
    """A plugin that keeps some of the tests."""

    def __init__(self, kept: Iterable[str]) -> None:
        self.kept = frozenset(kept)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self.kept]


def make_plan(files: Iterable[Path], tests: list[str]) -> Plan | None:
    """Run the tests without any mutant, once, and note what they come past; None if they fail."""
    noted = os.memfd_create("plan")

    def measure() -> int:
        import coverage
        import pytest

        measured = coverage.Coverage(data_file=None, include=[str(file) for file in files], config_file=False)
        plugin = _Context(measured)
        measured.start()
        status = _pytest(tests, plugin)
        measured.stop()
        data = measured.get_data()
        lines = {
            os.path.relpath(name): data.contexts_by_lineno(name) for name in sorted(data.measured_files())
        }
        with os.fdopen(noted, "w", closefd=False) as file:
            json.dump({"seconds": plugin.seconds, "lines": lines}, file)
        return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else status

    failed = in_child(measure)
    with os.fdopen(noted) as file:
        file.seek(0)
        if failed:
            return None
        told = json.load(file)
    lines = {
        name: {int(line): contexts for line, contexts in several.items()}
        for name, several in told["lines"].items()
    }
    return Plan(told["seconds"], lines)


def _pytest(tests: list[str], *plugins: object) -> int:
    """The status of a run of pytest in this process."""
    import hypothesis
    import pytest

    # Few examples, always the same, and no time spent on making a failing one smaller.
    hypothesis.settings.register_profile(
        "mutation",
        deadline=None,
        database=None,
        derandomize=True,
        max_examples=25,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    )
    hypothesis.settings.load_profile("mutation")
    return int(pytest.main([*_WORDS, *tests], plugins))


def run_module(module: str, file: Path, plan: Plan, items: list[WorkItem], session: Path, most: float) -> int:
    """Try mutants of one module and write their results into the session."""
    original = file.read_text(encoding="utf-8")
    _import_the_rest(module)
    # Children share what there is instead of looking through it for garbage.
    gc.collect()
    gc.freeze()
    # The session is opened after forking: a connection must not be shared.
    with use_db(session, WorkDB.Mode.open) as work:
        for item in items:
            work.set_result(item.job_id, _try(item, module, file, original, plan, most))
    return 0


def _try(item: WorkItem, module: str, file: Path, original: str, plan: Plan, most: float) -> WorkResult:
    (mutation,) = item.mutations
    operator = get_operator(mutation.operator_name)()
    try:
        source = cosmic_ray.mutating.mutate_code(original, operator, mutation.occurrence)
        compile(source, str(file), "exec")
    # Of an exception that is named with its module cosmic-ray makes no mutant, but an AttributeError.
    except (SyntaxError, AttributeError) as error:
        return WorkResult(WorkerOutcome.EXCEPTION, str(error), TestOutcome.INCOMPETENT)
    tests = plan.tests_of(file, original, mutation.start_pos[0], mutation.end_pos[0], most)
    outcome, output = try_source(module, file, source, tests, 5 + int(3 * plan.time_of(tests)))
    changed = difflib.unified_diff(
        original.splitlines(), source.splitlines(), str(file), str(file), n=0, lineterm=""
    )
    return WorkResult(WorkerOutcome.NORMAL, output, outcome, "\n".join(changed))


class _Kept(Exception):
    """A module that is kept for the mutants was asked for; not an ImportError, which ours might handle."""


class _Keeper(MetaPathFinder):
    """Makes the import of one module fail."""

    def __init__(self, module: str) -> None:
        self.module = module

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name == self.module:
            raise _Kept(name)


def _import_the_rest(module: str) -> None:
    """Import every module of ours that does not need the given one."""
    keeper = _Keeper(module)
    sys.meta_path.insert(0, keeper)
    for package in _OURS:
        for found in pkgutil.walk_packages([package], f"{package}.", onerror=lambda _: None):
            if not found.name.endswith("__main__"):
                with contextlib.suppress(_Kept):
                    importlib.import_module(found.name)
    sys.meta_path.remove(keeper)
    for name in sorted(sys.modules):
        parent, _, _ = name.rpartition(".")
        if name.split(".")[0] in _OURS and parent and parent not in sys.modules:
            del sys.modules[name]


class _Changed(MetaPathFinder, Loader):
    """Imports one module from a source text."""

    def __init__(self, module: str, file: Path, source: str) -> None:
        self.module = module
        self.file = file.absolute()
        self.source = source

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        places = [str(self.file.parent)] if self.file.name == "__init__.py" else None
        return spec_from_file_location(name, self.file, loader=self, submodule_search_locations=places)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.file), "exec"), module.__dict__)


def try_source(
    module: str, file: Path, source: str, tests: dict[str, list[str]], seconds: int
) -> tuple[TestOutcome, str]:
    """Run tests with another source for a module.

    Args:
        module: the module's name; it must not be imported.
        file: where its source is, relative to the current folder.
        source: what to import instead.
        tests: by file, run in this order until one fails.
        seconds: of processor time, after which the mutant counts as killed; ten times as much of the clock.

    Returns:
        The outcome, and the end of what pytest printed.
    """
    printed = os.memfd_create("pytest")
    child = os.fork()
    if child == 0:
        _run_tests(_Changed(module, file, source), tests, seconds, printed)
    deadline = time.monotonic() + 10 * seconds
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.01)
    with os.fdopen(printed, "rb") as reader:
        reader.seek(0)
        output = reader.read().decode(errors="replace")[-_TAIL:]
    code = os.waitstatus_to_exitcode(ended[1])
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        output = f"out of time\n{output}"
    return TestOutcome.SURVIVED if code == 0 else TestOutcome.KILLED, output


def _run_tests(changed: _Changed, tests: dict[str, list[str]], seconds: int, printed: int) -> None:
    status = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        sys.meta_path.insert(0, changed)
        # Before pytest puts a finder of its own first, which would take the file for one with tests.
        importlib.import_module(changed.module)
        # File by file: a mutant that the first one kills need not wait until the others are collected.
        status = 0
        for file, kept in tests.items():
            status = status or _pytest([file], _Selection(kept))
    except BaseException:
        status = 1
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)
