"""A session store that keeps nothing: memory that counts as durable at once.

What a turn costs with it is what Litro costs without a disk. It is for one process, knows no mailbox, and is no
template for a store: it keeps none of the port's promises about crashes. `naive_store` builds on it.
"""

import asyncio
import time
from collections.abc import AsyncIterator

from litro.errors import SessionBusy, SessionExists, UnknownSession
from litro.events import Event, Private
from litro.sessions.base import ANY, Anybody, Place, SessionKey, SessionMeta, SessionWriter, header
from litro.wire import encode_event, encode_private


class Log:
    """A session's lines, and how far they may be read."""

    def __init__(self, key: SessionKey, owner: str | None) -> None:
        self.key = key
        self.owner = owner
        self.created = self.updated = now()
        self.tail = 0
        # Not a list of lines: orjson's bytes are cut from larger pieces, and kept ones fragment the heap.
        self.data = bytearray(
            encode_private(Private(header(key, owner=owner, created=self.created)))
        )
        self.durable = len(self.data)
        self.places: list[int] = []
        """By seq, where in `data` the event stands."""
        self.writer: NullWriter | None = None
        self.waiting: list[asyncio.Future[None]] = []

    def meta(self) -> SessionMeta:
        """What is known."""
        return SessionMeta(
            key=self.key,
            owner=self.owner,
            created=self.created,
            updated=self.updated,
            tail=self.tail,
            running=None if self.writer is None else self.writer.turn,
        )

    def changed(self) -> "asyncio.Future[None]":
        """Done when more may be read, or nobody writes any more."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        return future

    def settle(self, durable: int) -> None:
        """The first `durable` bytes may be read."""
        self.durable = durable
        if self.waiting:
            self.wake()

    def wake(self) -> None:
        """Tell everybody who waits."""
        waiting, self.waiting = self.waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def place(self, seq: int) -> int:
        """Where reading from `seq` begins."""
        if seq <= 1:
            return 0
        return self.places[seq - 1] if seq <= self.tail else len(self.data)


class NullWriter:
    """See `SessionWriter`."""

    def __init__(self, log: Log) -> None:
        self.turn: int | None = None
        self.meta = log.meta()
        self._log = log

    @property
    def pending(self) -> int:
        """Bytes that nobody may read yet."""
        return len(self._log.data) - self._log.durable

    def append(self, *items: Event | Private) -> int:
        """Number and encode."""
        log, log.updated = self._log, now()
        for item in items:
            if isinstance(item, Event):
                log.tail += 1
                self.turn = item.turn
                log.places.append(len(log.data))
                line = encode_event(item, log.tail, log.updated)
            else:
                line = encode_private(item)
            log.data += line
            self.keep(line)
        return log.tail

    def keep(self, line: bytes) -> None:  # noqa: ARG002
        """Make a line that was appended durable: here it is at once."""
        self._log.settle(len(self._log.data))

    async def flush(self) -> None:
        """Return when all that was appended may be read."""
        goal = len(self._log.data)
        while self._log.durable < goal:
            await self._log.changed()

    async def inbox(self) -> AsyncIterator[bytes]:
        """Nothing comes."""
        await asyncio.Event().wait()
        yield b""

    async def close(self, *, unfinished: bool = False) -> None:  # noqa: ARG002
        """Give the lease back."""
        await self.flush()
        self._log.writer = None
        self._log.wake()


class NullStore:
    """See `SessionStore`."""

    def __init__(self) -> None:
        self._logs: dict[SessionKey, Log] = {}

    def writer(self, log: Log) -> NullWriter:
        """What appends to a log."""
        return NullWriter(log)

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        """Take the lease."""
        log = self._logs.setdefault(key, Log(key, owner))
        if log.writer is not None:
            raise SessionBusy(log.writer.turn)
        log.writer = self.writer(log)
        return log.writer

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:  # noqa: A002, ARG002
        """Take nothing."""
        return False

    async def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """What is there."""
        log = self._logs.get(key)
        if log is not None and log.place(start) < log.durable:
            yield bytes(log.data[log.place(start) : log.durable])

    async def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """What is there, and what comes."""
        log = self._logs.get(key)
        place = 0 if log is None else log.place(start)
        while log is not None:
            if place < log.durable:
                block = bytes(log.data[place : log.durable])
                place += len(block)
                yield block
            elif log.writer is not None:
                await log.changed()
            else:
                return

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        """What is known."""
        log = self._logs.get(key)
        return None if log is None else log.meta()

    async def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        """What is there, the last updated first."""
        order = {Place(log.updated, key.session): log for key, log in self._logs.items()}
        for place, log in sorted(order.items(), reverse=True):
            is_owned = isinstance(owner, Anybody) or log.owner == owner
            if log.key.agent == agent and is_owned and (before is None or place < before):
                yield log.meta()

    async def delete(self, key: SessionKey) -> bool:
        """Forget it."""
        return self._logs.pop(key, None) is not None

    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        """Copy what is there up to `at`."""
        source = self._logs.get(key)
        if source is None:
            raise UnknownSession(key.session)
        if into in self._logs:
            raise SessionExists(into.session)
        copy = self._logs[into] = Log(into, owner)
        begin = source.places[0] if source.places else source.durable
        copy.tail = min(at, source.tail)
        end = source.places[at] if at < source.tail else source.durable
        shift = len(copy.data) - begin
        copy.data += source.data[begin:end]
        copy.durable = len(copy.data)
        copy.places = [place + shift for place in source.places[: copy.tail]]
        return copy.meta()

    async def has_mail(self, key: SessionKey) -> bool:  # noqa: ARG002
        """No."""
        return False

    async def unfinished(self) -> AsyncIterator[SessionKey]:
        """None: a crash leaves nothing."""
        for key in ():
            yield key

    async def close(self) -> None:
        """Nothing was opened."""


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
