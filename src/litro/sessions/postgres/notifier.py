"""Telling other processes what was committed: behind the commit, not within it.

A transaction that notifies holds a lock of the whole server until it is durable, so that two processes' commits would wait
for each other's disk. A notification alone has nothing to make durable. Like commits, one is on its way at a time, and the
next names everything that was committed meanwhile. What is lost here is found by the once-a-second look.
"""

import asyncio
from collections.abc import Iterable

from litro.errors import LitroError
from litro.sessions.postgres.connections import Connections
from litro.sessions.postgres.notices import NOTIFY, Notices


class Notifier:
    """At most one notification in flight."""

    def __init__(self, connections: Connections, notices: Notices) -> None:
        self._connections = connections
        self._notices = notices
        self._next: dict[int, None] = {}
        self._running: asyncio.Task[None] | None = None

    def tell(self, sids: Iterable[int]) -> None:
        """The sessions have grown. On the loop's thread only."""
        self._next.update(dict.fromkeys(sids))
        if self._running is None and self._next:
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def idle(self) -> None:
        """Return when nothing is in flight."""
        while self._running is not None:
            await asyncio.wait([self._running])

    async def _run(self) -> None:
        try:
            while self._next:
                sids, self._next = list(self._next), {}
                await self._send(sids)
        finally:
            self._running = None

    async def _send(self, sids: list[int]) -> None:
        notice = self._notices.of_sessions(sids)
        try:
            await self._connections.run(lambda db: db.rows(NOTIFY, *notice), patience=0.5)
        except LitroError:
            # Whoever waits looks by itself.
            return
