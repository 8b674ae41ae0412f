"""Killing the program: ``python -m tests.campaigns.kills --kills N``.

A child plays, observes, plays a match or waits for a job, and is ended by SIGKILL, SIGTERM or SIGHUP, half of
the time at a random moment by the clock and half of the time at a random line of the modules that save. Then:

- no process of its is left, workers least of all;
- the file on disk must be a complete, loadable record, and its events a beginning of the events that the same
  seed gives when nobody kills (and at least as many as were on disk before);
- ``qttt play FILE``, ``observe --resume`` or the same match must go on from it, to the same end.

Children are forked from this process, which has everything imported, so that a kill costs milliseconds. Only
matches with workers are started as a user starts them.
"""

import argparse
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from qttt.cli.main import INTERRUPTED
from qttt.cli.main import main as qttt
from qttt.records.files import load_record, save_record
from tests.campaigns.readers import FaultError, demand
from tests.support.processes import left_in_group

ROOT = Path(__file__).parents[2]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
GAMES = {
    "0": "1 2 3 4 5 6 7 8 9",
    "2": "1+3 1*2 9 3*4 undo 3*4 5+6 7+8",
    "3": "1+3 1-2 4 5 6 7 8 9",
    "4": "5 5-6 1+3 1*2 7 8 4 9 standard",
    "5": "5 ~1 2 3 4 6 7 8 9 rotated",
}
#: Modules whose lines are counted when a child is to be killed at one of them.
SAVING = (
    "qttt/storage.py",
    "qttt/records/files.py",
    "qttt/observation/job_file.py",
    "qttt/observation/job_batch.py",
    "qttt/crosscheck/archive.py",
    "qttt/crosscheck/by_job.py",
    "qttt/observation/job_runs.py",
    "qttt/players/match_files.py",
    "circuits/backends/job_store.py",
    "circuits/storage.py",
)


class InterruptedRunError(Exception):
    """The program took the signal as Ctrl-C, and ended as after one."""


class Killed:
    """How a child ended.

    Attributes:
        alive: it came to its end by itself.
        output: what it printed, as far as it came.
    """

    def __init__(self, alive: bool, seconds: float) -> None:
        self.alive = alive
        self.seconds = seconds


def killed(
    work: Callable[[], None], after: float | None, at_line: int | None, number: int = signal.SIGKILL
) -> Killed:
    """Run work in a child, and end it by a signal after so many seconds, or at its n-th line that saves."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setpgid(0, 0)
            if at_line is not None:
                _kill_at(at_line, number)
            work()
            status = 0
        except InterruptedRunError:
            status = INTERRUPTED
        finally:
            os._exit(status)
    if after is not None:
        deadline = began + after
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return _ended(child, status, number, began)
            time.sleep(0.0005)
        os.kill(child, number)
    _, status = os.waitpid(child, 0)
    return _ended(child, status, number, began)


def _ended(child: int, status: int, number: int, began: float) -> Killed:
    seconds, code = time.monotonic() - began, os.waitstatus_to_exitcode(status)
    expected = (0, -number) if number == signal.SIGKILL else (0, -number, INTERRUPTED)
    demand(code in expected, f"the child ended with {code} after signal {number}")
    left = left_in_group(child)
    demand(not left, f"processes are left: {left}")
    return Killed(code == 0, seconds)


def _kill_at(line: int, number: int) -> None:
    """Trace the modules that save, and kill this process when they have come to so many lines."""
    left = [line]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), number)
        return trace if frame.f_code.co_filename.endswith(SAVING) else None

    sys.settrace(trace)


def _counted(work: Callable[[], None], count: Path) -> None:
    """Do the work, and write down how many lines of the modules that save it has come to."""
    lines = [0]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        lines[0] += event == "line"
        return trace if frame.f_code.co_filename.endswith(SAVING) else None

    sys.settrace(trace)
    work()
    sys.settrace(None)
    count.write_text(str(lines[0]))


def run(*argv: str, stdin: str = "") -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = qttt(argv, stdin=io.StringIO(stdin), stdout=out, stderr=err)
    return status, out.getvalue(), err.getvalue()


def quietly(*argv: str, stdin: str = "") -> None:
    status, _, complaint = run(*argv, stdin=stdin)
    if status == INTERRUPTED:
        raise InterruptedRunError
    demand(status == 0, complaint)


def events(file: Path) -> list[str]:
    """The events on disk; every one of them must be possible."""
    record = load_record(file)
    return [str(event) for event in record.game().events]


class Campaign:
    """Kills, one after the other.

    Attributes:
        folder: where the files are.
        counts: what was done, and what was found on disk afterwards.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self._usual: dict[str, tuple[float, int, Any]] = {}

    def _signal(self) -> int:
        number = self.rng.choice(SIGNALS)
        self.counts[f"by {number.name}"] += 1
        return number

    def _way(self, name: str) -> tuple[float | None, int | None, int]:
        """When to kill, by the clock or by the line, within what the work usually takes; and how."""
        seconds, lines, _ = self._usual[name]
        if self.rng.random() < 0.5:
            return self.rng.random() * seconds * 1.05, None, self._signal()
        return None, self.rng.randint(1, lines), self._signal()

    def _prepared(
        self, name: str, work: Callable[[], None], clear: Callable[[], None], end: Callable[[], Any]
    ) -> Any:
        """Do the work once, in a child that is not killed: how long it takes, its lines, and how it ends."""
        clear()
        if name not in self._usual:
            count = self.folder.with_name(self.folder.name + "-lines")
            seconds = killed(lambda: _counted(work, count), None, None).seconds
            self._usual[name] = (seconds, int(count.read_text()), end())
            count.unlink()
            clear()
        return self._usual[name][2]

    def _empty(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()

    def play(self) -> None:
        """A game at the keyboard that is killed, gone on with, killed again …, until it ends."""
        level, backend = self.rng.choice(sorted(GAMES)), self.rng.choice(("dice", "aer"))
        file, lines = self.folder / "game.qttt", GAMES[level].split()
        typed = "\n".join([*lines, "quit", ""])
        rules = ("--level", level, "--options", "max-observations=1") if level == "5" else ("--level", level)
        words = ("play", *rules, "--backend", backend, "--seed", "7", "--record", str(file))

        def work() -> None:
            quietly(*words, stdin=typed)

        whole = self._prepared(f"play {level} {backend}", work, self._empty, lambda: events(file))
        result = killed(work, *self._way(f"play {level} {backend}"))
        self._left()
        self.counts["played to the end" if result.alive else "killed while playing"] += 1
        if not file.exists():
            self.counts["nothing on disk yet"] += 1
            return
        found = events(file)
        demand(whole[: len(found)] == found, f"{found} is no beginning of {whole}")
        self.counts["a complete earlier state"] += 1
        status, _, complaint = run("play", str(file), stdin="quit\n")
        demand(status == 0, complaint)
        again = events(file)
        demand(again[: len(found)] == found, f"going on changed {found} to {again}")
        self._tidy(file)

    def observe(self) -> None:
        """``qttt observe FILE --save FILE`` on a board that is full."""
        level, backend = self.rng.choice("234"), self.rng.choice(("dice", "aer"))
        file = self.folder / "game.qttt"
        board = {"2": "1+3 1*2 9 3*4 5+6 7+8", "3": "1+3 1-2 4 5 6 7 8 9", "4": "5 5-6 1+3 1*2 7 8 4 9"}[
            level
        ]
        text = f'[Level "{level}"]\n[X "Ada"]\n{{before}} {board}\n'
        mode = ("--mode", "rotated") if level == "4" else ()

        def clear() -> None:
            self._empty()
            file.write_text(text)

        def work() -> None:
            quietly("observe", str(file), "--save", str(file), "--backend", backend, "--seed", "3", *mode)

        name = f"observe {level} {backend}"
        whole = self._prepared(name, work, clear, lambda: (events(file), file.read_bytes()))
        result = killed(work, *self._way(name))
        self._left()
        self.counts["observed to the end" if result.alive else "killed while observing"] += 1
        found = file.read_bytes()
        demand(found in (text.encode(), whole[1]), f"{found!r} is neither the old record nor the new one")
        self.counts["the old record" if found == text.encode() else "the new record"] += 1
        work_on = ("observe", str(file), "--save", str(file), "--backend", backend, "--seed", "3", *mode)
        if found == text.encode():
            quietly(*work_on)
        demand(events(file) == whole[0], "observing again with the same seed gave something else")
        quietly("play", str(file), stdin="quit\n")
        self._tidy(file)

    def match(self) -> None:
        """A match of computers: the same file in the end, whenever it was stopped."""
        file = self.folder / "match.jsonl"
        words: tuple[str, ...] = ("selfplay", "--x", "random", "--o", "greedy", "--games", "6")
        words += ("--level", "1", "--seed", "5")
        words += ("--jobs", "1")  # In this process: a forked child must not start a pool.

        def work() -> None:
            quietly(*words, "--records", str(file))

        whole = self._prepared("match", work, self._empty, file.read_bytes)
        result = killed(work, *self._way("match"))
        self._left()
        self.counts["matches to the end" if result.alive else "matches killed"] += 1
        if file.exists():
            demand(
                whole.startswith(file.read_bytes()), "the file of a match is no beginning of the whole one"
            )
        work()
        demand(file.read_bytes() == whole, "a match that went on gave another file")

    def workers(self) -> None:
        """A match that two worker processes play: none is left, and the same file in the end."""
        file = self.folder / "match.jsonl"
        words = ("selfplay", "--x", "greedy", "--o", "greedy", "--games", "300", "--seed", "5", "--jobs")
        whole = self._prepared(
            "workers", lambda: quietly(*words, "1", "--records", str(file)), self._empty, file.read_bytes
        )
        began = time.monotonic()
        program = subprocess.Popen(
            [sys.executable, "-m", "qttt", *words, "2", "--records", str(file)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if "workers began" not in self._usual:
            program.communicate(timeout=300)
            self._usual["workers began"] = (time.monotonic() - began, 0, None)
            self._empty()
            return
        time.sleep(self.rng.random() * self._usual["workers began"][0])
        number = self._signal()
        # A terminal or a service manager sends it to all of them; SIGKILL is the parent's alone.
        everybody = number != signal.SIGKILL and self.rng.random() < 0.5
        if program.poll() is None:
            (os.killpg if everybody else os.kill)(program.pid, number)
        # Whoever reads the output comes to its end, since no worker holds it open.
        _, complaint = program.communicate(timeout=60)
        ended = program.returncode
        demand(ended in (0, -number, INTERRUPTED), f"it ended with {ended} after signal {number}")
        demand(b"Traceback" not in complaint, complaint.decode())
        left = left_in_group(program.pid)
        demand(not left, f"processes are left: {left}")
        self.counts["matches with workers " + ("killed" if ended else "to the end")] += 1
        if file.exists():
            demand(whole.startswith(file.read_bytes()), "its file is no beginning of the whole one")
            self.counts["games of killed matches kept"] += max(0, file.read_bytes().count(b"\n") - 1)
        quietly(*words, "1", "--records", str(file))
        demand(file.read_bytes() == whole, "a match that went on gave another file")

    def job(self) -> None:
        """A job on a simulated device: resumed by its record, to the same end."""
        file = self.folder / "game.qttt"
        text = '[Level "1"]\n1+2 3 4 5 6 7 8 9\n'
        words = ("observe", str(file), "--backend", "fake_manila", "--seed", "5", "--shots", "100")

        def clear() -> None:
            self._empty()
            file.write_text(text)

        def work() -> None:
            quietly(*words)

        whole = self._prepared("job", work, clear, lambda: events(file))
        result = killed(work, *self._way("job"))
        self._left()
        self.counts["jobs to the end" if result.alive else "jobs killed"] += 1
        events(file)
        record = load_record(file)
        waits = "Job" in record.headers
        self.counts[f"records that {'wait' if waits else 'do not wait'} for a job"] += 1
        if waits:
            on: tuple[str, ...] = ("observe", "--resume", str(file))
        elif len(record.events) == 8:
            on = words
        else:
            on = ("odds", str(file))
        resumed = killed(lambda: quietly(*on), None, None)
        demand(resumed.alive, f"it does not go on: {on}")
        demand(events(file) == whole, f"{events(file)} is another end")
        demand("Job" not in load_record(file).headers, "it still waits")
        self._tidy(file, *self.folder.glob("*.job"), *self.folder.glob("*.archive.json"))

    def check(self) -> None:
        """A check on a simulated device: resumed by its job's file, if there is one, to the same report."""
        file, job = self.folder / "game.qttt", self.folder / "game-check.job"
        told = self.folder.with_name(self.folder.name + "-told")
        text = '[Level "1"]\n\n1. 1+2 3\n'
        words = ("check", str(file), "--backend", "fake_manila", "--seed", "5", "--shots", "100")

        def clear() -> None:
            self._empty()
            file.write_text(text)

        def tell(*words: str) -> None:
            status, out, complaint = run(*words, "--json")
            if status == INTERRUPTED:
                raise InterruptedRunError
            demand(status == 0, complaint)
            told.write_text(out)

        whole = self._prepared("check", lambda: tell(*words), clear, told.read_text)
        told.unlink(missing_ok=True)
        result = killed(lambda: tell(*words), *self._way("check"))
        self._left()
        self.counts["checks to the end" if result.alive else "checks killed"] += 1
        demand(file.read_text() == text, "a check changed the record")
        self.counts[f"checks that {'have' if job.exists() else 'do not have'} a job"] += 1
        on = ("check", "--resume", str(job)) if job.exists() else words
        resumed = killed(lambda: tell(*on), None, None)
        demand(resumed.alive, f"it does not go on: {on}")
        demand(told.read_text() == whole, f"{told.read_text()} is another report than {whole}")
        told.unlink()
        self._tidy(file, job, *self.folder.glob("*.archive.json"))

    def _left(self) -> None:
        """Count what a kill has just left beside the files."""
        self.counts["temporary files left until the next save"] += len(self._temporaries())

    def _temporaries(self) -> list[str]:
        names = [path.name for path in self.folder.iterdir()]
        return [name for name in names if name.startswith(".qttt-") and name.endswith(".tmp")]

    def _tidy(self, *files: Path) -> None:
        """Once a record is saved again nothing but the files is in the folder."""
        save_record(files[0], load_record(files[0]))
        others = set(self.folder.iterdir()) - set(files)
        demand(not others, f"these outlived the next save: {others}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.kills")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["play", "observe", "match", "workers", "job", "check"])
    arguments = parser.parse_args()
    # Before any child is forked: what all of them need.
    for module in ("qiskit_aer", "qttt.crosscheck.check", "qttt.players.matches", "qttt.cli.keyboard.game"):
        import_module(module)
    if arguments.only in (None, "job", "check"):
        import_module("circuits.backends.ibm.backend")

    folder = Path(tempfile.mkdtemp(prefix="qttt-kills-"))
    campaign = Campaign(folder, arguments.seed)
    kinds = {
        "play": campaign.play,
        "observe": campaign.observe,
        "match": campaign.match,
        "workers": campaign.workers,
        "job": campaign.job,
        "check": campaign.check,
    }
    weights = {"play": 10, "observe": 6, "match": 3, "workers": 1, "job": 1, "check": 1}
    chosen = [arguments.only] if arguments.only else list(kinds)
    try:
        for number in range(arguments.kills):
            kind = campaign.rng.choices(chosen, [weights[name] for name in chosen])[0]
            try:
                kinds[kind]()
            except (FaultError, Exception):
                print(f"kill {number} ({kind}) found a fault; the files are in {folder}", file=sys.stderr)
                raise
    finally:
        for name, count in sorted(campaign.counts.items()):
            print(f"{count:6,}  {name}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
