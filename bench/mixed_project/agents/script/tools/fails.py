"""Always fails."""

from litro import tool


@tool
async def fails() -> None:
    """Fail."""
    msg = "provoked by the campaign"
    raise RuntimeError(msg)
