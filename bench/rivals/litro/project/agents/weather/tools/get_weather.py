"""The tool."""

from conversation import weather

from litro import tool


@tool
async def get_weather(city: str):
    """The weather in a city."""
    return weather(city)
