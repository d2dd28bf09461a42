"""A tool. Its name is the file's; the model reads the docstring, and the annotations as its schema."""

from typing import Annotated

from pydantic import Field
from weather import Weather, card, current

from litro import tool
from litro.ui import UIResult, ui


# In an MCP host, people see the same card: the app of mcp-apps/weather-live.py.
@tool(title="Current weather", app="weather-live", read_only=True, open_world=True)
async def get_weather(
    city: Annotated[str, Field(min_length=1, max_length=80, description='e.g. "Lisbon"')],
) -> UIResult[Weather]:
    """Get the current weather for a city."""
    # The person reads Fahrenheit on the card, the model Celsius in data.
    weather = current(city)
    return ui(card(weather), data=weather)
