"""An open log: what was appended, committed and made known, in bytes, and its last lines in memory.

The last lines spare those who follow a running turn a look into the database for each event. They are handed out only once
they are durable, and are bounded: whoever falls behind reads the database.
"""

import asyncio
import time
from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from litro.errors import LeaseLost, StoreFailed
from litro.sessions.base import SessionKey
from litro.sessions.facts import Facts
from litro.sessions.progress import Progress

_RECENT: Final = 16 * 1024
"""Durable bytes of a log that are kept in memory."""


class Cursor(NamedTuple):
    """How far a reader is: it wants what ends behind `offset` and has, or follows, an event of `seq` or later."""

    seq: int
    offset: int = 0
    seen: int = 0
    """The last row of the hot table that it has been past."""

    @classmethod
    def at(cls, start: int) -> "Cursor":
        """Where reading from seq `start` begins: with the header for 1 or less, which stands behind no event."""
        return cls(start if start > 1 else 0)


class Mark(NamedTuple):
    """What a log's entry shall say once its first `end` bytes are durable."""

    end: int
    facts: Facts
    taken: int


class Recent:
    """The last lines of a log, from some offset on without a gap."""

    def __init__(self, *, offset: int, last: int) -> None:
        self._offset = offset
        """Where the first piece begins."""
        self._last = last
        """The last seq before it."""
        self._pieces: deque[tuple[int, int, bytes]] = deque()
        """Each with its end, and the last seq up to there."""
        self._bytes = 0

    def add(self, data: bytes, *, end: int, last: int) -> None:
        """One more line."""
        self._pieces.append((end, last, data))
        self._bytes += len(data)

    def covers(self, cursor: Cursor) -> bool:
        """Whether all that the cursor wants is here, or still to come."""
        return cursor.offset >= self._offset or cursor.seq > self._last

    def since(self, cursor: Cursor, durable: int) -> tuple[bytes, Cursor]:
        """The lines that the cursor wants among the first `durable` bytes, and where it is then."""
        found: list[bytes] = []
        behind = cursor
        for end, last, data in reversed(self._pieces):
            if end <= cursor.offset or last < cursor.seq:
                break
            if end <= durable:
                if not found:
                    behind = Cursor(last, end)
                found.append(data)
        found.reverse()
        return b"".join(found), behind

    def trim(self, durable: int) -> None:
        """Forget what is durable and old."""
        while self._bytes > _RECENT and self._pieces[0][0] <= durable:
            self._offset, self._last, data = self._pieces.popleft()
            self._bytes -= len(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """What a session holds when its lease is taken."""

    number: int
    fence: int
    owner: str | None
    created: int
    updated: int
    length: int
    tail: int
    taken: int
    """The id of the last item of mail that was taken."""
    facts: Facts


class OpenLog(Progress):
    """A log under its lease."""

    def __init__(self, extent: Extent, key: SessionKey, where: str) -> None:
        super().__init__(extent.length)
        self.key = key
        self.number: int = extent.number
        self.fence: int = extent.fence
        self.where = where
        self.tail: int = extent.tail
        self.taken: int = extent.taken
        self.facts: Facts = extent.facts
        self.recent: Recent = Recent(offset=extent.length, last=extent.tail)
        self.since: int = time.time_ns() // 1_000_000
        """When the lease was taken, in milliseconds since the epoch."""
        self.mail: asyncio.Event = asyncio.Event()
        # The committing thread runs ahead of the loop: what it has found out counts for its next batch at once.
        self.written: int = extent.length
        self.last: int = extent.tail
        self.updated: int = extent.updated
        """When the last batch was committed."""
        self.known: Mark = Mark(extent.length, extent.facts, extent.taken)
        self.entered: tuple[str | None, int] = (extent.facts.title, extent.taken)
        """Title and taken mail, as the session's entry has them."""
        self.marks: deque[Mark] = deque()
        self.vouched: int | None = None
        """How many leases had been taken when this one was last seen to be the session's own."""
        self.refusal: BaseException | None = None

    def add(self, data: bytes) -> None:
        """One more line is appended; `tail` counts it already."""
        self.extend(len(data))
        self.recent.add(data, end=self.appended, last=self.tail)

    def mark(self) -> None:
        """The entry shall say what is known now, as soon as what is appended now is durable."""
        self.marks.append(Mark(self.appended, self.facts, self.taken))

    def settle(self, size: int, error: BaseException | None) -> None:
        """The committer is done with `size` more bytes."""
        super().settle(size, error)
        self.recent.trim(self.durable)

    def check(self) -> None:
        """Refuse to go on after a failure.

        Raises:
            LeaseLost: Another writer has the session.
            StoreFailed: The log could not be written.
        """
        if self.failure is not None:
            kind = LeaseLost if isinstance(self.failure, LeaseLost) else StoreFailed
            raise kind(str(self.failure)) from self.failure
