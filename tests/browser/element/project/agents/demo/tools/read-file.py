"""A tool whose result is large."""

from litro import tool


@tool
async def read_file(path: str) -> str:
    """Read a file."""
    return f"The beginning of {path}.\n" + "x" * 6000 + "\nThe end."
