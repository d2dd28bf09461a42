"""An open log and the writer that holds its lease."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from litro.errors import LeaseLost, SessionError
from litro.events import Event, Private
from litro.sessions.base import SessionKey, SessionMeta
from litro.sessions.facts import Facts
from litro.sessions.postgres.chunks import Chunk, Place, following
from litro.sessions.postgres.feed import Feed
from litro.wire import encode_event, encode_private

_CHUNK: Final = 1 << 20
"""Bytes of a chunk, unless one line is longer."""

_RECENT: Final = 128 << 10
"""Bytes of a log's end that followers in this process get without asking the server."""


class _Piece(NamedTuple):
    """A line that is not durable yet, or an item of the mailbox that was taken. A tuple: there is one an event."""

    data: bytes
    n: int
    turn: int
    title: str | None
    """The title, where the line has changed it."""
    mail: int | None = None


class Outgoing(NamedTuple):
    """What a log has for the next batch. Its bytes stay the same however often it is sent."""

    chunk: Chunk
    turn: int
    title: str | None
    taken: Sequence[int]
    pieces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A session that was taken: what its log has so far, and until when it may be written."""

    sid: int
    fence: int
    meta: SessionMeta
    last: Chunk
    """The last chunk, without its data."""
    facts: Facts
    deadline: float
    """By this process's monotonic clock."""


class OpenLog:
    """A log under its lease: what was appended, and how much of it is durable, by pieces."""

    def __init__(self, lease: Lease, feed: Feed) -> None:
        self.key: SessionKey = lease.meta.key
        self.sid: int = lease.sid
        self.fence: int = lease.fence
        self.deadline: float = lease.deadline
        self.tail: int = lease.meta.tail
        self.facts: Facts = lease.facts
        self.since: int = time.time_ns() // 1_000_000
        self.failure: SessionError | None = None
        self.mail: asyncio.Event = asyncio.Event()
        self.pending: int = 0
        self.last_updated: int = lease.meta.updated
        self._place = following(lease.last.place, lease.last.n)
        self._pieces: deque[_Piece] = deque()
        self._appended = 0
        self._settled = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._recent: deque[Chunk] = deque()
        self._recent_bytes = 0
        self._recent_behind = lease.last.place
        self._feed = feed

    @property
    def is_behind(self) -> bool:
        """Whether something was appended that is neither durable nor refused yet."""
        return self._settled < self._appended

    @property
    def has_more(self) -> bool:
        """Whether there is something for another batch."""
        return bool(self._pieces) and self.failure is None

    def add(self, item: Event | Private, ts: int) -> None:
        """Number and encode the item."""
        if isinstance(item, Event):
            data = encode_event(item, self.tail + 1, ts)
            self.tail += 1
            before, self.facts = self.facts, self.facts.after(item)
            title = self.facts.title if self.facts.title != before.title else None
            piece = _Piece(data, 1, self.facts.running, title)
        else:
            piece = _Piece(encode_private(item), 0, self.facts.running, None)
        self._add(piece)

    def take(self, mail: int) -> None:
        """An item of the mailbox was taken: it becomes durable with what is appended next."""
        self._add(_Piece(b"", 0, self.facts.running, None, mail))

    def outgoing(self) -> Outgoing:
        """The next chunk. One at a time: the place of the one behind it depends on what becomes of it."""
        size = n = turn = 0
        title: str | None = None
        data: list[bytes] = []
        taken: list[int] = []
        while self._pieces and (not data or size + len(self._pieces[0].data) <= _CHUNK):
            piece = self._pieces.popleft()
            data.append(piece.data)
            size += len(piece.data)
            n += piece.n
            turn = piece.turn
            if piece.title is not None:
                title = piece.title
            if piece.mail is not None:
                taken.append(piece.mail)
        chunk = Chunk(self._place, n, b"".join(data))
        return Outgoing(chunk, turn, title, taken, len(data))

    def settle(self, sent: Outgoing, updated: int) -> None:
        """The chunk is durable."""
        self._place = following(sent.chunk.place, sent.chunk.n)
        self.last_updated = updated
        self._settled += sent.pieces
        self.pending -= len(sent.chunk.data)
        self._remember(sent.chunk)
        self._wake()

    def fail(self, error: SessionError) -> None:
        """Nothing more will become durable."""
        if self.failure is None:
            self.failure = error
        self._pieces.clear()
        self._settled = self._appended
        self.pending = 0
        self._wake()

    def check(self) -> None:
        """Refuse to go on after a failure, or when the lease may have gone to somebody else.

        Raises:
            LeaseLost, StoreFailed: Nothing more can be appended.
        """
        if self.failure is None and time.monotonic() > self.deadline:
            msg = f"{self.key}: its lease could not be renewed in time, so nothing more can be appended."
            self.fail(LeaseLost(msg))
        if self.failure is not None:
            raise type(self.failure)(*self.failure.args) from self.failure

    async def flushed(self, goal: int) -> None:
        """Return when so many pieces are durable."""
        while self._settled < goal or self.failure is not None:
            self.check()
            await self.changed()

    @property
    def appended(self) -> int:
        """Pieces that were appended."""
        return self._appended

    def changed(self) -> "asyncio.Future[None]":
        """Done when more is durable, or the log failed."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return future

    def recent(self, behind: Place) -> list[Chunk] | None:
        """The durable chunks behind a place, where they are still known here."""
        if behind < self._recent_behind:
            return None
        found: list[Chunk] = []
        for chunk in reversed(self._recent):
            if chunk.place <= behind:
                break
            found.append(chunk)
        return found[::-1]

    def _add(self, piece: _Piece) -> None:
        self._pieces.append(piece)
        self._appended += 1
        self.pending += len(piece.data)

    def _remember(self, chunk: Chunk) -> None:
        """Keep it for followers, where there are any: who comes later has to ask the server first anyway."""
        self._recent.append(chunk)
        self._recent_bytes += len(chunk.data)
        limit = _RECENT if self._feed.is_watched(self.sid) else 0
        while self._recent and self._recent_bytes > limit:
            dropped = self._recent.popleft()
            self._recent_bytes -= len(dropped.data)
            self._recent_behind = dropped.place

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
        self._feed.ring(self.sid)


class PostgresWriter:
    """The holder of a session's lease. See `SessionWriter`.

    Args:
        log: The open log.
        meta: The session as it was when the lease was taken.
        add: Puts the log into the next batch.
        mail: Items of the mailbox behind an id, each with its own.
        give_back: Ends the lease; `unfinished` as for `close`.
    """

    def __init__(
        self,
        log: OpenLog,
        meta: SessionMeta,
        *,
        add: Callable[[OpenLog], None],
        mail: Callable[[SessionKey, int], Awaitable[Sequence[tuple[int, bytes]]]],
        give_back: Callable[[OpenLog, bool], Awaitable[None]],
    ) -> None:
        self.log = log
        self._meta = meta
        self._add = add
        self._mail = mail
        self._give_back = give_back
        self._closing: asyncio.Future[None] | None = None

    @property
    def meta(self) -> SessionMeta:
        """The session as it was when the lease was taken."""
        return self._meta

    @property
    def pending(self) -> int:
        """Bytes that were appended and are not durable yet."""
        return self.log.pending

    def append(self, *items: Event | Private) -> int:
        """Number, encode, hand over; the last seq assigned."""
        self._check()
        ts = time.time_ns() // 1_000_000
        for item in items:
            self.log.add(item, ts)
        if items:
            self._add(self.log)
        return self.log.tail

    async def flush(self) -> None:
        """Return when all that was appended is durable."""
        await self.log.flushed(self.log.appended)

    async def inbox(self) -> AsyncIterator[bytes]:
        """Items of the mailbox, then as they come."""
        seen = 0
        while True:
            self.log.mail.clear()
            for mail, item in await self._mail(self.log.key, seen):
                yield item
                self._check()
                seen = mail
                self.log.take(mail)
                self._add(self.log)
            # The listener rings for what other processes post, and once a second in case it missed something.
            await self.log.mail.wait()

    async def close(self, *, unfinished: bool = False) -> None:
        """Commit what was appended and give the lease back."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._give_back(self.log, unfinished))
        # Whoever closes may be cancelled; a lease that nobody gives back would keep the session busy.
        await asyncio.shield(self._closing)

    def _check(self) -> None:
        if self._closing is not None:
            msg = f"{self.log.key}: the lease was given back, so nothing can be appended."
            raise LeaseLost(msg)
        self.log.check()
