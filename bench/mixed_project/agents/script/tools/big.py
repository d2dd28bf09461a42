"""Answers much."""

from litro import tool


@tool
async def big(size: int) -> str:
    """Answer much."""
    return "x" * (size * 1000)
