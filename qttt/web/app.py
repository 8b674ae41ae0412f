"""The addresses of the server: the page, its files, the socket, and a lesson that was asked for."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from qttt.page.protocol import MAX_RECORD_BYTES, Message
from qttt.web.rooms import FloodError, Rooms

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load and run: its own files, and nothing that stands inside them."""
LESSON_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox allow-modals allow-popups"
)
"""A lesson is one file with its style inside, made by us; it runs nothing."""
_HEADERS: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
BACKLOG: Final = 200
"""Messages that wait for a page that does not take them; then it is cut off."""
VIOLATION, UNSUPPORTED = 1008, 1003


def static_folder() -> Path:
    """Where the page's files are."""
    return Path(str(files("qttt.page").joinpath("static")))


class Guard:
    """Lets requests in that name an allowed host, and sockets of pages of that same host alone."""

    def __init__(self, app: Any, hosts: frozenset[str], log: Callable[[str], None]) -> None:
        """Guard an application.

        Args:
            app: the application.
            hosts: allowed hosts, each with its port.
            log: takes a line when something is refused.
        """
        self.app, self.hosts, self.log = app, hosts, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get(b"host", "").lower(), headers.get(b"origin")
        foreign = origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}")
        # Browsers always name the origin of a socket; who is none may well leave it out, and gets nowhere.
        foreign = foreign or (scope["type"] == "websocket" and origin is None)
        if host in self.hosts and not foreign:
            await self.app(scope, receive, send)
            return
        what = f"the origin {origin!r}" if host in self.hosts else f"the host {host!r}"
        self.log(f"refused: {what}"[:200])
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": VIOLATION})
            return
        await PlainTextResponse("This server is not here under that name.\n", 421)(scope, receive, send)


def make_app(
    rooms: Rooms, hosts: frozenset[str], log: Callable[[str], None], static: Path | None = None
) -> Guard:
    """The application.

    Args:
        rooms: its rooms.
        hosts: under which names, each with its port, it may be asked for.
        log: takes a line when something is refused.
        static: where the page's files are, instead of the package's own.
    """
    folder = static or static_folder()

    async def index(request: Request) -> Response:
        page = folder / "index.html"
        if not page.is_file():
            return PlainTextResponse("The page is not installed; the socket is at /socket.\n")
        return HTMLResponse(page.read_text(encoding="utf-8"))

    async def shown(request: Request) -> Response:
        html = rooms.shown(request.path_params["ticket"])
        if html is None:
            return PlainTextResponse("This page was there for ten minutes; ask for it again.\n", 404)
        return HTMLResponse(html, headers={"Content-Security-Policy": LESSON_POLICY})

    async def icon(request: Request) -> Response:
        return Response(status_code=204)

    app = Starlette(
        routes=[
            Route("/", index),
            Route("/favicon.ico", icon),
            Route("/page/{ticket:str}", shown),
            WebSocketRoute("/socket", lambda socket: _talk(rooms, socket, log)),
            *([Mount("/static", StaticFiles(directory=folder))] if folder.is_dir() else []),
        ]
    )
    return Guard(_with_headers(app), hosts, log)


def _with_headers(app: Any) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                wanted = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", **_HEADERS}
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in wanted.items() if k.lower().encode() not in there),
                ]
            await send(message)

        await app(scope, receive, with_headers if scope["type"] == "http" else send)

    return answer


async def _talk(rooms: Rooms, socket: WebSocket, log: Callable[[str], None]) -> None:
    """Serve one page until it goes."""
    await socket.accept()
    waiting: asyncio.Queue[Message | None] = asyncio.Queue()

    def send(message: Message) -> None:
        if waiting.qsize() > BACKLOG:
            reader.cancel()
        else:
            waiting.put_nowait(message)

    async def write() -> None:
        while (message := await waiting.get()) is not None:
            await socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    async def read() -> tuple[int, str]:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return 0, ""
            text = message.get("text")
            if text is None or len(text) > MAX_RECORD_BYTES:
                log("refused: a message that is no text, or too long")
                return UNSUPPORTED, "messages are texts"
            try:
                rooms.handle(page, text)
            except FloodError as error:
                log(f"refused: {error}")
                return VIOLATION, str(error)

    page = rooms.connect(send)
    writer = asyncio.create_task(write())
    reader = asyncio.create_task(read())
    code, reason = 0, ""
    try:
        done, _ = await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
        if reader in done and not reader.cancelled():
            code, reason = reader.result()
        elif reader.cancelled():
            log("refused: a page that takes nothing of what it is sent")
            code, reason = VIOLATION, "too slow"
    finally:
        rooms.leave(page)
        for task in (reader, writer):
            task.cancel()
        await asyncio.gather(reader, writer, return_exceptions=True)
        if code:
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close(code, reason)
