"""Input from a dataclass."""

from dataclasses import dataclass

from litro import ToolContext, tool


@dataclass(frozen=True)
class Move:
    to: str


@tool(input=Move)
async def move(move: Move, ctx: ToolContext) -> str:
    """Move what is there."""
    return f"Moved to {move.to}, by {ctx.principal}."
