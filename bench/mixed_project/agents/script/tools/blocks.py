"""Blocks a thread."""

import time

from litro import tool


@tool
def blocks(seconds: float) -> str:
    """Block."""
    time.sleep(seconds)
    return "blocked"
