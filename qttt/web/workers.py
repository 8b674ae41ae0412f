"""Worker processes for what takes long: computer players, advice, circuits. The event loop never waits there.

A crew has a fixed number of workers, warmed when they start and of low priority. Work whose answer nobody
waits for any more is given a moment to finish, and then its process is ended and another one takes its place.
They end with this process, however that ends (`qttt.workers`).
"""

import asyncio
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import qttt.own_circuits  # noqa: F401
from circuits.errors import CircuitsError
from qttt.errors import QtttError, ServiceError
from qttt.web import tasks
from qttt.workers import begin_worker, fill_standard_streams, signals_wait

GRACE = 2.0
"""Seconds that work may go on for when nobody waits for it any more."""


class WorkerEndedError(ServiceError):
    """A worker's process was ended from outside."""


class _Worker:
    """One process, and the pipe to it."""

    def __init__(self, watched: Connection, warm: Callable[[], object]) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        with signals_wait():
            self.process: BaseProcess = context.Process(
                target=_work, args=(watched, theirs, warm), daemon=True
            )
            self.process.start()
        theirs.close()

    def ask(self, task: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Have something done; called in a thread, which waits.

        Raises:
            QtttError: the task failed, or the process ended.
        """
        try:
            # JSON, as in the answers that pages get: nothing that is sent can run anything else.
            self._pipe.send_bytes(json.dumps([task.__name__, args]).encode())
            done, found = json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise WorkerEndedError("a worker process was ended from outside") from error
        if done:
            return found
        kind, said = found
        raise (ServiceError if kind == "service" else QtttError)(said)

    def end(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()
        self._pipe.close()


class Crew:
    """So many workers for one kind of task."""

    def __init__(self, size: int, warm: Callable[[], object], grace: float = GRACE) -> None:
        """Say how many, and what each does first; ``start`` starts them."""
        self.size, self._warm, self._grace = size, warm, grace
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._retiring: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(2 * size, thread_name_prefix="crew")

    def start(self) -> None:
        """Start the processes; they get warm by themselves."""
        fill_standard_streams()
        # Nothing is ever written to it: the workers see its end when this process is no more.
        self._watched, self._held = get_context("spawn").Pipe(duplex=False)
        for _ in range(self.size):
            self._add()

    def _add(self) -> None:
        worker = _Worker(self._watched, self._warm)
        self._all.add(worker)
        self._idle.put_nowait(worker)

    @property
    def pids(self) -> list[int]:
        """The processes that there are."""
        return [worker.process.pid for worker in self._all if worker.process.pid]

    async def run(self, task: Callable[..., Any], *args: Any) -> Any:
        """Have a worker do something, as soon as one is free.

        Args:
            task: one of ``tasks.TASKS``.
            *args: what it is given, as JSON has it.

        Raises:
            QtttError: what the task raised; errors of circuits as well.
            WorkerEndedError: the process was ended from outside.
        """
        worker = await self._idle.get()
        future = asyncio.get_running_loop().run_in_executor(self._threads, worker.ask, task, args)
        try:
            found = await asyncio.shield(future)
        except asyncio.CancelledError:
            retiring = asyncio.create_task(self._retire(worker, future))
            self._retiring.add(retiring)
            retiring.add_done_callback(self._retiring.discard)
            raise
        except WorkerEndedError:
            self._replace(worker)
            raise
        except BaseException:
            self._idle.put_nowait(worker)
            raise
        self._idle.put_nowait(worker)
        return found

    async def _retire(self, worker: _Worker, future: asyncio.Future[Any]) -> None:
        done, _ = await asyncio.wait([future], timeout=self._grace)
        if done and not isinstance(future.exception(), WorkerEndedError):
            self._idle.put_nowait(worker)
            return
        self._replace(worker)
        with suppress(Exception):
            await future

    def _replace(self, worker: _Worker) -> None:
        self._all.discard(worker)
        worker.end()
        self._add()

    async def close(self) -> None:
        """End every process."""
        for retiring in self._retiring:
            retiring.cancel()
        for worker in self._all:
            worker.end()
        self._all.clear()
        self._held.close()
        self._watched.close()
        self._threads.shutdown(wait=True)


def _work(watched: Connection, pipe: Connection, warm: Callable[[], object]) -> None:
    """What a worker does: one task after the other, until there is nobody to do them for."""
    begin_worker(watched)
    if hasattr(os, "nice"):
        os.nice(10)
    with suppress(Exception):
        warm()
    while True:
        try:
            name, args = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        pipe.send_bytes(json.dumps(_done(name, args)).encode())


def _done(name: str, args: list[Any]) -> tuple[bool, Any]:
    from circuits.errors import BackendError

    try:
        return True, tasks.TASKS[name](*args)
    except (ServiceError, BackendError) as error:
        return False, ("service", str(error))
    except (QtttError, CircuitsError) as error:
        return False, ("usage", str(error))
    except Exception as error:
        return False, (
            "service",
            f"a fault of the program: {type(error).__name__}: {error}".partition("\n")[0],
        )
