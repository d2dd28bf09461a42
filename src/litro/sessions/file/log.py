"""An open log and the writer that holds its lease."""

import asyncio
import contextlib
import os
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

from litro.directories import sync_directory
from litro.errors import LeaseLost, StoreFailed
from litro.events import Event, Private
from litro.sessions.base import SessionMeta
from litro.sessions.commit import Committer
from litro.sessions.facts import BETWEEN_TURNS
from litro.sessions.file import lease, mailbox, titles
from litro.sessions.file.jsonl import Extent
from litro.sessions.progress import Progress
from litro.wire import encode_event, encode_private

_MAIL_POLL: Final = 0.5
"""Seconds between two looks for mail from other processes. Mail of this one rings at once."""

_ADVISE: Final = getattr(os, "posix_fadvise", None)
"""Linux begins to write back what it is told is not needed; parts of pages stay in the cache all the same."""


class OpenLog(Progress):
    """A log under its lease: what was appended, written and made durable, in bytes."""

    def __init__(self, fd: int, path: Path, extent: Extent, *, is_new: bool) -> None:
        length = extent.length
        super().__init__(length)
        self.fd = fd
        self.path = path
        self.inode: int = os.fstat(fd).st_ino
        self.is_new: bool = is_new
        self.tail: int = extent.tail
        self.titled: int = extent.titled
        """The seq of the last `title` event, 0 where there is none."""
        self.taken: int = extent.taken
        """Bytes of the mailbox that were taken."""
        self.turn: int | None = None
        """The open turn, or the one that is about to begin; None while this writer has said nothing of either."""
        self.since: int = time.time_ns() // 1_000_000
        """When the lease was taken, in milliseconds since the epoch."""
        self.mail: asyncio.Event = asyncio.Event()
        # The committer's thread runs ahead of the loop: what it has found out counts for its next batch at once.
        self._written = length
        self._synced = length
        self._refusal: OSError | None = None
        self._unrecorded: deque[int] = deque()

    # On the committer's thread.

    def write(self, data: bytes) -> None:
        """Append all of it, or nothing. Once something was refused, what comes behind it is refused as well.

        Raises:
            OSError: The file is as it was before.
        """
        if self._refusal is not None:
            raise self._refusal
        offset = self._written
        try:
            self._record_titles()
            while data:
                count = os.pwrite(self.fd, data, offset)
                data, offset = data[count:], offset + count
        except OSError as error:
            self._refusal = error
            os.ftruncate(self.fd, self._written)
            raise
        self._written = offset

    def _record_titles(self) -> None:
        seqs: list[int] = []
        while self._unrecorded:
            seqs.append(self._unrecorded.popleft())
        if seqs:
            titles.record(self.path, seqs)

    def begin_sync(self) -> None:
        """Have the disk begin with what was written. A wish only: `sync` makes it durable, or tells that it is not."""
        if _ADVISE is not None:
            _ADVISE(self.fd, self._synced, self._written - self._synced, os.POSIX_FADV_DONTNEED)

    def sync(self) -> None:
        """Make what was written durable, a new file's name included."""
        os.fdatasync(self.fd)
        if self.is_new:
            sync_directory(self.path.parent)
            self.is_new = False

    def publish(self) -> None:
        """Tell readers in other processes what is durable now.

        Raises:
            OSError: They could not be told, so nothing more is written.
        """
        self._synced = self._written
        try:
            lease.publish(self.fd, self._synced)
        except OSError as error:
            self._refusal = error
            raise

    def drop_unsynced(self) -> None:
        """After a failed sync: nobody was told of these bytes, so nobody shall find them."""
        with contextlib.suppress(OSError):
            os.ftruncate(self.fd, self._synced)

    # On the loop.

    def number(self, item: Event) -> None:
        """Count an event that is appended now."""
        self.tail += 1
        if item.kind not in BETWEEN_TURNS:
            self.turn = item.turn + (item.kind == "turn-end")
        elif item.kind == "title":
            self.titled = self.tail
            self._unrecorded.append(self.tail)

    def check(self) -> None:
        """Refuse to go on after a failure.

        Raises:
            StoreFailed: The log could not be written.
        """
        if self.failure is not None:
            msg = f"{self.path}: {self.failure}, so nothing more is acknowledged."
            raise StoreFailed(msg) from self.failure


class FileWriter:
    """The holder of a log's lease. See `SessionWriter`."""

    def __init__(
        self,
        log: OpenLog,
        meta: SessionMeta,
        *,
        committer: Committer[OpenLog],
        closed: Callable[["FileWriter", bool], Awaitable[None]],
    ) -> None:
        self.log = log
        self._meta = meta
        self._committer = committer
        self._when_closed = closed
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
            msg = f"{log.path}: the lease was given back, so nothing can be appended."
            raise LeaseLost(msg)
        log.check()
        ts = time.time_ns() // 1_000_000
        for item in items:
            if isinstance(item, Event):
                # Encoded first: what cannot be has no number.
                data = encode_event(item, log.tail + 1, ts)
                log.number(item)
            else:
                data = encode_private(item)
            log.extend(len(data))
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
        log, path = self.log, self.log.path.with_suffix(".inbox")
        while True:
            log.mail.clear()
            if mailbox.has_more(path, log.taken):
                for item, end in await asyncio.to_thread(mailbox.items, path, log.taken):
                    yield item
                    # Counted once it is on its way to the log: a lease given back meanwhile took nothing.
                    self.append(Private({"inbox": end}))
                    log.taken = end
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(log.mail.wait(), _MAIL_POLL)

    async def close(self, *, unfinished: bool = False) -> None:
        """Commit what was appended and give the lease back."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._give_back(unfinished))
        # Whoever closes may be cancelled; a lease that nobody gives back would keep the session busy for good.
        await asyncio.shield(self._closing)

    async def _give_back(self, unfinished: bool) -> None:  # noqa: FBT001
        await self.log.settled_all()
        # What could not be made durable is somebody's to end.
        await self._when_closed(self, unfinished or self.log.failure is not None)
