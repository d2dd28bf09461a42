"""A generator in a thread, which returns its result."""

from collections.abc import Generator

from litro import Progress, tool


@tool
def export_orders(count: int) -> Generator[Progress, None, list[int]]:
    """Export orders."""
    for done in range(count):
        yield Progress(done, count)
    return list(range(count))
