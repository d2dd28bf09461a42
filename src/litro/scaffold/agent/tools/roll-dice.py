"""A tool. Its name is the file's; the model reads the docstring, and the annotations as its schema."""

import secrets
from typing import Annotated

from pydantic import Field

from litro import tool


@tool
def roll_dice(
    count: Annotated[int, Field(ge=1, le=20, description="how many dice")] = 1,
    sides: Annotated[int, Field(ge=2, le=100, description="sides of each")] = 6,
) -> list[int]:
    """Roll dice."""
    return [secrets.randbelow(sides) + 1 for _ in range(count)]
