"""The weather, as a model reads it and as people see it: in the chat and on the page."""

import os
from typing import TypedDict

from litro.ui import Template, element


class Weather(TypedDict):
    """What the model reads."""

    city: str
    temp_c: int
    summary: str


def current(city: str) -> Weather:
    """The weather in a city. Ask a weather service here."""
    return {"city": city, "temp_c": 21, "summary": "sunny"}


def card(weather: Weather) -> Template:
    """What people see: the component of the adapter that renders, each of which shows °F in its own way."""
    city, temp_c, summary = weather["city"], weather["temp_c"], weather["summary"]
    if os.environ.get("LITRO_ADAPTER") == "fast":
        # FAST renders templates, not classes: what a class would work out on the server is passed.
        temp_f = round(temp_c * 9 / 5 + 32)
        return element(
            "f-weather-card",
            city=city,
            tempC=temp_c,
            tempF=temp_f,
            summary=summary,
            inCelsius=False,
        )
    return element("demo-weather-card", city=city, tempC=temp_c, summary=summary)
