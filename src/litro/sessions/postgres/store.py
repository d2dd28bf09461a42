"""The Postgres store's port: leases, chunks and mail in tables, one group commit for all sessions of the process.

A line is acknowledged once the statement that inserted it was committed. It does not know what events mean, beyond what
lists tell of a session.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Final

from litro.errors import LitroError, SessionBusy
from litro.sessions.base import (
    ANY,
    Anybody,
    Place,
    SessionKey,
    SessionMeta,
    SessionWriter,
    check_key,
)
from litro.sessions.postgres import forking, leases, listing, mailbox, reading, schema
from litro.sessions.postgres.address import parse_address
from litro.sessions.postgres.appending import Appender
from litro.sessions.postgres.chunks import Chunk
from litro.sessions.postgres.committer import Committer
from litro.sessions.postgres.connections import Connections
from litro.sessions.postgres.driver import Driver
from litro.sessions.postgres.feed import Feed, Watch
from litro.sessions.postgres.listener import Listener
from litro.sessions.postgres.log import Lease, OpenLog, PostgresWriter
from litro.sessions.postgres.notices import Notices
from litro.sessions.postgres.notifier import Notifier

logger: Final = logging.getLogger(__name__)

_CONNECTIONS: Final = 6
"""For whatever is asked; those that hold up turns have four of their own."""


class PostgresStore:
    """Sessions in a schema of a Postgres database. See `SessionStore`.

    Args:
        url: `postgresql://…`, as asyncpg takes it; in its query, `schema` names ours (`litro`), and `pooled=yes` says that
            a transaction pooler stands between.
        ttl: Seconds after which the lease of a process that has died is free.
        patience: Seconds for which a server that is away is asked again.

    Raises:
        SettingsError: The URL cannot be used, or asyncpg is not installed.
    """

    def __init__(self, url: str, *, ttl: float = 15, patience: float = 5) -> None:
        self._address = parse_address(url)
        driver = Driver()
        self._ttl = ttl
        self._connections = Connections(driver, self._address, size=_CONNECTIONS, patience=patience)
        # What turns and tails wait for shall not stand behind somebody's long read.
        self._urgent = Connections(driver, self._address, size=4, patience=patience)
        self._notices = Notices(self._address.channel, _token())
        self._logs: dict[int, OpenLog] = {}
        self._writers: dict[SessionKey, PostgresWriter] = {}
        self._feed = Feed(self._urgent)
        self._notifier = Notifier(self._urgent, self._notices)
        self._committer: Committer[OpenLog] = Committer(
            Appender(self._urgent, self._notifier).commit
        )
        self._keeper = leases.Keeper(self._urgent, ttl, self._logs.values)
        self._listener = Listener(
            driver,
            self._address,
            self._notices,
            self._connections,
            on_session=self._on_session,
            on_mail=self._on_mail,
            held=lambda: list(self._writers),
        )
        self._starting: asyncio.Task[None] | None = None
        self._taking: set[asyncio.Task[PostgresWriter]] = set()
        self._closing: set[asyncio.Future[None]] = set()

    def __repr__(self) -> str:
        return f"PostgresStore({self._address.shown!r})"

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        """Take the session's lease; a new session is created."""
        await self._ready(key)
        held = self._writers.get(key)
        if held is not None and held.log.failure is None and held.meta.owner == owner:
            raise SessionBusy(held.log.facts.running, held.log.since)
        taking = asyncio.create_task(self._take(key, owner))
        self._taking.add(taking)
        taking.add_done_callback(self._taking.discard)
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            # It goes on, and what it takes nobody would give back.
            taking.add_done_callback(self._close_unwanted)
            raise

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:  # noqa: A002
        """Put one line of JSON into the session's mailbox."""
        await self._ready(key)
        line, token = mailbox.encode_item(item), _token()
        posted = await self._connections.run(
            lambda db: mailbox.post(
                db,
                self._address,
                key,
                line,
                mid=id,
                token=token,
                notice=self._notices.of_mail(key),
            )
        )
        self._on_mail(key)
        return posted

    async def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on."""
        await self._ready(key)
        found = await reading.span(self._connections, key, start)
        if found is not None:
            async for block in reading.blocks(self._connections, key, found):
                yield block

    async def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on, and its live tail."""
        await self._ready(key)
        found = await reading.span(self._connections, key, start)
        if found is None:
            return
        with self._feed.watching(found.sid) as watch:
            async for block in reading.blocks(self._connections, key, found):
                yield block
            while True:
                chunks = await self._next(found, watch)
                if not chunks:
                    return
                block = b"".join(found.cursor.take(chunk, str(key)) for chunk in chunks)
                if block:
                    yield block

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        """What is known of the session."""
        await self._ready(key)
        return await self._connections.run(lambda db: listing.meta(db, key))

    async def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        """The agent's sessions, the last updated first."""
        await self._ready(SessionKey(agent, "-"))
        while True:
            page = await self._page(agent, owner, before)
            for meta in page:
                yield meta
            if len(page) < listing.PAGE:
                return
            before = page[-1].place

    async def delete(self, key: SessionKey) -> bool:
        """Remove the session for good."""
        await self._ready(key)
        return await self._connections.run(
            lambda db: leases.delete(db, key, lambda sid: self._notices.of_sessions([sid]))
        )

    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        """Make `into` begin as `key` does."""
        check_key(into)
        await self._ready(key)
        token = _token()
        await self._connections.run(
            lambda db: forking.fork(db, key, into, owner=owner, at=at, token=token)
        )
        made = await self.meta(into)
        return made or SessionMeta(key=into, owner=owner, created=0, updated=0, tail=0)

    async def has_mail(self, key: SessionKey) -> bool:
        """Whether an item waits in the mailbox."""
        await self._ready(key)
        return await self._connections.run(lambda db: mailbox.has_mail(db, key))

    async def unfinished(self) -> AsyncIterator[SessionKey]:
        """Sessions that need looking after and that nobody holds."""
        await self._ready()
        for key in await self._connections.run(listing.unfinished):
            yield key

    async def close(self) -> None:
        """Commit what is pending, give back every lease, and close the connections."""
        while self._taking:
            await asyncio.wait(self._taking)
        for writer in list(self._writers.values()):
            await writer.close(unfinished=True)
        starting, self._starting = self._starting, None
        if starting is not None:
            await asyncio.gather(starting, return_exceptions=True)
            await self._keeper.close()
            await self._listener.close()
        await self._committer.idle()
        await self._notifier.idle()
        await self._feed.close()
        await self._urgent.close()
        await self._connections.close()

    # Beginning.

    async def _ready(self, key: SessionKey | None = None) -> None:
        """Make sure that the key can be one, the tables are there and others are listened to."""
        if key is not None:
            check_key(key)
        starting = self._starting
        if starting is None:
            starting = self._starting = asyncio.create_task(self._start())
        try:
            await asyncio.shield(starting)
        except LitroError:
            if self._starting is starting:
                self._starting = None
            raise

    async def _start(self) -> None:
        await self._connections.run(lambda db: schema.prepare(db, self._address))
        self._keeper.start()
        await self._listener.start()

    # Holding.

    async def _take(self, key: SessionKey, owner: str | None) -> PostgresWriter:
        token, deadline = _token(), self._keeper.deadline()
        lease = await self._connections.run(
            lambda db: leases.take(db, key, owner, token=token, ttl=self._ttl, deadline=deadline)
        )
        return self._writer(lease)

    def _writer(self, lease: Lease) -> PostgresWriter:
        log = OpenLog(lease, self._feed)
        writer = PostgresWriter(
            log,
            lease.meta,
            add=self._committer.add,
            mail=self._mail,
            give_back=self._give_back,
        )
        self._logs[log.sid] = log
        self._writers[log.key] = writer
        return writer

    def _close_unwanted(self, taking: "asyncio.Task[PostgresWriter]") -> None:
        if not taking.cancelled() and taking.exception() is None:
            closing = asyncio.ensure_future(taking.result().close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _mail(self, key: SessionKey, seen: int) -> Sequence[tuple[int, bytes]]:
        return await self._connections.run(lambda db: mailbox.behind(db, key, seen))

    async def _give_back(self, log: OpenLog, unfinished: bool) -> None:  # noqa: FBT001 - as `close` has it
        while log.is_behind:
            await log.changed()
        try:
            await self._connections.run(
                lambda db: leases.free(
                    db, log, unfinished=unfinished, notice=self._notices.of_sessions([log.sid])
                )
            )
        except LitroError as error:
            logger.warning("%s: its lease ends by itself only: %s", log.key, error)
        # Somebody here may have opened the session anew, after this log had lost it.
        if self._logs.get(log.sid) is log:
            del self._logs[log.sid]
        if log.key in self._writers and self._writers[log.key].log is log:
            del self._writers[log.key]
        self._feed.ring(log.sid)

    # Following.

    async def _next(self, found: reading.Span, watch: Watch) -> Sequence[Chunk]:
        """The next chunks; none where nobody holds the lease."""
        while True:
            rings = watch.rings
            log = self._logs.get(found.sid)
            chunks = None
            if log is not None and log.failure is None:
                chunks = log.recent(found.cursor.behind)
            if chunks is None:
                look = await self._feed.look(found.sid, found.cursor.behind)
                if look.chunks or not look.is_held:
                    return look.chunks
            elif chunks:
                return chunks
            await watch.rung(rings)

    async def _page(
        self, agent: str, owner: str | Anybody | None, before: Place | None
    ) -> Sequence[SessionMeta]:
        return await self._connections.run(
            lambda db: listing.page(db, agent, owner=owner, before=before)
        )

    # What changed.

    def _on_session(self, sid: int | None) -> None:
        if sid is None:
            self._feed.ring_all()
        elif sid not in self._logs:
            self._feed.ring(sid)

    def _on_mail(self, key: SessionKey) -> None:
        writer = self._writers.get(key)
        if writer is not None:
            writer.log.mail.set()


def _token() -> int:
    return secrets.randbits(63)
