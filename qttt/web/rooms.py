"""Rooms: tables that pages come to by name and key. No HTTP here; dice, time and store are brought in.

One move's way: a page's message is read by the protocol, becomes an entry of the table's log, is kept by the
store, and only then is everybody told. Whatever takes long is a task of the room, on a crew of workers, and
its answer becomes an entry like any other. A task that nobody waits for any more is cancelled.
"""

import asyncio
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any, Final, Protocol

import qttt.own_circuits  # noqa: F401
from circuits.errors import CircuitsError
from qttt.errors import QtttError, UsageError, quoted
from qttt.game.game import parse_event
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement
from qttt.game.rules import LEVELS, Rules
from qttt.game.squares import EMPTY
from qttt.game.state import Event, Phase
from qttt.game.symbols import Mode, Symbol
from qttt.observation.observers import DICE
from qttt.observation.samples import Sample
from qttt.page.answers import LIGHT, answer
from qttt.page.protocol import Message, MessageError, StaleError, error_message, read_message
from qttt.page.states import Seen, Thinking, Viewer, actor, catalogue, table_state
from qttt.players.strategies import PLAYERS, get_player
from qttt.records.library import HUMAN
from qttt.records.record import Record
from qttt.session.clock import Control
from qttt.session.entries import Act, Entry
from qttt.session.sitting import CLOCK, Sitting
from qttt.version import __version__
from qttt.web import tasks
from qttt.web.store import Store
from qttt.web.workers import WorkerEndedError

TABLE, WATCH = "table", "watch"
#: What a key lets its holder play.
SEATS: Final[dict[str, tuple[Symbol, ...]]] = {
    TABLE: (Symbol.X, Symbol.O),
    "X": (Symbol.X,),
    "O": (Symbol.O,),
    WATCH: (),
}
MOST_EVENTS: Final = 1000
"""Events of a game that is opened at a table."""
MOST_PHASES: Final = 100
"""Observation phases after which a game at a table is refused further moves: a log must end."""


class Worker(Protocol):
    """Who does what takes long."""

    async def run(self, task: Callable[..., Any], *args: Any) -> Any:
        """Call a task with arguments, somewhere else."""
        ...


@dataclass(frozen=True, slots=True)
class Backend:
    """Something that a board can be observed on.

    Attributes:
        name: its name.
        kind: ``simulator``, ``dice``, ``noisy`` or ``device``.
        summary: a few words.
        owner: only the owner may choose it.
    """

    name: str
    kind: str
    summary: str
    owner: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """How much there may be of everything.

    Attributes:
        rooms: rooms in memory; one that nobody is in makes place for a new one.
        pages: pages at one room.
        rate: messages a second from one page, on average.
        burst: messages at once.
        rooms_a_minute: new rooms of one page.
        idle: rooms that nobody is in and that stay in memory; the store has the others.
        pace: seconds between the moves of two computers.
    """

    rooms: int = 2000
    pages: int = 200
    rate: float = 20.0
    burst: int = 60
    rooms_a_minute: int = 30
    idle: int = 10
    pace: float = 0.6


@dataclass(eq=False)
class Page:
    """A page that is connected.

    Attributes:
        send: takes what it is sent, and never waits.
        owner: it has shown the owner's token.
        room: where it is.
        key: the key that it came with.
        you: the seats that it may play.
        tokens: how many messages it may still send at once.
        last: when it sent the last one.
        made: when it made rooms.
        questions: what it waits for an answer to, by kind.
    """

    send: Callable[[Message], None]
    owner: bool = False
    room: "Room | None" = None
    key: str = ""
    you: tuple[Symbol, ...] = ()
    tokens: float = 0.0
    last: float = 0.0
    made: list[float] = field(default_factory=list)
    questions: dict[str, tuple[int, "asyncio.Task[None]"]] = field(default_factory=dict)


class FloodError(QtttError):
    """A page sends more than it may; it is cut off."""


@dataclass(eq=False)
class Room:
    """A table, and who is at it.

    Attributes:
        name: its unguessable name.
        sitting: the table.
        began: when its time began to count, in seconds.
        pages: who is here.
        seen: how the present game's events of chance came about.
        task: what it waits for.
        thinking: the same, for the pages.
        since: when that began.
        flag: rings when a player's time is over.
        left: when the last page left.
    """

    name: str
    sitting: Sitting
    began: float
    left: float
    pages: set[Page] = field(default_factory=set)
    seen: dict[int, Seen] = field(default_factory=dict)
    task: "asyncio.Task[None] | None" = None
    thinking: Thinking | None = None
    since: float = 0.0
    flag: "asyncio.TimerHandle | None" = None
    failed: int = -1


class Rooms:
    """All rooms of a server."""

    def __init__(
        self,
        store: Store,
        players: Worker,
        circuits: Worker,
        *,
        time: Callable[[], float],
        randomness: Callable[[int], bytes],
        token: str,
        today: Callable[[], str],
        backends: tuple[Backend, ...],
        limits: Limits | None = None,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Open the rooms.

        Args:
            store: where they are kept.
            players: the crew of the computer players and of advice.
            circuits: the crew for everything with Qiskit.
            time: seconds on a clock that goes on evenly.
            randomness: so many unpredictable bytes.
            token: the owner's.
            today: the date for new records.
            backends: what boards can be observed on here.
            limits: how much there may be of everything.
            log: takes a line when something is refused; it never holds a key.
        """
        self.store, self.players, self.circuits = store, players, circuits
        self._time, self._randomness, self._token, self._today = time, randomness, token, today
        self.backends = {backend.name: backend for backend in backends}
        self.limits = limits or Limits()
        self._log = log
        self.rooms: dict[str, Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._pages_shown: dict[str, tuple[float, str]] = {}
        kept = store.load("")
        if not kept:
            kept = [randomness(32).hex()]
            store.append("", 0, kept[0])
        self._secret = bytes.fromhex(kept[0])

    # Names and keys.

    def _key(self, room: str, seat: str) -> str:
        """The key of a seat: 128 bits that follow from the server's secret, so that none is kept."""
        made = hmac.digest(self._secret, f"{room} {seat}".encode(), "sha256")[:16]
        return urlsafe_b64encode(made).decode().rstrip("=")

    def _seat(self, room: str, key: str) -> str | None:
        found = None
        for seat in SEATS:
            if hmac.compare_digest(self._key(room, seat).encode(), key.encode("utf-8", "replace")):
                found = seat
        return found

    def _number(self, room: Room) -> int:
        """A number for the next chance of a table: it follows from the table's luck and its log's length."""
        luck = room.sitting.base.headers.get("Luck", "")
        digest = sha256(f"{luck} {room.sitting.number} {room.sitting.n}".encode()).digest()
        return int.from_bytes(digest[:8], "big")

    # Rooms.

    def create(self, record: Record, log: tuple[str, ...] = ()) -> tuple[Room, str]:
        """Make a room.

        Args:
            record: the game so far, with its headers.
            log: the log so far.

        Returns:
            The room, and the key of its table.

        Raises:
            QtttError: the game cannot be played, or kept.
        """
        self._make_place()
        name = urlsafe_b64encode(self._randomness(9)).decode()
        record = record.with_header("Luck", self._randomness(16).hex())
        if "Date" not in record.headers:
            record = record.with_header("Date", self._today())
        sitting = Sitting.begin(record, log)
        self.store.append(name, 0, str(sitting.base))
        room = self._open(name, sitting)
        return room, self._key(name, TABLE)

    def _open(self, name: str, sitting: Sitting) -> Room:
        last = sitting.log[-1].at if sitting.log else None
        now = self._time()
        room = Room(name, sitting, now - (last or 0) / 1000, now)
        self.rooms[name] = room
        return room

    def _make_place(self) -> None:
        """Let go of rooms for one more.

        Raises:
            UsageError: somebody is in each of them, and there may be no more.
        """
        self._let_go()
        if len(self.rooms) >= self.limits.rooms:
            raise UsageError(f"there are {len(self.rooms):,} rooms, and no more than that")

    def _let_go(self) -> None:
        """Take rooms that nobody is in out of memory: all but the last few, or all where it is crowded."""
        idle = sorted(
            (room for room in self.rooms.values() if not room.pages and room.task is None),
            key=lambda room: room.left,
        )
        crowded = len(self.rooms) >= self.limits.rooms
        for room in idle if crowded else idle[: -self.limits.idle or None]:
            if room.flag is not None:
                room.flag.cancel()
            del self.rooms[room.name]

    def find(self, name: str) -> Room | None:
        """The room of a name, from memory or from the store."""
        if name in self.rooms or not name:
            return self.rooms.get(name)
        kept = self.store.load(name)
        if not kept:
            return None
        self._make_place()
        return self._open(name, Sitting.begin(Record.parse(kept[0]), kept[1:]))

    # Pages.

    def connect(self, send: Callable[[Message], None]) -> Page:
        """Take a page in that has just connected."""
        return Page(send, tokens=self.limits.burst, last=self._time())

    def leave(self, page: Page) -> None:
        """Let a page go, or one that was cut off."""
        for _, task in page.questions.values():
            task.cancel()
        page.questions.clear()
        room, page.room, page.you, page.key = page.room, None, (), ""
        if room is None:
            return
        room.pages.discard(page)
        room.left = self._time()
        if not room.pages:
            # What a person asked for goes on; what a computer does waits for somebody to see it.
            if room.thinking is None or room.thinking.doing != "observes":
                self._stop(room)
            self._let_go()
        else:
            self._tell(room)

    def handle(self, page: Page, text: str | bytes) -> None:
        """Do what a page says. Whatever is wrong with it is answered in one line.

        Raises:
            FloodError: it says too much at once.
        """
        now = self._time()
        page.tokens = min(self.limits.burst, page.tokens + (now - page.last) * self.limits.rate)
        page.last = now
        page.tokens -= 1
        if page.tokens < 0:
            raise FloodError("too many messages at once")
        id = None
        try:
            message = read_message(text)
            id = message["id"]
            getattr(self, f"_on_{message['type'].replace('-', '_')}", self._on_act)(page, message)
        except StaleError as error:
            page.send(error_message(str(error), id, stale=True))
            if page.room is not None:
                page.send(self._state(page.room, page))
        except (QtttError, CircuitsError) as error:
            said = str(error)
            if isinstance(error, MessageError):
                id = error.id
            if isinstance(error, RefusedError):
                self._log(f"refused: {said}")
            page.send(error_message(said, id))

    def _on_hello(self, page: Page, message: Message) -> None:
        if "token" in message:
            given = message["token"].encode("utf-8", "replace")
            page.owner = hmac.compare_digest(given, self._token.encode())
            if not page.owner:
                self._log("refused: a wrong owner's token")
        page.send(
            {
                "type": "welcome",
                "id": message["id"],
                "version": __version__,
                "owner": page.owner,
                **catalogue(),
                "players": self._players(),
                "backends": [
                    {
                        "name": backend.name,
                        "kind": backend.kind,
                        "summary": backend.summary,
                        "owner": backend.owner,
                    }
                    for backend in self.backends.values()
                ],
            }
        )
        if "room" in message or "key" in message:
            room = self.find(message.get("room", ""))
            seat = None if room is None else self._seat(room.name, message.get("key", ""))
            if room is None or seat is None:
                raise RefusedError("there is no such room, or the key does not open it")
            self._join(page, room, message["key"], message["id"])

    def _players(self) -> list[Message]:
        found = []
        for name, summary in PLAYERS.items():
            levels = []
            for level in LEVELS:
                with suppress(QtttError):
                    get_player(name, Rules(level))
                    levels.append(level.number)
            found.append({"name": name, "summary": summary, "levels": levels})
        return found

    def _join(self, page: Page, room: Room, key: str, id: int) -> None:
        if len(room.pages) >= self.limits.pages:
            raise RefusedError("the room is full")
        self.leave(page)
        seat = self._seat(room.name, key)
        assert seat is not None
        page.room, page.key, page.you = room, key, SEATS[seat]
        room.pages.add(page)
        keys = {name: self._key(room.name, name) for name in SEATS} if seat == TABLE else None
        page.send(
            {
                "type": "joined",
                "id": id,
                "room": room.name,
                "key": key,
                "you": [str(symbol) for symbol in page.you],
                "keys": keys,
            }
        )
        self._go_on(room)
        self._tell(room)

    def _on_new(self, page: Page, message: Message) -> None:
        now = self._time()
        page.made = [when for when in page.made if now - when < 60]
        if len(page.made) >= self.limits.rooms_a_minute:
            raise RefusedError(f"a page makes at most {self.limits.rooms_a_minute} rooms a minute")
        page.made.append(now)
        room, key = self.create(self._new_record(message, owner=page.owner))
        self._join(page, room, key, message["id"])

    def _new_record(self, message: Message, *, owner: bool) -> Record:
        """The record that a new room begins with.

        Raises:
            QtttError: what is wrong with it.
        """
        record = Record.parse(message.get("record", ""))
        if "at" in message:
            record = record.until(message["at"])
        if len(record.events) > MOST_EVENTS:
            raise UsageError(f"a table opens games of at most {MOST_EVENTS:,} events")
        written = "Level" in record.headers
        record = record.completed(
            None if written else str(message["level"]),
            None if written else message.get("options"),
            None if written else message.get("first"),
        )
        for key in ("Job", "Luck", CLOCK, "Seed", "Rolls"):
            record = record.without_header(key)
        for symbol in Symbol:
            record = record.with_header(str(symbol), message.get(str(symbol), HUMAN))
        record = record.with_header("Backend", self._backend(message.get("backend"), owner=owner))
        if clock := message.get("clock"):
            record = record.with_header(CLOCK, str(Control(**clock)))
        return record

    def _backend(self, name: str | None, *, owner: bool) -> str:
        """The name of one of the server's own backends; nothing else is ever opened."""
        if name is None:
            return next(iter(self.backends))
        backend = self.backends.get(name)
        if backend is None:
            raise UsageError(f"there is no backend {quoted(name)} here")
        if backend.owner and not owner:
            raise RefusedError(f"the backend {name} is for the owner of this server alone")
        return name

    def _on_leave(self, page: Page, message: Message) -> None:
        self.leave(page)
        page.send({"type": "left", "id": message["id"]})

    # Play.

    def _room(self, page: Page, message: Message) -> Room:
        """The page's room, if what it says is about the state as it is.

        Raises:
            UsageError: it is in none.
            StaleError: it has not seen the latest.
        """
        if page.room is None:
            raise UsageError("you are at no table yet")
        self._ring(page.room)
        if message["n"] != page.room.sitting.n:
            raise StaleError(f"the table is at {page.room.sitting.n}, and you are at {message['n']}")
        return page.room

    def _seated(self, page: Page, room: Room) -> Symbol:
        """Whose choice it is, if that is the page's.

        Raises:
            RefusedError: it is somebody else's.
        """
        decides = room.sitting.decides
        if decides is None:
            raise UsageError("the game is over")
        if decides not in page.you:
            raise RefusedError(f"it is {decides}'s turn, and that seat is not yours")
        if room.sitting.is_computer(decides):
            raise RefusedError(f"{room.sitting.player(decides)} plays {decides}")
        return decides

    def _on_play(self, page: Page, message: Message) -> None:
        room, token = self._room(page, message), message["token"]
        player = self._seated(page, room)
        if "=" in token:
            raise RefusedError(f"{quoted(token)}: what an observation gives is not for a player to say")
        if room.thinking is not None and room.thinking.doing == "observes":
            raise UsageError("the board is being looked at")
        if token.startswith("?"):
            square = Measurement.parse(f"{token}={EMPTY}").square
            if square not in room.sitting.game.state.measurable():
                room.sitting.game.state.child(Measurement(square, EMPTY))
                raise UsageError(f"{token}: that square cannot be measured now")
            self._look(room, player, None, square)
        else:
            self._push(room, Move.parse(token))
        self._answer(page, room, message["id"])

    def _on_observe(self, page: Page, message: Message) -> None:
        room = self._room(page, message)
        player = self._seated(page, room)
        state = room.sitting.game.state
        if room.sitting.phase not in (Phase.OBSERVATION, Phase.MODE):
            raise UsageError("the board is observed only once it is full")
        mode = None if "mode" not in message else Mode(message["mode"])
        if mode is not None and mode not in state.modes:
            raise UsageError(f"this observation is not in {mode} mode")
        if state.phase is Phase.MODE and mode is None:
            raise UsageError("the positions are observed: choose a mode")
        if state.phase is Phase.OBSERVATION and len(state.modes) > 1 and mode is not None:
            raise UsageError("the positions come first, and the mode after them")
        if room.thinking is not None:
            raise UsageError("the board is being looked at")
        self._look(room, player, mode, None)
        self._answer(page, room, message["id"])

    def _on_act(self, page: Page, message: Message) -> None:
        """Undo, draw, resign, accept, decline, rematch."""
        room, act = self._room(page, message), Act(message["type"])
        by = actor(room.sitting, act, page.you)
        if by is None:
            people = [symbol for symbol in page.you if not room.sitting.is_computer(symbol)]
            if not people:
                raise RefusedError(f"{act}: you play no seat here")
            raise UsageError(f"{act} is not possible now: {room.sitting.why_not(act, people[0])}")
        if room.thinking is not None and room.thinking.doing == "observes" and act is not Act.RESIGN:
            raise UsageError("the board is being looked at")
        self._push(room, act, by)
        offer = room.sitting.offer
        if offer is not None and offer.act is not Act.DRAW and by.opponent in page.you:
            # On one screen both have agreed by touching it.
            self._push(room, Act.ACCEPT, by.opponent)
        self._answer(page, room, message["id"])

    def _on_hurry(self, page: Page, message: Message) -> None:
        room = self._room(page, message)
        if room.thinking is None or room.thinking.doing != "moves" or not page.you:
            raise UsageError("nobody is thinking")
        by = room.thinking.by
        self._stop(room)
        self._begin(room, Thinking(by, "moves"), self._think(room, by, "greedy"))
        self._answer(page, room, message["id"])

    def _answer(self, page: Page, room: Room, id: int) -> None:
        """Send the state to everybody; to who asked, as the answer."""
        if page.room is room:
            page.send(self._state(room, page) | {"id": id})
        self._tell(room, but=page)

    def _push(
        self, room: Room, event: Event | Act, by: Symbol | None = None, seen: Seen | None = None
    ) -> None:
        """Add an entry to a table's log: kept first, and then it is so.

        Raises:
            QtttError: it is not possible, or could not be kept.
        """
        at = None if room.sitting.clock is None else self._now(room)
        sitting = room.sitting.after(Entry(event, by, at))
        if not isinstance(event, Act) and sitting.game.state.observations > MOST_PHASES:
            raise UsageError(f"a table sees at most {MOST_PHASES} observation phases")
        self.store.append(room.name, sitting.n, str(sitting.log[-1]))
        if sitting.number != room.sitting.number:
            room.seen.clear()
        if seen is not None:
            room.seen[len(sitting.game.events)] = seen
        room.sitting = sitting
        self._stop(room)
        self._go_on(room)

    def _now(self, room: Room) -> int:
        return max(0, round(1000 * (self._time() - room.began)))

    def _ring(self, room: Room) -> None:
        """End the game of a player whose time is over."""
        clock = room.sitting.clock
        if clock is None or clock.runs is None or room.sitting.over:
            return
        if clock.left_at(clock.runs, self._now(room)) <= 0:
            with suppress(QtttError):
                self._push(room, Act.FLAG, clock.runs)
                self._tell(room)

    # What goes on by itself.

    def _go_on(self, room: Room) -> None:
        """Begin whatever the table waits for, if nobody else has to do it."""
        sitting = room.sitting
        if room.flag is not None:
            room.flag.cancel()
            room.flag = None
        clock = sitting.clock
        if clock is not None and clock.runs is not None and not sitting.over:
            left = clock.left_at(clock.runs, self._now(room)) / 1000
            room.flag = asyncio.get_running_loop().call_later(left + 0.01, self._ring, room)
        if room.thinking is not None or not room.pages or room.failed == sitting.n:
            return
        offer = sitting.offer
        if offer is not None and sitting.is_computer(offer.by.opponent):
            other = offer.by.opponent
            self._begin(room, Thinking(other, "answers"), self._consider(room, other))
            return
        by = sitting.decides
        if by is None or not sitting.is_computer(by):
            return
        if sitting.phase is Phase.OBSERVATION:
            self._look(room, by, None, None)
        else:
            self._begin(room, Thinking(by, "moves"), self._think(room, by, sitting.player(by)))

    def _begin(self, room: Room, thinking: Thinking, work: Coroutine[Any, Any, None]) -> None:
        room.thinking, room.since = thinking, self._time()
        task = asyncio.get_running_loop().create_task(self._guarded(room, work))
        room.task = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, room: Room, work: Coroutine[Any, Any, None]) -> None:
        """Do a table's work; if it fails, everybody there is told why, and the table waits for a person."""
        n = room.sitting.n
        try:
            await work
        except (QtttError, CircuitsError) as error:
            self._log(f"failed: {error}")
            self._stop(room)
            room.failed = n
            for page in room.pages:
                page.send(error_message(str(error)))
            self._tell(room)

    def _stop(self, room: Room) -> None:
        """End what a table waits for; the task that ends with an entry is not cancelled by itself."""
        task, room.task, room.thinking = room.task, None, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def _tried(self, crew: Worker, task: Callable[..., Any], *args: Any) -> Any:
        """Have a crew do something, a second time if the worker was ended meanwhile."""
        try:
            return await crew.run(task, *args)
        except WorkerEndedError:
            return await crew.run(task, *args)

    async def _think(self, room: Room, by: Symbol, player: str) -> None:
        sitting = room.sitting
        began = self._time()
        chosen = await self._tried(
            self.players, tasks.choose, str(sitting.record), player, self._number(room)
        )
        if all(sitting.is_computer(symbol) for symbol in Symbol):
            await asyncio.sleep(self.limits.pace - (self._time() - began))
        if sitting.phase is Phase.MODE:
            self._stop(room)
            self._look(room, by, Mode(chosen), None)
        elif chosen.startswith("?"):
            self._stop(room)
            self._look(room, by, None, int(chosen[1]))
        else:
            self._push(room, Move.parse(chosen))
        self._tell(room)

    async def _consider(self, room: Room, by: Symbol) -> None:
        sitting = room.sitting
        agrees = await self._tried(
            self.players, tasks.takes_draw, str(sitting.record), sitting.player(by), str(by)
        )
        self._push(room, Act.ACCEPT if agrees else Act.DECLINE, by)
        self._tell(room)

    def _look(self, room: Room, by: Symbol, mode: Mode | None, square: int | None) -> None:
        """Look at the board, or at one square: at once by dice, else by a worker."""
        sitting = room.sitting
        backend = sitting.base.headers.get("Backend", "aer")
        if backend not in self.backends:
            raise UsageError(f"there is no backend {quoted(backend)} here")
        room.failed = -1
        if backend == DICE:
            event, rolls = tasks.roll(sitting.game, mode, square, Random(self._number(room)))
            self._push(room, event, seen=Seen(backend, None, rolls))
        else:
            self._begin(room, Thinking(by, "observes"), self._observe(room, backend, mode, square))

    async def _observe(self, room: Room, backend: str, mode: Mode | None, square: int | None) -> None:
        token, shots = await self._tried(
            self.circuits,
            tasks.observe,
            str(room.sitting.record),
            backend,
            None if mode is None else str(mode),
            square,
            self._number(room),
        )
        event = parse_event(token)
        sample = Sample(**shots | {"drawn": tuple(shots["drawn"])})
        self._push(room, event, seen=Seen(backend, sample))
        self._tell(room)

    # Telling.

    def _tell(self, room: Room, but: Page | None = None) -> None:
        for page in list(room.pages):
            if page is not but:
                page.send(self._state(room, page))

    def _state(self, room: Room, page: Page) -> Message:
        return table_state(room.sitting, room.name, self._viewer(room, page))

    def _viewer(self, room: Room, page: Page) -> Viewer:
        thinking = room.thinking
        if thinking is not None:
            seconds = round(self._time() - room.since, 3)
            thinking = Thinking(thinking.by, thinking.doing, seconds)
        here = {symbol for other in room.pages for symbol in other.you}
        return Viewer(page.you, here, self._now(room), thinking, room.seen)

    # Questions.

    def _on_ask(self, page: Page, message: Message) -> None:
        room, what, id = self._room(page, message), message["what"], message["id"]
        if (older := page.questions.pop(what, None)) is not None:
            older[1].cancel()
        if "backend" in message:
            self._backend(message["backend"], owner=page.owner)
        record = room.sitting.record
        if not room.sitting.over:
            # Who knows it could foresee what is drawn.
            record = record.without_header("Luck")
        if what == "state":
            self._reply(page, message, self._past(room, message.get("at", 0)))
        elif what in LIGHT:
            self._reply(page, message, answer(what, record, message))
        else:
            if what == "plan" and not page.owner:
                raise RefusedError("devices are for the owner of this server alone")
            crew = self.circuits if what in ("circuit", "look", "lesson", "plan") else self.players
            task = asyncio.get_running_loop().create_task(self._ask(page, message, crew, str(record)))
            page.questions[what] = id, task

    def _past(self, room: Room, at: int) -> Message:
        record = room.sitting.record
        if at > len(record.events):
            raise UsageError(f"the game has {len(record.events)} events, not {at}")
        if at == len(record.events):
            state = table_state(room.sitting, room.name, Viewer(seen=room.seen))
        else:
            past = Sitting.begin(record.until(at).without_header(CLOCK))
            state = table_state(past, room.name, Viewer(seen=room.seen))
        return state | {"n": room.sitting.n, "game": room.sitting.number}

    async def _ask(self, page: Page, message: Message, crew: Worker, record: str) -> None:
        what = message["what"]
        try:
            if what == "lesson":
                html = await self._tried(crew, tasks.lesson, record)
                found: Message = {"address": f"/page/{self._show(html)}"}
            else:
                found = await self._tried(crew, tasks.answered, what, record, message)
            self._reply(page, message, found)
        except (QtttError, CircuitsError) as error:
            page.send(error_message(str(error), message["id"]))
        finally:
            if page.questions.get(what, (None,))[0] == message["id"]:
                del page.questions[what]

    def _reply(self, page: Page, message: Message, found: Message) -> None:
        page.send(
            {
                "type": "answer",
                "id": message["id"],
                "what": message["what"],
                "n": message["n"],
                "answer": found,
            }
        )

    def _on_cancel(self, page: Page, message: Message) -> None:
        for what, (id, task) in list(page.questions.items()):
            if id == message["of"]:
                task.cancel()
                del page.questions[what]

    # Pages that are shown once.

    def _show(self, html: str) -> str:
        now = self._time()
        kept = [(name, shown) for name, shown in self._pages_shown.items() if now - shown[0] < 600]
        self._pages_shown = dict(kept[-20:])
        ticket = urlsafe_b64encode(self._randomness(16)).decode().rstrip("=")
        self._pages_shown[ticket] = now, html
        return ticket

    def shown(self, ticket: str) -> str | None:
        """The page of a ticket, for ten minutes."""
        when, html = self._pages_shown.get(ticket, (float("-inf"), ""))
        return html if self._time() - when < 600 else None

    async def close(self) -> None:
        """End all that is going on."""
        for room in list(self.rooms.values()):
            self._stop(room)
            if room.flag is not None:
                room.flag.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class RefusedError(QtttError):
    """Something that a page may not do; a line of the log says so."""
