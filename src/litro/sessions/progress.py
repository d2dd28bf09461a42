"""How far a log that is written here has come: what the committer has done with what was appended, and who waits for that.

It is no log: what the bytes are, and where they go, is each store's business.
"""

import asyncio


class Progress:
    """Bytes on their way, and those who wait for them.

    Args:
        length: Bytes that are durable already.

    Attributes:
        appended: Bytes that were handed over.
        settled: Bytes that the committer is done with, durable or not.
        durable: Bytes that readers may see.
        failure: Why nothing more becomes durable, where it does not.
    """

    def __init__(self, length: int) -> None:
        self.appended: int = length
        self.settled: int = length
        self.durable: int = length
        self.failure: BaseException | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def extend(self, size: int) -> None:
        """`size` more bytes were handed over."""
        self.appended += size

    def settle(self, size: int, error: BaseException | None) -> None:
        """The committer is done with `size` more bytes."""
        self.settled += size
        if error is None:
            self.durable += size
        elif self.failure is None:
            self.failure = error
        self.wake()

    def changed(self) -> "asyncio.Future[None]":
        """Done when more is durable, or the log failed or was closed."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return future

    async def settled_all(self) -> None:
        """Return when the committer is done with everything that was appended."""
        while self.settled < self.appended:
            await self.changed()

    def wake(self) -> None:
        """Tell everybody who waits for a change."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
