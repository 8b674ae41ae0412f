"""Print how noisy devices read full boards, before and after post-selection, by every style of circuit.

Run `python -m tests.benchmarks.noise_table [--shots N] [--seeds N] [--devices a,b]`, with `--styles` (of
lean, coherent, moves) and `--boards` (study, levels, all). The four boards studied for lean circuits, and
six of Levels 3 to 5, both modes; every figure is a mean over jobs on a simulated device through IBM's
sampler, each compiled with other seeds, with Student's 95 % interval. "Chance" is the distance that as many
shots of the exact distribution have on average: what is left of the distance beyond it is noise that nobody
can see.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from rich.console import Console
from rich.table import Table

from circuits.backends.plans import SEEDS
from qttt.crosscheck.bench import interval
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import Style, compile_moves
from qttt.observation.devices import DeviceObserver, Plan, open_device, read_shots

STUDY = {
    "both halves entangled, two superpositions": (4, "X", "1+3 1*2 9 3*4 5+6 7+8"),
    "both halves, a half entangled, a pair": (4, "O", "5+7 1+3 1*2 5*6 3*4 8 8*9"),
    "two of a half entangled, a superposition": (4, "X", "1+3 4+6 4*5 1*2 7+8 9"),
    "two of both halves entangled": (4, "X", "1+3 5+7 5*6 1*2 7*8 3*4 9"),
}
OF_LEVELS = {
    f"Level {level}: {moves}": (level, "X", moves)
    for level, moves in (
        (3, "1+3 1-2 4+6 5 7+8 9"),
        (3, "1+3 1-2 4+6 4*5 7 8 9"),
        (4, "1+3 1-2 5 5*6 4+7 7*8 9"),
        (4, "1 1-2 3+4 3-5 6 6*7 8 9"),
        (5, "5~ 1+3 1*2 4+6 7 8+9"),
        (5, "1+3 1-2~ 4+6 5 7+8 9"),
    )
}
BOARDS = STUDY | OF_LEVELS
"""The boards as games: level, who starts, and the moves."""

DEVICES = ("fake_mumbai", "fake_torino", "fake_marrakesh")


@dataclass(frozen=True, slots=True)
class Row:
    """One board on one device in one mode.

    Attributes:
        gates: gates on two qubits.
        depth: layers of them.
        predicted: probability that a shot has a fault, as the device reports its errors.
        impossible: fraction of shots that are impossible; shots with a failed herald are no fault.
        before: distance from the exact odds before any shot is thrown away.
        after: distance of the shots that are left.
        chance: mean distance of as many shots of the exact distribution.
        unseen: impossible boards among the shots that are left; must be 0.
    """

    gates: int
    depth: int
    predicted: float
    impossible: float
    before: float
    after: float
    chance: float
    unseen: int


def game_of(name: str) -> Game:
    """A board as a game that waits for its observation; those of Level 3 stand at Level 4, for both modes."""
    level, first, tokens = BOARDS[name]
    return Game(max(level, 4), first=Symbol(first)).play(tokens)


def measure(game: Game, mode: Mode, observer: DeviceObserver, shots: int, seed: int, style: Style) -> Row:
    """Run one board in one style, compiled with the seeds that belong to this one."""
    rng = np.random.default_rng(seed)
    if style is Style.MOVES:
        compiled = compile_moves(game, mode)
        assert compiled.readout is not None
        plan: Plan = observer.plan_circuit(compiled.circuit, compiled.readout, str(mode), shots)
    else:
        looking = DeviceObserver(observer.backend, encoding=style.encoding(), options=observer.options)
        plan = looking.plan(game, [mode], shots, first_seed=seed * SEEDS)
    (run,) = observer.run(plan, rng)
    (item,), (cost,) = plan.prepared.circuits, plan.prepared.cost.circuits
    assert item.readout is not None
    reading = read_shots(game.state, mode, item.readout, run)
    sample = reading.sample()
    exact = game.state.odds(mode).outcomes()
    counted = shots - sample.herald_failed
    raw = {board: number / counted for board, number in reading.raw.items()}
    left = {board: number / sample.kept for board, number in sample.counts().items()}
    p = np.array(list(exact.values()))
    draws = rng.multinomial(sample.kept, p / p.sum(), size=400) / sample.kept
    return Row(
        gates=cost.two_qubit_gates,
        depth=cost.depth,
        predicted=np.nan if cost.faultless is None else 1 - cost.faultless,
        impossible=sample.illegal / counted,
        before=distance(raw, exact),
        after=distance(left, exact),
        chance=float(np.abs(draws - p).sum(axis=1).mean() / 2),
        unseen=sum(number for board, number in sample.counts().items() if exact.get(board, 0.0) <= 0),
    )


def spread(values: Sequence[float]) -> str:
    """A mean with its interval."""
    if len(values) < 2:
        return f"{values[0]:.3f}"
    low, high = interval(values, 0, 1)
    return f"{fmean(values):.3f} ({low:.3f}–{high:.3f})"


def main(show: Callable[[Table], None], arguments: list[str] | None = None) -> None:
    """Print a table for each device."""
    parser = argparse.ArgumentParser(description="How noisy devices read full boards")
    parser.add_argument("--shots", type=int, default=4096)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--modes", default="standard,rotated")
    parser.add_argument("--styles", default="lean,coherent")
    parser.add_argument("--boards", choices=["study", "levels", "all"], default="all")
    options = parser.parse_args(arguments)
    boards = {"study": STUDY, "levels": OF_LEVELS, "all": BOARDS}[options.boards]
    for device in options.devices.split(","):
        observer = open_device(device)
        table = Table(title=f"{device}, {options.seeds} jobs of {options.shots:,} shots a row")
        headings = ("board", "mode", "circuit", "gates", "depth", "fault predicted", "impossible")
        for heading in (*headings, "distance before", "after", "chance"):
            table.add_column(heading)
        for name in boards:
            for mode in options.modes.split(","):
                for style in map(Style, options.styles.split(",")):
                    rows = [
                        measure(game_of(name), Mode(mode), observer, options.shots, seed, style)
                        for seed in range(options.seeds)
                    ]
                    assert not any(row.unseen for row in rows)
                    table.add_row(
                        name,
                        mode,
                        style,
                        f"{fmean(row.gates for row in rows):.1f}",
                        f"{fmean(row.depth for row in rows):.1f}",
                        f"{fmean(row.predicted for row in rows):.1%}",
                        spread([row.impossible for row in rows]),
                        spread([row.before for row in rows]),
                        spread([row.after for row in rows]),
                        f"{fmean(row.chance for row in rows):.3f}",
                    )
            table.add_section()
        show(table)


if __name__ == "__main__":
    main(Console(width=180).print)
