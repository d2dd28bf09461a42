from litro import ToolContext, tool


@tool
async def count(to: int, ctx: ToolContext) -> int:
    """Count, aloud."""
    for number in range(1, to + 1):
        await ctx.progress(number, to, f"number {number}")
    return to
