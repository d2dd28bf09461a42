"""What an MCP host sees of this project, told line by line: its tools and their apps, the documents, a call, and a mistake."""

import json
import sys
from dataclasses import dataclass, field
from typing import Any

from mcp.client import Client
from mcp.client._transport import Transport
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

MIME = "text/html;profile=mcp-app"
CALL = ("get-weather", {"city": "Lisbon"})
ANSWER = {"city": "Lisbon", "temp_c": 21, "summary": "sunny"}


@dataclass
class Transcript:
    """What was seen, and what of it is not as it should be."""

    wrong: list[str] = field(default_factory=list)

    def tell(self, line: str, *, is_right: bool = True) -> None:
        """Print a line. One that is not right ends the probe with exit code 1."""
        say(("  " if is_right else "! ") + line)
        if not is_right:
            self.wrong.append(line)

    def end(self) -> None:
        """Leave, with 1 where something is wrong."""
        say(f"{len(self.wrong)} wrong." if self.wrong else "All as it should be.")
        sys.exit(1 if self.wrong else 0)


async def probe(
    transcript: Transcript, server: StdioServerParameters | Transport, mode: str
) -> None:
    """Talk to a server as a host does.

    Args:
        transcript: What is told.
        server: A command, or a way to an address.
        mode: `legacy` begins with a handshake, as most hosts do; `2026-07-28` does without.
    """
    say(f"\n{mode}")
    async with Client(server, mode=mode, read_timeout_seconds=20) as host:
        tell = transcript.tell
        tell(f"revision {host.protocol_version}")
        tools = (await host.list_tools()).tools
        apps = {tool.name: ui_of(tool.meta).get("resourceUri") for tool in tools}
        for name, app in apps.items():
            tell(f"tool {name} -> {app}", is_right=bool(app))
        resources = (await host.list_resources()).resources
        listed = {str(resource.uri): resource.mime_type for resource in resources}
        for uri, mime_type in listed.items():
            tell(f"resource {uri} ({mime_type})", is_right=mime_type == MIME)
        for app in filter(None, apps.values()):
            [document] = (await host.read_resource(app)).contents
            text = getattr(document, "text", "")
            is_whole = app in listed and document.mime_type == MIME and text.endswith("</html>\n")
            tell(f"read {app}: {len(text.encode()):,} bytes", is_right=is_whole)
        await call(transcript, host)


def say(line: str) -> None:
    """Print a line."""
    print(line, flush=True)  # noqa: T201 - a script


async def call(transcript: Transcript, host: Client) -> None:
    """One that works, and one that cannot."""
    name, arguments = CALL
    result = await host.call_tool(name, arguments)
    text = getattr(result.content[0], "text", "")
    is_right = json.loads(text) == result.structured_content == ANSWER
    transcript.tell(f"call {name} -> {text}", is_right=is_right)
    try:
        await host.call_tool("no-such-tool", {})
    except MCPError as error:
        transcript.tell(f"call no-such-tool -> {error.code} {error}")
    else:
        transcript.tell("call no-such-tool -> no error", is_right=False)


def ui_of(meta: dict[str, Any] | None) -> dict[str, Any]:
    """What a tool or a document says of apps."""
    return (meta or {}).get("ui", {})
