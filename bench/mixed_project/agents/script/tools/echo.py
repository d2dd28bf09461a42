"""Says what it was told. What it has run for is written down: no call may run twice."""

import os
from pathlib import Path

from litro import ToolContext, tool


@tool
async def echo(text: str, ctx: ToolContext) -> dict[str, str]:
    """Say it again."""
    with Path(os.environ["MIXED_RAN"]).open("ab", buffering=0) as ran:
        ran.write(f"{ctx.session.id} {ctx.call_id}\n".encode())
    return {"text": text}
