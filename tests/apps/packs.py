"""Projects whose packed apps were written by nobody's packer, and what hosts are told of them."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mcp_host

from litro.mcp.apps.output import Packed, write

CARD = "ui://shop/weather-card"
MIME = "text/html;profile=mcp-app"
UI = "io.modelcontextprotocol/ui"
NETWORK = {"csp": {"connectDomains": ["https://api.example.com"]}, "prefersBorder": True}

TOOL = '''
from litro import tool

@tool(app="{app}")
def show(city: str = "Graz"):
    """Show the weather."""
    return {{"city": city, "temp_c": 21}}
'''
APP = """
from markupsafe import Markup
from litro.mcp import McpApp
print("noise")
app = McpApp(Markup("<p>Graz</p>"), uri="ui://shop/weather-card")
"""
REFRESH = '''
from litro import tool

@tool(visibility=("app",))
def refresh():
    """Look again."""
    return {"temp_c": 22}
'''


def card(html: str = "<p>one</p>", name: str = "weather-card", **ui: Any) -> Packed:
    uri = f"ui://shop/{name}"
    descriptor = {"uri": uri, "name": name, "mimeType": MIME, "_meta": {"ui": ui}}
    return Packed(name=name, uri=uri, html=html, descriptor=descriptor)


def digest(html: str) -> str:
    return hashlib.sha256(html.encode()).hexdigest()[:12]


def project(
    folder: Path,
    *packed: Packed,
    app: str = "weather-card",
    tools: Mapping[str, str] | None = None,
) -> Path:
    """A project with an agent whose tool `show` names the app, and with what is packed."""
    own = {"show": TOOL.format(app=app)} if tools is None else dict(tools)
    mcp_host.write_project(folder, own)
    if packed:
        write(folder / "dist/mcp-apps", packed)
    return folder
