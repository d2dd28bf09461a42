import asyncio

from litro import ToolContext, tool

from ..._shared.script import GATES  # noqa: TID252 - as users write it


@tool
async def linger(gate: str, ctx: ToolContext):
    """Wait for the gate, after one word of progress."""
    await ctx.progress(1, 2, "waiting")
    (GATES / f"{gate}.reached").touch()
    while not (GATES / gate).exists():
        await asyncio.sleep(0.01)
    return {"lingered": True}
