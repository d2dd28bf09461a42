"""Group commit: whatever arrived while the last batch was made durable is the next batch.

One thread, no timers, no locks: the event loop hands over a whole batch by swapping a dict, and one batch is in
flight at a time. Under load batches grow by themselves; when idle a batch is one event and waits for nobody.

It is not a store: what committing a batch means is the function that it is given.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

K = TypeVar("K")

logger: Final = logging.getLogger(__name__)

Batch = dict[K, list[bytes]]
"""Per log, the pieces to write, in order."""

Failures = dict[K, BaseException]
"""The logs of a batch that did not become durable, and why."""


class Committer(Generic[K]):
    """The one committing thread of a store.

    Args:
        commit: Runs in the thread: makes a batch durable, or answers which logs it could not. Should it raise all the same,
            this batch fails and every later one.
        settle: Runs on the loop, once for each log of a batch: its bytes are durable, or failed.
        name: The thread's name.
    """

    def __init__(
        self,
        commit: Callable[[Batch[K]], Failures[K]],
        settle: Callable[[K, int, BaseException | None], None],
        *,
        name: str,
    ) -> None:
        self._commit = commit
        self._settle = settle
        self._name = name
        self._next: Batch[K] = {}
        self._handing_over = False
        self._in_flight = False
        self._batches: SimpleQueue[Batch[K] | None] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def add(self, log: K, data: bytes) -> None:
        """Take `data` into the next batch. On the loop's thread only."""
        pieces = self._next.get(log)
        if pieces is None:
            self._next[log] = [data]
        else:
            pieces.append(data)
        if not self._in_flight and not self._handing_over:
            # Whatever else this turn of the loop appends shall share the sync.
            self._running_loop().call_soon(self._hand_over)
            self._handing_over = True

    def stop(self) -> None:
        """End the thread after what was handed over. Waits for it."""
        if self._thread is not None:
            self._batches.put(None)
            self._thread.join()
            self._thread = None

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._thread is None:
            self._loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        return self._loop

    def _hand_over(self) -> None:
        self._handing_over = False
        self._in_flight = True
        batch, self._next = self._next, {}
        self._batches.put(batch)

    def _run(self) -> None:
        end: Exception | None = None
        while (batch := self._batches.get()) is not None:
            try:
                failures = self._commit(batch) if end is None else dict.fromkeys(batch, end)
            except Exception as error:
                # The thread's edge. What was written is not known, so nothing more is, and whoever waits hears of it.
                logger.critical(
                    "%s: a commit broke, so there is no other", self._name, exc_info=error
                )
                end = error
                failures: Failures[K] = dict.fromkeys(batch, end)
            loop = self._loop
            if loop is None or loop.is_closed():
                return
            loop.call_soon_threadsafe(self._settled, batch, failures)

    def _settled(self, batch: Batch[K], failures: Failures[K]) -> None:
        self._in_flight = False
        if self._next:
            self._hand_over()
        for log, pieces in batch.items():
            self._settle(log, sum(map(len, pieces)), failures.get(log))
