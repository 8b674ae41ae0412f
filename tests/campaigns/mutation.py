"""Mutation testing: ``python -m tests.campaigns.mutation [--sample N] [--again] [MODULE …]``.

cosmic-ray makes the mutants and keeps the session: a file that ``cr-report``, ``cr-html`` and ``cr-rate``
read, and with which a run that was stopped goes on. Its own distributors change the file on disk and start an
interpreter for each mutant, which with Qiskit's import is seconds a mutant; `tests.campaigns.forks` is ours.

A mutant that the tests chosen for its module (`TARGETS`) still pass with has survived: they do not notice the
change, or it makes no difference.
"""

import argparse
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkItem

from tests.campaigns.forks import in_child, make_plan, prepare, run_module

ROOT = Path(__file__).parents[2]

#: Every module that is mutated, in groups that share the tests that should notice, the quickest file first.
#: The doctests of the modules themselves come before them.
TARGETS: dict[tuple[str, ...], tuple[str, ...]] = {
    (
        *(
            "qttt.game.moves",
            "qttt.game.outcomes",
            "qttt.game.result",
            "qttt.game.squares",
            "qttt.game.symbols",
        ),
        *("qttt.game.rules", "qttt.game.legality", "qttt.game.state", "qttt.game.game"),
        *(
            "qttt.game.position",
            "qttt.game.configurations",
            "qttt.game.dice",
            "qttt.game.roots",
            "qttt.game.odds",
            "qttt.game.surds",
        ),
    ): (
        "tests/game/test_position.py",
        "tests/game/test_game.py",
        "tests/test_plain_strings.py",
        "tests/game/test_roots.py",
        "tests/game/test_odds.py",
        "tests/game/test_surds.py",
        "tests/tabletop/test_diagrams.py",
        "tests/display/test_text.py",
        "tests/crosscheck/test_cases.py",
        "tests/records/test_record.py",
        "tests/game/test_measure_turn.py",
        "tests/campaigns/test_model.py",
        "tests/observation/test_noise.py",
        "tests/crosscheck/test_check.py",
    ),
    (
        *("qttt.game.adjustment", "qttt.tabletop.d6", "qttt.tabletop.questions"),
        *("qttt.tabletop.table", "qttt.tabletop.rolls", "qttt.tabletop.retrace"),
    ): (
        "tests/tabletop/test_diagrams.py",
        "tests/game/test_adjustment.py",
        "tests/tabletop/test_table.py",
        "tests/tabletop/test_rolls.py",
        "tests/game/test_measure_turn.py",
        "tests/display/pictures/test_pictures.py",
    ),
    ("circuits.gates", "circuits.register", "circuits.components", "circuits.program"): (
        "tests/circuits/test_register.py",
        "tests/circuits/test_gates.py",
        "tests/circuits/test_program.py",
        "tests/circuits/test_components.py",
        "tests/observation/test_measure_turn.py",
        "tests/crosscheck/test_cases.py",
        "tests/circuits/test_drawing.py",
        "tests/observation/test_observers.py",
    ),
    ("circuits.fusion", "circuits.backends.aer"): (
        "tests/circuits/test_fusion.py",
        "tests/circuits/backends/test_aer.py",
        "tests/observation/test_observers.py",
        "tests/observation/test_measure_turn.py",
    ),
    ("circuits.decoding", "circuits.measurement", "circuits.postselection"): (
        "tests/circuits/test_decoding.py",
        "tests/circuits/test_measurement.py",
        "tests/circuits/test_postselection.py",
        "tests/circuits/test_components.py",
        "tests/circuits/backends/test_job_store.py",
        "tests/observation/test_faults.py",
        "tests/observation/test_measure_turn.py",
        "tests/crosscheck/test_check.py",
    ),
    (
        *("circuits.lean", "circuits.lean.primitives"),
        *("circuits.lean.collapsed", "circuits.lean.pieces", "circuits.lean.synthesis"),
    ): (
        "tests/circuits/lean/test_collapsed.py",
        "tests/circuits/lean/test_synthesis.py",
        "tests/observation/test_measure_turn.py",
        "tests/crosscheck/test_check.py",
    ),
    (
        *("qttt.players.choices", "qttt.players.evaluation", "qttt.players.immediate"),
        *("qttt.players.lookahead", "qttt.players.strategies", "qttt.solver.places"),
        *("qttt.players.advice", "qttt.players.explanations"),
    ): (
        "tests/players/test_explanations.py",
        "tests/players/test_evaluation.py",
        "tests/players/test_lookahead.py",
        "tests/players/test_strategies.py",
        "tests/cli/commands/test_advise.py",
    ),
    ("qttt.players.match_files", "qttt.players.matches", "qttt.workers"): (
        "tests/players/test_match_files.py",
        "tests/players/test_matches.py",
        "tests/test_workers.py",
    ),
    ("qttt.records.record", "qttt.records.text", "qttt.records.files", "qttt.records.merge"): (
        "tests/records/test_merge.py",
        "tests/records/test_files.py",
        "tests/records/test_record.py",
        "tests/campaigns/test_surroundings.py",
    ),
    (
        *("qttt.stats", "qttt.crosscheck.check", "qttt.crosscheck.report", "qttt.crosscheck.views"),
        *("qttt.crosscheck.blindspots", "qttt.crosscheck.selfcheck"),
    ): (
        "tests/test_stats.py",
        "tests/crosscheck/test_check.py",
        "tests/crosscheck/test_views.py",
        "tests/crosscheck/test_blindspots.py",
        "tests/crosscheck/test_roads.py",
        "tests/crosscheck/test_selfcheck.py",
        "tests/crosscheck/test_by_device.py",
        "tests/cli/commands/test_circuit.py",
    ),
    ("circuits.backends.job_store", "circuits.backends.job_circuits"): (
        "tests/circuits/backends/test_job_circuits.py",
        "tests/circuits/backends/test_job_store.py",
        "tests/cli/console/test_job_output.py",
    ),
    (
        *("qttt.observation.samples", "qttt.observation.faults", "qttt.observation.noise_gate"),
        *("qttt.observation.observers", "qttt.observation.devices"),
    ): (
        "tests/observation/test_samples.py",
        "tests/observation/test_faults.py",
        "tests/observation/test_noise_gate.py",
        "tests/test_door.py",
        "tests/observation/test_measure_turn.py",
        "tests/observation/test_devices.py",
        "tests/observation/test_observers.py",
        "tests/crosscheck/test_check.py",
    ),
    (
        *("qttt.observation.job_file", "qttt.observation.job_runs"),
        *("qttt.crosscheck.by_device", "qttt.crosscheck.by_job"),
    ): (
        "tests/observation/test_job_runs.py",
        "tests/crosscheck/test_by_device.py",
        "tests/crosscheck/test_by_job.py",
        "tests/cli/console/test_job_output.py",
        "tests/cli/keyboard/test_demonstration.py",
    ),
    ("circuits.backends.ibm.accounts", "qttt.cli.commands.login"): (
        "tests/circuits/backends/ibm/test_accounts.py",
        "tests/cli/commands/test_login.py",
    ),
}
MODULES: tuple[str, ...] = tuple(chain.from_iterable(TARGETS))

# Of cosmic-ray's 205 operators. Comparisons: the negation, and the neighbour that differs at the boundary;
# what kills these kills the other replacements. Arithmetic: one replacement each, never one that is equal for
# the numbers used here (÷ for × is, with a sign of ±1). Left out: decorators taken away (an error at import,
# or a cache), variables replaced or put in (by random numbers), `+x`, and what nobody would mix up.
OPERATORS: tuple[str, ...] = (
    *(
        f"core/ReplaceComparisonOperator_{change}"
        for change in (
            *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
            *("Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
        )
    ),
    *(
        f"core/ReplaceBinaryOperator_{change}"
        for change in (
            *("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul"),
            *("LShift_RShift", "RShift_LShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitOr"),
        )
    ),
    *(f"core/ReplaceUnaryOperator_Delete_{change}" for change in ("Not", "USub", "Invert")),
    "core/AddNot",
    *(
        "core/ReplaceAndWithOr",
        "core/ReplaceOrWithAnd",
        "core/ReplaceTrueWithFalse",
        "core/ReplaceFalseWithTrue",
    ),
    *("core/ReplaceBreakWithContinue", "core/ReplaceContinueWithBreak", "core/ZeroIterationForLoop"),
    *("core/NumberReplacer", "core/ExceptionReplacer"),
)

# What is not changed: texts with their formats, messages of errors, annotations, assertions, decorators, the
# bases of classes, imports also behind `if TYPE_CHECKING:`, and the stars and slashes that are no operators.
# Nor `zip(…, strict=True)`, which asserts too, and `field(repr=False)`; nor numbers that a fit has found:
# others make another player, and no rule says which.
_LEFT_ALONE = {
    *("fstring", "raise_stmt", "assert_stmt", "annassign", "decorator", "import_from", "import_name"),
}
_SHOWN_ONLY = {"__repr__"}
_KEYWORDS_LEFT_ALONE = {"strict", "repr"}
_FITTED = {"ONE_MODE", "TWO_MODES"}


def file_of(module: str) -> Path:
    """The file of a module, relative to the project's folder."""
    path = Path(*module.split("."))
    return path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py")


def mutants(module: str) -> Iterator[WorkItem]:
    """Every mutant of a module, by operator and place."""
    path = file_of(module)
    nodes = list(ast_nodes(get_ast_from_path(ROOT / path)))
    for name in OPERATORS:
        operator = get_operator(name)()
        places = [(node, *place) for node in nodes for place in operator.mutation_positions(node)]
        for occurrence, (node, start, end) in enumerate(places):
            if _is_left_alone(node):
                continue
            mutation = MutationSpec(
                module_path=path,
                operator_name=name,
                occurrence=occurrence,
                start_pos=start,
                end_pos=end,
                definition_name=ASTQuery(node).get_definition_name(),
            )
            line, column = start
            yield WorkItem.single(f"{module} {line:03}:{column:03} {name} {occurrence:03}", mutation)


def _is_left_alone(node: Any) -> bool:
    if node.type == "operator" and node.parent.type in {"parameters", "lambdef", "dictorsetmaker"}:
        return True
    while (parent := node.parent) is not None:
        if node.type == "if_stmt" and node.children[1].get_code().strip() == "TYPE_CHECKING":
            return True
        if parent.type in _LEFT_ALONE and not (parent.type == "annassign" and _follows_equals(node)):
            return True
        if parent.type == "expr_stmt" and parent.children[0].get_code(include_prefix=False) in _FITTED:
            return True
        if parent.type == "argument" and parent.children[0].get_code().strip() in _KEYWORDS_LEFT_ALONE:
            return True
        if parent.type == "tfpdef" and node is not parent.children[0]:
            return True
        if parent.type == "funcdef" and (node is parent.annotation or parent.name.value in _SHOWN_ONLY):
            return True
        if parent.type == "classdef" and node is not parent.children[-1]:
            return True
        node = parent
    return False


def _follows_equals(node: Any) -> bool:
    """Whether a part of ``: annotation = value`` is the value."""
    previous = node.get_previous_sibling()
    return previous is not None and previous.type == "operator" and previous.value == "="


def make_session(session: Path, modules: list[str], sample: int | None, seed: int) -> None:
    """Write a new session, or make sure that the one there is has these mutants."""
    items = []
    for module in modules:
        every = sorted(mutants(module), key=_place)
        if sample is not None and sample < len(every):
            places = random.Random(f"{seed} {module}").sample(range(len(every)), sample)
            every = [every[place] for place in sorted(places)]
        items += every
    session.parent.mkdir(parents=True, exist_ok=True)
    with use_db(session, WorkDB.Mode.create) as work:
        if work.num_work_items == 0:
            work.add_work_items(items)
        elif {item.job_id for item in work.work_items} != {item.job_id for item in items}:
            raise SystemExit(
                f"{session} holds mutants of other sources or modules: name another, or delete it"
            )


def report(session: Path) -> Counter[str]:
    """Print the survivors and a line for each module; the figures of all."""
    counts: dict[str, Counter[str]] = {}
    with use_db(session, WorkDB.Mode.open) as work:
        results = dict(work.results)
        items = sorted(work.work_items, key=_place)
    for item in items:
        module = _module(item)
        result = results.get(item.job_id)
        if result is None:
            kind = "not tried"
        elif result.worker_outcome is not WorkerOutcome.NORMAL:
            kind = "no mutant"
        elif result.output.startswith("out of time"):
            kind = "out of time"
        else:
            kind = str(result.test_outcome.value)
        counts.setdefault(module, Counter())[kind] += 1
        if kind == "survived":
            changed = re.findall(r"^([-+])(?!--|\+\+) *(.*)$", str(results[item.job_id].diff), re.MULTILINE)
            print("\n    ".join([str(item.job_id), *map(" ".join, changed)]))
    for module, count in counts.items():
        print(f"{module}: {count.total()} mutants, " + _figures(count))
    total = sum(counts.values(), Counter[str]())
    print(f"all: {total.total()} mutants, {_figures(total)}")
    return total


def _figures(count: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(count.items()))


def run(session: Path, most: float, again: bool = False, only: list[str] | None = None) -> None:
    """Try every mutant of a session that has no result yet.

    Args:
        session: cosmic-ray's session file.
        most: seconds of processor time that the tests of one mutant may need.
        again: try those that survived again too.
        only: test files to take instead of those in `TARGETS`.

    Raises:
        SystemExit: tests fail without any mutant.
    """
    with use_db(session, WorkDB.Mode.open) as work:
        items = [*work.pending_work_items]
        if again:
            items += [
                item
                for item, result in work.completed_work_items
                if result.test_outcome is TestOutcome.SURVIVED
            ]
    if not items:
        return
    prepare()
    todo: dict[str, list[WorkItem]] = {}
    for item in sorted(items, key=_place):
        todo.setdefault(_module(item), []).append(item)
    for group, tests in TARGETS.items():
        modules = [module for module in group if module in todo]
        if not modules:
            continue
        files = {module: file_of(module) for module in modules}
        plan = make_plan(files.values(), [*map(str, files.values()), *(tests if only is None else only)])
        if plan is None:
            raise SystemExit(f"the tests of {', '.join(modules)} fail without any mutant")
        for module in modules:
            print(f"{time.strftime('%H:%M:%S')} {module}: {len(todo[module])} mutants", flush=True)
            if in_child(partial(run_module, module, files[module], plan, todo[module], session, most)) != 0:
                raise SystemExit(f"the mutants of {module} could not be tried")


def _module(item: WorkItem) -> str:
    return str(item.job_id).split()[0]


def _place(item: WorkItem) -> str:
    return str(item.job_id)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.mutation")
    parser.add_argument("modules", nargs="*", default=[], metavar="MODULE")
    parser.add_argument(
        "--sample", type=int, help="so many mutants of each module, drawn at random; else all"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--session", type=Path, help="cosmic-ray's session file")
    parser.add_argument(
        "--most", type=float, default=3.0, help="seconds of processor time of tests for a mutant"
    )
    parser.add_argument("--again", action="store_true", help="try those that survived again")
    parser.add_argument("--tests", nargs="*", help="test files, instead of those chosen for the modules")
    parser.add_argument("--report", action="store_true", help="only print what a session found")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    modules = arguments.modules or list(MODULES)
    unknown = set(modules) - set(MODULES)
    if unknown:
        raise SystemExit(f"no target: {', '.join(sorted(unknown))}")
    name = "mutation" if arguments.sample is None else f"mutation-{arguments.sample}-{arguments.seed}"
    session = arguments.session or Path("build", f"{name}.sqlite")
    if not arguments.report:
        make_session(session, modules, arguments.sample, arguments.seed)
        run(session, arguments.most, arguments.again, arguments.tests)
    report(session)


if __name__ == "__main__":
    main()
