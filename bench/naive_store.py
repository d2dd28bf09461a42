"""The store that one would write first: each event is written and synced in a thread, and then it is durable.

As safe as the others, and what they are measured against. It is for one process, and for benchmarks.
"""

import asyncio
import os
from collections import deque
from pathlib import Path

from null_store import Log, NullStore, NullWriter


class NaiveWriter(NullWriter):
    """One file, one `to_thread(write + fsync)` an event, in order."""

    def __init__(self, log: Log, path: Path) -> None:
        super().__init__(log)
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._lines: deque[bytes] = deque()
        self._keeping: asyncio.Task[None] | None = None

    def keep(self, line: bytes) -> None:
        """Behind the lines that wait."""
        self._lines.append(line)
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        while self._lines:
            line = self._lines.popleft()
            await asyncio.to_thread(_write, self._fd, line)
            self._log.settle(self._log.durable + len(line))
        self._keeping = None

    async def close(self, *, unfinished: bool = False) -> None:
        """Give the lease back."""
        await super().close(unfinished=unfinished)
        os.close(self._fd)


class NaiveStore(NullStore):
    """See `SessionStore`."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def writer(self, log: Log) -> NaiveWriter:
        """What appends to a log."""
        return NaiveWriter(log, self._directory / f"{log.key.agent}-{log.key.session}")


def _write(fd: int, line: bytes) -> None:
    os.write(fd, line)
    os.fsync(fd)
