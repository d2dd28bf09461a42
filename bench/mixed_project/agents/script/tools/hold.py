"""Takes its time, so that turns are cancelled and processes killed while it runs."""

import asyncio

from litro import tool


@tool
async def hold(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "held"
