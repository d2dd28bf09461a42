"""Group commit on the event loop: whatever arrived while the last batch was on its way is the next batch.

The async twin of `litro.sessions.commit`, whose batches go to a thread: here one statement is in flight at a time, no
timer waits for company, and a batch is a list of logs, each of which is asked for its next chunk when its turn has come.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

L = TypeVar("L")


class Committer(Generic[L]):
    """One batch in flight.

    Args:
        commit: Makes a chunk of each log durable and tells the logs, raising nothing; answers which have more.
    """

    def __init__(self, commit: Callable[[list[L]], Awaitable[list[L]]]) -> None:
        self._commit = commit
        self._next: dict[L, None] = {}
        self._running: asyncio.Task[None] | None = None

    def add(self, log: L) -> None:
        """Take the log into the next batch. On the loop's thread only."""
        self._next[log] = None
        if self._running is None:
            # The task begins in the loop's next round: whatever else this round appends shall share the statement.
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def idle(self) -> None:
        """Return when nothing is in flight and nothing waits."""
        while self._running is not None:
            await asyncio.wait([self._running])

    async def _run(self) -> None:
        try:
            while self._next:
                batch, self._next = list(self._next), {}
                more = await self._commit(batch)
                # Before what came meanwhile: they have waited for longer.
                self._next = dict.fromkeys(more) | self._next
        finally:
            self._running = None
