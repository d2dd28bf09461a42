"""The SQLite store's port: sessions in one database file, for many streams and for several processes on one host.

A line is acknowledged once its transaction is synced; readers see nothing before. A failed sync poisons the store, as the
file store's does; a full disk fails the turns that it hits.

It is for one host. It does not know what events mean.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final, TypeVar

import orjson

from litro.errors import SessionBusy, SessionError, UnknownSession
from litro.sessions.base import (
    ANY,
    Anybody,
    Place,
    SessionKey,
    SessionMeta,
    SessionWriter,
    check_key,
)
from litro.sessions.commit import Committer
from litro.sessions.refusals import unknown_session
from litro.sessions.sqlite import entries, forking, reading
from litro.sessions.sqlite.database import Database
from litro.sessions.sqlite.housekeeping import Housekeeping
from litro.sessions.sqlite.journal import Journal
from litro.sessions.sqlite.log import Cursor, Extent, OpenLog
from litro.sessions.sqlite.transactions import Transactions
from litro.sessions.sqlite.watch import Watch
from litro.sessions.sqlite.writer import SqliteWriter

T = TypeVar("T")

_PAGE: Final = 100
"""Sessions that are listed with one look."""


class SqliteStore:
    """Sessions in a SQLite database. See `SessionStore`.

    Args:
        path: The database's file. It is made when it is first needed, private to its user.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path)
        self._leases = self._database.leases
        self._transactions = Transactions(self._database)
        self._housekeeping = Housekeeping(self._database)
        self._watch = Watch(self._database)
        self._open: dict[int, OpenLog] = {}
        self._names: dict[SessionKey, int] = {}
        self._leaving: set[asyncio.Future[Any]] = set()
        self._committer: Committer[OpenLog] = Committer(
            Journal(self._database, self._housekeeping.committed).commit,
            OpenLog.settle,
            name="litro-commit",
        )

    def __repr__(self) -> str:
        return f"SqliteStore({str(self._database.path)!r})"

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        """Take the session's lease; a new session is created."""
        check_key(key)
        self._check_idle(key)
        extents: list[Extent] = []

        def take(connection: Connection) -> Extent:
            extents.append(entries.take(connection, self._leases, key, owner))
            return extents[-1]

        self._housekeeping.start()
        taking = self._transactions.run(take)
        try:
            extent = await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread goes on, and what it takes nobody would give back.
            self._leave(self._abandon(taking, extents))
            raise
        except Exception:
            _free(self._leases.give_back, extents)
            raise
        log = OpenLog(extent, key, f"{self._database.path}: {key.agent}/{key.session}")
        self._open[extent.number] = log
        self._names[key] = extent.number
        meta = SessionMeta(
            key=key,
            owner=extent.owner,
            created=extent.created,
            updated=_now(),
            tail=extent.tail,
            title=extent.facts.title,
        )
        return SqliteWriter(
            log, meta, committer=self._committer, mail=self._mail, give_back=self._closed
        )

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:  # noqa: A002
        """Put one line of JSON into the session's mailbox."""
        check_key(key)
        line = orjson.dumps(orjson.loads(item))
        posting = self._transactions.run(lambda c: entries.post(c, key, line, id))
        posted = await asyncio.shield(posting)
        log = self._log(key)
        if log is not None:
            log.mail.set()
        return posted

    async def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on."""
        check_key(key)
        begun = await self._look(lambda c: reading.begin(c, key, Cursor.at(start)))
        if begun is None:
            return
        number, found = begun
        while True:
            self._check_log(number)
            if found.block:
                yield found.block
            if found.is_all:
                return
            found = await self._fetch(key, number, found.cursor)

    async def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on, and its live tail."""
        number, cursor = await self._number(key), Cursor.at(start)
        while number is not None:
            self._check_log(number)
            log = self._open.get(number)
            if log is not None and log.recent.covers(cursor):
                block, cursor = log.recent.since(cursor, log.durable)
                if block:
                    yield block
                else:
                    await log.changed()
                continue
            # Asked before looking: what a holder leaves is there once it has gone.
            is_live = self._leases.is_held(number)
            found = await self._fetch(key, number, cursor)
            cursor = found.cursor
            if found.block:
                yield found.block
            elif not is_live:
                return
            elif number not in self._open:
                await self._watch.growth(number, cursor)

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        """What is known of the session."""
        check_key(key)
        entry = await self._look(lambda c: entries.find(c, key))
        return None if entry is None or entry.created is None else entry.meta(self._leases)

    async def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        """The agent's sessions, the last updated first."""
        check_key(SessionKey(agent, "-"))
        while True:
            page = await self._look(
                lambda c: entries.page(c, agent, owner=owner, before=before, size=_PAGE)  # noqa: B023
            )
            for entry in page:
                yield entry.meta(self._leases)
            if len(page) < _PAGE:
                return
            before = Place(page[-1].updated, page[-1].session)

    async def delete(self, key: SessionKey) -> bool:
        """Remove the session for good."""
        check_key(key)
        self._check_idle(key)
        numbers: list[int] = []

        def remove(connection: Connection) -> bool:
            number = entries.delete(connection, self._leases, key)
            if number is not None:
                numbers.append(number)
            return number is not None

        self._housekeeping.start()
        removing = self._transactions.run(remove)
        removing.add_done_callback(lambda _: [self._leases.give_back(n) for n in numbers])
        removed = await asyncio.shield(removing)
        self._housekeeping.committed(0)
        return removed

    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        """Make `into` a session that holds what is durable of `key`'s up to seq `at`."""
        check_key(key)
        check_key(into)
        number = await self._number(key)
        if number is None:
            raise unknown_session(key)
        self._check_log(number)
        copy = await self._look(lambda c: forking.copied(c, number, at))
        making = self._transactions.run(lambda c: forking.make(c, into, owner, copy))
        entry = await asyncio.shield(making)
        self._housekeeping.committed(len(copy.lines))
        return entry.meta(self._leases)

    async def has_mail(self, key: SessionKey) -> bool:
        """Whether the mailbox holds items that nobody has taken."""
        check_key(key)
        return await self._look(lambda c: entries.has_mail(c, key))

    async def unfinished(self) -> AsyncIterator[SessionKey]:
        """Sessions that somebody has to look after and nobody holds now."""
        for key in await self._look(lambda c: entries.unfinished(c, self._leases)):
            yield key

    async def close(self) -> None:
        """Commit what is pending and end the threads."""
        for log in tuple(self._open.values()):
            await log.settled_all()
        await self._watch.stop()
        while self._leaving:
            await asyncio.gather(*self._leaving, return_exceptions=True)
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._committer.stop()
        self._transactions.stop()
        self._housekeeping.stop()
        self._watch.close()
        self._database.close()

    def _log(self, key: SessionKey) -> OpenLog | None:
        """The session's log, where this handle holds its lease."""
        return self._open.get(self._names.get(key, 0))

    def _check_idle(self, key: SessionKey) -> None:
        self._database.check()
        log = self._log(key)
        if log is not None:
            raise SessionBusy(log.facts.running, log.since)

    def _check_log(self, number: int) -> None:
        self._database.check()
        if number in self._open:
            self._open[number].check()

    async def _number(self, key: SessionKey) -> int | None:
        check_key(key)
        self._database.check()
        log = self._log(key)
        if log is not None:
            return log.number
        return await self._look(lambda c: entries.number(c, key))

    async def _fetch(self, key: SessionKey, number: int, cursor: Cursor) -> reading.Found:
        found = await self._look(lambda c: reading.fetch(c, number, cursor))
        if not found.exists:
            msg = f"session {key.session!r} of agent {key.agent!r} was deleted while it was read."
            raise UnknownSession(msg)
        return found

    async def _mail(self, log: OpenLog) -> AsyncIterator[tuple[int, bytes]]:
        """The log's mail as it comes, with its ids."""
        with self._watch.inbox(log.number, log.mail):
            while True:
                log.mail.clear()
                taken = log.taken
                for id_, item in await self._look(lambda c: entries.mail(c, log.number, taken)):  # noqa: B023
                    yield id_, item
                await log.mail.wait()

    async def _closed(self, log: OpenLog, unfinished: bool) -> None:  # noqa: FBT001 - as `close` was told
        def finish(connection: Connection) -> None:
            entries.settle(connection, log)
            if not unfinished:
                entries.finish(connection, log.number, log.fence)

        if log.failure is None:
            # What stays marked is looked after by somebody.
            with suppress(SessionError):
                await self._transactions.run(finish)
        del self._open[log.number]
        del self._names[log.key]
        self._leases.give_back(log.number)
        log.wake()

    def _leave(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _abandon(self, taking: "asyncio.Future[Extent]", extents: Sequence[Extent]) -> None:
        """Give back what a cancelled `open` took."""
        try:
            with suppress(SessionError):
                extent = await taking
                await self._transactions.run(
                    lambda c: entries.finish(c, extent.number, extent.fence)
                )
        finally:
            _free(self._leases.give_back, extents)

    async def _look(self, query: Callable[[Connection], T]) -> T:
        """What a query answers, in a thread; when cancelled, done only once the thread is."""
        looking = asyncio.ensure_future(asyncio.to_thread(self._reads, query))
        try:
            return await asyncio.shield(looking)
        except asyncio.CancelledError:
            await asyncio.gather(looking, return_exceptions=True)
            raise

    def _reads(self, query: Callable[[Connection], T]) -> T:
        with self._database.reading() as connection:
            return query(connection)


def _free(give_back: Callable[[int], None], extents: Sequence[Extent]) -> None:
    for extent in extents:
        give_back(extent.number)


def _now() -> int:
    return time.time_ns() // 1_000_000
