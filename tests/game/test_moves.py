"""One row a kind of move: what reads the rows, and what mypy names when there is one row more."""

import ast
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from circuits import gates
from qttt.errors import IllegalMoveError
from qttt.game import Game
from qttt.game.moves import Kind, Move
from qttt.game.rules import LEVELS
from qttt.game.symbols import Symbol
from qttt.solver.blocks import blocks_of
from qttt.solver.moves import changes

ROOT = Path(__file__).parents[2]

# A swap, an attack of its own and a configuration of its own, each planted as one more row.
PLANTED = (
    (
        "qttt/game/moves.py",
        r"(    CANCELLING = .*\n.*\n)",
        r'\1    SWAPPING = ("%", "swapping", "swaps with", 3, (4,), 1, "")\n',
    ),
    ("qttt/game/roots.py", r'(    CANCELLED = "cancelled"\n)', r'\1    SWAPPED = "swapped"\n'),
    ("qttt/game/configurations.py", r"(    MINUS_HALF = .*\n)", r'\1    SWAPPED = "swapped"\n'),
)
MUST_LEARN = {
    "qttt/game/adjustment.py: branches",
    "qttt/game/position.py: Position._placed",
    "qttt/observation/compiler.py: _Builder.add_move",
    "qttt/observation/compiler.py: _lean_attack",
    "qttt/teaching/lesson/rule_sentences.py: move_rule",
    "qttt/notebook.py: _dashes",
    "qttt/game/roots.py: _absent",
    "qttt/game/roots.py: _present",
    "qttt/game/roots.py: read_roots",
    "qttt/solver/blocks.py: _letter",
}


def _definition(file: Path, line: int) -> str:
    """The dotted name of the innermost function or method around a line."""
    names = {}
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert node.end_lineno is not None
            if node.lineno <= line <= node.end_lineno:
                names[node.lineno] = node.name
    return ".".join(names[start] for start in sorted(names))


@pytest.mark.slow
def test_mypy_names_every_function_that_a_new_kind_needs(tmp_path: Path) -> None:
    for package in ("qttt", "circuits"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, pattern, more in PLANTED:
        file = tmp_path / name
        changed, count = re.subn(pattern, more, file.read_text())
        assert count == 1, name
        file.write_text(changed)
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "qttt", "circuits"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    named = defaultdict(list)
    for name, line, message in re.findall(r"^(\S+?):(\d+): error: (.*)$", found.stdout, re.MULTILINE):
        named[f"{name}: {_definition(tmp_path / name, int(line))}"].append(message)
    assert set(named) == MUST_LEARN, found.stdout
    assert all("assert_never" in message for messages in named.values() for message in messages)


def test_every_kind_is_written_and_read_by_its_row() -> None:
    for kind in Kind:
        move = Move.parse(kind.example)
        assert (move.kind, str(move), len(move.filled)) == (kind, kind.example, kind.fills)
        assert len(move.squares) == kind.fills + bool(kind.attacks)
    assert [kind.example for kind in Kind] == ["5", "1+3", "5*6", "5-6"]


@pytest.mark.parametrize(("value", "met", "missed"), [(4, "5", "1+3"), (2, "1+3", "5")])
def test_an_attack_enters_what_its_row_says(
    monkeypatch: pytest.MonkeyPatch, value: int, met: str, missed: str
) -> None:
    """Legal moves, open squares, refusals and the solver read the column."""
    monkeypatch.setattr(Kind.ENTANGLING, "attacks", (value,))
    allowed, refused = Game(2).play(met).state, Game(2).play(missed).state
    for state in (allowed, refused):
        attacks = [move for move in state.legal_moves() if move.kind.attacks]
        assert any(move.kind is Kind.ENTANGLING for move in attacks) is (state is allowed)
        assert bool(state.open_squares()) is bool(attacks)
        by_solver = changes(blocks_of(state.position), state.position.empty_squares, 1, state.rules.level)
        assert sum(taken is not None for taken, *_ in by_solver) == len(attacks)
    what = "whole piece" if missed == "5" else "half of a piece"
    with pytest.raises(IllegalMoveError, match=f"holds {'a ' * (missed == '5')}{what}, and entangling moves"):
        refused.child(Move.parse(f"{missed[0]}*9"))


def test_a_level_has_the_kinds_that_start_at_it_or_below() -> None:
    assert [sum(map(level.allows, Kind)) for level in LEVELS] == [1, 2, 3, 4, 4, 4]


# What is there before a move, the move, and its gate: every kind, attacks on a whole piece and on a half.
GATES = {
    ("", "5"): gates.ClassicalGate,
    ("", "1+3"): gates.SuperpositionGate,
    ("5", "5*6"): gates.EntanglingGate,
    ("5+4", "5*6"): gates.HalfEntanglingGate,
    ("5", "5-6"): gates.CancellingGate,
    ("5+4", "5-6"): gates.HalfCancellingGate,
}


@pytest.mark.parametrize(("before", "token"), GATES, ids=" ".join)
def test_each_kind_is_one_gate(before: str, token: str) -> None:
    from qttt.observation.compiler import compile_moves

    game = Game(3)
    game.play(f"{before} {token}")
    placed = [item.operation for item in compile_moves(game, measured=False).circuit.data]
    assert type(placed[-1]) is GATES[before, token]
    assert {Move.parse(token).kind for _, token in GATES} == set(Kind)


@pytest.mark.parametrize("before", ["", "5", "5+4", "1+3 1*2", "1+3 1-2 9"])
def test_the_solver_makes_the_same_positions(before: str) -> None:
    """Every move leads to the blocks that the solver's own reckoning has for it, and to no others."""
    game = Game(3)
    game.play(before)
    state = game.state
    blocks = blocks_of(state.position)
    by_rules = sorted(sorted(blocks_of(state.child(move).position)) for move in state.legal_moves())
    player = int(state.turn is Symbol.O)
    by_solver = []
    for taken, put, _ in changes(blocks, state.position.empty_squares, player, state.rules.level):
        left = list(blocks)
        if taken is not None:
            left.remove(taken)
        by_solver.append(sorted([*left, *put]))
    assert by_rules == sorted(by_solver)


@pytest.mark.parametrize("before", ["", "5", "4+5"])
def test_the_compiled_solver_has_the_same_kinds(before: str) -> None:
    pytest.importorskip("numba")
    from qttt.solver.making.compiled.layers import MOST_MOVES
    from qttt.solver.making.compiled.skeletons import EMPTY, HALF, LONE, MoveRules, cell, list_moves

    cells = np.full(9, EMPTY, np.int64)
    if before == "5":
        cells[4] = LONE
    elif before:
        cells[3], cells[4] = cell(HALF, 0, 0), cell(HALF, 0, 1)
    listed = np.empty((MOST_MOVES, 3), np.int64)
    count = list_moves(cells, MoveRules(True, False, False), listed)
    game = Game(3)
    game.play(before)
    order = list(Kind)
    legal = [
        (order.index(move.kind), move.squares[0] - 1, move.squares[-1] - 1)
        for move in game.state.legal_moves()
    ]
    assert sorted(map(tuple, listed[:count].tolist())) == sorted(legal)
