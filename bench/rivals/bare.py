"""A server on the official SDK's low-level server and nothing else: schemas written out, results put together by hand.

    bare.py stdio | http PORT

It checks arguments, which a server has to and the SDK's low-level server does not.
"""

import asyncio
import json
import sys
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Where."},
        "days": {"type": "integer", "default": 1, "description": "How many."},
    },
    "required": ["city"],
    "additionalProperties": False,
}
NAMES = [f"tool_{number:02}" for number in range(20)]
TOOLS = [
    types.Tool.model_validate(
        {"name": name, "description": "The weather in a city.", "inputSchema": SCHEMA},
        by_name=False,
    )
    for name in NAMES
]
CHECK = Draft202012Validator(SCHEMA)


async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name not in NAMES:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
    given = params.arguments or {}
    for error in CHECK.iter_errors(given):
        text = types.TextContent(type="text", text=error.message)
        return types.CallToolResult(content=[text], is_error=True)
    data = {"city": given["city"], "days": given.get("days", 1), "temp_c": 21.5}
    text = types.TextContent(type="text", text=json.dumps(data))
    return types.CallToolResult(content=[text], structured_content=data)


server: Server[Any] = Server(
    "bare",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    get_tool_input_schema=lambda name: SCHEMA if name in NAMES else None,
)


async def over_stdio() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options(NotificationOptions()))


if sys.argv[1] == "stdio":
    asyncio.run(over_stdio())
else:
    import uvicorn

    app = server.streamable_http_app(streamable_http_path="/mcp", stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning")
