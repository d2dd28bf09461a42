"""A component for the person, data for the model."""

from litro import tool
from litro.ui import UIResult, element, ui


@tool
async def card(city: str) -> UIResult[dict[str, object]]:
    """Show a card."""
    data: dict[str, object] = {"city": city, "temp_c": 21}
    return ui(element("mixed-card", city=city, tempC=21), data=data)
