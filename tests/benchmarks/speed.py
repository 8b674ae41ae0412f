"""Print how fast a board is observed, and what commands cost, with ratios measured in the same run.

Run `python -m tests.benchmarks.speed`. Times are medians of CPU time in this process (wall time where it is
said, and where a whole command is run), after warm-up. The dense row runs the same circuit on all its live
qubits in one piece.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import cycle
from statistics import median
from unittest.mock import PropertyMock, patch

import numpy as np
from qiskit.circuit import ClassicalRegister, QuantumCircuit
from qiskit_aer import AerSimulator
from rich.console import Console
from rich.table import Table

from circuits import fusion
from circuits.backends import aer
from circuits.components import join_components
from circuits.gates import MoveGate
from circuits.program import read_program
from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation.compiler import compile_lean, compile_moves
from qttt.observation.observers import DiceObserver, get_observer
from tests.support.full_boards import full_games

LEVEL_TWO = "1+3 1*2 9 3*4 5+6 7+8"
LEVEL_FIVE = "1+3 5+7 5-6 1-2 7-8 3-4 9"  # four heralds in use
# With its heralds a Level-5 board has 22 live qubits: 64 MiB a state, and a second a run.
DENSE_BELOW = 5
BOARDS = 300
# Each of them off in turn; it stays where a fifth of a time is saved, which is a ratio of 1.25.
MECHANISMS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "nothing": lambda: patch.object(aer, "PACKED_QUBITS", aer.PACKED_QUBITS),
    "opened moves are kept": lambda: patch.object(MoveGate, "recipe", PropertyMock(return_value=None)),
    "products of gates": lambda: patch.object(aer, "fuse_components", join_components),
    "products are kept": lambda: patch.object(fusion, "fuse", fusion.fuse.__wrapped__),
    "packing": lambda: patch.object(aer, "PACKED_QUBITS", 0),
}
COMMANDS = (
    ["odds", LEVEL_TWO],
    ["moves", "5 5*6"],
    ["dice", LEVEL_TWO],
    ["observe", LEVEL_TWO, "--seed", "1"],
    ["observe", LEVEL_TWO, "--seed", "1", "--shots", "100000"],
    ["check", LEVEL_TWO, "--seed", "1"],
    ["check", LEVEL_FIVE, "--level", "5", "--mode", "rotated", "--seed", "1"],
    ["observe", LEVEL_FIVE, "--level", "5", "--mode", "rotated", "--seed", "1", "--shots", "100000"],
    ["circuit", LEVEL_TWO],
    ["circuit", LEVEL_TWO, "--format", "stats"],
)


def played(level: int, tokens: str) -> Game:
    game = Game(level)
    game.play(tokens)
    return game


def milliseconds(
    action: Callable[[], object],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
    *,
    warm_up: bool = True,
) -> float:
    if warm_up:
        action()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(1000 * (clock() - start))
    return median(times)


def dense(game: Game) -> QuantumCircuit:
    """The move-by-move circuit on its live qubits alone, blocks opened."""
    program = read_program(compile_moves(game).circuit)
    live = sorted({qubit for step in program.steps for qubit in step.qubits})
    place = {qubit: number for number, qubit in enumerate(live)}
    measured = [item for item in program.measurements if item.qubit in place]
    circuit = QuantumCircuit(len(live))
    circuit.add_register(ClassicalRegister(len(measured), "bits"))
    for step in program.steps:
        circuit.append(step.gate(), [place[qubit] for qubit in step.qubits])
    for bit, item in enumerate(measured):
        circuit.measure(place[item.qubit], bit)
    return circuit


def observation_table(level: int, record: str, mode: Mode) -> Table:
    """One observation, and 100,000, of a full board."""
    game = played(level, record)
    rng = np.random.default_rng(1)
    simulator = AerSimulator(method="statevector")
    table = Table(title=f"Observing {record} (Level {level}, {mode} mode), compile included (ms)")
    for heading in ("by", "1 shot, CPU", "/ dice", "100,000 shots, wall", "/ dice"):
        table.add_column(heading, justify="left" if heading == "by" else "right")
    rows: dict[str, Callable[[int], object]] = {
        "dice": lambda shots: DiceObserver().sample(game, mode, shots, rng),
        "aer, components": lambda shots: get_observer("aer").sample(game, mode, shots, rng),
        "aer-lean": lambda shots: get_observer("aer-lean").sample(game, mode, shots, rng),
    }
    if level < DENSE_BELOW:
        rows["aer, dense in one piece"] = lambda shots: (
            simulator.run(dense(game), shots=shots, memory=True, seed_simulator=1).result().get_memory()
        )
    base: tuple[float, float] | None = None
    for name, action in rows.items():
        one = milliseconds(lambda action=action: action(1), 101)  # type: ignore[misc]
        many = milliseconds(lambda action=action: action(100_000), 3, time.perf_counter)  # type: ignore[misc]
        base = base or (one, many)
        table.add_row(name, f"{one:.3f}", f"{one / base[0]:.1f}", f"{many:.0f}", f"{many / base[1]:.2f}")
    return table


def first_sight_table() -> Table:
    """One shot of each of many boards, none of them seen before: what is kept between runs helps little."""
    table = Table(title=f"One shot of {BOARDS} boards of random games, each observed once (ms)")
    for heading in ("level", "by", "median CPU", "median wall", "worst tenth, CPU"):
        table.add_column(heading, justify="left" if heading == "by" else "right")
    for level in (2, 5):
        games = list(full_games(level, 2 * BOARDS, seed=level, phases=1))
        for name in ("dice", "aer", "aer-lean"):
            observer, rng = get_observer(name), np.random.default_rng(1)
            spent, waited = [], []
            for game in games:
                begun, busy = time.perf_counter(), time.process_time()
                observer.sample(game, Mode.STANDARD, 1, rng)
                spent.append(1000 * (time.process_time() - busy))
                waited.append(1000 * (time.perf_counter() - begun))
            # The first half warms up.
            spent, waited = sorted(spent[BOARDS:]), sorted(waited[BOARDS:])
            figures = (median(spent), median(waited), spent[9 * BOARDS // 10])
            table.add_row(str(level), name, *(f"{figure:.2f}" for figure in figures))
    return table


def mechanisms_table() -> Table:
    """What each mechanism on the way to Aer saves: processor time without it / with it, taken in turns."""
    two, five = played(2, LEVEL_TWO), played(5, LEVEL_FIVE)
    fresh = cycle(full_games(5, BOARDS, seed=5, phases=1))
    rng, moves, lean = np.random.default_rng(1), get_observer("aer"), get_observer("aer-lean")
    times: dict[str, tuple[Callable[[], object], int]] = {
        "1, L2": (lambda: moves.draw(two, Mode.STANDARD, rng), 61),
        "1, L5": (lambda: moves.sample(five, Mode.STANDARD, 1, rng), 61),
        "1, L5 rotated": (lambda: moves.sample(five, Mode.ROTATED, 1, rng), 61),
        "1, lean L2": (lambda: lean.draw(two, Mode.STANDARD, rng), 61),
        "1, new L5": (lambda: moves.sample(next(fresh), Mode.STANDARD, 1, rng), 101),
        "1,000, L2": (lambda: moves.sample(two, Mode.STANDARD, 1000, rng), 21),
        "1,000, L5": (lambda: moves.sample(five, Mode.ROTATED, 1000, rng), 21),
        "100,000, L2": (lambda: moves.sample(two, Mode.STANDARD, 100_000, rng), 3),
        "exact, L5": (lambda: compile_moves(five, Mode.ROTATED).exact(), 31),
    }
    table = Table(title="Shots without each mechanism / with it (CPU)")
    table.add_column("without")
    for heading in times:
        table.add_column(heading, justify="right")
    for name, off in MECHANISMS.items():
        row = []
        for action, repeats in times.values():
            spent: list[list[float]] = [[], []]
            for _ in range(repeats):
                spent[0].append(milliseconds(action, 1, warm_up=False))
                with off():
                    spent[1].append(milliseconds(action, 1, warm_up=False))
            row.append(f"{median(spent[1]) / median(spent[0]):.2f}")
        table.add_row(name, *row)
    return table


def parts_table() -> Table:
    """The steps of an observation, and exact odds."""
    table = Table(title="Parts (ms, CPU)")
    table.add_column("part")
    table.add_column("time", justify="right")
    two, five = played(2, LEVEL_TWO), played(5, LEVEL_FIVE)
    for name, action in {
        "compile move by move": lambda: compile_moves(two),
        "compile lean": lambda: compile_lean(two),
        "exact odds, Level 2": lambda: two.state.odds().outcomes(),
        "exact odds, Level 5 rotated": lambda: five.state.odds(Mode.ROTATED).outcomes(),
    }.items():
        table.add_row(name, f"{milliseconds(action, 201):.3f}")
    return table


def commands_table() -> Table:
    """Whole commands as fresh processes: wall time and peak memory."""
    table = Table(title="Commands as fresh processes")
    for heading in ("command", "seconds", "/ python -c pass", "peak MB"):
        table.add_column(heading, justify="left" if heading == "command" else "right")
    bare = run([sys.executable, "-c", "pass"])[0]
    for words in COMMANDS:
        seconds, peak = run([sys.executable, "-m", "qttt", *words])
        table.add_row(" ".join(words), f"{seconds:.2f}", f"{seconds / bare:.1f}", f"{peak:.0f}")
    return table


def run(words: list[str]) -> tuple[float, float]:
    """Best of three wall times in seconds, and the peak memory in MB."""
    report = (
        "import resource, subprocess, sys;"
        "status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)"
    )
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    measured = subprocess.run(
        [sys.executable, "-c", report, *words], capture_output=True, text=True, check=True
    )
    scale = 1024 if sys.platform != "darwin" else 1024**2
    return min(times), int(measured.stdout) / scale


def main() -> None:
    """Print all tables."""
    console = Console(width=110)
    console.print(observation_table(2, LEVEL_TWO, Mode.STANDARD))
    console.print(observation_table(5, LEVEL_FIVE, Mode.ROTATED))
    console.print(first_sight_table())
    console.print(mechanisms_table())
    console.print(parts_table())
    console.print(commands_table())
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console.print(f"Peak memory of this benchmark itself: {own:.0f} MB.")


if __name__ == "__main__":
    main()
