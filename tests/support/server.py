"""A real server in a process of its own, and pages that talk to it; every message is held to the schema."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jsonschema import Draft202012Validator
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from qttt.page.protocol import schema
from tests.support.processes import alive_in_group, left_in_group

Message = dict[str, Any]

_SERVER = Draft202012Validator({"$ref": "#/$defs/server", "$defs": schema()["$defs"]})


def faults(message: Message) -> list[str]:
    """What in a server's message is against the schema."""
    kind = f"server.{message.get('type')}"
    if kind not in schema()["$defs"]:
        return [f"no type: {message}"]
    validator = _SERVER.evolve(schema={"$ref": f"#/$defs/{kind}", "$defs": schema()["$defs"]})
    return [f"{error.json_path}: {error.message}"[:300] for error in validator.iter_errors(message)]


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class RefusedError(Exception):
    """The server answered with an error."""

    def __init__(self, message: Message) -> None:
        self.stale = message["stale"]
        super().__init__(message["says"])


class Served:
    """``qttt serve`` in a process group of its own, ended at the end of the block."""

    def __init__(self, folder: Path, *words: str, port: int = 0) -> None:
        self.errors = folder / "serve.err"
        self._file = self.errors.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "qttt", "serve", "--no-open", "--port", str(port), *words],
            stdout=subprocess.PIPE,
            stderr=self._file,
            text=True,
            env={**os.environ, "QTTT_DATA_DIR": str(folder / "data")},
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"Serving on http://([^/]+):(\d+)/#token=([\w-]+)(.*)", self.address)
        assert found, (self.address, self.errors.read_text())
        self.host, self.port, self.token, self.rest = found[1], int(found[2]), found[3], found[4]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: TracebackType | None) -> None:
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self._close()

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._file.close()

    def page(self, **hello: str) -> "PageClient":
        return PageClient(self, **hello)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def workers(self) -> list[int]:
        """The workers' processes; not that of the standard library, which tidies up behind them."""
        return [pid for pid in alive_in_group(self.process.pid) if b"spawn_main" in _words(pid)]

    def left(self) -> list[int]:
        return left_in_group(self.process.pid)

    def log(self) -> str:
        return self.errors.read_text()


class PageClient:
    """What a page does, without a browser.

    Attributes:
        state: the latest state.
        states: all states that came.
    """

    def __init__(self, served: Served, **hello: str) -> None:
        self._line = connect(
            f"ws://127.0.0.1:{served.port}/socket",
            origin=Origin(f"http://127.0.0.1:{served.port}"),
            compression=None,
            max_size=None,
        )
        self.socket: ClientConnection = self._line.__enter__()
        self.ids = 0
        self.state: Message = {}
        self.states: list[Message] = []
        self.joined: Message = {}
        self.welcome = self.say("hello", **{"token": served.token, **hello})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__(None, None, None)

    def send(self, type: str, **keys: Any) -> int:
        self.ids += 1
        self.socket.send(json.dumps({"type": type, "id": self.ids, **keys}))
        return self.ids

    def hear(self, seconds: float = 60) -> Message:
        message: Message = json.loads(self.socket.recv(seconds))
        assert faults(message) == []
        if message["type"] == "state":
            self.state = message
            self.states.append(message)
        elif message["type"] == "joined":
            self.joined = message
        return message

    def say(self, type: str, **keys: Any) -> Message:
        """Send a message and wait for its answer; what comes in between is taken in."""
        id = self.send(type, **keys)
        while True:
            message = self.hear()
            if message.get("id") == id:
                if message["type"] == "error":
                    raise RefusedError(message)
                return message

    def act(self, type: str, **keys: Any) -> Message:
        """Do something about the game as it is."""
        return self.say(type, n=self.state["n"], **keys)

    def ask(self, what: str, **keys: Any) -> Message:
        found: Message = self.act("ask", what=what, **keys)["answer"]
        return found

    def new(self, level: int = 2, **keys: Any) -> Message:
        self.say("new", level=level, **keys)
        return self.until(lambda state: state["room"] == self.joined["room"])

    def until(self, fits: Callable[[Message], bool], seconds: float = 60) -> Message:
        """Wait for a state."""
        deadline = time.monotonic() + seconds
        while not (self.state and fits(self.state)):
            self.hear(max(0.1, deadline - time.monotonic()))
        return self.state

    def closed(self, seconds: float = 10) -> int:
        """Wait until the server has cut the line, and say its code."""
        try:
            while True:
                self.socket.recv(seconds)
        except ConnectionClosed:
            pass
        return self.socket.close_code or 0


def my_turn(state: Message) -> bool:
    """Whether something is asked of the page, or nothing more of anybody."""
    can = state["can"]
    return state["phase"] == "over" or (state["thinking"] is None and (can["play"] or can["observe"]))


def play_on(page: PageClient, choose: Callable[[list[Any]], Any], most: int = 200) -> list[str]:
    """Play a game to its end, or so many steps; the tokens that were sent."""
    sent = []
    for _ in range(most):
        state = page.until(my_turn)
        if state["phase"] == "over":
            break
        if state["can"]["play"]:
            choice = choose(state["choices"])
            token = choice["token"] + ("~" if choice["after"] and choose([0, 1]) else "")
            sent.append(token)
            page.act("play", token=token)
        elif state["phase"] == "mode":
            page.act("observe", mode=choose(state["modes"]))
        else:
            page.act("observe")
    return sent
