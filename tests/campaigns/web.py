"""The server put to the test: ``python -m tests.campaigns.web states --games N`` or ``kills --kills N``.

``states``: for N random games a level, what a page is sent equals what ``qttt dice``, ``moves`` and ``odds``
print with ``--json``, at a random moment and at the end; and the log gives the same table again.

``kills``: a server is killed (SIGKILL) at N random moments while pages play; a server started anew has every
event that a page had seen confirmed, and the game goes on to its end.
"""

import argparse
import json
import random
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed

from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.page.states import Viewer, table_state
from qttt.records.record import Record
from qttt.session.entries import Entry
from qttt.session.sitting import Sitting
from qttt.web.tasks import roll
from tests.campaigns.readers import demand
from tests.support.cli_runs import run_json
from tests.support.server import PageClient, Served, faults, my_turn, play_on

OPTIONS = {
    0: ("", "tally"),
    1: ("", "quantum-only", "measure-turn"),
    2: ("", "measure-turn", "no-double-entanglement", "tally"),
    3: ("", "quantum-only"),
    4: ("", "tally"),
    5: ("", "view-switches=2", "view=physical", "no-ties,max-observations=4"),
}


def compare(sitting: Sitting) -> None:
    """Hold a table's state to the commands, and to the schema."""
    state: dict[str, Any] = json.loads(json.dumps(table_state(sitting, "R", Viewer(tuple(Symbol)))))
    record = str(sitting.record)
    wrong = faults(state)
    demand(not wrong, f"{record!r}: against the schema: {wrong}")
    for key, words in (("dice", ()), ("moves", ()), ("odds", ())):
        printed = run_json(key, record, *words)
        demand(state[key] == printed, f"{record!r}: {key} is not what the command prints")
    if sitting.game.rules.level.rotated_mode:
        printed = run_json("odds", record, "--mode", "rotated")
        demand(state["odds_rotated"] == printed, f"{record!r}: odds_rotated is not what the command prints")
    listed = {
        choice["token"] + "~" * after for choice in state["choices"] for after in range(1 + choice["after"])
    }
    legal = {str(move) for move in sitting.game.legal_moves()}
    legal |= {f"?{square}" for square in sitting.game.state.measurable()}
    demand(listed == legal, f"{record!r}: the choices are not the legal ones")


def play_table(level: int, rng: random.Random) -> Sitting:
    """Play a random game at a table, with takebacks; look at it once on the way, and at its end."""
    options = rng.choice(OPTIONS[level])
    base = Record.parse(f'[Level "{level}"]' + f' [Options "{options}"]' * bool(options))
    sitting = Sitting.begin(base)
    moment = rng.randrange(12)
    while not sitting.over and sitting.n < 80:
        state = sitting.game.state
        if sitting.n == moment:
            compare(sitting)
        if state.phase is Phase.MOVE:
            back = sitting.why_not(Entry.parse("X:undo").event, state.turn) is None  # type: ignore[arg-type]
            if back and rng.random() < 0.1:
                for entry in (f"{state.turn}:undo", f"{state.turn.opponent}:accept"):
                    sitting = sitting.after(Entry.parse(entry))
                continue
            squares = state.measurable()
            if squares and rng.random() < 0.2:
                event, _ = roll(sitting.game, None, rng.choice(squares), rng)
            else:
                event = rng.choice(state.legal_moves())
        else:
            mode = rng.choice(state.modes) if state.phase is Phase.MODE else None
            event, _ = roll(sitting.game, mode, None, rng)
        sitting = sitting.after(Entry(event))
    compare(sitting)
    demand(Sitting.begin(base, map(str, sitting.log)) == sitting, f"{sitting.log}: not the same table again")
    replayed = Record.parse(str(sitting.record)).game()
    demand(replayed == sitting.game, f"{sitting.record}: not the same game again")
    return sitting


def states(games: int, seed: int) -> None:
    for level in range(6):
        rng = random.Random(1000 * seed + level)
        events = sum(len(play_table(level, rng).game.events) for _ in range(games))
        print(
            f"Level {level}: {games} games, {events} events: as the commands print, and replayed", flush=True
        )


def kills(count: int, seed: int) -> None:
    """Kill servers while three pages play, a fresh game for each kill."""
    rng = random.Random(seed)
    confirmed = ended = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        places: list[dict[str, str]] = []
        seen: dict[str, str] = {}
        for number in range(count + 1):
            with Served(folder) as served:
                for place in places:
                    with served.page(**place) as page:
                        state = page.until(lambda state: True)
                        now = " ".join(event["token"] for event in state["events"])
                        before = seen[place["room"]]
                        demand(now.startswith(before), f"{before!r} was confirmed, and there is {now!r}")
                        if number % 10 == 0:
                            play_on(page, rng.choice)
                            demand(page.state["phase"] == "over", "the game does not end")
                            ended += 1
                if number == count:
                    break
                places, seen = [], {}
                pages = [served.page() for _ in range(3)]
                for page in pages:
                    page.new(rng.randrange(1, 6), O="random", backend="dice")
                    places.append({"room": page.joined["room"], "key": page.joined["key"]})
                threads = [threading.Thread(target=_play, args=(page, rng.random())) for page in pages]
                for thread in threads:
                    thread.start()
                threading.Timer(rng.uniform(0.02, 1.5), served.process.kill).start()
                for thread in threads:
                    thread.join()
                served.process.wait()
                for page, place in zip(pages, places, strict=True):
                    seen[place["room"]] = " ".join(event["token"] for event in page.state["events"])
                    confirmed += len(page.state["events"])
            demand(served.left() == [], "workers are left")
    print(f"{count} kills, {confirmed} confirmed events, none lost; {ended} games went on to their end")


def _play(page: PageClient, seed: float) -> None:
    rng = random.Random(seed)
    try:
        while True:
            if page.until(my_turn)["phase"] == "over":
                page.act("rematch")
            play_on(page, rng.choice, 1)
    except (ConnectionClosed, EOFError, OSError):
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["states", "kills"])
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.what == "states":
        states(arguments.games, arguments.seed)
    else:
        kills(arguments.kills, arguments.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
