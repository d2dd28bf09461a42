"""A tool. Its name is the file's; the model reads the docstring, and the annotations as its schema."""

from typing import Annotated, TypedDict

from markupsafe import Markup
from pydantic import Field

from litro import tool
from litro.ui import UIResult, ui

# Shadow DOM keeps the card's style to itself, and needs no JavaScript. `%` escapes what it puts in.
CARD = Markup("""
<weather-card><template shadowrootmode="open">
  <style>
    article { display: inline-block; padding: 0.75rem 1rem; border: 1px solid; border-radius: 0.75rem }
    b { font-size: 1.5rem }
  </style>
  <article>%(city)s<br><b>%(temp_f)d&nbsp;°F</b><br>%(summary)s</article>
</template></weather-card>
""")


class Weather(TypedDict):
    """What the model reads."""

    city: str
    temp_c: int
    summary: str


@tool
async def get_weather(
    city: Annotated[str, Field(min_length=1, max_length=80, description='e.g. "Lisbon"')],
) -> UIResult[Weather]:
    """Get the current weather for a city."""
    # Ask a weather service here. The person reads Fahrenheit on the card, the model Celsius in data.
    weather: Weather = {"city": city, "temp_c": 21, "summary": "sunny"}
    return ui(CARD % {"city": city, "temp_f": 70, "summary": "sunny"}, data=weather)
