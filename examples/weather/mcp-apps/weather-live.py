"""The chat's own card, alive: it shows whatever a host fills into it, and its button changes the unit."""

from look import STYLES
from weather import card

from litro.mcp import McpApp

app = McpApp(shell=card(None), title="Weather", styles=STYLES, prefers_border=False)
