"""Rooms without a network: the store that fails, chance that can be drawn again, the page's own limits."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from qttt.records.record import Record
from qttt.session.sitting import Sitting
from qttt.storage import FileError
from qttt.web.rooms import Backend, FloodError, Limits, Page, Rooms
from qttt.web.store import SqliteStore
from tests.support.server import faults

BACKENDS = (
    Backend("dice", "dice", "rolls"),
    Backend("aer", "simulator", "circuits"),
    Backend("fake_torino", "noisy", "a twin", owner=True),
)


class Threads:
    """Work is done in a thread of this process."""

    async def run(self, task: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.to_thread(task, *args)


class Here:
    """A page whose messages are kept."""

    def __init__(self, rooms: Rooms, **hello: str) -> None:
        self.rooms, self.heard, self.ids = rooms, list[dict[str, Any]](), 0
        self.page: Page = rooms.connect(self.heard.append)
        self.say("hello", **hello)

    def say(self, type: str, **keys: Any) -> dict[str, Any]:
        """Send a message; the last state, or the error that came of it."""
        self.ids += 1
        self.heard.clear()
        self.rooms.handle(self.page, json.dumps({"type": type, "id": self.ids, **keys}))
        for message in self.heard:
            assert faults(json.loads(json.dumps(message))) == []
        errors = [message for message in self.heard if message["type"] == "error"]
        states = [message for message in self.heard if message["type"] == "state"]
        return (errors or states or self.heard or [{}])[-1]


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    kept = SqliteStore(tmp_path / "rooms.sqlite")
    yield kept
    kept.close()


def opened(store: SqliteStore, time: Time, **limits: Any) -> Rooms:
    drawn = iter(range(1, 1000))
    return Rooms(
        store,
        Threads(),
        Threads(),
        time=time,
        randomness=lambda count: next(drawn).to_bytes(count, "big"),
        token="the owner's",
        today=lambda: "2026-12-01",
        backends=BACKENDS,
        limits=Limits(**limits),
    )


def in_loop(work: Callable[[], None]) -> None:
    async def run() -> None:
        work()

    asyncio.run(run())


def test_nothing_has_happened_where_the_disk_is_full(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time)
        here, other = Here(rooms), Here(rooms)
        here.say("new", level=2)
        (pages,) = store._base.execute("PRAGMA page_count").fetchone()
        store._base.execute(f"PRAGMA max_page_count = {pages + 2}")
        filling: dict[str, Any] = {}
        for _ in range(20):
            filling = other.say("new", level=2, record=f"{{{'x' * 4000}}} 5")
            if filling["type"] == "error":
                break
        assert "full" in filling["says"]
        n = 0
        for token in "123456789":
            answer = here.say("play", n=n, token=token)
            n = answer.get("n", n)
        room = here.page.room
        assert room is not None and room.sitting.n == n
        kept = store.load(room.name)
        assert Sitting.begin(Record.parse(kept[0]), kept[1:]) == room.sitting
        store._base.execute("PRAGMA max_page_count = 100000")
        assert other.say("new", level=2, record=f"{{{'x' * 4000}}} 5")["type"] == "state"

    in_loop(work)


def test_a_store_that_refuses_changes_nothing(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time)
        here = Here(rooms)
        here.say("new", level=2)
        assert here.say("play", n=0, token="5")["n"] == 1
        store._base.execute("PRAGMA query_only = ON")
        answer = here.say("play", n=1, token="5*6")
        assert answer["type"] == "error" and "readonly" in answer["says"].replace(" ", "")
        store._base.execute("PRAGMA query_only = OFF")
        assert here.say("play", n=1, token="5*6")["n"] == 2

    in_loop(work)


@pytest.mark.parametrize("level", [1, 3, 5])
def test_the_same_luck_gives_the_same_game(tmp_path: Path, level: int) -> None:
    """What a log holds is drawn again from the luck that the page is told at the end."""

    def played(name: str) -> list[str]:
        store, states = SqliteStore(tmp_path / name), list[str]()

        def work() -> None:
            here = Here(opened(store, Time()))
            state = here.say("new", level=level, backend="dice")
            for _ in range(60):
                if state["phase"] == "over":
                    break
                if state["phase"] == "move":
                    state = here.say("play", n=state["n"], token=state["choices"][-1]["token"])
                else:
                    mode = {"mode": "rotated"} if state["phase"] == "mode" else {}
                    state = here.say("observe", n=state["n"], **mode)
            states.extend(event["token"] for event in state["events"])

        in_loop(work)
        store.close()
        return states

    assert played("one") == played("other")


def test_a_page_that_asks_too_much_is_cut_off_and_may_come_back(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time, burst=5, rate=1.0)
        here = Here(rooms)
        for _ in range(4):
            here.say("leave")
        with pytest.raises(FloodError):
            here.say("leave")
        time.now += 3
        assert here.say("leave")["type"] == "left"

    in_loop(work)


def test_rooms_are_capped_and_those_without_pages_make_place(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time, rooms=2)
        first, second, third = (Here(rooms) for _ in range(3))
        first.say("new", level=1)
        name, key = first.page.room and first.page.room.name, first.page.key
        second.say("new", level=1)
        assert "no more" in third.say("new", level=1)["says"]
        first.say("play", n=0, token="5")
        rooms.leave(first.page)
        assert third.say("new", level=1)["type"] == "state"
        rooms.leave(third.page)
        # The store still has it.
        assert first.say("hello", room=name or "", key=key)["events"][0]["token"] == "5"
        assert len(rooms.rooms) == 2

    in_loop(work)


def test_new_rooms_have_a_rate(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        here = Here(opened(store, time, rooms_a_minute=2))
        assert [here.say("new", level=1)["type"] for _ in range(3)] == ["state", "state", "error"]
        time.now += 61
        assert here.say("new", level=1)["type"] == "state"

    in_loop(work)


def test_what_is_the_owner_s_is_refused_to_others(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time)
        guest, owner = Here(rooms), Here(rooms, token="the owner's")
        assert "for the owner" in guest.say("new", level=2, backend="fake_torino")["says"]
        assert owner.say("new", level=2, backend="fake_torino")["backend"] == "fake_torino"

    in_loop(work)


def test_keys_follow_from_the_file_and_open_one_room_alone(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time)
        here, other = Here(rooms), Here(rooms)
        here.say("new", level=2)
        other.say("new", level=2)
        assert here.page.room and other.page.room
        name, key = here.page.room.name, here.page.key
        assert len({here.page.key, other.page.key}) == 2 and len(key) == 22 and len(name) == 12
        assert "does not open it" in Here(rooms).say("hello", room=name, key=other.page.key)["says"]
        again = opened(store, time)
        assert Here(again).say("hello", room=name, key=key)["room"] == name

    in_loop(work)


def test_an_opened_record_brings_no_luck_clock_or_backend_of_its_own(store: SqliteStore, time: Time) -> None:
    def work() -> None:
        rooms = opened(store, time)
        here = Here(rooms)
        text = '[Level "3"] [Luck "00"] [Clock "1+1"] [Backend "os:system"] [X "hard"] [Seed "1"] 5 5*6'
        state = here.say("new", level=1, record=text)
        assert (state["level"], state["backend"], state["clock"]) == (3, "dice", None)
        assert not state["seats"]["X"]["computer"]
        assert here.page.room is not None
        assert here.page.room.sitting.base.headers["Luck"] != "00"
        assert here.say("new", level=1, record=text, at=1)["events"][-1]["token"] == "5"
        assert "at most 1,000 events" in here.say("new", level=1, record="1 " * 1001)["says"]

    in_loop(work)


def test_an_option_that_no_page_has_heard_of_is_in_the_choices(
    store: SqliteStore, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of options and kinds come from their tables, and what is legal from the game."""

    def work() -> None:
        here = Here(opened(store, time))
        here.say("hello")
        from qttt.game.rules import SUMMARIES

        assert {row["written"] for row in here.heard[0]["options"]} == set(SUMMARIES)
        state = here.say("new", level=2, options="quantum-only")
        assert {choice["kind"] for choice in state["choices"]} == {"superposition"}

    in_loop(work)


def test_a_file_belongs_to_one_server_and_one_version(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rooms.sqlite"
    first = SqliteStore(path)
    first.append("a", 0, "x")
    with pytest.raises(FileError, match="another qttt serve uses it"):
        SqliteStore(path)
    with pytest.raises(FileError, match="UNIQUE"):
        first.append("a", 0, "y")
    assert first.load("a") == ["x"] and path.stat().st_mode & 0o077 == 0
    first._base.execute("PRAGMA user_version = 2")
    first.close()
    with pytest.raises(FileError, match="later version"):
        SqliteStore(path)


@pytest.mark.parametrize("content", [b"no database" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_what_is_no_store_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rooms.sqlite").write_bytes(content)
    with pytest.raises(FileError, match=r"cannot open .*rooms\.sqlite"):
        SqliteStore(tmp_path / "rooms.sqlite")
