"""Print what lean circuits cost, beside the moves and beside generic state preparation.

The moves come twice: by recipe, as they were first written down with plain Toffoli gates (the move-by-move
circuit that lean circuits are measured against), and by this program's own gates, which need fewer.

Last come averages: CX between any two qubits of random full boards, coherent circuits beside lean ones.

Run `python -m tests.benchmarks.lean_table [--seeds N]`, with `--boards-only`, `--pieces-only` or
`--averages-only` for a part. Figures are gates on
two qubits and their depth, at optimisation level 3: of single pieces over {one-qubit gates, CX}; of full
boards in the native gates of three heavy-hexagon devices, the best of N transpiler seeds (20 unless asked
otherwise, some minutes). Twisted attacks need no table of their own: they swap the two modes of a lone
attacker.
"""

import argparse
from collections.abc import Callable
from importlib import import_module

import numpy as np
from qiskit import transpile
from qiskit.circuit import QuantumCircuit
from qiskit.transpiler import Target
from rich.console import Console
from rich.table import Table

from circuits.lean import Encoding, Piece, Shape, Site, lean_circuit
from qttt import Game
from qttt.game.state import Phase
from qttt.observation.compiler import lean_pieces
from tests.support.lean_boards import (
    INTERFERING,
    STUDIED,
    cancelled,
    cost_on,
    depth_of,
    entangled,
    gates_of,
    generic,
    lean_cost,
    move_by_move,
)

MODES = ("standard", "rotated")
SITES: dict[str, tuple[Site, ...]] = {
    "alone": (Site(1),),
    "plus / minus": (Site(1, rotated=True),),
    "superposition": (Site(1), Site(3)),
    "superposition, a half rotated": (Site(1), Site(3, rotated=True)),
    "entangled": (entangled(1, 2),),
    "half-entangled": (entangled(1, 2), Site(3)),
    "half-entangled, half rotated": (entangled(1, 2), Site(3, rotated=True)),
    "both entangled": (entangled(1, 2), entangled(3, 4)),
    "half-cancelled": (cancelled(1, 2), Site(3)),
    "half-cancelled, half rotated": (cancelled(1, 2), Site(3, rotated=True)),
    "both cancelled": (cancelled(1, 2), cancelled(3, 4)),
    "one entangled, one cancelled": (entangled(1, 2), cancelled(3, 4)),
}
KINDS: tuple[tuple[str, Shape, Encoding], ...] = (
    ("lean, free", "free", "masked"),
    ("lean, line", "line", "masked"),
    ("strict", "free", "strict"),
    ("coherent", "free", "coherent"),
)
#: Whose random full boards are averaged over, as level and options.
AVERAGED = ((3, ""), (4, ""), (5, ""), (5, "view-switches=2"))
#: Modes and encodings that the averages compare.
COMPARED: tuple[tuple[str, Encoding], ...] = (
    ("standard", "masked"),
    ("rotated", "masked"),
    ("standard", "coherent"),
)


def figure(gates: int, depth: int) -> str:
    return f"{gates} / {depth}"


def optimised(circuit: QuantumCircuit) -> str:
    """Gates and depth over {one-qubit gates, CX}."""
    found = transpile(circuit, basis_gates=["u", "cx"], optimization_level=3, seed_transpiler=0)
    return figure(gates_of(found), depth_of(found))


def pieces_table() -> Table:
    """CX gates / depth of every piece, with either symbol, in both modes."""
    table = Table(title="CX gates / depth of a piece, all-to-all, level 3")
    for heading in ("piece", "q", "mode", "recipes", "moves", *(kind for kind, _, _ in KINDS), "generic"):
        table.add_column(heading)
    for name, sites in SITES.items():
        for symbol in "XO":
            pieces = (Piece(symbol, sites),)
            for mode in MODES:
                table.add_row(
                    name if (symbol, mode) == ("X", "standard") else "",
                    symbol,
                    mode,
                    optimised(move_by_move(pieces, mode, by_recipe=True)[0]),
                    optimised(move_by_move(pieces, mode)[0]),
                    *(
                        optimised(lean_circuit(pieces, mode, shape=shape, encoding=encoding)[0])
                        for _, shape, encoding in KINDS
                    ),
                    optimised(generic(pieces, mode)),
                )
        table.add_section()
    return table


def boards_table(title: str, target: Target, seeds: int) -> Table:
    """Two-qubit gates / depth of full boards on a device."""
    table = Table(title=f"Two-qubit gates / depth on {title}, level 3, best of {seeds} seeds")
    headings = (
        "board",
        "mode",
        "recipes",
        "moves",
        "lean",
        "shape",
        "strict",
        "coherent",
        "generic (2 seeds)",
    )
    for heading in headings:
        table.add_column(heading)
    for name, pieces in (STUDIED | INTERFERING).items():
        for mode in MODES:
            lean, shape = lean_cost(pieces, mode, target, range(seeds))
            strict, _ = lean_cost(pieces, mode, target, range(seeds), "strict")
            coherent, _ = lean_cost(pieces, mode, target, range(seeds), "coherent")
            table.add_row(
                name if mode == "standard" else "",
                mode,
                figure(*cost_on(move_by_move(pieces, mode, by_recipe=True)[0], target, range(seeds))),
                figure(*cost_on(move_by_move(pieces, mode)[0], target, range(seeds))),
                figure(*lean),
                shape,
                figure(*strict),
                figure(*coherent),
                figure(*cost_on(generic(pieces, mode), target, range(min(seeds, 2)))),
            )
        table.add_section()
    return table


def averages_table(boards: int) -> Table:
    """CX of random full boards on average, in each shape."""
    table = Table(title=f"CX on average over {boards} random full boards, all-to-all")
    for heading in ("level", "shape", "lean, standard", "lean, rotated", "coherent", "coherent / lean"):
        table.add_column(heading)
    rng = np.random.default_rng(1)
    for level, options in AVERAGED:
        drawn = [lean_pieces(full_board(level, options, rng)) for _ in range(boards)]
        for shape in ("free", "line"):
            standard, rotated, coherent = (
                sum(
                    lean_circuit(pieces, mode, observed=observed, shape=shape, encoding=encoding)[0]
                    .decompose(["ccx"])
                    .num_nonlocal_gates()
                    for pieces, observed in drawn
                )
                / boards
                for mode, encoding in COMPARED
            )
            table.add_row(
                f"{level} {options}",
                shape,
                *(f"{mean:.2f}" for mean in (standard, rotated, coherent)),
                f"{2 * coherent / (standard + rotated):.3f}",
            )
    return table


def compilers_table() -> Table:
    """CX / depth of the studied boards between any two qubits: the moves by two compilers, beside ours."""
    table = Table(title="CX gates / depth of full boards, all-to-all")
    for heading in ("board", "mode", "moves, Qiskit level 3", "moves, pytket", "lean", "coherent"):
        table.add_column(heading)
    for name, pieces in (STUDIED | INTERFERING).items():
        for mode in MODES:
            moves = move_by_move(pieces, mode)[0]
            table.add_row(
                name if mode == "standard" else "",
                mode,
                optimised(moves),
                by_pytket(moves),
                optimised(lean_circuit(pieces, mode)[0]),
                optimised(lean_circuit(pieces, mode, encoding="coherent")[0]),
            )
    return table


def by_pytket(circuit: QuantumCircuit) -> str:
    """CX gates and their depth after pytket's full peephole optimisation, where it is installed."""
    try:
        pytket, passes, qasm = map(import_module, ("pytket", "pytket.passes", "pytket.qasm"))
    except ImportError:
        return "not installed"
    from qiskit import qasm2

    plain = circuit.remove_final_measurements(inplace=False)
    assert plain is not None
    plain = transpile(plain, basis_gates=["u", "cx"], optimization_level=0)
    read = qasm.circuit_from_qasm_str(qasm2.dumps(plain))
    passes.FullPeepholeOptimise(allow_swaps=False).apply(read)
    return figure(read.n_gates_of_type(pytket.OpType.CX), read.depth_by_type(pytket.OpType.CX))


def full_board(level: int, options: str, rng: np.random.Generator) -> Game:
    """A random game up to its first full board."""
    game = Game(level, options)
    while game.state.phase is Phase.MOVE:
        moves = game.legal_moves()
        game.push(moves[rng.integers(len(moves))])
    return game


def main(print_table: Callable[[Table], None], arguments: list[str] | None = None) -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description="What lean circuits cost")
    parser.add_argument("--seeds", type=int, default=20)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--boards-only", action="store_true")
    only.add_argument("--pieces-only", action="store_true")
    only.add_argument("--averages-only", action="store_true")
    options = parser.parse_args(arguments)
    if not (options.boards_only or options.averages_only):
        print_table(pieces_table())
    if not (options.boards_only or options.pieces_only):
        print_table(averages_table(200))
        print_table(compilers_table())
    if not (options.pieces_only or options.averages_only):
        from qiskit_ibm_runtime.fake_provider import FakeMarrakesh, FakeMumbaiV2, FakeTorino

        for device in (FakeMumbaiV2, FakeTorino, FakeMarrakesh):
            print_table(boards_table(device.__name__, device().target, options.seeds))


if __name__ == "__main__":
    main(Console(width=140).print)
