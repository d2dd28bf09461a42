"""A tool that says what it got."""

from litro import tool


@tool
async def echo(text: str) -> str:
    """Say it again."""
    return text
