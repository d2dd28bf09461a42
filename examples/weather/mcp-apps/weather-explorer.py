"""Several cities beside each other. The card looks up more of them, with another tool than the one that it shows."""

from look import STYLES

from litro.mcp import McpApp
from litro.ui import element

app = McpApp(
    shell=element("weather-explorer", tool="get-weather"),
    title="Weather in several cities",
    styles=STYLES,
    prefers_border=False,
)
