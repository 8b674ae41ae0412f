"""A whole server: store, workers, rooms and addresses put together, from its first line to its end."""

import asyncio
import contextlib
import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import uvicorn

from qttt.errors import UsageError, quoted
from qttt.observation.observers import DICE
from qttt.page.protocol import MAX_RECORD_BYTES
from qttt.records.library import today
from qttt.records.record import Record
from qttt.web import tasks
from qttt.web.app import make_app
from qttt.web.rooms import Backend, Rooms
from qttt.web.store import SqliteStore
from qttt.web.workers import Crew
from qttt.workers import usable_cores

#: Devices that the page can play on; they are simulated here, with the noise of the real ones.
TWINS = ("fake_torino", "fake_marrakesh")


@dataclass(frozen=True)
class Settings:
    """What a server is told.

    Attributes:
        data: the file of its rooms.
        host: the address to bind.
        port: the port; 0 for any that is free.
        record: a game to open at once.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 0
    record: Record | None = None


def backends() -> tuple[Backend, ...]:
    """What a page may choose to observe on, the default first."""
    found = [
        Backend("aer", "simulator", "Qiskit Aer, the move-by-move circuit"),
        Backend("aer-lean", "simulator", "Qiskit Aer, the lean circuit"),
        Backend(DICE, "dice", "tabletop rolls, no circuit at all"),
    ]
    if find_spec("qiskit_ibm_runtime") is not None:
        found += [
            Backend(name, "noisy", "a simulated device with the noise of the real one") for name in TWINS
        ]
    return tuple(found)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        UsageError: the port is in use, or not ours to take, or there is no such host.
    """
    where = f"{host} port {port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        found = []
    if not found or not host:
        raise UsageError(f"--host {quoted(host)}: there is no such host")
    family, *_, address = found[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A server that was ended a moment ago does not hold its port.
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(100)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot serve on {where}: {reason} (--port 0 takes any that is free)") from error
    return listening


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """The names under which the server may be asked for, each with its port.

    Bound to every address it answers to those of this machine; a name that an attacker has pointed here is
    none of them.
    """
    names = {host, "127.0.0.1", "localhost", "[::1]"}
    if host in ("0.0.0.0", "::"):
        names |= {own_address(), socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
    elif ":" in host:
        names.add(f"[{host}]")
    return frozenset(f"{name.lower()}:{port}" for name in names) | frozenset(
        name.lower() for name in names if port == 80
    )


def own_address() -> str:
    """This machine's address in its network, as far as it can be told without sending anything."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def run(settings: Settings, ready: Callable[[str], None], log: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        settings: what it is told.
        ready: called once with the address, as soon as pages can come.
        log: takes a line when something is refused.

    Raises:
        UsageError: the port cannot be had.
        FileError: the file of the rooms cannot be used, or another server has it.
        QtttError: the record cannot be played on.
    """
    listening = bound(settings.host, settings.port)
    try:
        store = SqliteStore(settings.data)
        try:
            asyncio.run(_serve(settings, listening, store, ready, log))
        finally:
            store.close()
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Leaves signals to us: they end it, and are not raised again afterwards."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        handlers = {}
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                handlers[number] = signal.signal(number, self.handle_exit)
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


async def _serve(
    settings: Settings,
    listening: socket.socket,
    store: SqliteStore,
    ready: Callable[[str], None],
    log: Callable[[str], None],
) -> None:
    port = listening.getsockname()[1]
    players = Crew(max(1, min(2, usable_cores() - 1)), tasks.warm_players)
    circuits = Crew(1, tasks.warm_circuits)
    token = secrets.token_urlsafe(16)
    rooms = Rooms(
        store,
        players,
        circuits,
        time=time.monotonic,
        randomness=secrets.token_bytes,
        token=token,
        today=today,
        backends=backends(),
        log=log,
    )
    fragment = f"token={token}"
    if settings.record is not None:
        room, key = rooms.open_record(settings.record)
        fragment += f"&room={room.name}&key={key}"
    server = _Server(
        uvicorn.Config(
            make_app(rooms, allowed_hosts(settings.host, port), log),
            log_config=None,
            access_log=False,
            lifespan="off",
            loop="asyncio",
            http="h11",
            ws="websockets-sansio",
            ws_max_size=MAX_RECORD_BYTES + 1024,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
            server_header=False,
            limit_concurrency=3000,
        )
    )
    players.start()
    circuits.start()
    try:
        shown = own_address() if settings.host in ("0.0.0.0", "::") else settings.host
        shown = f"[{shown}]" if ":" in shown else shown
        serving = asyncio.create_task(server.serve([listening]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.005)
        if not serving.done():
            ready(f"http://{shown}:{port}/#{fragment}")
        await serving
    finally:
        await rooms.close()
        await asyncio.gather(players.close(), circuits.close())
