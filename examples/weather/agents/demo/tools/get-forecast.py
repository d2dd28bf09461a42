"""Tomorrow's weather. In an MCP host it is shown without any script of the card's own."""

from typing import Annotated

from pydantic import Field
from weather import Weather, card, current

from litro import tool
from litro.ui import UIResult, ui


@tool(title="Tomorrow's weather", app="weather-card", read_only=True, open_world=True)
async def get_forecast(
    city: Annotated[str, Field(min_length=1, max_length=80, description='e.g. "Lisbon"')],
) -> UIResult[Weather]:
    """Get tomorrow's weather for a city."""
    weather = current(city)
    weather["summary"] += " tomorrow"
    return ui(card(weather), data=weather)
