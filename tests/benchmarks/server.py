"""What the server costs: ``python -m tests.benchmarks.server [--games N]``.

- processor time of a move with the full state for one page, median and 99th percentile, in this process;
- processor time until the first line of a real server, and its memory there (workers apart);
- memory of that server after ten and after N games played to their end by pages that come and go;
- time from a page's message to its answer over the socket, median and 95th percentile.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from qttt.web.rooms import Backend, Limits, Rooms
from qttt.web.store import SqliteStore
from tests.support.server import Served, my_turn, play_on


class NoWorker:
    async def run(self, task: Any, *args: Any) -> Any:
        raise AssertionError(task)


def moves(folder: Path, games: int) -> list[float]:
    """Processor seconds of each move: the message read, the entry kept, the state as text."""
    store = SqliteStore(folder / "moves.sqlite")
    rooms = Rooms(
        store,
        NoWorker(),
        NoWorker(),
        time=time.monotonic,
        randomness=random.randbytes,
        token="",
        today=lambda: "2026-12-01",
        backends=(Backend("dice", "dice", ""),),
        limits=Limits(burst=10**9, rooms_a_minute=10**9),
    )
    rng, spent, texts = random.Random(1), list[float](), list[str]()
    page = rooms.connect(lambda message: texts.append(json.dumps(message, ensure_ascii=False)))

    def say(**message: Any) -> dict[str, Any]:
        text = json.dumps({"id": 1, **message})
        began = time.process_time()
        rooms.handle(page, text)
        spent.append(time.process_time() - began)
        found: dict[str, Any] = json.loads(texts[-1])
        assert found["type"] == "state", found
        return found

    for number in range(games):
        state = say(type="new", level=number % 6)
        spent.pop()
        while state["phase"] != "over" and state["n"] < 60:
            if state["phase"] == "move":
                state = say(type="play", n=state["n"], token=rng.choice(state["choices"])["token"])
            else:
                mode = {"mode": rng.choice(state["modes"])} if state["phase"] == "mode" else {}
                state = say(type="observe", n=state["n"], **mode)
    store.close()
    return spent


def shown(name: str, values: list[float], percent: int) -> str:
    cut = sorted(values)[min(len(values) - 1, len(values) * percent // 100)]
    return f"{name}: median {1000 * statistics.median(values):.2f} ms, p{percent} {1000 * cut:.2f} ms"


def status(pid: int) -> tuple[float, float]:
    """Processor seconds and MB of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / 100, pages * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    games = parser.parse_args().games
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        async def run() -> list[float]:
            return moves(folder, games)

        spent = asyncio.run(run())
        print(shown(f"processor time a move with full state ({len(spent)} moves)", spent, 99))
        with Served(folder) as served:
            seconds, size = status(served.process.pid)
            print(f"start: {seconds:.2f} s of processor time, {size:.1f} MB")
            rng, answers, sizes = random.Random(2), list[float](), dict[int, float]()
            for number in range(1, games + 1):
                with served.page() as page:
                    page.new(number % 6, backend="dice")
                    while page.until(my_turn)["phase"] != "over":
                        began = time.perf_counter()
                        play_on(page, rng.choice, 1)
                        answers.append(time.perf_counter() - began)
                        if page.state["n"] > 60:
                            break
                if number in (10, games):
                    sizes[number] = status(served.process.pid)[1]
            print(shown(f"message to answer, test's schema check included ({len(answers)})", answers, 95))
            print("; ".join(f"after {number} games {size:.1f} MB" for number, size in sizes.items()))


if __name__ == "__main__":
    main()
