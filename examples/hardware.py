"""Observe one game on a quantum device: a simulated one with its noise, or a real one of IBM Quantum's.

    python examples/hardware.py                        # a simulated device: no account, no network
    python examples/hardware.py --device ibm           # the least busy device of the saved account
    python examples/hardware.py --device ibm_torino    # a certain one

The cost is shown first, and a real device is only used after a question. Needs the extra `ibm`:
pip install 'tiqtaqtoe[ibm]'.
"""

import argparse

import numpy as np

from circuits.backends.progress import Progress
from qttt.game import Game
from qttt.game.outcomes import Observation
from qttt.game.symbols import Mode
from qttt.observation.devices import Plan, first_positions, open_device
from qttt.observation.job_file import Pending, free_path
from qttt.observation.job_runs import receive, send
from qttt.records.record import Record

MOVES = "1+3 1*2 9 3*4 5+6 7+8"


def main() -> None:
    """Observe the game on the device that the arguments name."""
    parser = argparse.ArgumentParser(description="Observe a game on a quantum device.")
    parser.add_argument("--device", default="fake_torino", help="fake_<name>, ibm_<name> or ibm")
    parser.add_argument("--shots", type=int, default=1024)
    parser.add_argument("--seed", type=int, help="makes a simulated device repeat its shots")
    parser.add_argument("--yes", action="store_true", help="send the job without asking")
    arguments = parser.parse_args()

    game = Game(level=4)
    game.play(MOVES)
    observer = open_device(arguments.device)
    # Both modes go in one job: the positions come first, and the mode may be chosen when they are known.
    plan = observer.plan(game, game.state.modes, arguments.shots)
    show(plan)
    if not (observer.backend.local or arguments.yes or input("Send it? [yes/no] ") == "yes"):
        return

    # The job's file is on disk before anything is sent: `qttt observe --resume` fetches it whatever happens.
    pending = Pending(Record.of(game), None, free_path(None, game), None, False)
    seed = int(np.random.default_rng(arguments.seed).integers(2**31))
    pending, handle = send(
        observer, plan, pending, seed, lambda news: print(f"  {news.status} {news.detail}")
    )
    print(f"The job is kept in {pending.path}.")
    shots = receive(pending, handle, tell)

    readings = pending.readings(game, shots)
    for mode, reading in readings.items():
        sample = reading.sample()
        print(f"{mode}: {sample.kept} of {sample.shots} shots are possible")
        for kind, count in sorted(sample.kinds.items()):
            print(f"  thrown away: {kind} {count}")
        if reading.noise is not None:
            print(f"No result is taken: {reading.noise}.")
            return
    positions, _ = first_positions(readings)
    print(f"Positions, from the first possible shot: {positions.filled}")
    game.push(positions)
    mode = Mode.ROTATED if positions.filled[0] == "#" else Mode.STANDARD
    print(f"X chooses the {mode} mode.")
    sample = readings[mode].sample(positions)
    print(f"{sample.kept} shots have these positions; the first of them is the outcome: {sample.first}")
    game.push(Observation(sample.first, mode))
    print(f"Result: {game.result}")


def tell(news: Progress) -> None:
    """Print what the job does."""
    print(f"  {news.status} {news.detail}".rstrip())


def show(plan: Plan) -> None:
    """Print what a job will cost."""
    cost = plan.prepared.cost
    for item, circuit in zip(plan.prepared.circuits, cost.circuits, strict=True):
        print(
            f"{item.label}: {circuit.qubits} qubits, {circuit.two_qubit_gates} two-qubit gates, depth "
            f"{circuit.depth}, at least {circuit.faultless:.0%} of the shots without a fault"
        )
    print(f"{cost.shots} shots of each, about {cost.quantum_seconds:.1f} quantum seconds")
    for warning in plan.prepared.warnings:
        print(f"Note: {warning}.")


if __name__ == "__main__":
    main()
