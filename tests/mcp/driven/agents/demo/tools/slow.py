import asyncio

from litro import tool


@tool(timeout=0.1)
async def slow():
    """Take longer than it may."""
    await asyncio.Event().wait()
