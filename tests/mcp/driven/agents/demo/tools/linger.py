import asyncio
import os
from pathlib import Path

from litro import tool


@tool
async def linger(mark: str):
    """Wait for ever, and leave marks: where it has begun, and where it has ended."""
    marks = Path(os.environ["MARKS"])
    (marks / f"{mark}.begun").touch()
    try:
        await asyncio.Event().wait()
    finally:
        (marks / f"{mark}.left").touch()
