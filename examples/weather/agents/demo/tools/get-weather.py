from typing import Annotated

from markupsafe import Markup
from pydantic import Field

from litro import tool
from litro.ui import UIResult, ui

CARD = Markup(
    "<weather-card><template shadowrootmode='open'>"
    "<style>:host {{ display: inline-block; padding: 1rem; border: 1px solid; border-radius: 0.5rem }}</style>"
    "<b>{city}</b> {fahrenheit}&nbsp;°F, {summary}"
    "</template></weather-card>"
)


@tool
async def get_weather(
    city: Annotated[str, Field(min_length=1, max_length=80, description='e.g. "Lisbon"')],
) -> UIResult[dict[str, str | int]]:
    """Get the current weather for a city."""
    data: dict[str, str | int] = {"city": city, "temp_c": 21, "summary": "sunny"}
    # The person reads Fahrenheit on a card, the model Celsius in data: each channel has its own words.
    return ui(CARD.format(city=city, fahrenheit=70, summary="sunny"), data=data)
