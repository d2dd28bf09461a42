"""The weather card by Prefab, on FastMCP, as its users write one. Prints the document that hosts are given for it, and the call's result."""

import asyncio
import json
import sys

from fastmcp import Client, FastMCP
from prefab_ui.actions import ToggleState
from prefab_ui.app import PrefabApp
from prefab_ui.components import Button, Card, Column, Heading, Text
from prefab_ui.components.control_flow import Else, If

server = FastMCP("weather")


@server.tool(app=True)
def get_weather(city: str) -> PrefabApp:
    """The weather in a city."""
    temp_c, summary = 21, "sunny"
    with PrefabApp(state={"in_celsius": False}) as app, Card(css_class="p-4"), Column(gap=2):
        Heading(city, level=2)
        with If("in_celsius"):
            Text(f"{temp_c} °C", bold=True)
        with Else():
            Text(f"{round(temp_c * 9 / 5 + 32)} °F", bold=True)
        Text(summary)
        Button("Change unit", on_click=ToggleState("in_celsius"))
    return app


async def main() -> None:
    async with Client(server) as client:
        (tool,) = await client.list_tools()
        uri = (tool.meta or {})["ui"]["resourceUri"]
        (content,) = await client.read_resource(uri)
        result = await client.call_tool_mcp("get_weather", {"city": "Lisbon"})
        sent = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        json.dump({"html": content.text, "result": sent}, sys.stdout)


asyncio.run(main())
