"""Killing a user's session with a service: ``python -m tests.campaigns.sent_once --kills N``.

A session sends two games in one job with ``qttt submit``, fetches the result with ``--resume`` and comes to
its archive; whatever is done already is not done again. A child that does this is ended by SIGKILL, SIGTERM
or SIGHUP, at a random moment by the clock or at a random line of a random module of those that save; then the
next goes on, until one comes to the end. Only kills between the job's file and the end count. Now and then
the service takes the job and its answer is lost. The service is that of the tests
(`tests.support.ibm_service`), with its jobs on disk, so that it outlives every process. In the end it must
have been sent one job, and both records, their job's id and an archive that recomputes are there.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import requests

from circuits.backends.ibm.accounts import save_account
from qttt.records.files import load_record
from tests.campaigns.kills import SAVING, SIGNALS, killed, quietly, run
from tests.campaigns.readers import FaultError, demand
from tests.support.ibm_service import TOKEN, Answer, Service, install

RECORDS = {
    "a.qttt": '[Level "1"]\n[X "Ada"]\n\n1. 1+2 3\n2. 4 5\n3. 6 7\n4. 8 9\n',
    "b.qttt": '[Level "4"]\n\n1. 1 2\n2. 3 4\n3. 5 6\n4. 7 8+9\n',
}
LOST = 0.3
"""How often the answer to a job that was taken is lost."""


class CloudOnDisk(Service):
    """A service whose jobs lie in a folder.

    Attributes:
        place: the folder.
    """

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.place = place
        self.devices["ibm_mumbai"], self.queues["ibm_mumbai"] = "fake_mumbai", 1
        self.first_statuses = ["Queued", "Running"]

    def answer(self, request: requests.PreparedRequest) -> Answer:
        """Look at what is on disk, answer, and keep what came of it."""
        self.jobs = {path.stem: json.loads(path.read_text()) for path in sorted(self.place.glob("*.json"))}
        status, body = super().answer(request)
        for name, job in self.jobs.items():
            beside = self.place / f"{name}.{os.getpid()}"
            beside.write_text(json.dumps(job))
            beside.rename(self.place / f"{name}.json")
        posted = request.method == "POST" and str(request.url).endswith("/jobs")
        # Seeded by nobody: a child would draw what its parent draws.
        if posted and random.SystemRandom().random() < LOST:
            raise requests.exceptions.ReadTimeout("the answer is lost")
        return status, body


def session(folder: Path) -> None:
    """Go on from whatever is on disk until both games are observed and the archive is there."""
    from qttt.observation import devices

    devices.SEEDS = 1
    # In this process alone: nobody waits for a queue that is none.
    time.sleep = lambda _seconds: None
    os.chdir(folder)
    while not done(folder):
        jobs = sorted(folder.glob("submit-*.job"))
        if jobs:
            quietly("observe", "--resume", jobs[0].name, "--mode", "rotated", "--yes")
        else:
            device = ("--backend", "ibm_mumbai", "--shots", "60", "--yes")
            quietly("submit", *RECORDS, *device)


def done(folder: Path) -> bool:
    """Whether nothing is left to do."""
    return all("Jobs" in load_record(folder / name).headers for name in RECORDS)


def begin(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, text in RECORDS.items():
        (folder / name).write_text(text)


def judge(folder: Path, cloud: Path) -> None:
    """What must be in the end.

    Raises:
        FaultError: it is not.
    """
    sent = [path.stem for path in cloud.glob("*.json")]
    demand(len(sent) == 1, f"{len(sent)} jobs were sent")
    for name in RECORDS:
        record = load_record(folder / name)
        demand("Job" not in record.headers, f"{name} waits still")
        demand(record.headers["Jobs"] == sent[0], f"{name} names {record.headers['Jobs']}")
        demand(str(record.events[-1]).startswith("="), f"{name} is not observed")
        record.game()
    (archive,) = folder.glob("*.archive.json")
    status, out, complaint = run("check", "--archive", str(archive), "--json")
    demand((status, json.loads(out)["ok"]) == (0, True), complaint or out)
    left = [path.name for path in folder.iterdir() if path.name.startswith(".qttt-")]
    demand(not left, f"these were left: {left}")


def traced(work: Callable[[], None], see: Callable[[str], None]) -> None:
    """Do the work, and tell of every line of a module that saves."""

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            see(frame.f_code.co_filename)
        return trace if frame.f_code.co_filename.endswith(SAVING) else None

    sys.settrace(trace)
    work()
    sys.settrace(None)


def count_lines(folder: Path, told: Path) -> None:
    """Come to the end, and write down how many lines of each module that took."""
    lines = Counter[str]()
    traced(lambda: session(folder), lambda module: lines.update([module]))
    told.write_text(json.dumps(lines))


def end_at(folder: Path, module: str, line: int, number: int) -> None:
    """Go on, and end this process at a line of a module."""
    left = [line]

    def see(name: str) -> None:
        left[0] -= name == module
        if left[0] == 0:
            os.kill(os.getpid(), number)

    traced(lambda: session(folder), see)


def campaign(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill so many sessions, each until one comes to its end.

    Returns:
        How often a killed session was found how far.

    Raises:
        FaultError: a job was sent twice, or is lost.
    """
    rng, counts = random.Random(seed), Counter[str]()
    games, cloud, home = folder / "games", folder / "cloud", folder / "home"
    for place in (games, cloud, home):
        place.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        install(patch, home, CloudOnDisk(cloud))
        save_account(TOKEN, "mine")
        begin(games)
        told = folder / "lines"
        demand(killed(lambda: count_lines(games, told), None, None).alive, "it does not come to its end")
        judge(games, cloud)
        lines: dict[str, int] = json.loads(told.read_text())
        begin(games)
        usual = killed(lambda: session(games), None, None).seconds
        while counts.total() < kills:
            begin(games)
            for path in cloud.iterdir():
                path.unlink()
            ended = False
            while not ended and counts.total() < kills:
                number = rng.choice(SIGNALS)
                if rng.random() < 0.3:
                    ended = killed(lambda: session(games), rng.random() * usual, None, number).alive
                else:
                    module = rng.choice(sorted(lines))
                    work = partial(end_at, games, module, rng.randint(1, lines[module]), number)
                    ended = killed(work, None, None, number).alive
                if not ended and (state := found(games, cloud)):
                    counts[state] += 1
            demand(killed(lambda: session(games), None, None).alive, "it does not go on")
            judge(games, cloud)
    return counts


def found(folder: Path, cloud: Path) -> str | None:
    """How far a session had come when it was killed; None if nothing was written down."""
    jobs = list(folder.glob("submit-*.job"))
    if not jobs:
        return None
    if not list(cloud.glob("*.json")):
        return "written down, not sent"
    if json.loads(jobs[0].read_text())["job_id"] is None:
        return "sent, its name unknown"
    if not list(folder.glob("*.archive.json")):
        return "sent, no archive yet"
    return "archived, the records wait" if not done(folder) else "everything there"


def main() -> None:
    """Kill so often, and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.sent_once")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # Before any child is forked: what all of them need.
    for module in ("qiskit_aer", "qttt.cli.commands.submit", "qttt.cli.console.job_output"):
        import_module(module)
    for module in ("circuits.backends.ibm.backend", "qttt.crosscheck.archive", "qttt.observation.job_batch"):
        import_module(module)
    folder = Path(tempfile.mkdtemp(prefix="qttt-sent-"))
    try:
        counts = campaign(folder, options.kills, options.seed)
    except (FaultError, Exception):
        print(f"the files are in {folder}", file=sys.stderr)
        raise
    for name, count in sorted(counts.items()):
        print(f"{count:6,}  {name}")
    print("No job was sent twice, and none is lost.")


if __name__ == "__main__":
    main()
