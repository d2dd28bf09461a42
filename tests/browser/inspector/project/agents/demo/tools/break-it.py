"""A tool that fails."""

from litro import tool
from litro.errors import AgentError


@tool
async def break_it() -> str:
    """Break."""
    raise AgentError("It is broken. Ask for another one.")
