from litro import ToolContext, tool


@tool
async def case_tool_with_progress(ctx: ToolContext):
    """Tell three times how far it has come."""
    for done in (0, 50, 100):
        await ctx.progress(done, 100, f"Completed step {done} of {100}")
    return "done"
