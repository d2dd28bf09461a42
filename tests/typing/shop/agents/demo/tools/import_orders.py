"""An async generator: progress, then the result."""

from collections.abc import AsyncGenerator

from litro import Progress, Result, tool


@tool
async def import_orders(count: int) -> AsyncGenerator[Progress | Result[dict[str, int]]]:
    """Import orders."""
    for done in range(count):
        yield Progress(done, count, "importing")
    yield Result({"imported": count})
