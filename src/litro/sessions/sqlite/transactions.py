"""Group commit for everything but events: whatever is asked while the last transaction was made durable shares the next.

Taking leases, posting, deleting: each is a function on the database, and a failure of one is undone without the others. One
thread; answers come back to the loop that asked.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from litro.sessions.sqlite.database import Database

T = TypeVar("T")

_MOST: Final = 200
"""Jobs of one transaction."""


class _Job:
    def __init__(self, work: Callable[[sqlite3.Connection], Any]) -> None:
        self.work = work
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.result: Any = None
        self.error: Exception | None = None

    def settle(self) -> None:
        if self.answer.done():
            return
        if self.error is None:
            self.answer.set_result(self.result)
        else:
            self.answer.set_exception(self.error)


class Transactions:
    """The thread that runs them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[sqlite3.Connection], T]) -> "asyncio.Future[T]":
        """What `work` answers, once what it did is durable. It runs also where nobody waits any more.

        Raises:
            Exception: What it raised.
            SessionError: Why it could not be made durable. Nothing of it is there.
        """
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="litro-transactions", daemon=True
            )
            self._thread.start()
        job = _Job(work)
        self._jobs.put(job)
        return job.answer

    def stop(self) -> None:
        """End the thread after what was asked. Waits for it."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        goes_on = True
        while goes_on:
            jobs: list[_Job] = []
            job = self._jobs.get()
            while job is not None:
                jobs.append(job)
                if len(jobs) == _MOST:
                    break
                try:
                    job = self._jobs.get_nowait()
                except Empty:
                    break
            goes_on = job is not None
            if jobs:
                self._transact(jobs)
                loop = jobs[0].answer.get_loop()
                if not loop.is_closed():
                    loop.call_soon_threadsafe(_settle, jobs)

    def _transact(self, jobs: list[_Job]) -> None:
        try:
            with self._database.writing() as connection:
                for job in jobs:
                    _try(connection, job)
        except Exception as error:  # noqa: BLE001 - the thread's edge: whoever asked would wait for ever
            for job in jobs:
                job.error = job.error or error


def _try(connection: sqlite3.Connection, job: _Job) -> None:
    connection.execute("SAVEPOINT job")
    try:
        job.result = job.work(connection)
    except sqlite3.Error:
        # What the database refuses concerns all of them.
        raise
    except Exception as error:  # noqa: BLE001 - whoever asked for what has no bytes, say, hears of it; the others go on
        job.error = error
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")


def _settle(jobs: list[_Job]) -> None:
    for job in jobs:
        job.settle()
