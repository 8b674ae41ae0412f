"""Kill `qttt observe` again and again while a simulated device works, resume, and let the game go on.

Run `python -m tests.benchmarks.kills [--kills N]` (200 unless asked otherwise; `make kills`). Every process
is a real one, ended by SIGKILL at a random moment after the record on disk says that a job is on its way. It
comes from a fork server that has everything imported and has simulated nothing yet. However it dies, resuming
must lead to the record that an undisturbed run writes, to the last byte.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import numpy as np

from qttt.recordfile import load_record
from tests.qttt.cli_runs import run

RECORD = '[Level "4"]\n\n1. 1 2\n2. 3 4\n3. 5 6\n4. 7 8+9\n'
WORDS = ("observe", "game.qttt", "--backend", "fake_mumbai", "--seed", "11", "--shots", "300")


def play(folder: str) -> None:
    """What a player does: observe, and choose the mode once the positions are shown."""
    with chdir(folder):
        run(*WORDS, stdin="rotated\n", terminal=True)


def marked(file: Path) -> bool:
    """Whether the record on disk waits for a job, or has had one."""
    text = file.read_text()
    return "[Job" in text or "=" in text


def found(file: Path) -> str:
    """How far the observation had come when its process died."""
    record = load_record(file)
    if "Job" not in record.headers:
        return "finished"
    if str(record.events[-1]).startswith("=p:"):
        return "positions known"
    return "job on its way"


def kill_and_resume(
    folder: Path, kills: int, seed: int, notify: Callable[[str], None] = print
) -> Counter[str]:
    """Kill and resume so often.

    Returns:
        How often which state was found after the kill.

    Raises:
        AssertionError: a resumed game is not the undisturbed one.
    """
    whole = folder / "undisturbed"
    whole.mkdir()
    (whole / "game.qttt").write_text(RECORD)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.qttt.cli_runs", "qttt.commands.observe_device", "qiskit_aer"])
    undisturbed = context.Process(target=play, args=(str(whole),))
    undisturbed.start()
    while not marked(whole / "game.qttt") and undisturbed.is_alive():
        time.sleep(0.001)
    begin = time.monotonic()
    undisturbed.join()
    longest = 1.1 * (time.monotonic() - begin)
    expected = (whole / "game.qttt").read_text()
    assert "=r:" in expected, expected
    random = np.random.default_rng(seed)
    states: Counter[str] = Counter()
    for number in range(kills):
        place = folder / str(number)
        place.mkdir()
        file = place / "game.qttt"
        file.write_text(RECORD)
        player = context.Process(target=play, args=(str(place),))
        player.start()
        while not marked(file) and player.is_alive():
            time.sleep(0.001)
        time.sleep(longest * random.random())
        player.kill()
        player.join()
        state = found(file)
        states[state] += 1
        notify(f"kill {number + 1}: {state}")
        if state != "finished":
            with chdir(place):
                resumed = run("observe", "--resume", "game.qttt", "--mode", "rotated")
            assert resumed.status == 0, (number, resumed)
        assert file.read_text() == expected, number
        game = load_record(file).game()
        if not game.over:
            game.push(game.state.legal_moves()[0])
    return states


def main() -> None:
    """Kill so often, and report."""
    parser = argparse.ArgumentParser(description="Kill and resume observations")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        states = kill_and_resume(Path(folder), options.kills, options.seed)
    print(f"{states.total()} kills, {states.total()} games went on; found after the kill: {dict(states)}")


if __name__ == "__main__":
    main()
