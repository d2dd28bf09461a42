"""What the benchmark's model says: ticks on a schedule that nobody can delay, or a burst.

A person's text is the order: `ticks START COUNT INTERVAL` in nanoseconds of the monotonic clock, which processes of one
machine share, or `burst COUNT`. Each piece of the answer begins with the time it was due, so that a client can tell how
late it is: a server that stalls is charged for every tick it held up.

It is not a load generator: it knows no client.
"""

import asyncio
import math
import time
from collections.abc import AsyncGenerator

from litro.providers.base import Finished, ModelEvent, ModelRequest, TextDelta, UserMessage

FAIR = 16
"""Pieces of a burst after which the others on the loop get a turn, as a socket's reader would give it."""


async def pieces(order: str) -> AsyncGenerator[str]:
    """The pieces of the answer to an order."""
    kind, *numbers = order.split()
    if kind == "burst":
        for n in range(int(numbers[0])):
            if n % FAIR == 0:
                await asyncio.sleep(0)
            yield f"{time.monotonic_ns()} token"
        return
    start, count, interval = map(int, numbers)
    for due in range(start, start + count * interval, interval):
        wait = due - time.monotonic_ns()
        if wait > 0:
            # uvloop counts in whole milliseconds, and would otherwise come early.
            await asyncio.sleep(math.ceil(wait / 1e6) / 1e3)
        yield f"{due} token"


class Ticker:
    """The model of the benchmark's agent."""

    name = "ticker"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """What the last message orders."""
        order = request.messages[-1]
        assert isinstance(order, UserMessage)
        async for piece in pieces(order.text):
            yield TextDelta(piece)
        yield Finished(stop="end")
