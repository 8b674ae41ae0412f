"""Print how noisy devices read the four boards studied for lean circuits, before and after post-selection.

Run `python -m tests.benchmarks.noise_table [--shots N] [--devices a,b] [--modes standard,rotated] [--moves]`.
20,000 shots unless asked otherwise, which take minutes; every row is a job on a simulated device, through
IBM's sampler. "Chance" is the distance that as many shots of the exact distribution have on average: what is
left of the distance beyond it is noise that nobody can see. `--moves` runs the move-by-move circuits too.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import compile_moves
from qttt.observation.devices import DeviceObserver, Plan, open_device, read_shots

BOARDS = {
    "both halves entangled, two superpositions": ("X", "1+3 1*2 9 3*4 5+6 7+8"),
    "both halves, a half entangled, a pair": ("O", "5+7 1+3 1*2 5*6 3*4 8 8*9"),
    "two of a half entangled, a superposition": ("X", "1+3 4+6 4*5 1*2 7+8 9"),
    "two of both halves entangled": ("X", "1+3 5+7 5*6 1*2 7*8 3*4 9"),
}
"""The boards as games: who starts, and the moves."""

DEVICES = ("fake_mumbai", "fake_torino", "fake_marrakesh")


@dataclass(frozen=True, slots=True)
class Row:
    """One board on one device in one mode.

    Attributes:
        gates: gates on two qubits.
        predicted: probability that a shot has a fault, as the device reports its errors.
        impossible: fraction of shots that are impossible; shots with a failed herald are no fault.
        before: distance from the exact odds before any shot is thrown away.
        after: distance of the shots that are left.
        chance: mean distance of as many shots of the exact distribution.
        unseen: impossible boards among the shots that are left; must be 0.
    """

    gates: int
    predicted: float
    impossible: float
    before: float
    after: float
    chance: float
    unseen: int


def game_of(name: str) -> Game:
    """A board of the study as a game that waits for its observation, at Level 4."""
    first, tokens = BOARDS[name]
    game = Game(level=4, first=Symbol(first))
    game.play(tokens)
    return game


def measure(
    game: Game, mode: Mode, observer: DeviceObserver, shots: int, seed: int, moves: bool = False
) -> Row:
    """Run one board, lean or move by move."""
    rng = np.random.default_rng(seed)
    if moves:
        compiled = compile_moves(game, mode)
        assert compiled.readout is not None
        plan: Plan = observer.plan_circuit(compiled.circuit, compiled.readout, str(mode), shots)
    else:
        plan = observer.plan(game, [mode], shots)
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
        predicted=np.nan if cost.faultless is None else 1 - cost.faultless,
        impossible=sample.illegal / counted,
        before=distance(raw, exact),
        after=distance(left, exact),
        chance=float(np.abs(draws - p).sum(axis=1).mean() / 2),
        unseen=sum(number for board, number in sample.counts().items() if exact.get(board, 0.0) <= 0),
    )


def main(show: Callable[[Table], None], arguments: list[str] | None = None) -> None:
    """Print a table for each device."""
    parser = argparse.ArgumentParser(description="How noisy devices read the studied boards")
    parser.add_argument("--shots", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--modes", default="standard,rotated")
    parser.add_argument("--moves", action="store_true")
    options = parser.parse_args(arguments)
    for device in options.devices.split(","):
        observer = open_device(device)
        table = Table(title=f"{device}, {options.shots:,} shots a row")
        headings = ("board", "mode", "circuit", "gates", "fault predicted", "impossible")
        for heading in (*headings, "distance before", "after", "chance"):
            table.add_column(heading)
        for name in BOARDS:
            for mode in options.modes.split(","):
                for moves in (False, True) if options.moves else (False,):
                    row = measure(game_of(name), Mode(mode), observer, options.shots, options.seed, moves)
                    assert row.unseen == 0
                    table.add_row(
                        name,
                        mode,
                        "moves" if moves else "lean",
                        str(row.gates),
                        f"{row.predicted:.1%}",
                        f"{row.impossible:.1%}",
                        f"{row.before:.3f}",
                        f"{row.after:.3f}",
                        f"{row.chance:.3f}",
                    )
        show(table)


if __name__ == "__main__":
    main(Console(width=150).print)
