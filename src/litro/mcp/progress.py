"""A call's progress as a host wants it: numbers that only grow, and a sign of life from a tool that is silent.

A host may give a call up after a minute without one. Whether anybody listens is the transport's business: without a listener
what a tool reports is checked and dropped.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self

import orjson

from litro.definitions import Progress
from litro.turn.tools import progress_payload

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends `(done, total, message)` to the host. It does not raise: a host that left is the transport's business."""

_MAX_MESSAGE: Final = 1000
_TRIFLE: Final = 1e-6
"""What a report counts as that has not come any further."""


class Course:
    """How far one call has come. Entered for as long as the tool runs.

    Args:
        report: Where to, or None.
        heartbeat: Seconds of silence after which it says that the call still runs.
    """

    def __init__(self, report: Report | None, heartbeat: float) -> None:
        self._report = report
        self._heartbeat = heartbeat
        self._done = -math.inf
        self._total: float | None = None
        self._beating: asyncio.Task[None] | None = None
        self._told = asyncio.Event()

    async def __aenter__(self) -> Self:
        if self._report is not None:
            self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._report = None
        if self._beating is not None:
            self._beating.cancel()

    async def tell(self, value: Any) -> None:
        """Pass on what a tool reported: `Progress`, or any JSON value, which counts as one step and is its message.

        Raises:
            EncodingError: It has no JSON, holds what only people may see, or is too large.
        """
        payload = progress_payload(value)
        if isinstance(value, Progress):
            self._total = payload.get("total")
            await self._send(payload["done"], payload.get("message"))
        else:
            text = payload if isinstance(payload, str) else orjson.dumps(payload).decode()
            step = 1 if self._done == -math.inf else math.floor(self._done) + 1
            await self._send(step, text)

    async def _send(self, done: float, message: str | None) -> None:
        # The protocol wants each number greater than the one before, and what a tool reports may well not be.
        last = self._done
        self._done = done if done > last else max(last + _TRIFLE, math.nextafter(last, math.inf))
        self._told.set()
        if self._report is not None:
            cut = None if message is None else message[:_MAX_MESSAGE]
            await self._report(self._done, self._total, cut)

    async def _beat(self) -> None:
        while True:
            self._told.clear()
            try:
                async with asyncio.timeout(self._heartbeat):
                    await self._told.wait()
            except TimeoutError:
                await self._send(max(self._done, 0), "still running")
