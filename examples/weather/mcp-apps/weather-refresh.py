"""A card with a button that calls the card's own tool again, through the host."""

from look import STYLES

from litro.mcp import McpApp
from litro.ui import element

app = McpApp(
    shell=element("weather-refresh", tool="watch-weather"),
    title="Weather, as of now",
    styles=STYLES,
    prefers_border=False,
)
