"""Kill commands again and again while a simulated device works, and fetch the result of the job later.

Run `python -m tests.benchmarks.kills [--kills N] [--only KIND]` (200 unless asked otherwise; `make kills`).
The kinds take turns: an observation whose mode is chosen once the positions are shown, one whose circuit
chooses the mode (`--dynamic`), and a `check`. Every process is a real one, ended by SIGKILL, SIGTERM or
SIGHUP at a random moment after the job's file, and the note of it in the record where there is one, are on
disk. It comes from a fork server that has everything imported and has simulated nothing yet. However it dies,
resuming must lead to the record that an undisturbed run writes, and print the JSON that it prints, to the
last byte.
"""

import argparse
import multiprocessing
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from circuits.backends import job_store
from qttt.observation import devices
from qttt.records.files import load_record
from tests.support.cli_runs import run

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
RECORD = '[Level "4"]\n\n1. 1 2\n2. 3 4\n3. 5 6\n4. 7 8+9\n'


@dataclass(frozen=True)
class Kind:
    """A command that sends a job.

    Attributes:
        words: the command.
        typed: what its user types.
        resuming: the command that fetches the result.
        job: the job's file.
        noted: the record has a note of the job while it is on its way.
    """

    words: tuple[str, ...]
    typed: str
    resuming: tuple[str, ...]
    job: str
    noted: bool

    def play(self, folder: str) -> None:
        """What a user does; what is printed goes to a file."""
        # In this process alone: a better circuit takes longer to find, and the kill comes later.
        devices.SEEDS = 1
        with chdir(folder):
            done = run(*self.words, "--json", stdin=self.typed, terminal=bool(self.typed))
            Path("printed").write_text(done.out)
            Path("printed").rename("output")

    def begun(self, folder: Path) -> bool:
        """Whether there is something to resume, or was."""
        text = (folder / "game.qttt").read_text()
        return "[Job" in text or "=" in text if self.noted else (folder / self.job).exists()

    def found(self, folder: Path) -> str:
        """How far the command had come when its process died."""
        if (folder / "output").exists():
            return "finished"
        record = load_record(folder / "game.qttt")
        if self.noted and "Job" not in record.headers:
            return "finished, not told"
        if record.events and str(record.events[-1]).startswith("=p:"):
            return "positions known"
        done = job_store.load(folder / self.job).state is job_store.JobState.DONE
        return "shots on disk" if done else "job on its way"


DEVICE = ("--backend", "fake_mumbai", "--seed", "11", "--shots", "300")
# Mumbai cannot act on measurements; and every shot of such a circuit is simulated anew.
DYNAMIC = ("--backend", "fake_hanoi", "--seed", "11", "--shots", "4", "--dynamic", "9")
KINDS = {
    "observe": Kind(
        ("observe", "game.qttt", *DEVICE),
        "rotated\n",
        ("observe", "--resume", "game.qttt", "--mode", "rotated"),
        "game-1.job",
        True,
    ),
    "dynamic": Kind(
        ("observe", "game.qttt", *DYNAMIC), "", ("observe", "--resume", "game.qttt"), "game-1.job", True
    ),
    "check": Kind(
        ("check", "game.qttt", *DEVICE), "", ("check", "--resume", "game-check.job"), "game-check.job", False
    ),
}


class Killer:
    """Kills one kind of command.

    Attributes:
        kind: the command.
        folder: where its runs go.
        longest: seconds within which an undisturbed run gets from its job's file to its end.
    """

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(
            ["tests.support.cli_runs", "qiskit_aer", "qttt.cli.console.job_output"]
            + [f"qttt.cli.commands.{module}" for module in ("observe", "check")]
        )
        whole, player = self._start("undisturbed")
        begin = time.monotonic()
        player.join()
        self.longest = 1.1 * (time.monotonic() - begin)
        self.output = (whole / "output").read_text()
        assert self.output.startswith("{"), self.output
        self.record = (whole / "game.qttt").read_text()

    def _start(self, name: str) -> tuple[Path, multiprocessing.context.ForkServerProcess]:
        """Start a run, and return when there is something to resume."""
        place = self.folder / name
        place.mkdir(parents=True)
        (place / "game.qttt").write_text(RECORD)
        player = self._context.Process(target=self.kind.play, args=(str(place),))
        player.start()
        while not self.kind.begun(place) and player.is_alive():
            time.sleep(0.001)
        return place, player

    def kill(self, name: str, random: np.random.Generator) -> str:
        """Kill a run, resume it, and hold it against the undisturbed one.

        Returns:
            How far it had come.

        Raises:
            AssertionError: it did not go on to the same end.
        """
        place, player = self._start(name)
        time.sleep(self.longest * random.random())
        number = SIGNALS[random.integers(len(SIGNALS))]
        if player.is_alive():
            os.kill(player.pid or 0, number)
        player.join()
        assert player.exitcode in (0, -number), (name, player.exitcode)
        state = self.kind.found(place)
        if not state.startswith("finished"):
            with chdir(place):
                resumed = run(*self.kind.resuming, "--json")
            assert resumed.status == 0, (name, resumed)
            assert resumed.out == self.output, (name, resumed.out, self.output)
        assert (place / "game.qttt").read_text() == self.record, name
        game = load_record(place / "game.qttt").game()
        if not game.over and game.state.legal_moves():
            game.push(game.state.legal_moves()[0])
        return state


def kill_and_resume(
    folder: Path,
    kills: int,
    seed: int,
    kinds: tuple[str, ...] = tuple(KINDS),
    notify: Callable[[str], None] = print,
) -> Counter[tuple[str, str]]:
    """Kill and resume so often, one kind after the other.

    Returns:
        How often which kind was found in which state after the kill.

    Raises:
        AssertionError: what was resumed is not the undisturbed run.
    """
    killers = {name: Killer(KINDS[name], folder / name) for name in kinds}
    random = np.random.default_rng(seed)
    states: Counter[tuple[str, str]] = Counter()
    for number in range(kills):
        name = kinds[number % len(kinds)]
        state = killers[name].kill(str(number), random)
        states[name, state] += 1
        notify(f"kill {number + 1}: {name}, {state}")
    return states


def main() -> None:
    """Kill so often, and report."""
    parser = argparse.ArgumentParser(description="Kill and resume jobs")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=tuple(KINDS), help="one kind of job")
    options = parser.parse_args()
    kinds = tuple(KINDS) if options.only is None else (options.only,)
    with tempfile.TemporaryDirectory() as folder:
        states = kill_and_resume(Path(folder), options.kills, options.seed, kinds)
    print(f"{states.total()} kills, all went on to the same end; found after the kill:")
    for (name, state), number in sorted(states.items()):
        print(f"{number:6,}  {name}: {state}")


if __name__ == "__main__":
    main()
