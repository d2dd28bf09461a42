"""What other handles did: a look every few milliseconds, for as long as somebody here waits for it.

A look costs one comparison where nobody has committed. What grew is one query for all who wait.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from litro.errors import SessionError
from litro.sessions.sqlite.database import Database
from litro.sessions.sqlite.log import Cursor

_POLL: Final = 0.025
"""Seconds between two looks."""


@dataclass(frozen=True, slots=True)
class _News:
    """What happened since the last look."""

    seen: int
    grown: frozenset[int] = frozenset()
    posted: frozenset[int] = frozenset()
    is_short: bool = False
    """Whether there was more, which has been filed already."""


class Watch:
    """Wakes those who follow a session that another handle writes, and inboxes that another handle posts to."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._growing: dict[asyncio.Future[None], int] = {}
        self._inboxes: dict[int, asyncio.Event] = {}
        self._task: asyncio.Task[None] | None = None
        self._seen = 0
        """The last row of the hot table that a look has been past."""
        # Of whichever thread looks: a loop that ends cancels the look, and its thread goes on.
        self._looking = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._version = 0
        self._mail = 0

    async def growth(self, number: int, cursor: Cursor) -> None:
        """Return when the session's log may hold more for the cursor, or nobody holds its lease."""
        if cursor.seen < self._seen:
            # Between its own look and now there was one of ours.
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._growing[future] = number
        self._start()
        try:
            await future
        finally:
            del self._growing[future]

    @contextmanager
    def inbox(self, number: int, rings: asyncio.Event) -> Generator[None]:
        """Ring when mail may have come for the session, while in the context."""
        self._inboxes[number] = rings
        self._start()
        try:
            yield
        finally:
            del self._inboxes[number]

    async def stop(self) -> None:
        """End, and wake everybody."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._wake()

    def close(self) -> None:
        """Close the connection, once nobody looks. It may be used again."""
        with self._looking:
            self._drop()

    def _start(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="litro-watch")

    async def _run(self) -> None:
        try:
            while self._growing or self._inboxes:
                looking = asyncio.create_task(asyncio.to_thread(self._look, self._seen))
                try:
                    news = await asyncio.shield(looking)
                except asyncio.CancelledError:
                    await asyncio.gather(looking, return_exceptions=True)
                    raise
                self._tell(news)
                await asyncio.sleep(_POLL)
        except SessionError:
            # Those who wait look for themselves, and meet the error.
            self._wake()

    def _tell(self, news: "_News") -> None:
        self._seen = max(self._seen, news.seen)
        for future, number in self._growing.items():
            is_news = news.is_short or number in news.grown
            if not future.done() and (is_news or not self._database.leases.is_held(number)):
                future.set_result(None)
        for number in news.posted & self._inboxes.keys():
            self._inboxes[number].set()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _wake(self) -> None:
        for future in self._growing:
            if not future.done():
                future.set_result(None)
        for rings in self._inboxes.values():
            rings.set()

    def _look(self, seen: int) -> "_News":
        with self._looking:
            return self._looked(seen)

    def _looked(self, seen: int) -> "_News":
        self._database.check()
        try:
            if self._connection is None:
                self._connection = self._database.connect()
                self._version = 0
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version == self._version:
                return _News(seen)
            self._connection.execute("BEGIN")
            news, self._mail = _news(self._connection, seen, self._mail)
            self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            # It may stand in the middle of a transaction.
            self._drop()
            raise self._database.told(error) from error
        self._version = version
        return news


def _news(connection: sqlite3.Connection, seen: int, mail: int) -> tuple[_News, int]:
    last, first = connection.execute(
        "SELECT (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'hot'), "
        "(SELECT min(id) FROM hot)"
    ).fetchone()
    grown: list[Any] = connection.execute(
        "SELECT DISTINCT session FROM hot WHERE id > ?", (seen,)
    ).fetchall()
    posted: list[Any] = connection.execute(
        "SELECT session, max(id) FROM mail WHERE id > ? GROUP BY session", (mail,)
    ).fetchall()
    news = _News(
        seen=last,
        grown=frozenset(number for (number,) in grown),
        posted=frozenset(number for number, _ in posted),
        is_short=last > seen and (first is None or first > seen + 1),
    )
    return news, max((id_ for _, id_ in posted), default=mail)
