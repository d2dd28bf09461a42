"""A session store that keeps nothing: memory that counts as durable at once.

What a turn costs with it is what Litro costs without a disk. It is for one process, knows no mailbox, and is no
template for a store: it keeps none of the port's promises about crashes.
"""

import asyncio
import time
from collections.abc import AsyncIterator

from litro.errors import SessionBusy
from litro.events import Event, Private
from litro.sessions.base import ANY, Anybody, SessionKey, SessionMeta, SessionWriter, header
from litro.wire import encode_event, encode_private


class _Log:
    def __init__(self, key: SessionKey, owner: str | None) -> None:
        self.key = key
        self.owner = owner
        self.created = time.time_ns() // 1_000_000
        self.tail = 0
        # Not a list of lines: orjson's bytes are cut from larger pieces, and kept ones fragment the heap.
        self.data = bytearray(
            encode_private(Private(header(key, owner=owner, created=self.created)))
        )
        self.places: list[int] = []
        """By seq, where in `data` the event stands."""
        self.writer: NullWriter | None = None
        self.waiting: list[asyncio.Future[None]] = []

    def meta(self) -> SessionMeta:
        return SessionMeta(
            key=self.key,
            owner=self.owner,
            created=self.created,
            updated=self.created,
            tail=self.tail,
            running=None if self.writer is None else self.writer.turn,
        )

    def changed(self) -> "asyncio.Future[None]":
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        return future

    def wake(self) -> None:
        waiting, self.waiting = self.waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def place(self, seq: int) -> int:
        if seq <= 1:
            return 0
        return self.places[seq - 1] if seq <= self.tail else len(self.data)


class NullWriter:
    """See `SessionWriter`."""

    def __init__(self, log: _Log) -> None:
        self.turn: int | None = None
        self.meta = log.meta()
        self.pending = 0
        self._log = log

    def append(self, *items: Event | Private) -> int:
        """Number, encode, and let everybody see."""
        log, ts = self._log, time.time_ns() // 1_000_000
        for item in items:
            if isinstance(item, Event):
                log.tail += 1
                self.turn = item.turn
                log.places.append(len(log.data))
                log.data += encode_event(item, log.tail, ts)
            else:
                log.data += encode_private(item)
        if log.waiting:
            log.wake()
        return log.tail

    async def flush(self) -> None:
        """Nothing is pending."""

    async def inbox(self) -> AsyncIterator[bytes]:
        """Nothing comes."""
        await asyncio.Event().wait()
        yield b""

    async def close(self) -> None:
        """Give the lease back."""
        self._log.writer = None
        self._log.wake()


class NullStore:
    """See `SessionStore`."""

    def __init__(self) -> None:
        self._logs: dict[SessionKey, _Log] = {}

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        """Take the lease."""
        log = self._logs.setdefault(key, _Log(key, owner))
        if log.writer is not None:
            raise SessionBusy(log.writer.turn)
        log.writer = NullWriter(log)
        return log.writer

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:  # noqa: A002, ARG002
        """Take nothing."""
        return False

    async def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """What is there."""
        log = self._logs.get(key)
        if log is not None:
            yield bytes(log.data[log.place(start) :])

    async def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """What is there, and what comes."""
        log = self._logs.get(key)
        place = 0 if log is None else log.place(start)
        while log is not None:
            if place < len(log.data):
                block = bytes(log.data[place:])
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
        self, agent: str, *, owner: str | Anybody | None = ANY, before: int | None = None
    ) -> AsyncIterator[SessionMeta]:
        """What is there, in no order."""
        for key, log in list(self._logs.items()):
            is_owned = isinstance(owner, Anybody) or log.owner == owner
            if key.agent == agent and is_owned and (before is None or log.created < before):
                yield log.meta()

    async def delete(self, key: SessionKey) -> bool:
        """Forget it."""
        return self._logs.pop(key, None) is not None

    async def close(self) -> None:
        """Nothing was opened."""
