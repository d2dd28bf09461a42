"""A pool of engine processes: one request in flight each; one that fails is replaced, the others render on.

It starts nothing before the first request, so whoever forks afterwards shares no process, and belongs to one event loop.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from litro.errors import RenderFailed
from litro.ui.engine.frames import packed
from litro.ui.engine.limits import DEFAULT, Limits
from litro.ui.engine.node import Node
from litro.ui.engine.sidecar import Sidecar

logger: Final = logging.getLogger(__name__)


class Pool:
    """Processes that have loaded the same components.

    Args:
        find: Answers the Node to run; called in a thread, once.
        size: How many processes at the most.
        setup: The first request of each process, such as the components to load.
        reads: The folders whose files they may read.
        limits: What each may use.
    """

    def __init__(
        self,
        find: Callable[[], Node],
        *,
        size: int,
        setup: Mapping[str, Any] | None = None,
        reads: Sequence[Path] = (),
        limits: Limits = DEFAULT,
    ) -> None:
        self._find = find
        self._node: Node | None = None
        self._setup = setup
        self._reads = reads
        self._limits = limits
        self._places = asyncio.Semaphore(size)
        self._idle: list[Sidecar] = []
        self._all: set[Sidecar] = set()
        self._starting: set[asyncio.Task[Sidecar]] = set()
        self._burials: set[asyncio.Task[None]] = set()
        self._is_retired = False
        self._is_closed = False
        self.loaded: dict[str, Any] = {}
        """What the newest process answered to `setup`."""

    async def request(self, payload: Mapping[str, Any], *, timeout: float = 2.0) -> dict[str, Any]:  # noqa: ASYNC109 - a limit of each request, told by name
        """Ask a process that is free. Waiting for one does not count.

        Raises:
            EngineMissing: There is no Node to run.
            RenderFailed: The process was late, died, took too much memory, or none became free.
        """
        frame = packed(payload)
        await self._place()
        try:
            sidecar = self._free() or await self._start()
            try:
                answer = await sidecar.request(frame, timeout=timeout)
            except BaseException:
                # Cancelled ones too: an answer that nobody waits for would be taken for the next one's.
                self._bury(sidecar)
                raise
            self._put_back(sidecar)
            return answer
        finally:
            self._places.release()

    async def ready(self) -> dict[str, Any]:
        """Have a process started and its components loaded; what it answered to `setup`.

        Raises:
            EngineMissing, RenderFailed: As `request`.
        """
        await self._place()
        try:
            self._put_back(self._free() or await self._start())
            return self.loaded
        finally:
            self._places.release()

    @property
    def is_empty(self) -> bool:
        """Whether it has no process."""
        return not (self._all or self._starting or self._burials)

    @property
    def pids(self) -> frozenset[int]:
        """The processes that it has, by number."""
        return frozenset(sidecar.pid for sidecar in self._all)

    def retire(self) -> None:
        """End each process as soon as nobody asks it. Whoever still holds the pool may go on asking."""
        self._is_retired = True
        while self._idle:
            self._bury(self._idle.pop())

    async def close(self) -> None:
        """End every process, and wait until all are gone; requests under way fail."""
        self._is_closed = True
        for sidecar in list(self._all):
            self._bury(sidecar)
        self._idle.clear()
        while self._starting or self._burials:
            await asyncio.wait({*self._starting, *self._burials})

    def _put_back(self, sidecar: Sidecar) -> None:
        if self._is_closed or self._is_retired or sidecar.asked >= self._limits.renders:
            self._bury(sidecar)
        else:
            self._idle.append(sidecar)

    def _free(self) -> Sidecar | None:
        while self._idle:
            sidecar = self._idle.pop()
            if sidecar.is_alive:
                return sidecar
            self._bury(sidecar)
        return None

    async def _place(self) -> None:
        try:
            async with asyncio.timeout(self._limits.wait):
                await self._places.acquire()
        except TimeoutError:
            msg = f"no process became free within {self._limits.wait:g} s."
            raise RenderFailed(msg) from None

    async def _start(self) -> Sidecar:
        # A task, so that whoever gives up on it half way leaves no process behind, and `close` waits for it.
        starting = asyncio.create_task(self._started())
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(self._take_unwanted)
            raise

    async def _started(self) -> Sidecar:
        if self._node is None:
            self._node = await asyncio.to_thread(self._find)
        self._refuse_if_closed()
        sidecar = await Sidecar.start(self._node, self._limits, reads=self._reads)
        self._all.add(sidecar)
        try:
            self._refuse_if_closed()
            if self._setup is not None:
                self.loaded = _succeeded(
                    await sidecar.request(packed(self._setup), timeout=self._limits.start)
                )
        except BaseException:
            self._bury(sidecar)
            raise
        sidecar.asked = 0
        return sidecar

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            msg = "the engine is closed."
            raise RenderFailed(msg)

    def _take_unwanted(self, starting: asyncio.Task[Sidecar]) -> None:
        if not starting.cancelled() and starting.exception() is None:
            self._put_back(starting.result())

    def _bury(self, sidecar: Sidecar) -> None:
        if sidecar in self._all:
            self._all.remove(sidecar)
            sidecar.kill_now()
            task = asyncio.create_task(sidecar.kill())
            self._burials.add(task)
            task.add_done_callback(self._burials.discard)


def _succeeded(answer: dict[str, Any]) -> dict[str, Any]:
    if answer.get("ok"):
        return answer
    msg = f"the engine failed: {answer.get('message')}"
    raise RenderFailed(msg, stack=answer.get("stack"))


async def run_once(
    node: Node,
    payload: Mapping[str, Any],
    *,
    timeout: float,  # noqa: ASYNC109 - a limit of the request, told by name
    limits: Limits = DEFAULT,
) -> dict[str, Any]:
    """One request in a process of its own, which may read and write as we do.

    Raises:
        RenderFailed: As `Pool.request`.
    """
    frame = packed(payload)
    sidecar = await Sidecar.start(node, limits)
    try:
        return await sidecar.request(frame, timeout=timeout)
    finally:
        await sidecar.kill()
