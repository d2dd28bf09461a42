"""The weather at an instant. In an MCP host, a button on the card calls this tool again."""

from typing import Annotated

from pydantic import Field
from weather import Reading, read_card, reading

from litro import tool
from litro.ui import UIResult, ui


@tool(title="Watch the weather", app="weather-refresh", read_only=True, open_world=True)
async def watch_weather(
    city: Annotated[str, Field(min_length=1, max_length=80, description='e.g. "Lisbon"')],
) -> UIResult[Reading]:
    """Show the weather of a city on a card that the person can bring up to date."""
    now = reading(city)
    return ui(read_card(now), data=now)
