from typing import TypedDict

from litro import tool


class Sum(TypedDict):
    total: int


@tool(read_only=True, title="Add")
def add(a: int, b: int) -> Sum:
    """Add two numbers.

    Args:
        a: One of them.
        b: The other.
    """
    return {"total": a + b}
