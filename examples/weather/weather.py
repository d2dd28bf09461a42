"""The weather, as a model reads it and as people see it: in the chat, on the page, and in an MCP host."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypedDict

from litro.ui import Template, element, html

ELSEWHERE = {
    "cairo": (31, "clear"),
    "oslo": (-3, "snow"),
    "reykjavik": (2, "windy"),
    "tokyo": (15, "cloudy"),
}


class Weather(TypedDict):
    """What the model reads."""

    city: str
    temp_c: int
    summary: str


class Reading(Weather):
    """The weather, and when it was read."""

    read_at: str


class Comparison(TypedDict):
    """The weather in several cities."""

    places: list[Weather]


def current(city: str) -> Weather:
    """The weather in a city. Ask a weather service here."""
    temp_c, summary = ELSEWHERE.get(city.casefold(), (21, "sunny"))
    return {"city": city, "temp_c": temp_c, "summary": summary}


def reading(city: str) -> Reading:
    """The weather in a city, as of now."""
    return {**current(city), "read_at": datetime.now(UTC).isoformat()}


def card(weather: Weather | None, *, plain: bool = False) -> Template:
    """What people see: the component of the adapter that renders, each of which shows °F in its own way.

    Args:
        weather: None is a card that waits for it.
        plain: Without its button.
    """
    city, temp_c, summary = ("", None, "")
    if weather:
        city, temp_c, summary = weather["city"], weather["temp_c"], weather["summary"]
    if is_fast():
        # FAST renders templates, not classes: what a class would work out on the server is passed.
        return element(
            "f-weather-card",
            city=city,
            tempC=temp_c,
            tempF=fahrenheit(weather) if weather else "-",
            summary=summary,
            inCelsius=False,
            plain=plain,
        )
    return element("demo-weather-card", city=city, tempC=temp_c, summary=summary, plain=plain)


def read_card(reading: Reading) -> Template:
    """The card with the time below. It is written in Lit alone."""
    if is_fast():
        return card(reading)
    return element(
        "weather-refresh",
        city=reading["city"],
        tempC=reading["temp_c"],
        summary=reading["summary"],
        readAt=reading["read_at"],
    )


def comparison(places: Sequence[Weather]) -> Template:
    """Several cities. It is written in Lit alone."""
    if is_fast():
        rows = [
            html("<li>{city}: {temp_f} °F</li>", city=place["city"], temp_f=fahrenheit(place))
            for place in places
        ]
        return html("<ul>{rows}</ul>", rows=rows)
    return element("weather-explorer", places=list(places))


def fahrenheit(weather: Weather) -> int:
    """What people see."""
    return round(weather["temp_c"] * 9 / 5 + 32)


def is_fast() -> bool:
    """Whether FAST renders, instead of Lit."""
    return os.environ.get("LITRO_ADAPTER") == "fast"
