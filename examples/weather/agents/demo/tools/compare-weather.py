"""Several cities side by side. In an MCP host, the person looks up more of them on the card."""

from typing import Annotated

from pydantic import Field
from weather import Comparison, comparison, current

from litro import tool
from litro.ui import UIResult, ui

City = Annotated[str, Field(min_length=1, max_length=80)]


@tool(title="Compare the weather", app="weather-explorer", read_only=True, open_world=True)
async def compare_weather(
    cities: Annotated[list[City], Field(min_length=1, max_length=8)],
) -> UIResult[Comparison]:
    """Compare the current weather of several cities."""
    places = [current(city) for city in cities]
    return ui(comparison(places), data={"places": places})
