"""Controls of the witness: states without entanglement, in seeded runs on a simulated device; none is shown.

``python -m tests.campaigns.witness [--runs N] [--backend B] [--shots N]``: every plant on a whole pair and on
a half-entangled one, each compiled once and run with so many seeds. Then the pairs themselves.
"""

import argparse

import numpy as np

from qttt.crosscheck.witness import Looks, Plant, Readings, pairs_of, plan_witness
from qttt.game.game import Game
from qttt.observation.devices import DeviceObserver, Plan, open_device

RECORDS = ("5 5*6", "1+3 1*2")


def planned(record: str, plant: Plant | None, observer: DeviceObserver, shots: int) -> Plan:
    game = Game(2).play(record)
    return plan_witness(Looks(pairs_of(game), plant, False, observer.backend), game, observer, shots)


def shown(record: str, plan: Plan, observer: DeviceObserver, seed: int) -> bool:
    (pair,) = pairs_of(Game(2).play(record))
    names = [item.label for item in plan.prepared.circuits]
    readout = plan.prepared.circuits[0].readout
    assert readout is not None
    runs = observer.run(plan, np.random.default_rng(seed))
    return Readings(readout, dict(zip(names, runs, strict=True))).witness(pair).shown


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.witness")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--backend", default="fake_torino")
    parser.add_argument("--shots", type=int, default=1024)
    arguments = parser.parse_args()
    observer = open_device(arguments.backend, encoding="coherent")
    for record in RECORDS:
        for plant in (*Plant, None):
            plan = planned(record, plant, observer, arguments.shots)
            count = sum(shown(record, plan, observer, seed) for seed in range(arguments.runs))
            print(f"{record}, {plant or 'the pair itself'}: shown in {count} of {arguments.runs}", flush=True)
            if plant is not None and count:
                raise SystemExit(f"{record}: {plant} is shown")


if __name__ == "__main__":
    main()
