"""A match on a Dask cluster: the same games as `qttt selfplay`, to the bit, on as many machines as there are.

    python examples/dask_selfplay.py --games 1000 --workers 4
    python examples/dask_selfplay.py --games 100000 --scheduler tcp://head-node:8786

Without `--scheduler` the cluster is this computer. The last line printed is what `qttt selfplay --json`
prints for the same match. Needs the extra `dask`: pip install 'tiqtaqtoe[dask]'.
"""

import argparse
import json

from distributed import Client, LocalCluster

from qttt.cli.commands.selfplay import selfplay_report
from qttt.game.rules import Rules
from qttt.players.matches import Match, Score, play_match


def main() -> None:
    """Play the match that the arguments ask for, and print its results."""
    parser = argparse.ArgumentParser(description="A match between two computer players on a Dask cluster.")
    parser.add_argument("--x", default="medium", help="who plays X")
    parser.add_argument("--o", default="easy", help="who plays O")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scheduler", help="address of a running cluster; without it this computer is one")
    parser.add_argument("--workers", type=int, default=2, help="processes of a cluster on this computer")
    arguments = parser.parse_args()

    match = Match(arguments.x, arguments.o, Rules.of(arguments.level), seed=arguments.seed)
    score = Score()
    with cluster_client(arguments.scheduler, arguments.workers) as client:
        executor = client.get_executor(pure=False)
        score.add_all(play_match(match, range(arguments.games), executor))
    print(json.dumps(selfplay_report(match, score)))


def cluster_client(scheduler: str | None, workers: int) -> Client:
    """A client of a running cluster, or of one made on this computer, with a process for each worker."""
    if scheduler is not None:
        return Client(scheduler)
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    return Client(cluster)


# Dask starts its workers by importing this file once more, so it must do nothing unless it is run.
if __name__ == "__main__":
    main()
