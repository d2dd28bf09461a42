"""The writer that holds a session's lease."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from litro.errors import LeaseLost
from litro.events import Event, Private
from litro.sessions.base import SessionMeta
from litro.sessions.commit import Committer
from litro.sessions.sqlite.log import OpenLog
from litro.wire import encode_event, encode_private


class SqliteWriter:
    """The holder of a session's lease. See `SessionWriter`."""

    def __init__(
        self,
        log: OpenLog,
        meta: SessionMeta,
        *,
        committer: Committer[OpenLog],
        mail: Callable[[OpenLog], AsyncIterator[tuple[int, bytes]]],
        give_back: Callable[[OpenLog, bool], Awaitable[None]],
    ) -> None:
        self.log = log
        self._meta = meta
        self._committer = committer
        self._mail = mail
        self._when_closed = give_back
        self._closing: asyncio.Future[None] | None = None

    @property
    def meta(self) -> SessionMeta:
        """The session as it was when the lease was taken."""
        return self._meta

    @property
    def pending(self) -> int:
        """Bytes that were appended and are not durable yet."""
        return self.log.appended - self.log.settled

    def append(self, *items: Event | Private) -> int:
        """Number, encode, hand over; the last seq assigned."""
        log = self.log
        if self._closing is not None:
            msg = f"{log.where}: the lease was given back, so nothing can be appended."
            raise LeaseLost(msg)
        log.check()
        ts = time.time_ns() // 1_000_000
        for item in items:
            if isinstance(item, Event):
                data = encode_event(item, log.tail + 1, ts)
                log.tail += 1
                facts = log.facts.after(item)
            else:
                data = encode_private(item)
                facts = log.facts
            log.add(data)
            if facts is not log.facts:
                log.facts = facts
                log.mark()
            self._committer.add(log, data)
        return log.tail

    async def flush(self) -> None:
        """Return when all that was appended is durable."""
        log, goal = self.log, self.log.appended
        while log.durable < goal:
            log.check()
            await log.changed()

    async def inbox(self) -> AsyncIterator[bytes]:
        """Items of the mailbox, then as they come."""
        log = self.log
        async for id_, item in self._mail(log):
            yield item
            # In the log as well, so that it becomes durable with what came of the item.
            log.taken = id_
            self.append(Private({"inbox": id_}))
            log.mark()

    async def close(self, *, unfinished: bool = False) -> None:
        """Commit what was appended and give the lease back."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._give_back(unfinished))
        # Whoever closes may be cancelled; a lease that nobody gives back would keep the session busy for good.
        await asyncio.shield(self._closing)

    async def _give_back(self, unfinished: bool) -> None:  # noqa: FBT001 - as `close` was told
        await self.log.settled_all()
        await self._when_closed(self.log, unfinished)
