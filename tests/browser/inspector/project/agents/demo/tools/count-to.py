"""A tool that tells how far it is, and waits for the test in the middle."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from litro import Progress, Result, tool


@tool
async def count_to(name: str) -> AsyncGenerator[Progress | Result[dict[str, int]]]:
    """Count."""
    yield Progress(3, 10, "counting")
    while not (Path(os.environ["GATES"]) / name).exists():  # Another process makes the file.
        await asyncio.sleep(0.02)
    yield Result({"counted": 10})
