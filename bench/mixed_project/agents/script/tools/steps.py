"""Reports progress."""

import asyncio
from collections.abc import AsyncIterator

from litro import Progress, Result, tool


@tool
async def steps(count: int) -> AsyncIterator[Progress | Result]:
    """Go on step by step."""
    for n in range(count):
        yield Progress(n, count, "going on")
        await asyncio.sleep(0.03)
    yield Result(count)
