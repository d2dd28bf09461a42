"""Says for people why not."""

from litro import AgentError, tool


@tool
async def refuses(why: str) -> None:
    """Refuse."""
    raise AgentError(why)
