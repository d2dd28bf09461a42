"""A server on FastMCP, written as its users write one.

fast.py stdio | http PORT
"""

import sys
from typing import Annotated, Any

from fastmcp import FastMCP

server = FastMCP("fast")


def weather(city: Annotated[str, "Where."], days: Annotated[int, "How many."] = 1):
    """The weather in a city."""
    data: dict[str, Any] = {"city": city, "days": days, "temp_c": 21.5}
    return data


async def weather_async(city: Annotated[str, "Where."], days: Annotated[int, "How many."] = 1):
    """The weather in a city."""
    return weather(city, days)


for number in range(20):
    server.tool(weather_async, name=f"tool_{number:02}")

if sys.argv[1] == "stdio":
    server.run("stdio", show_banner=False)
else:
    import uvicorn

    app = server.http_app(path="/mcp", stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning")
