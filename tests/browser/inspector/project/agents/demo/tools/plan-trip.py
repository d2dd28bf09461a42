"""A tool with every kind of input."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from litro import ToolContext, tool


class Pace(StrEnum):
    """How fast."""

    SLOW = "slow"
    FAST = "fast"


class Stop(BaseModel):
    """A place on the way."""

    city: Annotated[str, Field(max_length=80)]
    nights: Annotated[int, Field(ge=1)] = 1
    then: "Stop | None" = None


@tool
async def plan_trip(
    ctx: ToolContext,
    name: Annotated[str, Field(max_length=60, description="What the trip is called.")],
    days: int,
    stops: list[Stop],
    budget: float | None = None,
    pace: Pace = Pace.SLOW,
    way: Literal["rail", "road"] = "rail",
    alone: bool = False,
    start: date | None = None,
    tags: dict[str, int] | None = None,
) -> dict[str, object]:
    """Plan a trip.

    Args:
        days: How long it may take.
        stops: Where it goes, in this order.
        budget: In euros.
    """
    by = getattr(ctx.principal, "id", ctx.principal)
    return {
        "name": name,
        "days": days,
        "stops": [stop.model_dump() for stop in stops],
        "budget": budget,
        "pace": pace,
        "way": way,
        "alone": alone,
        "start": start and start.isoformat(),
        "tags": tags,
        "by": by,
    }
