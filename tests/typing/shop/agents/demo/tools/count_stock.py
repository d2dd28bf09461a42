"""A tool that knows its call."""

from typing import Literal

from litro import AgentError, ToolContext, tool


@tool
async def count_stock(
    ctx: ToolContext, piece: str, unit: Literal["pieces", "dozens"] = "pieces"
) -> dict[str, int]:
    """Count what is in stock.

    Args:
        piece: What is counted.
        unit: In what.
    """
    if ctx.request is not None and ctx.request.headers.get("x-closed"):
        message = f"The shop is closed for {ctx.principal} in {ctx.session.id}."
        raise AgentError(message)
    await ctx.progress(1, 2, f"counting, call {ctx.call_id} at {ctx.session.seq}")
    await ctx.report({"half": True})
    count: int = ctx.state.pieces.get(piece, 0)
    return {unit: count if unit == "pieces" else count // 12}
